-- Local recoding: a refinement is performed on one group of rows. The models hold of the groups over all masked columns, and so of any of them;
-- every value is released as what it lies in; steps name their group; rewound, replayed and applied a release is what it says.
CREATE SCHEMA loc;
SET search_path TO loc, public;
SELECT setseed(0.25);
CREATE TABLE people AS
SELECT i AS id, (ARRAY['a', 'b', 'c', NULL])[1 + floor(random() ^ 2 * 4)::int] AS city, CASE WHEN i % 9 = 0 THEN NULL ELSE 18 + floor(random() * 70)::int END AS age,
       (ARRAY['9th', '10th', 'BA', 'MA', 'PhD', NULL])[1 + floor(random() * 6)::int] AS edu, date '1990-01-01' + floor(random() * 9000)::int AS born, round((random() * 1000)::numeric, 2) AS pay,
       (ARRAY['47901', '47906', '47907', '10115', '10117', '9', NULL])[1 + floor(random() ^ 1.5 * 7)::int] AS zip, (ARRAY['flu', 'cold', 'none'])[1 + floor(random() * 3)::int] AS ill, random() < 0.3 AS class
FROM generate_series(1, 1500) i;
CREATE TABLE edges AS SELECT * FROM taxonomy_of(by_taxonomy_tree('edu', '{"Any": {"School": ["9th", "10th"], "Univ": {"Grad": ["MA", "PhD"], "BA": []}}}'), 'people');
CREATE FUNCTION make(release text, form text, suppressed text, steps int DEFAULT NULL, score text DEFAULT 'tds') RETURNS jsonb LANGUAGE sql AS $$
  SELECT tds_anonymize('loc.people', release, ARRAY[k_anonymity(ARRAY['city', 'age', 'edu'], 10), l_diversity(ARRAY['born', 'pay'], 'ill', 2), confidence_bound(ARRAY['edu', 'born', 'zip'], 'ill', NULL, 0.9)],
    class => 'class', keep => ARRAY['id'], score => score, intervals => form, suppressed => suppressed, max_steps => steps, recoding => 'local',
    masking => ARRAY[by_taxonomy('edu', 'loc.edges'), by_intervals('age', '0', '120'), by_calendar('born'), by_prefix('zip')])
$$;

-- what was asked for, recounted here; every value lies in what it is released as
SELECT make('r', 'bounds', '(any)') - 'seconds' - 'steps';
SELECT count(*) > 100 AS steps, bool_and(groups IS NOT NULL) AS groups, (SELECT count(*) FROM r_private.steps s WHERE s.groups ->> s.attribute IS DISTINCT FROM s.node) AS other_nodes FROM r_private.steps;
SELECT step, attribute, node, children, records, groups FROM r_private.steps ORDER BY step LIMIT 3;
SELECT min(n) >= 10 AS k, count(*) > 20 AS groups FROM (SELECT count(*) AS n FROM r.people GROUP BY city, age, edu, born, pay, zip) g;
SELECT min(n) >= 2 AS l FROM (SELECT count(DISTINCT ill) AS n FROM r.people GROUP BY city, age, edu, born, pay, zip) g;
SELECT bool_and(n >= 10) AS k_of_each FROM (SELECT count(*) AS n FROM r.people GROUP BY GROUPING SETS ((city), (age), (edu), (city, age), (born, zip), (pay, edu, zip), (city, age, edu, born))) g;
SELECT model, required, holds FROM release_verify('r');
WITH RECURSIVE above AS (SELECT child AS value, child AS node FROM edges UNION SELECT a.value, e.parent FROM above a JOIN edges e ON e.child = a.node WHERE e.parent IS NOT NULL)
SELECT count(*) AS rows, count(*) FILTER (WHERE v.city IN ('(any)', p.city) OR v.city IS NULL AND p.city IS NULL) AS city,
       count(*) FILTER (WHERE CASE WHEN v.age IS NULL OR p.age IS NULL THEN v.age = '(any)' OR v.age IS NULL AND p.age IS NULL ELSE v.age = '(any)' OR v.age_lo <= p.age AND (p.age < v.age_hi OR v.age_hi = 120) END) AS age,
       count(*) FILTER (WHERE v.edu = '(any)' OR v.edu IS NULL AND p.edu IS NULL OR EXISTS (SELECT FROM above a WHERE a.value = p.edu AND a.node = v.edu)) AS edu,
       count(*) FILTER (WHERE v.born IN (p.born::text, to_char(p.born, 'YYYY-MM'), to_char(p.born, 'YYYY"-Q"Q'), to_char(p.born, 'YYYY'), '(any)', '*')) AS born,
       count(*) FILTER (WHERE (v.pay_lo IS NULL OR v.pay_lo <= p.pay) AND (v.pay_hi IS NULL OR p.pay < v.pay_hi)) AS pay,
       count(*) FILTER (WHERE v.zip IS NULL AND p.zip IS NULL OR v.zip IN ('(any)', '*') OR p.zip LIKE rtrim(v.zip, '*') || '%') AS zip
