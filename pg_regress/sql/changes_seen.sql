-- What readers see of changes in batches: rows that are shown alike are the same to them, whatever they hold in the source.
CREATE SCHEMA seen;
SET search_path TO seen, public;
\pset null '~'
SET pg_topdown.keep_versions = 100;
-- of what the last two versions show, by plain SQL: the smallest group of each part, how many rows it has, and the fewest values of a column in a group
CREATE FUNCTION seen(release text, masked text, shown text, other text) RETURNS TABLE (part text, smallest bigint, rows numeric, fewest bigint) LANGUAGE plpgsql AS $$
DECLARE one text; two text; BEGIN
  EXECUTE format('SELECT %L || (max(version) - 1), %L || max(version) FROM %I_private.manifest', release || '_private.rows_v', release || '_private.rows_v', release) INTO one, two;
  RETURN QUERY EXECUTE format('SELECT p.part, min(n), sum(n), min(d) FROM (
    SELECT ''came'' AS part, count(*) AS n, count(DISTINCT %5$s) AS d FROM (SELECT %4$s FROM %2$s EXCEPT ALL SELECT %4$s FROM %1$s) s GROUP BY %3$s
    UNION ALL SELECT ''left'', count(*), count(DISTINCT %5$s) FROM (SELECT %4$s FROM %1$s EXCEPT ALL SELECT %4$s FROM %2$s) s GROUP BY %3$s
    UNION ALL SELECT ''stayed'', count(*), count(DISTINCT %5$s) FROM (SELECT %4$s FROM %1$s INTERSECT ALL SELECT %4$s FROM %2$s) s GROUP BY %3$s) p
    GROUP BY 1 ORDER BY 1', one, two, masked, shown, other); END $$;
SELECT setseed(0.3);
CREATE TABLE people AS SELECT i AS id, 20 + (random() * 39)::int AS age, (ARRAY['m','f'])[1 + (random())::int] AS sex, (ARRAY['flu','cold','none','gout'])[1 + (random() * 3)::int] AS illness,
  (random() * 5000)::int AS income, i / 3 AS patient FROM generate_series(1, 3000) i;
-- many rows change within what is shown, and one comes: it waits for others of its kind
SELECT tds_anonymize('people', 'b', ARRAY[k_anonymity('{age,sex}', 20), l_diversity('{age,sex}', 'illness', 2)], masking => by_intervals('age', '0', '100', step => '10'), changes => 'batched') ->> 'version' AS version;
SELECT tds_anonymize('people', 'a', ARRAY[k_anonymity('{age,sex}', 20), l_diversity('{age,sex}', 'illness', 2)], masking => by_intervals('age', '0', '100', step => '10')) ->> 'version' AS version;
UPDATE people SET age = age - 1 WHERE age IN (33, 37);
INSERT INTO people VALUES (9999, 34, 'm', 'gout', 1000, 9999);
SELECT o -> 'waiting' AS waiting, o -> 'lingering' AS lingering FROM release_refresh('b') o;
SELECT part, achieved >= required AS enough, holds, groups > 0 AS any FROM release_changes('b');
SELECT part, achieved >= required AS enough, holds, groups > 0 AS any FROM release_changes('b', by => 'shown');
SELECT * FROM seen('b', 'age, sex', 'age, sex, illness', 'illness');
SET client_min_messages TO notice;
-- one that is not batched shows that row alone, and by what rows hold it is one of many
SELECT release_refresh('a') ->> 'version' AS version;
SELECT part, achieved, holds FROM release_changes('a') WHERE part = 'came';
SELECT part, achieved, holds, violating_rows FROM release_changes('a', by => 'shown') WHERE part = 'came';
SELECT * FROM seen('a', 'age, sex', 'age, sex, illness', 'illness');
RESET client_min_messages;
-- others of its group come: all of them together
INSERT INTO people SELECT 10000 + i, 30 + i % 10, 'm', (ARRAY['flu','gout'])[1 + i % 2], 900, 10000 + i FROM generate_series(1, 25) i;
SELECT o -> 'waiting' AS waiting FROM release_refresh('b') o;
SELECT * FROM seen('b', 'age, sex', 'age, sex, illness', 'illness');
-- persons under new pseudonyms: all of them leave and come, and readers see those who are new
SELECT tds_anonymize('people', 'p', k_anonymity('{age,sex}', 10, person => 'patient'), masking => by_intervals('age', '0', '100', step => '10'), changes => 'batched') ->> 'version' AS version;
UPDATE people SET patient = patient + 100000;
INSERT INTO people SELECT 20000 + i, 34, 'm', 'gout', 1000, 200000 FROM generate_series(1, 4) i;
SELECT o -> 'waiting' AS waiting, o -> 'lingering' AS lingering FROM release_refresh('p') o;
SELECT part, achieved >= required AS enough, holds, groups > 0 AS any FROM release_changes('p', by => 'shown');
-- by every kind of recoding, beside columns that are shown as they are and rounded
CREATE FUNCTION churn(rows int) RETURNS void LANGUAGE sql AS $$
  DELETE FROM people WHERE id IN (SELECT id FROM people ORDER BY random() LIMIT rows);
  UPDATE people SET age = greatest(20, least(59, age + (random() * 2)::int - 1)), income = income + (random() * 20)::int WHERE random() < 0.3;
  INSERT INTO people SELECT 100000 + (random() * 1e8)::int, 20 + (random() * 39)::int, (ARRAY['m','f'])[1 + (random())::int], (ARRAY['flu','cold','none','gout'])[1 + (random() * 3)::int], (random() * 5000)::int, 300000 + (random() * 1e8)::int
    FROM generate_series(1, rows) $$;
