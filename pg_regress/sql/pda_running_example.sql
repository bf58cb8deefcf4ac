-- The running example of PDA (Wang, Fung, Yu, ICDM 2005): Table 1, Example 2's templates, Figure 2's counts, Algorithm 1.
CREATE SCHEMA pda_paper;
SET search_path TO pda_paper, public;
CREATE TABLE customer (job text, country text, child text, bankruptcy text, rating text);
INSERT INTO customer
SELECT job, country, child, bankruptcy, r.rating
FROM (VALUES ('Cook', 'US', 'No', 'Current', 0, 4), ('Artist', 'France', 'No', 'Current', 1, 3),
             ('Doctor', 'US', 'Yes', 'Never', 4, 2), ('Trader', 'UK', 'No', 'Discharged', 4, 0),
             ('Trader', 'UK', 'No', 'Never', 1, 0), ('Trader', 'Canada', 'No', 'Never', 1, 0),
             ('Clerk', 'Canada', 'No', 'Never', 3, 0), ('Clerk', 'Canada', 'No', 'Discharged', 1, 0)
     ) t (job, country, child, bankruptcy, good, bad),
     LATERAL (SELECT 'Good' FROM generate_series(1, good) UNION ALL SELECT 'Bad' FROM generate_series(1, bad)) r (rating);
SELECT count(*), count(*) FILTER (WHERE rating = 'Good') AS good, count(*) FILTER (WHERE bankruptcy = 'Discharged') AS discharged
FROM customer;

-- Example 1: {Trader,UK} -> Discharged, support 5, confidence 80 %; more than 75 % is not tolerated.
SELECT * FROM privacy_inferences('customer', confidence_bound(ARRAY['job', 'country'], 'bankruptcy', ARRAY['Discharged'], 0.75), 0.75);
SELECT required, achieved, holds, groups, violating_groups, violating_rows
FROM privacy_check('customer', ARRAY[confidence_bound(ARRAY['job', 'country'], 'bankruptcy', ARRAY['Discharged'], 0.75)]);
-- Table 2 of the paper keeps that template: 50 %.
CREATE VIEW table_2 AS
SELECT CASE WHEN job IN ('Trader', 'Clerk') THEN '*' ELSE job END AS job,
       CASE WHEN country IN ('UK', 'Canada') THEN '*' ELSE country END AS country, child, bankruptcy, rating FROM customer;
SELECT job, country, child, bankruptcy, count(*) FILTER (WHERE rating = 'Good') AS good, count(*) FILTER (WHERE rating = 'Bad') AS bad
FROM table_2 GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4;
SELECT required, achieved, holds, groups, violating_groups, violating_rows
FROM privacy_check('table_2', ARRAY[confidence_bound(ARRAY['job', 'country'], 'bankruptcy', ARRAY['Discharged'], 0.75)]);

-- Example 2. What follows is the paper's sections 3 and 4.1 in plain SQL over the raw rows: the table after some disclosures
-- ('job=Clerk', ...), the confidences of its two templates, and every candidate with its gain, loss and score.
SELECT ARRAY[confidence_bound(ARRAY['job', 'country'], 'bankruptcy', ARRAY['Discharged'], 0.5),
             confidence_bound(ARRAY['job', 'child'], 'bankruptcy', ARRAY['Discharged'], 0.5)] AS templates \gset
CREATE FUNCTION suppressed_table(disclosed text[]) RETURNS SETOF customer STABLE LANGUAGE sql AS $$
  SELECT CASE WHEN 'job=' || job = ANY (disclosed) THEN job ELSE '*' END,
         CASE WHEN 'country=' || country = ANY (disclosed) THEN country ELSE '*' END,
         CASE WHEN 'child=' || child = ANY (disclosed) THEN child ELSE '*' END, bankruptcy, rating
  FROM pda_paper.customer $$;
CREATE FUNCTION confidences(disclosed text[]) RETURNS float8[] STABLE LANGUAGE sql AS $$
  WITH t AS MATERIALIZED (SELECT * FROM pda_paper.suppressed_table(disclosed))
  SELECT ARRAY[(SELECT max(c) FROM (SELECT avg((bankruptcy = 'Discharged')::int)::float8 AS c FROM t GROUP BY job, country) g),
               (SELECT max(c) FROM (SELECT avg((bankruptcy = 'Discharged')::int)::float8 AS c FROM t GROUP BY job, child) g)] $$;
CREATE FUNCTION entropy(good numeric, bad numeric) RETURNS float8 IMMUTABLE LANGUAGE sql AS $$
  SELECT coalesce(-sum(n / (good + bad) * ln(n / (good + bad)) / ln(2.0)), 0)::float8 FROM unnest(ARRAY[good, bad]) n WHERE n > 0 $$;