FROM r.people v JOIN people p USING (id);
-- intervals overlap, and the cut says how many rows each has
SELECT c.attribute, bool_and(c.records = n.records) AS records FROM r.cut c
LEFT JOIN (SELECT key, value, count(*) AS records FROM r.people v, jsonb_each_text(to_jsonb(v)) GROUP BY 1, 2) n ON n.key = c.attribute AND n.value IS NOT DISTINCT FROM c.node GROUP BY 1 ORDER BY 1;
SELECT count(*) > 0 AS overlap FROM r.cut a JOIN r.cut b ON a.attribute = 'pay' AND b.attribute = 'pay' AND a.lower::numeric < b.lower::numeric AND b.lower::numeric < a.upper::numeric;
SELECT count(*) FROM r_private.taxonomy t WHERE in_cut AND NOT EXISTS (SELECT FROM r.cut c WHERE c.attribute = t.attribute AND c.node IS NOT DISTINCT FROM t.node);

-- rewound it is what a search is that stops there; a replay goes on from there; other rows have their places
CREATE FUNCTION same_as_stopped(form text, suppressed text, step int) RETURNS TABLE (what text, ok boolean) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM make('r_all', form, suppressed), make('r_stop', form, suppressed, step);
  EXECUTE 'SELECT release_apply(''r_all'', ''loc.people'', ''loc.applied'')';
  RETURN QUERY SELECT 'applied', NOT EXISTS ((SELECT to_jsonb(x) FROM applied x EXCEPT ALL SELECT to_jsonb(x) FROM r_all.people x) UNION ALL (SELECT to_jsonb(x) FROM r_all.people x EXCEPT ALL SELECT to_jsonb(x) FROM applied x));
  DROP TABLE applied;
  PERFORM release_refresh(public.again('r_all'));
  RETURN QUERY SELECT 'refreshed', NOT EXISTS (SELECT to_jsonb(x) - 'version' FROM r_all_private.rows_v2 x EXCEPT SELECT to_jsonb(x) - 'version' FROM r_all_private.rows_v1 x) AND (SELECT steps_dropped = 0 FROM release_drift('r_all') WHERE version = 2);
  PERFORM release_rewind('r_all', step);
  RETURN QUERY SELECT 'rows', NOT EXISTS (SELECT to_jsonb(x) - '{version,row}'::text[] FROM r_all_private.rows_v3 x EXCEPT ALL SELECT to_jsonb(x) - '{version,row}'::text[] FROM r_stop_private.rows_v1 x) AND (SELECT count(*) FROM r_all.people) = 1500;
  RETURN QUERY SELECT 'cut', NOT EXISTS (SELECT attribute, node, lower, upper, records FROM r_all.cut EXCEPT ALL SELECT attribute, node, lower, upper, records FROM r_stop.cut) AND (SELECT count(*) FROM r_all.cut) = (SELECT count(*) FROM r_stop.cut);
  RETURN QUERY SELECT 'steps', NOT EXISTS (SELECT s.step, attribute, node, children, records, info_gain, achieved, groups FROM r_all_private.steps s WHERE version = 3 EXCEPT SELECT s.step, attribute, node, children, records, info_gain, achieved, groups FROM r_stop_private.steps s);
  RETURN QUERY SELECT 'measures', NOT EXISTS (SELECT FROM release_measures('r_all') a FULL JOIN release_measures('r_stop') b USING (measure) WHERE measure NOT LIKE 'non_uniform%' AND NOT coalesce(abs(a.value - b.value) < 1e-9, false));
  RETURN QUERY SELECT 'class', (SELECT abs(a.class_information - b.class_information) < 1e-12 FROM release_drift('r_all') a, release_drift('r_stop') b WHERE a.version = 3);
  RETURN QUERY SELECT 'verified', (SELECT bool_and(v.holds AND v.achieved = w.achieved) FROM release_verify('r_all') v, release_verify('r_stop') w WHERE v.model::text = w.model::text);
  PERFORM release_refresh(public.again('r_all'));
  RETURN QUERY SELECT 'replayed', NOT EXISTS (SELECT to_jsonb(x) - '{version,row}'::text[] FROM r_all_private.rows_v4 x EXCEPT ALL SELECT to_jsonb(x) - '{version,row}'::text[] FROM r_stop_private.rows_v1 x);
  PERFORM release_drop('r_all'), release_drop('r_stop');