SELECT tds_anonymize('people', 'g', k_anonymity('{age,sex}', 15), masking => by_intervals('age', '0', '100', step => '10'), score => 'conditional', class => 'illness', changes => 'batched') ->> 'version' AS version;
SELECT tds_anonymize('people', 'l', ARRAY[k_anonymity('{age,sex}', 8), l_diversity('{age,sex}', 'illness', 2)], recoding => 'local', keep => '{income}', masking => rounded('income', '1000'), changes => 'batched') ->> 'version' AS version;
SET pg_topdown.scan = counts;
SELECT tds_anonymize('people', 'c', ARRAY[k_anonymity('{age,sex}', 12), k_anonymity('{age}', 30)], masking => by_intervals('age', '0', '100', step => '10'), score => 'conditional', changes => 'batched') ->> 'version' AS version;
RESET pg_topdown.scan;
CREATE TABLE all_parts AS SELECT ''::text AS release, s.* FROM seen('b', 'age, sex', 'age, sex, illness', 'illness') s WITH NO DATA;
CREATE TABLE told AS SELECT ''::text AS release, 0 AS round, c.part, c.achieved, c.holds FROM release_changes('b', by => 'shown') c WITH NO DATA;
DO $$ BEGIN
  FOR i IN 1..8 LOOP
    PERFORM churn(CASE i % 4 WHEN 0 THEN 1 WHEN 1 THEN 300 ELSE 100 END);
    PERFORM release_refresh('g', erase => i = 7), release_refresh('l', erase => i = 7);
    PERFORM set_config('pg_topdown.scan', 'counts', true);
    PERFORM release_refresh('c');
    PERFORM set_config('pg_topdown.scan', 'auto', true);
    INSERT INTO all_parts SELECT 'g', s.* FROM seen('g', 'age, sex', 'age, sex, illness', 'illness') s
      UNION ALL SELECT 'l', s.* FROM seen('l', 'age, sex', 'age, sex, illness, income', 'illness') s UNION ALL SELECT 'c', s.* FROM seen('c', 'age, sex', 'age, sex', 'age') s;
    INSERT INTO told SELECT r, i, c.part, c.achieved, c.holds FROM unnest('{g,l,c}'::text[]) r, LATERAL release_changes(r, by => 'shown') c WHERE c.model::text ~ 'sex' AND c.model::text ~ 'k_anonymity';
    INSERT INTO told SELECT r, i, c.part, NULL, c.holds FROM unnest('{g,l,c}'::text[]) r, LATERAL release_changes(r) c;
  END LOOP;