CREATE FUNCTION candidates(disclosed text[])
  RETURNS TABLE (attribute text, value text, records int, gain float8, loss float8, score float8, conf_1 float8, conf_2 float8,
                 beneficial boolean, valid boolean) STABLE LANGUAGE sql AS $$
  WITH open AS (
    SELECT a.attribute, a.value, count(*) FILTER (WHERE rating = 'Good') AS good, count(*) FILTER (WHERE rating = 'Bad') AS bad
    FROM pda_paper.customer, LATERAL (VALUES ('job', job), ('country', country), ('child', child)) a (attribute, value)
    WHERE a.attribute || '=' || a.value <> ALL (disclosed) GROUP BY 1, 2),
  star AS (SELECT attribute, sum(good) AS good, sum(bad) AS bad FROM open GROUP BY 1),
  gains AS (
    SELECT o.attribute, o.value, (s.good + s.bad)::int AS records, s.good > 0 AND s.bad > 0 AS beneficial,
           pda_paper.entropy(s.good, s.bad)
           - ((o.good + o.bad) / (s.good + s.bad))::float8 * pda_paper.entropy(o.good, o.bad)
           - ((s.good - o.good + s.bad - o.bad) / (s.good + s.bad))::float8 * pda_paper.entropy(s.good - o.good, s.bad - o.bad) AS gain,
           pda_paper.confidences(disclosed) AS before, pda_paper.confidences(disclosed || (o.attribute || '=' || o.value)) AS after
    FROM open o JOIN star s USING (attribute)),
  losses AS (
    SELECT *, CASE attribute WHEN 'job' THEN (after[1] - before[1] + after[2] - before[2]) / 2
                             WHEN 'country' THEN after[1] - before[1] ELSE after[2] - before[2] END AS loss
    FROM gains)
  SELECT attribute, value, records, gain, loss, gain / (loss + 1), after[1], after[2], beneficial, greatest(after[1], after[2]) <= 0.5
  FROM losses $$;

-- The most suppressed table: both confidences 5/24 = 20.83 %; Figure 2's counts.
CREATE VIEW at_start AS SELECT * FROM suppressed_table('{}');
CREATE VIEW after_clerk AS SELECT * FROM suppressed_table('{job=Clerk}');
CREATE VIEW after_canada AS SELECT * FROM suppressed_table('{job=Clerk,country=Canada}');
SELECT state, ordinality AS template, round(achieved::numeric, 4) AS achieved, achieved = 5 / 24.0::float8 AS five_of_24, required, holds, groups,
       violating_groups, violating_rows
FROM (VALUES (1, 'at_start'), (2, 'after_clerk'), (3, 'after_canada')) s (n, state),
     LATERAL privacy_check(state::regclass, :'templates'::privacy_model[]) WITH ORDINALITY
ORDER BY n, template;
SELECT state, t AS template, channel, support, matches, round(confidence::numeric, 4) AS confidence
FROM (VALUES (1, 'at_start'), (2, 'after_clerk'), (3, 'after_canada')) s (n, state), generate_series(1, 2) t,
     LATERAL privacy_inferences(state::regclass, (:'templates'::privacy_model[])[t])
ORDER BY n, t, support DESC;
-- {*,Canada} is no inference: 0 of 1. It is a group all the same.
SELECT job, country, count(*) FILTER (WHERE bankruptcy = 'Discharged') AS discharged, count(*) FROM after_canada GROUP BY 1, 2 ORDER BY 4 DESC;

-- The candidates at the start, by hand. 15 Good, 9 Bad: H(15,9) = -15/24 log2(15/24) - 9/24 log2(9/24) = 0.4238 + 0.5306 = 0.9544.
--  Cook   (0G/4B):  rest 15G/5B of 20, H = 0.8113: gain 0.9544 - 20/24 x 0.8113 = 0.2784; {*} becomes 5/20: both templates lose
--                   5/20 - 5/24 = 1/24 = 0.0417; score 0.2784 / 1.0417 = 0.2672.
--  Doctor (4G/2B):  H = 0.9183, rest 11G/7B of 18, H = 0.9641: gain 0.9544 - 6/24 x 0.9183 - 18/24 x 0.9641 = 0.0018;
--                   {*} 5/18 = 0.2778, loss 5/18 - 5/24 = 0.0694; score 0.0017.
--  Canada (5G/0B):  rest 10G/9B of 19, H = 0.9980: gain 0.9544 - 19/24 x 0.9980 = 0.1643; {*,Canada} 1/5, {*,*} 4/19 = 0.2105;
--                   only the first template has Country: loss 4/19 - 5/24 = 1/456 = 0.0022; score 0.1640.
--  UK     (5G/0B):  the same gain, but {*,UK} is 4/5: loss 4/5 - 5/24 = 0.5917, and it breaks the first template.
--  Trader (6G/0B):  rest 9G/9B, H = 1: gain 0.9544 - 18/24 = 0.2044; {Trader} is 4/6: loss 4/6 - 5/24 = 0.4583, breaks both.
SELECT attribute, value, records, round(gain::numeric, 4) AS gain, round(loss::numeric, 4) AS loss, round(score::numeric, 4) AS score,
       round(conf_1::numeric, 4) AS conf_1, round(conf_2::numeric, 4) AS conf_2, beneficial, valid