END $$;
SELECT form, suppressed, step, string_agg(what, ' ' ORDER BY what) FILTER (WHERE ok) AS same, string_agg(what, ' ') FILTER (WHERE ok IS NOT TRUE) AS differs
FROM (VALUES ('label', '*', '{21}'::int[]), ('bounds', '(any)', '{2}'), ('range', '*', '{100}'), ('padded', '*', '{0}')) f (form, suppressed, steps), unnest(steps) step, same_as_stopped(form, suppressed, step) GROUP BY 1, 2, 3 ORDER BY 1, 3;

-- rows that come and go: groups that do not keep a model any more are joined, and the models hold
DELETE FROM people WHERE city = 'c' AND id % 10 <> 0;
INSERT INTO people SELECT 5000 + i, 'b', 30, 'PhD', date '2001-01-01' + i, 5000 + i, '47999', 'flu', true FROM generate_series(1, 40) i;
SELECT release_refresh(public.again('r')) -> 'coarser' AS coarser;
SELECT version, rows, steps_kept > 0 AS kept, steps_dropped > 0 AS dropped FROM release_drift('r') ORDER BY version;
SELECT holds FROM release_verify('r');
SELECT min(n) >= 10 AS k FROM (SELECT count(*) AS n FROM r.people GROUP BY city, age, edu, born, pay, zip) g;
-- values that came only now: those of a rule and of intervals have their place, a suppressed one stays in `*`
SELECT DISTINCT zip FROM r.people WHERE id > 5000 AND zip NOT IN ('47999', '4799*', '479**', '47***', '4****', '*');
INSERT INTO people SELECT 6000 + i, 'new', 30, 'PhD', date '2001-01-01', 50, '47901', CASE WHEN i % 2 = 0 THEN 'flu' ELSE 'cold' END, i % 3 = 0 FROM generate_series(1, 60) i;
SELECT release_refresh(public.again('r')) -> 'version' AS version;
SELECT DISTINCT city FROM r.people WHERE id > 6000;
-- NULLs that came only now are told from the rest first, if that may be; else nothing below is
CREATE TABLE no_nulls AS SELECT id, city, age, class FROM people WHERE age IS NOT NULL AND city IS NOT NULL;
SELECT tds_anonymize('no_nulls', 'n', k_anonymity(ARRAY['city', 'age'], 20), 'class', keep => ARRAY['id'], recoding => 'local') -> 'steps' AS n_steps \gset
INSERT INTO no_nulls SELECT 10000 + i, 'a', NULL, i % 2 = 0 FROM generate_series(1, 50) i;
SELECT release_refresh(public.again('n')) -> 'steps' = to_jsonb(:n_steps + 1) AS told_apart;
SELECT age, count(*) FROM n.no_nulls WHERE id > 10000 GROUP BY 1;
DELETE FROM no_nulls WHERE id > 10003;
SELECT release_refresh(public.again('n')) -> 'steps' AS steps;
SELECT count(DISTINCT age) AS ages FROM n.no_nulls;

