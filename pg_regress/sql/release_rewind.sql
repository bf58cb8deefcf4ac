-- Rewinding: a new version as the search stood after a step is what a search that stops there makes, in every form, with
-- NULLs, taxonomies, hidden columns; the source is not read; what cannot be rewound.
CREATE SCHEMA rew;
SET search_path TO rew, public;
SELECT setseed(0.25);
CREATE TABLE people AS
SELECT (ARRAY['a', 'b', 'c', NULL])[1 + floor(random() ^ 2 * 4)::int] AS city, CASE WHEN i % 9 = 0 THEN NULL ELSE 18 + floor(random() * 70)::int END AS age,
       (ARRAY['9th', '10th', 'BA', 'MA', 'PhD', NULL])[1 + floor(random() * 6)::int] AS edu, date '1990-01-01' + floor(random() * 9000)::int AS born, round((random() * 1000)::numeric, 2) AS pay,
       (ARRAY['flu', 'cold', 'none'])[1 + floor(random() * 3)::int] AS ill, random() < 0.3 AS class, 'k' || i % 5 AS kept
FROM generate_series(1, 1500) i;
-- everything a version shows, of a release made by a search of so many steps and of one rewound to them
CREATE FUNCTION same_as_stopped(form text, suppressed text, step int) RETURNS TABLE (what text, ok boolean) LANGUAGE plpgsql AS $$
DECLARE call text := format($c$('rew.people', %%L, ARRAY[k_anonymity(ARRAY['city', 'age', 'edu'], 20), l_diversity(ARRAY['born', 'pay'], 'age', 3), confidence_bound(ARRAY['edu', 'born'], 'ill', NULL, 0.9)],
  class => 'class', keep => ARRAY['kept'], score => 'tdr', intervals => %L, suppressed => %L, masking => ARRAY[by_taxonomy_tree('edu', '{"*": {"School": ["9th", "10th"], "Univ": {"Grad": ["MA", "PhD"], "BA": []}}}'),
  by_intervals('age', '0', '120'), by_intervals('pay')], max_steps => %%L)$c$, form, suppressed);
BEGIN
  EXECUTE 'SELECT tds_anonymize' || format(call, 'r_all', NULL);
  EXECUTE 'SELECT tds_anonymize' || format(call, 'r_stop', step);
  PERFORM release_rewind('r_all', step);
  RETURN QUERY SELECT 'rows', NOT EXISTS (SELECT to_jsonb(x) - '{version,row}'::text[] FROM r_all_private.rows_v2 x EXCEPT ALL SELECT to_jsonb(x) - '{version,row}'::text[] FROM r_stop_private.rows_v1 x)
    AND (SELECT count(*) FROM r_all.people) = 1500 AND (SELECT max(version) FROM r_all.about) = 2;
  RETURN QUERY SELECT 'cut', (SELECT json_agg((attribute, node, lower, upper, records)) FROM r_all.cut)::text IS NOT DISTINCT FROM (SELECT json_agg((attribute, node, lower, upper, records)) FROM r_stop.cut)::text;
  RETURN QUERY SELECT 'steps', NOT EXISTS ((SELECT s.step, attribute, node, children, records, info_gain, achieved FROM r_all_private.steps s WHERE version = 2 EXCEPT SELECT s.step, attribute, node, children, records, info_gain, achieved FROM r_stop_private.steps s)
    UNION ALL (SELECT s.step, attribute, node, children, records, info_gain, achieved FROM r_stop_private.steps s EXCEPT SELECT s.step, attribute, node, children, records, info_gain, achieved FROM r_all_private.steps s WHERE version = 2));
  RETURN QUERY SELECT 'measures', NOT EXISTS (SELECT FROM release_measures('r_all') a FULL JOIN release_measures('r_stop') b USING (measure) WHERE NOT coalesce(abs(a.value - b.value) < 1e-9, false));
  RETURN QUERY SELECT 'class', (SELECT abs(a.class_information - b.class_information) < 1e-12 FROM release_drift('r_all') a, release_drift('r_stop') b WHERE a.version = 2);
  RETURN QUERY SELECT 'verified', (SELECT bool_and(v.holds AND v.achieved = w.achieved) FROM release_verify('r_all') v, release_verify('r_stop') w WHERE v.model::text = w.model::text);
  -- what goes on from there: a replay performs the steps that are left
  PERFORM release_refresh(public.again('r_all'));
  RETURN QUERY SELECT 'replayed', NOT EXISTS (SELECT to_jsonb(x) - '{version,row}'::text[] FROM r_all_private.rows_v3 x EXCEPT ALL SELECT to_jsonb(x) - '{version,row}'::text[] FROM r_stop_private.rows_v1 x);
  PERFORM release_drop('r_all'), release_drop('r_stop');
