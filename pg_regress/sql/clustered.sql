-- Clusters inside the groups of local recoding: under every model, with NULLs, persons and every masking; what a release of
-- them can and cannot do.
CREATE TABLE people AS
SELECT i AS id,
       (i * 7919) % 60 + 20 AS age,
       date '1950-01-01' + (i * 104729) % 20000 AS born,
       CASE WHEN i % 97 = 0 THEN NULL ELSE lpad(((i * 6151) % 400 + 10000)::text, 5, '0') END AS zip,
       (ARRAY['cook', 'nurse', 'clerk', 'smith', 'baker'])[(i * 31) % 5 + 1] AS job,
       CASE WHEN i % 41 = 0 THEN NULL ELSE round(((i * 2741) % 9000 + 1000)::numeric, 0) END AS income,
       (ARRAY['flu', 'cold', 'ulcer', 'none'])[(i * 7919) / 60 % 4 + 1] AS illness,
       i % 470 AS person
FROM generate_series(1, 1000) i;
CREATE TABLE jobs (child text, parent text);
INSERT INTO jobs VALUES ('any', NULL), ('care', 'any'), ('craft', 'any'), ('office', 'any'),
  ('nurse', 'care'), ('cook', 'craft'), ('smith', 'craft'), ('baker', 'craft'), ('clerk', 'office');
CREATE VIEW shape AS SELECT ARRAY['age', 'born', 'zip', 'job', 'income'] AS columns,
  ARRAY[by_taxonomy('job', 'jobs'), by_calendar('born'), by_prefix('zip'), by_intervals('income', step => '1000')] AS masking;

-- Every model holds, and the clusters lose less than the groups.
CREATE TABLE lost (model text, recoding text, holds boolean, loss float8, smallest bigint);
DO $$
DECLARE
  model privacy_model;
  recoding text;
BEGIN
  FOREACH model IN ARRAY (SELECT ARRAY[k_anonymity(columns, 5), k_anonymity(columns, 5, person => 'person'), l_diversity(columns, 'illness', 3),
    l_diversity(columns, 'illness', 2.5, kind => 'entropy'), l_diversity(columns, 'illness', 3, kind => 'recursive', c => 3),
    t_closeness(columns, 'illness', 0.25), confidence_bound(columns, 'illness', ARRAY['flu', 'ulcer'], 0.5), beta_likeness(columns, 'illness', 1)] FROM shape) LOOP
    FOREACH recoding IN ARRAY ARRAY['local', 'clustered'] LOOP
      PERFORM tds_anonymize('people', 'r', ARRAY[model, k_anonymity(columns, 3)], masking => masking, recoding => recoding) FROM shape;
      INSERT INTO lost SELECT model::text, recoding, (SELECT bool_and(holds) FROM release_verify('r')),
        (SELECT value FROM release_measures('r') WHERE measure = 'normalized_certainty_penalty'),
        (SELECT min(n) FROM (SELECT count(*) AS n FROM r.people GROUP BY age, born, zip, job, income) s);
      PERFORM release_drop('r');
    END LOOP;
  END LOOP;
END $$;
SELECT l.model, l.holds, c.holds, c.smallest >= 3 AS of_three, c.loss <= l.loss AS loses_no_more, c.loss < 0.8 * l.loss AS much_less
FROM lost l JOIN lost c USING (model) WHERE l.recoding = 'local' AND c.recoding = 'clustered' ORDER BY 1;

-- What is shown holds the row's values: ends are those of the cluster, or where the masking lets intervals end.
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(columns, 5)], masking => masking, recoding => 'clustered', keep => ARRAY['id'],
                     endpoints => 'values') - 'seconds' - 'kept_at_risk' - 'determines' FROM shape;
SELECT count(*) FILTER (WHERE NOT (r.age = '*' OR r.age = p.age::text OR p.age BETWEEN split_part(trim('[]' FROM r.age), ',', 1)::int AND split_part(trim('[]' FROM r.age), ',', 2)::int)) AS age,
       count(*) FILTER (WHERE NOT (r.income IS NOT DISTINCT FROM p.income::text OR r.income = '*' OR r.income ~ '^[[(][0-9]*000,[0-9]*000[])]$|^\(,[0-9]*000\)$|^\[[0-9]*000,\)$|^\(,\)$')) AS income,
       count(*) FILTER (WHERE r.job NOT IN (p.job, 'any') AND r.job NOT IN (SELECT parent FROM jobs WHERE child = p.job)) AS job
FROM r.people r JOIN people p USING (id) WHERE r.age !~ '^\(';
-- The same rows give the same clusters, by a replay and by a search.
CREATE TABLE first AS SELECT * FROM r.people;
SELECT release_refresh(public.again('r')) ->> 'version';
SELECT count(*) FROM (TABLE first EXCEPT ALL TABLE r.people) d;
SELECT release_refresh('r', mode => 'search') ->> 'version';
SELECT count(*) FROM (TABLE first EXCEPT ALL TABLE r.people) d;
SELECT count(*) > 20 AS steps, bool_and(groups IS NOT NULL) AS of_groups FROM r_private.steps;
-- Other rows: what a replay makes of them keeps the model.
DELETE FROM people WHERE id % 10 = 3;
INSERT INTO people SELECT id + 10000, age + 3, born + 40, zip, job, income, illness, person FROM people WHERE id % 7 = 1;
SELECT release_refresh(public.again('r')) ->> 'version';
SELECT required, holds FROM release_verify('r');
-- What follows steps to the rows.
SELECT release_rewind('r', 1);
SELECT release_apply('r', 'people', 'elsewhere');
SELECT release_explain('r');
-- What needs no steps.
SELECT count(*) > 0 FROM release_risk('r');
SELECT length(release_report('r')) > 1000;
SELECT release_drop('r');