-- ends that were published stay, also where no value lies between them any more; steps, cut and other rows follow them
CREATE TABLE ends AS SELECT i AS id, i AS v FROM generate_series(0, 99) i;
SELECT tds_anonymize('ends', 'x', k_anonymity('{v}', 5), masking => by_intervals('v', '0', '99'), keep => '{id}', recoding => 'local') -> 'steps' > '5' AS steps;
DELETE FROM ends WHERE v < 18 OR v BETWEEN 40 AND 61;
SELECT release_refresh(public.again('x')) -> 'version' AS version;
SELECT count(*) AS beside, count(*) FILTER (WHERE children[1] = children[2] OR node = ANY (children)) AS alike FROM x_private.steps WHERE version = 2;
SELECT count(*) AS moved FROM x.cut c WHERE NOT EXISTS (SELECT FROM x_private.taxonomy t WHERE t.version = 1 AND t.node = c.node);
SELECT release_apply('x', 'ends', 'ends_applied'), (SELECT count(*) FROM x.cut WHERE lower::int >= upper::int) AS inverted;
SELECT count(*) AS differ FROM ends_applied a JOIN x.ends v USING (id) WHERE a.v <> v.v;
CREATE TABLE beyond AS SELECT * FROM (VALUES (1, -1), (2, 150), (3, 50), (4, 0), (5, 99)) b (id, v);
SELECT release_apply('x', 'beyond', 'beyond_applied');
SELECT b.id, a.v = '[0,99]' AS top, (substring(a.v, '^.([0-9]+)'))::int <= b.v AND b.v <= (substring(a.v, '([0-9]+).$'))::int AS within FROM beyond_applied a JOIN beyond b USING (id) ORDER BY 1;
SELECT release_rewind('x', 1) -> 'steps' AS steps;
SELECT v, count(*) FROM x.ends GROUP BY 1 ORDER BY 1;
-- what is shown alike is one node of the cut
SELECT attribute, count(*) - count(DISTINCT coalesce(node, 'NULL')) AS twice FROM r.cut GROUP BY 1 ORDER BY 1;
CREATE TABLE pairs AS SELECT i AS id, CASE WHEN i % 10 = 0 THEN NULL ELSE i END AS a, CASE WHEN i <= 60 THEN 'p' ELSE 'q' END AS b FROM generate_series(1, 66) i
  UNION ALL SELECT 100 + i, CASE WHEN i % 3 = 0 THEN NULL ELSE i END, 'r' FROM generate_series(1, 15) i;
SELECT tds_anonymize('pairs', 'y', k_anonymity('{a,b}', 5), intervals => 'range', keep => '{id}', recoding => 'local', max_steps => 2) -> 'rows' AS rows;
SELECT count(*) AS joined FROM y.pairs v JOIN y.cut c ON c.attribute = 'a' AND c.node IS NOT DISTINCT FROM v.a::text;
-- groups that no step refined have their place, too
SELECT tds_anonymize('people', 'z', k_anonymity('{born,age}', 20), recoding => 'local', keep => '{id}', max_steps => 0, masking => coarsest(by_calendar('born', '{decade,year}'), 1)) -> 'steps' AS steps;
SELECT release_apply('z', 'people', 'z_applied') > 0 AS applied;
SELECT count(*) AS differ FROM z_applied a JOIN z.people v USING (id) WHERE (a.born, a.age) IS DISTINCT FROM (v.born, v.age);