END $$;
SELECT release, part, min(smallest) >= CASE release WHEN 'g' THEN 15 WHEN 'l' THEN 8 ELSE 12 END AS enough, count(*) > 2 AS often, bool_and(fewest >= 2) OR release <> 'l' AS diverse FROM all_parts GROUP BY 1, 2 ORDER BY 1, 2;
SELECT release, part, bool_and(holds) AS holds, min(achieved) = (SELECT min(smallest) FROM all_parts a WHERE (a.release, a.part) = (t.release, t.part)) AS as_recounted FROM told t GROUP BY 1, 2 ORDER BY 1, 2;
-- nothing is lost
SELECT r AS release, (m ->> 'rows')::bigint - (m #>> '{held,lingering}')::bigint + (m #>> '{held,waiting}')::bigint - (SELECT count(*) FROM people) AS balance
  FROM unnest('{g,l,c}'::text[]) r, LATERAL (SELECT jsonb_build_object('rows', v.rows, 'held', v.held) AS m FROM (SELECT rows, parameters -> 'held' AS held, current FROM g_private.manifest WHERE r = 'g' UNION ALL
    SELECT rows, parameters -> 'held', current FROM l_private.manifest WHERE r = 'l' UNION ALL SELECT rows, parameters -> 'held', current FROM c_private.manifest WHERE r = 'c') v WHERE current) s;
SELECT bool_and(holds) AS holds FROM unnest('{b,p,g,l,c}'::text[]) r, LATERAL release_verify(r) v;
-- rewound: the same rows, of which the columns that became coarser are shown otherwise
SELECT release_rewind('g', 0) ->> 'version' AS version;
SELECT part, groups > 0 AS any FROM release_changes('g') ORDER BY part;
SELECT part, groups > 0 AS any FROM release_changes('g', by => 'shown') ORDER BY part;
-- two versions in one transaction: readers see the second beside an earlier one
SET client_min_messages TO notice;
BEGIN;
SELECT churn(100);
SELECT release_refresh('b') ->> 'version' AS version;
SELECT churn(100);
SELECT release_refresh('b') ->> 'version' AS version;
SELECT release_rewind('b', 1) ->> 'version' AS version;
COMMIT;
RESET client_min_messages;
SELECT churn(100);
SELECT release_refresh('b') ->> 'version' AS version;
-- equal values are alike, however they are written; the same of what is rounded
CREATE TABLE scales AS SELECT i AS id, i % 2 AS ward, 1.0::numeric AS dose, 10 * (i % 3) AS weight FROM generate_series(1, 200) i;
SELECT tds_anonymize('scales', 'd', k_anonymity('{ward}', 20), keep => '{dose,weight}', masking => rounded('weight', '100'), changes => 'batched') ->> 'version' AS version;
UPDATE scales SET dose = 1.00, weight = weight + 1 WHERE id <= 100;
INSERT INTO scales VALUES (1000, 1, 1.0, 5);
SELECT o -> 'waiting' AS waiting FROM release_refresh('d') o;
SELECT count(*) FROM (SELECT ward, dose, weight FROM d_private.rows_v2 EXCEPT ALL SELECT ward, dose, weight FROM d_private.rows_v1) s;
SELECT part, achieved, holds FROM release_changes('d') UNION ALL SELECT part, achieved, holds FROM release_changes('d', by => 'shown');
-- and readers tell apart what is printed otherwise: whoever comes as 1.00 beside others who come and leave as 1.0
CREATE TABLE prints AS SELECT i AS id, i % 60 AS age, 1.0::numeric AS dose, '{"a": 1}'::jsonb AS note FROM generate_series(1, 600) i;
SELECT tds_anonymize('prints', 'pr', k_anonymity('{age}', 6), masking => by_intervals('age', '0', '100', step => '20'), keep => '{dose,note}', changes => 'batched') ->> 'version' AS version;
DELETE FROM prints WHERE id <= 60;
INSERT INTO prints SELECT 1000 + i, i % 60 / 20 * 20, CASE WHEN i = 1 THEN 1.00 ELSE 1.0 END, '{"a": 1}' FROM generate_series(1, 60) i;
SELECT o -> 'waiting' AS waiting FROM release_refresh('pr') o;
SELECT part, holds, groups FROM release_changes('pr', by => 'printed') ORDER BY 1;
SELECT count(*) FROM (SELECT age, dose::text FROM pr_private.rows_v2 EXCEPT ALL SELECT age, dose::text FROM pr_private.rows_v1) s;
CREATE TABLE printed_parts AS SELECT ''::text AS by, *, true AS told FROM seen('b', 'age', 'age', 'age') WITH NO DATA;
CREATE FUNCTION printed(shown text, by text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE one text; two text; BEGIN
  SELECT 'pr_private.rows_v' || (max(version) - 1), 'pr_private.rows_v' || max(version) FROM pr_private.manifest INTO one, two;
  EXECUTE format('INSERT INTO printed_parts SELECT %4$L, part, min(n), sum(n), NULL, (SELECT bool_and(c.holds) AND (min(c.achieved) = min(p.n) OR min(p.n) IS NULL) FROM release_changes(''pr'', by => %4$L) c WHERE c.part = p.part) FROM (
    SELECT ''came'' AS part, count(*) AS n FROM (SELECT %3$s FROM %2$s EXCEPT ALL SELECT %3$s FROM %1$s) s GROUP BY age
    UNION ALL SELECT ''left'', count(*) FROM (SELECT %3$s FROM %1$s EXCEPT ALL SELECT %3$s FROM %2$s) s GROUP BY age
    UNION ALL SELECT ''stayed'', count(*) FROM (SELECT %3$s FROM %1$s INTERSECT ALL SELECT %3$s FROM %2$s) s GROUP BY age) p GROUP BY part', one, two, shown, by);
END $$;
DO $$ BEGIN
  FOR i IN 1..8 LOOP
    DELETE FROM prints WHERE random() < 0.1;
    UPDATE prints SET dose = (ARRAY[1, 1.0, 1.00, 2.0])[1 + (random() * 3)::int] WHERE random() < 0.1;
    INSERT INTO prints SELECT 10000 * i + j, (random() * 59)::int, (ARRAY[1, 1.0, 1.00])[1 + (random() * 2)::int], (ARRAY['{"a": 1}', '{"a": 1.0}'])[1 + (random())::int]::jsonb FROM generate_series(1, 60) j;
    PERFORM release_refresh('pr', erase => i = 7), printed('age, dose::text, note::text', 'printed'), printed('age, dose, note', 'shown');
  END LOOP;
END $$;
SELECT by, part, min(smallest) >= 6 AS enough, count(*) > 2 AS often, bool_and(told) AS as_recounted FROM printed_parts GROUP BY 1, 2 ORDER BY 1, 2;
-- unequal values of one hash: PostgreSQL's of jsonb and of arrays do not tell how values are nested
CREATE TABLE nested AS SELECT i % 2 AS age, '5'::jsonb AS note, '1 day'::interval AS span FROM generate_series(1, 400) i;
INSERT INTO nested VALUES (0, '1', '1 day');
SELECT jsonb_hash('1') = jsonb_hash('[1]') AS one_hash;
SELECT tds_anonymize('nested', 'ne', k_anonymity('{age}', 8), masking => by_intervals('age', '0', '10'), keep => '{note,span}', changes => 'batched') ->> 'version' AS version;
DELETE FROM nested WHERE ctid IN (SELECT ctid FROM nested WHERE age = 0 AND note = '5' LIMIT 8) OR note = '1';
INSERT INTO nested SELECT 0, '5', '24 hours' FROM generate_series(1, 8);
INSERT INTO nested VALUES (0, '[1]', '1 day');
SELECT o -> 'waiting' AS waiting, o -> 'lingering' AS lingering FROM release_refresh('ne') o;
SELECT count(*) FROM (SELECT age, note, span FROM ne_private.rows_v2 EXCEPT ALL SELECT age, note, span FROM ne_private.rows_v1) s;
-- of a release that is not batched each such row is seen, as EXCEPT ALL has it
SELECT tds_anonymize('nested', 'nf', k_anonymity('{age}', 8), masking => by_intervals('age', '0', '10'), keep => '{note}') ->> 'version' AS version;
UPDATE nested SET note = '[[1]]' WHERE note = '[1]';
SELECT release_refresh('nf') ->> 'version' AS version;
SELECT part, achieved, holds FROM release_changes('nf', by => 'shown');
SELECT count(*) FROM (SELECT age, note FROM nf_private.rows_v2 EXCEPT ALL SELECT age, note FROM nf_private.rows_v1) s;
-- a rewind that shows few rows of a group otherwise is refused
CREATE TABLE sets AS SELECT 0 AS a, CASE i WHEN 1 THEN 0 ELSE 7 END AS b FROM generate_series(1, 200) i UNION ALL SELECT 9, (ARRAY[0, 3, 7])[1 + i % 3] FROM generate_series(1, 200) i;
SELECT tds_anonymize('sets', 'se', ARRAY[k_anonymity('{a}', 8), k_anonymity('{b}', 8)], masking => ARRAY[by_intervals('a', '0', '9'), by_intervals('b', '0', '9')], changes => 'batched') -> 'steps' AS steps;
CREATE FUNCTION rewound(to_step int) RETURNS TABLE (state text, message text, detail text, hint text) LANGUAGE plpgsql AS $$ BEGIN
  PERFORM release_rewind('se', to_step); EXCEPTION WHEN others THEN GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT; RETURN NEXT; END $$;
SELECT max(step) - 1 AS before_last FROM se_private.steps \gset
SELECT * FROM rewound(:before_last);
SELECT version FROM se.about;
-- NULL is like no value
CREATE TABLE nulls AS SELECT 20 + i % 2 * 30 AS age, 0::numeric AS num FROM generate_series(1, 200) i;
SELECT tds_anonymize('nulls', 'n', k_anonymity('{age}', 10), masking => by_intervals('age', '0', '100'), keep => '{num}', changes => 'batched') ->> 'version' AS version;
WITH r AS (SELECT ctid, row_number() OVER () AS n FROM nulls WHERE age = 20 LIMIT 30) UPDATE nulls z SET age = 21, num = CASE WHEN n = 1 THEN NULL ELSE 0 END FROM r WHERE r.ctid = z.ctid;
SELECT (o ->> 'waiting')::int > 0 AS waits FROM release_refresh('n') o;
SELECT count(*) FROM (SELECT age, num FROM n_private.rows_v2 EXCEPT ALL SELECT age, num FROM n_private.rows_v1) s;
SELECT tds_anonymize('nulls', 'nn', k_anonymity('{age}', 10), masking => by_intervals('age', '0', '100'), keep => '{num}') ->> 'version' AS version;
UPDATE nulls SET num = NULL WHERE ctid = (SELECT min(ctid) FROM nulls WHERE num = 0);
SELECT release_refresh('nn') ->> 'version' AS version;
SELECT part, achieved, holds FROM release_changes('nn', by => 'shown');
-- who leaves is seen though many others change within what is shown of them: the refresh says that
CREATE TABLE birthdays AS SELECT i AS id, 20 + i % 10 AS age, chr(97 + i % 2) AS ward FROM generate_series(1, 400) i;
SELECT tds_anonymize('birthdays', 'bd', k_anonymity('{age,ward}', 5), masking => by_intervals('age', step => '10'), recoding => 'local') ->> 'version' AS version;
UPDATE birthdays SET age = age + 1 WHERE age < 29;
DELETE FROM birthdays WHERE id = 1;
SELECT release_refresh('bd') ->> 'version' AS version;
SELECT part, achieved, holds FROM release_changes('bd') WHERE NOT holds;
SELECT part, achieved, holds FROM release_changes('bd', by => 'shown') WHERE NOT holds;
-- a sensitive column that is masked: what is shown of it counts
CREATE TABLE edus AS SELECT v AS edu, 'm'::text AS sex FROM unnest('{a,b,c,d}'::text[]) v, generate_series(1, 50);
SELECT tds_anonymize('edus', 's', ARRAY[k_anonymity('{edu}', 10), l_diversity('{sex}', 'edu', 2)], masking => finest(by_taxonomy_tree('edu', '{"Any":{"X":["a","b"],"Y":["c","d"]}}'), 1), changes => 'batched') ->> 'version' AS version;
UPDATE edus SET edu = 'b' WHERE ctid IN (SELECT ctid FROM edus WHERE edu = 'a' LIMIT 12);
UPDATE edus SET edu = 'd' WHERE ctid IN (SELECT ctid FROM edus WHERE edu = 'c' LIMIT 12);
INSERT INTO edus VALUES ('b', 'm');
SELECT o -> 'waiting' AS waiting, o -> 'lingering' AS lingering FROM release_refresh('s') o;
SELECT count(*) FROM (SELECT edu, sex FROM s_private.rows_v2 EXCEPT ALL SELECT edu, sex FROM s_private.rows_v1) s;
-- what cannot be asked
CREATE FUNCTION fails(call text) RETURNS TABLE (state text, message text, detail text, hint text) LANGUAGE plpgsql AS $$ BEGIN
  EXECUTE call; EXCEPTION WHEN others THEN GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT; RETURN NEXT; END $$;
SELECT release_changes('b', by => 'looks');
SELECT release_changes('b', by => NULL);
DROP SCHEMA seen, bd, bd_private, a, a_private, b, b_private, p, p_private, g, g_private, l, l_private, c, c_private, d, d_private, n, n_private, nn, nn_private, s, s_private, pr, pr_private, ne, ne_private, nf, nf_private, se, se_private CASCADE;