END $$;
SELECT form, suppressed, step, string_agg(what, ' ' ORDER BY what) FILTER (WHERE ok) AS same, string_agg(what, ' ') FILTER (WHERE ok IS NOT TRUE) AS differs
FROM (VALUES ('label', '*', '{3,13}'::int[]), ('bounds', '(any)', '{1,21}'), ('range', '*', '{0,8}')) f (form, suppressed, steps), unnest(steps) step, same_as_stopped(form, suppressed, step) GROUP BY 1, 2, 3 ORDER BY 1, 3;

-- what cannot be
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 20)], class => 'class') -> 'steps' AS steps \gset
SELECT release_rewind('r', :steps) -> 'steps' = :'steps' AS all_steps;
SELECT release_rewind('r', :steps + 1);
SELECT release_rewind('r', -1);
SELECT release_rewind('r', NULL);
SELECT release_rewind('nowhere', 0);
-- the source is not read, nor need it be there
ALTER TABLE people RENAME TO gone;
SELECT release_rewind('r', 1) -> 'steps' AS steps;
SELECT node, sum(records) FROM r.cut GROUP BY 1 ORDER BY 1;
SELECT release_rewind('r', 0) -> 'steps' AS steps;
SELECT release_rewind('r', 1);
ALTER TABLE gone RENAME TO people;
-- a search afresh has them all again
SELECT release_refresh('r', mode => 'search') -> 'steps' = :'steps' AS all_steps;
SELECT kmember_anonymize('people', 'c', ARRAY['city', 'age'], 200) -> 'version' AS version;
SELECT release_rewind('c', 0);
-- somebody has changed what was written
UPDATE r_private.rows_v0 p SET city = 'x' FROM r.about a WHERE p.version = a.version AND p.ctid = '(0,1)';
SELECT release_rewind('r', 1);
-- several calls in one statement: each goes on from the version that the one before it made
SET client_min_messages TO notice;
SELECT release_refresh('r', mode => 'search') -> 'steps' = :'steps' AS all_steps, release_refresh(public.again('r')) -> 'steps' = :'steps' AS again, release_rewind('r', 2) -> 'steps' AS two,
  release_rewind('r', 1) -> 'steps' AS one, release_refresh(public.again('r')) -> 'steps' AS still_one;