-- a rewound cut is from the left as one that was searched for, whichever group an interval was split off in
CREATE TABLE odd AS SELECT i AS id, i AS age, chr(97 + i % 2) AS job FROM generate_series(1, 32) i;
SELECT tds_anonymize('odd', 'o', k_anonymity('{age,job}', 2), keep => '{id}', recoding => 'local') -> 'steps' AS steps;
SELECT release_rewind('o', 9) -> 'steps' AS steps;
CREATE TABLE rewound AS SELECT row_number() OVER () AS place, node, lower, upper, records FROM o.cut;
SELECT tds_anonymize('odd', 'o', k_anonymity('{age,job}', 2), keep => '{id}', recoding => 'local', max_steps => 9) -> 'steps' AS steps;
SELECT count(*) AS nodes, count(*) FILTER (WHERE (r.node, r.lower, r.upper, r.records) IS DISTINCT FROM (c.node, c.lower, c.upper, c.records)) AS other
  FROM rewound r FULL JOIN (SELECT row_number() OVER () AS place, * FROM o.cut) c USING (place);
SELECT array_agg(node) AS from_the_left FROM o.cut WHERE attribute = 'age';
-- a NULL of a group that no step refined is released as what stands over NULLs, there and where no group is
CREATE TABLE few AS SELECT * FROM (VALUES (1, 'a', 1), (2, 'a', 1), (3, 'a', NULL), (4, 'a', NULL), (5, 'b', 1), (6, 'b', 1), (7, 'b', 1), (8, 'b', NULL)) f (id, code, age);
SELECT tds_anonymize('few', 'f', k_anonymity('{code,age}', 2), keep => '{id}', recoding => 'local', masking => coarsest(by_prefix('code'), 1)) -> 'steps' AS steps;
SELECT release_apply('f', 'few', 'few_applied');
SELECT v.id, v.code, v.age, a.code AS applied_code, a.age AS applied_age FROM f.few v JOIN few_applied a USING (id) ORDER BY 1;
CREATE TABLE placeless AS SELECT * FROM (VALUES (1, 'c', 1), (2, 'c', NULL), (3, NULL, NULL)) f (id, code, age);
SELECT release_apply('f', 'placeless', 'placeless_applied');
SELECT * FROM placeless_applied ORDER BY 1;
-- a rule's own top is called what stands over it and NULLs, and is not it, rewound or not
CREATE TABLE ruled AS SELECT i AS id, CASE WHEN i % 4 <> 0 THEN 'a' END AS d, i % 2 AS g FROM generate_series(1, 40) i;
SELECT tds_anonymize('ruled', 'u', k_anonymity('{d,g}', 5), keep => '{id}', recoding => 'local', masking => finest(by_prefix('d'), 0)) -> 'steps' AS steps;
SELECT release_rewind('u', 2) -> 'steps' AS steps;
SELECT version, certainty_loss FROM release_drift('u');
SELECT value AS suppressed_cells FROM release_measures('u') WHERE measure = 'suppressed_cells';
SELECT version, node, depth, in_cut FROM u_private.taxonomy WHERE attribute = 'd';
-- where the most frequent value has to stay in `*`, a rarer one may be disclosed alone
CREATE TABLE ill AS SELECT i AS id, CASE WHEN i <= 6 THEN 'a' WHEN i <= 10 THEN 'b' ELSE 'c' END AS job, CASE WHEN i <= 8 THEN 'no' ELSE 'yes' END AS ill FROM generate_series(1, 14) i;
SELECT tds_anonymize('ill', 'i', confidence_bound('{job}', 'ill', '{yes}', 0.6), recoding => 'local') -> 'steps' AS steps;
SELECT job, ill, count(*) FROM i.ill GROUP BY 1, 2 ORDER BY 1, 2;