-- Searched, not released; the tradeoff measures what a release does.
SELECT count(*) > 20 FROM shape, tds_steps('people', ARRAY[k_anonymity(columns, 5)], masking => masking, recoding => 'clustered');
SELECT t.k, t.groups > 50, round((t.certainty_loss - m.value)::numeric, 9) AS off
FROM shape, tds_anonymize('people', 'r', ARRAY[k_anonymity(columns, 5)], masking => masking, recoding => 'clustered'),
  tds_tradeoff('people', ARRAY[5], ARRAY[k_anonymity(columns, 5)], masking => masking, recoding => 'clustered') t,
  release_measures('r') m
WHERE m.measure = 'normalized_certainty_penalty';
SELECT release_drop('r');

-- What cannot be asked.
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(columns, 5)], masking => masking, recoding => 'clustered', withhold => 0.01) FROM shape;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(columns, 5)], recoding => 'cluster') FROM shape;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(columns, 5000)], recoding => 'clustered') FROM shape;
-- Clusters of two tell both ends.
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['age'], 2)], recoding => 'clustered') ->> 'version';
SELECT release_drop('r');
DROP VIEW shape;
DROP TABLE people, jobs, lost, first;
-- What shows of a column's clusters keeps to finest, and every form of intervals shows them.
CREATE TABLE forms AS SELECT i / 4 AS v, (10 + i * i % 7)::numeric / 2 AS w, date '2024-01-01' + i AS d, (ARRAY['a', 'b', 'c'])[1 + i % 3] AS g FROM generate_series(20, 139) i;
SELECT tds_anonymize('forms', 'kept', k_anonymity('{v,g}', 5), recoding => 'clustered', masking => ARRAY[finest(by_intervals('v'), 0), finest(by_suppression('g'), 0)]) -> 'version' AS version;
SELECT v, g, count(*) FROM kept.forms GROUP BY 1, 2;
SELECT release_alter('kept', masking => finest(by_intervals('v'), 2)) -> 'version' AS version;
SELECT max(depth) AS depth FROM kept_private.taxonomy WHERE attribute = 'v' AND in_cut AND version = 2;
SELECT release_refresh(public.again('kept')) -> 'version' AS version;
SELECT tds_anonymize('forms', form || '_form', k_anonymity('{v,w,d}', 5), recoding => 'clustered', intervals => form) -> 'version' AS version FROM unnest(ARRAY['padded', 'range', 'bounds']) form;
SELECT count(*) AS inside FROM range_form.forms r WHERE NOT isempty(r.v) AND NOT isempty(r.w) AND NOT isempty(r.d);
SELECT bool_and(length(v) = (SELECT max(length(v)) FROM padded_form.forms)) AS padded, bool_and(release_verify.holds) AS holds FROM padded_form.forms, release_verify('padded_form');
-- Whole numbers and days end before the next: counts of what surely and possibly lies within enclose the truth.
SELECT count(*) FILTER (WHERE v_lo >= 12 AND v_hi <= 20) <= (SELECT count(*) FROM forms WHERE v >= 12 AND v < 20) AS surely,
       count(*) FILTER (WHERE v_hi > 12 AND v_lo < 20) >= (SELECT count(*) FROM forms WHERE v >= 12 AND v < 20) AS possibly,
       bool_and(v_lo < v_hi AND d_lo < d_hi AND w_lo <= w_hi) AS wide FROM bounds_form.forms;
SELECT count(release_drop(release)) AS dropped FROM unnest('{kept,padded_form,range_form,bounds_form}'::text[]) release;
DROP TABLE forms;
-- A cluster may reach from end to end, beside values that are missing: it is below the column's own top, also as it is written.
CREATE TABLE ends AS SELECT 40 * (i % 2) AS v, 'x' AS g FROM generate_series(1, 7) i UNION ALL SELECT 10 + i, 'y' FROM generate_series(1, 6) i UNION ALL SELECT NULL, 'z' FROM generate_series(1, 6) i;
SELECT tds_anonymize('ends', 'ends', k_anonymity('{g,v}', 5), masking => ARRAY[weighted(by_suppression('g'), 9), by_intervals('v', '0', '40')], recoding => 'clustered') -> 'rows' AS rows;
SELECT node, parent, depth, in_cut FROM ends_private.taxonomy WHERE attribute = 'v' ORDER BY depth, node;
SELECT release_refresh(public.again('ends')) -> 'version' AS version;
SELECT release_drop('ends');
DROP TABLE ends;