FROM candidates('{}') ORDER BY attribute DESC, value;

-- The search. Before each of its steps all candidates are computed again: `best` says that none that is valid and beneficial has a
-- higher score, `as_computed` that gain, loss, score and both confidences are those of the plain SQL.
CREATE TABLE dry_run AS SELECT * FROM tds_steps('customer', :'templates'::privacy_model[], class => 'rating', score => 'tdr',
  masking => ARRAY[by_suppression('job'), by_suppression('country'), by_suppression('child')]);
CREATE VIEW judged AS
SELECT s.step, s.attribute, s.children, s.records, s.info_gain, s.privacy_loss, s.score, s.achieved, c.valid, c.beneficial,
       s.score >= (SELECT max(o.score) FROM candidates(b.disclosed) o WHERE o.valid AND o.beneficial) - 1e-12 AS best,
       s.node = '*' AND s.children[2] = '*' AND s.records = c.records
         AND abs(s.info_gain - c.gain) < 1e-12 AND abs(s.privacy_loss - c.loss) < 1e-12 AND abs(s.score - c.score) < 1e-12
         AND s.achieved = ARRAY[c.conf_1, c.conf_2] AS as_computed,
       (SELECT count(*) FROM candidates(b.disclosed) o WHERE o.valid AND o.beneficial) AS open
FROM dry_run s,
     LATERAL (SELECT ARRAY(SELECT e.attribute || '=' || e.children[1] FROM dry_run e WHERE e.step < s.step) AS disclosed) b,
     LATERAL candidates(b.disclosed) c
WHERE c.attribute = s.attribute AND c.value = s.children[1];
SELECT step, attribute, children, records, round(info_gain::numeric, 4) AS info_gain, round(privacy_loss::numeric, 4) AS privacy_loss,
       round(score::numeric, 4) AS score, achieved, valid, beneficial, open, best, as_computed
FROM judged ORDER BY step;

-- pda_anonymize does the same without being told score and masking.
SELECT result - 'seconds' AS result,
       ARRAY(SELECT key FROM jsonb_each(result -> 'seconds') WHERE jsonb_typeof(value) = 'number' ORDER BY key) AS seconds
FROM pda_anonymize('customer', 'pda_release', :'templates'::privacy_model[], 'rating') AS result;
SELECT count(*), count(*) FILTER (WHERE s IS DISTINCT FROM d) AS differing
FROM (SELECT step, attribute, node, children, records, info_gain, privacy_loss, score, achieved FROM pda_release_private.steps) s
     FULL JOIN dry_run d USING (step);
-- What the paper's Table 2 shows: Trader and Clerk, UK and Canada stay suppressed.
SELECT job, country, child, bankruptcy, count(*) FILTER (WHERE rating = 'Good') AS good, count(*) FILTER (WHERE rating = 'Bad') AS bad
FROM pda_release.customer GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4;
SELECT count(*) AS differing FROM (SELECT * FROM pda_release.customer EXCEPT ALL SELECT * FROM table_2) d;
SELECT * FROM pda_release.cut ORDER BY attribute, node;
SELECT required, achieved, holds FROM release_verify('pda_release');
SELECT required, achieved, holds, groups, violating_groups, violating_rows
FROM privacy_check('pda_release.customer', :'templates'::privacy_model[]);
-- The end is maximal: no candidate is left that is valid and beneficial.
SELECT attribute, value, records, round(gain::numeric, 4) AS gain, round(conf_1::numeric, 4) AS conf_1, round(conf_2::numeric, 4) AS conf_2,
       beneficial, valid
FROM candidates(ARRAY(SELECT attribute || '=' || children[1] FROM pda_release_private.steps)) ORDER BY attribute DESC, value;

-- Every step of the way is a release: Lemma 3.2, the confidences only rise.
SELECT steps, p.achieved, p.achieved = (SELECT d.achieved FROM dry_run d WHERE d.step = steps) AS as_dry_run
FROM generate_series(1, 7) steps,
     LATERAL (SELECT achieved FROM tds_steps('customer', :'templates'::privacy_model[], 'rating', score => 'tdr', max_steps => steps,
       masking => ARRAY[by_suppression('job'), by_suppression('country'), by_suppression('child')]) ORDER BY step DESC LIMIT 1) p
ORDER BY steps;
SELECT result -> 'steps' AS steps, result -> 'version' AS version
FROM pda_anonymize('customer', 'pda_release', :'templates'::privacy_model[], 'rating', max_steps => 0) result;
SELECT job, country, child, count(*) FROM pda_release.customer GROUP BY 1, 2, 3;
SELECT round(achieved::numeric, 4) AS achieved, holds FROM release_verify('pda_release');

SELECT release_drop('pda_release');
DROP SCHEMA pda_paper CASCADE;