-- one release, now so and now so
SELECT tds_anonymize('people', 's', k_anonymity(ARRAY['city', 'age'], 20), 'class') -> 'version' AS version;
SELECT attname FROM pg_attribute WHERE attrelid = 's_private.steps'::regclass AND attnum > 0 ORDER BY attnum DESC LIMIT 1;
SELECT tds_anonymize('people', 's', k_anonymity(ARRAY['city', 'age'], 20), 'class', recoding => 'local') -> 'version' AS version;
SELECT version, count(groups) = count(*) AS groups FROM s_private.steps GROUP BY 1 ORDER BY 1;
SELECT tds_anonymize('people', 's', k_anonymity(ARRAY['city', 'age'], 20), 'class') -> 'version' AS version;
SELECT version, count(groups) FROM s_private.steps WHERE version <> 2 GROUP BY 1 ORDER BY 1;

-- without a class, with weights and bounds, of persons; the trade-off; a dry run
SELECT tds_anonymize('people', 'w', ARRAY[k_anonymity(ARRAY['city', 'age', 'edu', 'born'], 25)], recoding => 'local', score => score, allow_weaker => true,
  masking => ARRAY[weighted(by_taxonomy('edu', 'edges'), 3), coarsest(finest(by_calendar('born', ARRAY['decade', 'year', 'month']), 2), 1)]) -> 'privacy' -> 0 -> 'holds' AS holds
FROM unnest(ARRAY['tds', 'tdr', 'info_gain', 'conditional']) score;
SELECT count(DISTINCT version) FROM w_private.cuts;
SELECT DISTINCT born ~ '^\d{4}s$' AS decade, born ~ '^\d{4}$' AS year FROM w.people ORDER BY 1, 2;
SELECT release_rewind('w', 3) -> 'steps' AS steps;
SELECT count(DISTINCT born) AS decades FROM w.people;
SELECT t.k, t.steps = (a -> 'steps')::int AS steps, t.withheld FROM tds_tradeoff('people', ARRAY[25, 60], k_anonymity(ARRAY['city', 'age', 'edu'], 2), 'class', recoding => 'local') t,
  LATERAL tds_anonymize('people', 't' || t.k, k_anonymity(ARRAY['city', 'age', 'edu'], t.k), 'class', recoding => 'local') a;
SELECT k, groups = (SELECT value FROM release_measures('t' || k) WHERE measure = 'groups') AS groups, abs(certainty_loss - (SELECT value FROM release_measures('t' || k) WHERE measure = 'normalized_certainty_penalty')) < 1e-9 AS certainty,
  abs(class_information - (SELECT class_information FROM release_drift('t' || k))) < 1e-12 AS class FROM tds_tradeoff('people', ARRAY[25, 60], k_anonymity(ARRAY['city', 'age', 'edu'], 2), 'class', recoding => 'local');
SELECT count(*) = (SELECT count(*) FROM t25_private.steps) AS dry_run FROM tds_steps('people', k_anonymity(ARRAY['city', 'age', 'edu'], 25), 'class', recoding => 'local');
CREATE TABLE visits AS SELECT i % 400 AS patient, 20 + (i % 400) / 8 AS age, (ARRAY['x', 'y', 'z'])[1 + (i % 400) % 3] AS ward, 'v' || i % 7 AS kind FROM generate_series(1, 2000) i;
SELECT tds_anonymize('visits', 'v', k_anonymity(ARRAY['age', 'ward', 'kind'], 12, 'patient'), recoding => 'local') -> 'privacy' -> 0 ->> 'holds' AS holds;
SELECT min(n) >= 12 AS persons FROM (SELECT count(DISTINCT hidden_1) AS n FROM v_private.rows_v1 GROUP BY age, ward, kind) g;