RESET client_min_messages;
SELECT release_drop('r'), release_drop('c');
-- what the version before told of itself is not so of a rewound one: that it protects less than the one before it, that steps were left out,
-- how the source was read
CREATE TABLE fewer AS TABLE people;
SELECT tds_anonymize('fewer', 'w', ARRAY[k_anonymity(ARRAY['city', 'age'], 20)], class => 'class') -> 'version' AS version;
DELETE FROM fewer WHERE city = 'c';
SELECT release_refresh(public.again('w')) -> 'coarser' AS coarser;
CREATE VIEW told AS SELECT version, parameters -> 'weaker' AS weaker, (parameters -> 'steps_dropped')::int > 0 AS dropped, parameters ? 'scan' AS scan, version - (parameters -> 'trace')::int AS trace FROM w_private.manifest ORDER BY version DESC LIMIT 2;
SELECT release_rewind('w', 2) -> 'steps' AS steps;
TABLE told;
SELECT release_alter('w', privacy => ARRAY[k_anonymity(ARRAY['city', 'age'], 10)], allow_weaker => true) -> 'version' AS version;
SELECT release_rewind('w', 1) -> 'steps' AS steps;
TABLE told;
DROP VIEW told;
SELECT release_drop('w');
-- a kept column that is called like an end of a suppressed one is nothing of that
CREATE VIEW ends AS SELECT age, city, kept AS city_lo FROM people;
SELECT tds_anonymize('ends', 'e', ARRAY[k_anonymity(ARRAY['city', 'age'], 20)], intervals => 'bounds', keep => ARRAY['city_lo']) -> 'version' AS version;
SELECT release_rewind('e', 3) -> 'version' AS version;
SELECT count(*) AS differ FROM (SELECT city_lo, count(*) FROM ends GROUP BY 1 EXCEPT SELECT city_lo, count(*) FROM e.ends GROUP BY 1) x;
SELECT release_drop('e');
DROP VIEW ends;
-- a version's table that is not ours, and a manifest that says what is not so: what is read must be of the types that are written
CREATE TABLE t AS SELECT i % 20 AS a, 's' || i % 3 AS s, 'ill' || i % 4 AS ill, 'A'::name AS n FROM generate_series(1, 400) i;
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a', 's'], 5)], class => 'ill', keep => ARRAY['n']) -> 'version' AS version;
ALTER TABLE r_private.rows_v0 DETACH PARTITION r_private.rows_v1;
ALTER TABLE r_private.rows_v1 RENAME TO old;
CREATE TABLE r_private.rows_v1 AS SELECT version, a, s, 1234567::bigint AS ill, n, row FROM r_private.old;
SELECT release_rewind('r', 1);
DROP TABLE r_private.rows_v1;
ALTER TABLE r_private.old RENAME TO rows_v1;
ALTER TABLE r_private.rows_v0 ATTACH PARTITION r_private.rows_v1 FOR VALUES IN (1);
BEGIN;
UPDATE r_private.manifest SET parameters = jsonb_set(parameters, '{columns}', (parameters -> 'columns') || (parameters -> 'columns' -> 0));
SELECT release_rewind('r', 0);
ROLLBACK;
UPDATE r_private.manifest SET parameters = jsonb_set(jsonb_set(parameters, '{columns,0,name}', '"n"'), '{columns,0,masked}', '"suppression"');
UPDATE r_private.taxonomy_v0 SET attribute = 'n', nodes = '{A}', parents = '{NULL}', lowers = '{NULL}', uppers = '{NULL}', depths = '{0}', in_cut = '{t}' WHERE attribute = 'a';
DELETE FROM r_private.steps_v0;
DELETE FROM r_private.refined_v0;
SELECT release_rewind('r', 0);
DROP SCHEMA r, r_private CASCADE;
-- its rows are older than it is
SELECT tds_anonymize('people', 'dated', k_anonymity('{age}', 20)) -> 'version' AS version;
SELECT release_report('dated', 'recipient') ~ 'of rows that were read before' AS older;
SELECT release_rewind('dated', 1) -> 'version' AS version;
SELECT release_report('dated', 'recipient') ~ 'of rows that were read before' AS older;
SELECT release_drop('dated');
-- a refresh of the same rows goes on from it
SELECT tds_anonymize('people', 'gone_back', k_anonymity('{age}', 20)) -> 'steps' > '1' AS steps;
SELECT release_rewind('gone_back', 1) -> 'steps' AS steps;
SELECT r -> 'unchanged' AS unchanged, r -> 'version' AS version FROM release_refresh('gone_back') r;
SELECT r -> 'unchanged' AS unchanged, r -> 'version' AS version FROM release_refresh('gone_back') r;
SELECT release_drop('gone_back');
DROP SCHEMA rew CASCADE;