-- rows that no row of the release was like; what there is no place for stays where there is one
CREATE TABLE others (city text, age int, edu text, born date, pay numeric, zip text, ill text, class boolean, id int);
INSERT INTO others VALUES ('nowhere', 200, 'unheard of', '2300-01-01', -5, 'zzz', 'flu', true, 1), (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 2), ('a', 40, 'MA', '2000-05-05', 100, '47906', 'cold', false, 3);
SELECT release_apply('r', 'others', 'others_applied');
SELECT o.id, o.city, o.edu IS NOT NULL AS edu, o.pay_lo IS NULL OR o.pay_lo <= -5 OR o.id > 1 AS pay FROM others_applied o ORDER BY id;
SELECT (a.city IN ('a', '(any)')) AND (a.edu IN ('MA', 'Grad', 'Univ', 'Any', '(any)')) AND (a.zip IN ('47906', '4790*', '479**', '47***', '4****', '*', '(any)')) AS placed FROM others_applied a WHERE id = 3;

-- what cannot be
SELECT tds_anonymize('people', 'e', k_anonymity(ARRAY['city'], 2), recoding => 'locally');
SELECT tds_anonymize('people', 'e', k_anonymity(ARRAY['city'], 2), recoding => 'local', withhold => 0.1);
SELECT tds_anonymize('visits', 'e', ARRAY[k_anonymity(ARRAY['age'], 2, 'patient'), k_anonymity(ARRAY['kind'], 2, 'ward')], recoding => 'local');
SELECT tds_anonymize('people', 'e', k_anonymity(ARRAY['city'], 100000), recoding => 'local');
SELECT release_refresh(public.again('r'), unknown => 'withhold') -> 'withheld' AS withheld;
CREATE TABLE stars AS SELECT i AS id, CASE i % 4 WHEN 0 THEN '*' WHEN 1 THEN 'a' WHEN 2 THEN 'b' END AS d FROM generate_series(1, 60) i;
-- A value that is called as steps call what they do not tell apart is a value like any other.
SELECT tds_anonymize('stars', 'e', k_anonymity('{d}', 6), masking => by_suppression('d'), recoding => 'local', suppressed => '(any)') ->> 'steps' AS steps;
SELECT d, count(*) FROM e.stars GROUP BY d ORDER BY d;
SELECT release_refresh(public.again('e')) ->> 'steps' AS steps;
SELECT d, count(*) FROM e.stars GROUP BY d ORDER BY d;
SELECT release_apply('e', 'stars', 'stars_applied');
SELECT d, count(*) FROM stars_applied GROUP BY d ORDER BY d;
SELECT release_rewind('e', 0) ->> 'rows' AS rows;
SELECT d, count(*) FROM e.stars GROUP BY d ORDER BY d;
SELECT release_drop('e');
SELECT tds_anonymize('stars', 'e', k_anonymity('{d}', 6), masking => by_taxonomy_tree('d', '{"Any": {"y": ["*", "a"], "x": ["b"]}}'), recoding => 'local', suppressed => '(any)') ->> 'steps' AS steps;
DROP TABLE stars_applied;
SELECT release_apply('e', 'stars', 'stars_applied');
SELECT d, count(*) FROM stars_applied GROUP BY d ORDER BY d;
SELECT release_rewind('e', 2) ->> 'rows' AS rows;
SELECT d, count(*) FROM e.stars GROUP BY d ORDER BY d;
SELECT release_drop('e');
SELECT count(*) FROM pg_namespace WHERE nspname IN ('e', 'e_private');
SELECT tds_anonymize('people', 'wh', k_anonymity(ARRAY['city', 'age'], 20), withhold => 0.05) -> 'withheld' > '0' AS withholds;
SELECT tds_anonymize('people', 'wh', k_anonymity(ARRAY['city', 'age'], 20), recoding => 'local') -> 'withheld' > '0' AS stay_withheld;
SELECT release_drop(release) FROM releases() WHERE release IN ('r', 's', 'w', 'n', 't25', 't60', 'v', 'wh', 'x', 'y', 'z', 'o', 'f', 'i', 'u');
DROP SCHEMA loc CASCADE;
