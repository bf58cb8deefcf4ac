-- pg_topdown.scan: a source read as distinct combinations with counts is released as it is row by row, and what must not be counted is
-- not.
CREATE SCHEMA cnt; SET search_path TO cnt, public;
CREATE TABLE people AS SELECT 20 + i % 7 AS age, (ARRAY['F', 'M'])[1 + i % 2] AS sex, (ARRAY['flu', 'cold', NULL])[1 + i / 5 % 3] AS illness,
    'note ' || i % 3 AS note, CASE WHEN i % 2 = 0 THEN 1.0 ELSE 1.00 END AS amount, (i % 4)::numeric(6, 2) AS fee, i / 4 AS person
  FROM generate_series(1, 400) i;
-- Three rows that are like no others, but like each other.
INSERT INTO people SELECT 60, 'F', 'flu', 'note 9', 1.0, 1, 200 FROM generate_series(1, 3);
CREATE FUNCTION same(release text, asked text) RETURNS TABLE (how text, differences bigint, withheld int) LANGUAGE plpgsql AS $$
  DECLARE other text := release || '_counts'; of text; half text; differ bigint;
  BEGIN
    PERFORM set_config('pg_topdown.scan', 'rows', true);
    EXECUTE format('SELECT tds_anonymize(''cnt.people'', %L, %s)', release, asked);
    PERFORM set_config('pg_topdown.scan', 'counts', true);
    EXECUTE format('SELECT tds_anonymize(''cnt.people'', %L, %s)', other, asked);
    EXECUTE format('SELECT parameters -> ''scan'' ->> ''how'' FROM %I_private.manifest', other) INTO how;
    differences := 0;
    FOREACH of IN ARRAY ARRAY['cut', 'steps', 'taxonomy', 'people'] LOOP
      half := CASE WHEN of IN ('steps', 'taxonomy') THEN '_private' ELSE '' END;
      EXECUTE format('SELECT count(*) FROM ((TABLE %1$I.%3$I EXCEPT ALL TABLE %2$I.%3$I) UNION ALL (TABLE %2$I.%3$I EXCEPT ALL TABLE %1$I.%3$I)) x',
                     release || half, other || half, of) INTO differ;
      differences := differences + differ;
    END LOOP;
    EXECUTE format('SELECT (parameters ->> ''withheld'')::int FROM %I_private.manifest', other) INTO withheld;
    PERFORM release_assert(other);
    PERFORM release_drop(release), release_drop(other);
    RETURN NEXT;
  END $$;
-- Class, sensitive and kept columns, NULLs, and a number of one scale.
SELECT * FROM same('c1', $$ARRAY[k_anonymity(ARRAY['age', 'sex'], 5)], class => 'illness', keep => ARRAY['note', 'fee']$$);
SELECT * FROM same('c2', $$ARRAY[k_anonymity(ARRAY['age', 'sex'], 5), l_diversity(ARRAY['age'], 'illness', 2)]$$);
SELECT * FROM same('c3', $$ARRAY[t_closeness(ARRAY['age', 'sex'], 'illness', 0.2), confidence_bound(ARRAY['sex'], 'illness', ARRAY['flu'], 0.9)]$$);
SELECT * FROM same('c4', $$ARRAY[k_anonymity(ARRAY['age', 'sex'], 3, person => 'person')], score => 'conditional', class => 'illness'$$);
SELECT * FROM same('c0', $$ARRAY[k_anonymity(ARRAY['age', 'sex', 'note'], 15)], class => 'illness', recoding => 'local'$$);
-- What several k would release, too.
SET pg_topdown.scan TO rows;
CREATE TABLE by_rows AS SELECT * FROM tds_tradeoff('people', ARRAY[2, 5], ARRAY[k_anonymity(ARRAY['age', 'sex', 'note'], 2)], class => 'illness', withhold => 0.05);
SET pg_topdown.scan TO counts;
SELECT count(*) AS different FROM (TABLE by_rows EXCEPT ALL
  SELECT * FROM tds_tradeoff('people', ARRAY[2, 5], ARRAY[k_anonymity(ARRAY['age', 'sex', 'note'], 2)], class => 'illness', withhold => 0.05)) t;
SELECT k, withheld FROM by_rows ORDER BY k;
RESET pg_topdown.scan;
-- Rows that are withheld are rows, not combinations.
SELECT * FROM same('c5', $$ARRAY[k_anonymity(ARRAY['age', 'sex', 'note'], 5)], withhold => 0.05, class => 'illness'$$);
-- 1.0 and 1.00 are equal, and are not released as one.
SELECT * FROM same('c6', $$ARRAY[k_anonymity(ARRAY['age', 'sex'], 5)], keep => ARRAY['amount']$$);
-- Nor are others that are equal and do not look alike: each type by two values, and one that looks like nothing else.
CREATE TYPE mood AS ENUM ('sad', 'glad');
CREATE DOMAIN price AS numeric;
CREATE TABLE kinds (n serial, type text, one text, other text, third text);
INSERT INTO kinds (type, one, other, third) VALUES
    ('numeric', '1.0', '1.00', 'NaN'), ('price', '1.0', '1.00', '0'), ('numeric(6,2)', '1.0', '1.00', '0'), ('float8', '0', '-0', 'NaN'),
    ('float4', '0', '-0', 'Infinity'), ('interval', '1 day', '24:00', '1 mon'), ('bpchar', 'a', 'a ', 'b'), ('mood', 'sad', 'sad', 'glad'),
    ('inet', '10.0.0.1', '10.0.0.1/32', '10.0.0.1/24'), ('timetz', '12:00+01', '12:00+01', '13:00+02'), ('varbit', '1', '1', '10'),
    ('jsonb', '{"a": 1.0}', '{"a": 1.00}', '{}'), ('numeric[]', '{1.0}', '{1.00}', '{}'), ('numrange', '[1.0,2]', '[1.00,2]', 'empty'),
    ('json', '1', '1', '2');
DO $$ BEGIN
  EXECUTE (SELECT format('CREATE TABLE pairs AS SELECT 20 + i %% 2 AS age, %s FROM generate_series(1, 400) i',
                         string_agg(format('(ARRAY[%L, %L, %L, NULL])[1 + i / 2 %% 4]::%s AS v%s', one, other, third, type, n), ', ' ORDER BY n)) FROM kinds);
END $$;
SET pg_topdown.scan TO rows;
SELECT tds_anonymize('pairs', 'pairs_rows', ARRAY[k_anonymity(ARRAY['age'], 5)], keep => (SELECT array_agg('v' || n) FROM kinds)) -> 'rows' AS rows;
RESET pg_topdown.scan;
CREATE FUNCTION pairs(value text) RETURNS TABLE (how text, looks bigint, differences bigint) LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM set_config('pg_topdown.scan', 'counts', true);
    PERFORM tds_anonymize('cnt.pairs', 'pairs_counts', ARRAY[k_anonymity(ARRAY['age'], 5)], keep => ARRAY[value]);
    SELECT m.parameters -> 'scan' ->> 'how' INTO how FROM pairs_counts_private.manifest m;
    EXECUTE format('SELECT count(DISTINCT format(''%%s'', p.%I) COLLATE "C") FROM pairs_counts.pairs p', value) INTO looks;
    -- By their texts: a comparison would take for equal what is to be told apart.
    EXECUTE format('SELECT count(*) FROM
      ((SELECT r.age::text, format(''%%s'', r.%1$I) COLLATE "C" FROM pairs_rows.pairs r EXCEPT ALL SELECT c.age::text, format(''%%s'', c.%1$I) COLLATE "C" FROM pairs_counts.pairs c) UNION ALL
       (SELECT c.age::text, format(''%%s'', c.%1$I) COLLATE "C" FROM pairs_counts.pairs c EXCEPT ALL SELECT r.age::text, format(''%%s'', r.%1$I) COLLATE "C" FROM pairs_rows.pairs r)) d', value) INTO differences;
    PERFORM release_drop('pairs_counts');
    RETURN NEXT;
  END $$;
SELECT k.type, p.* FROM kinds k, pairs('v' || k.n) p ORDER BY k.n;
SELECT release_drop('pairs_rows');
-- A count may be the first that comes and as great as any: it takes a byte, two or four, and the last number of each is a mark for NULL.
CREATE FUNCTION pair(n int) RETURNS TABLE (how text, of_one bigint, of_other bigint, records bigint) LANGUAGE plpgsql AS $$
  BEGIN
    CREATE TABLE pair AS SELECT s AS sex FROM unnest(ARRAY['F', 'M']) s, generate_series(1, n);
    SELECT max(s.records) INTO records FROM tds_steps('cnt.pair', ARRAY[k_anonymity(ARRAY['sex'], 5)]) s;
    PERFORM tds_anonymize('cnt.pair', 'c11', ARRAY[k_anonymity(ARRAY['sex'], 5)]);
    SELECT m.parameters -> 'scan' ->> 'how' INTO how FROM c11_private.manifest m;
    SELECT count(*) FILTER (WHERE sex = 'F'), count(*) FILTER (WHERE sex = 'M') INTO of_one, of_other FROM c11.pair;
    PERFORM release_drop('c11');
    DROP TABLE pair;
    RETURN NEXT;
  END $$;
SET pg_topdown.scan TO counts;
SELECT n, p.* FROM unnest(ARRAY[254, 255, 256, 65534, 65535, 65536, 65537]) n, pair(n) p;
-- So may be the rows of a combination that came since the version before, or stayed: no group of them is small.
CREATE TABLE pair AS SELECT s AS sex FROM unnest(ARRAY['F', 'M']) s, generate_series(1, 257);
SELECT FROM tds_anonymize('pair', 'c14', ARRAY[k_anonymity(ARRAY['sex'], 5)]);
INSERT INTO pair TABLE pair;
SELECT release_refresh('c14') ->> 'version' AS version;
SELECT part, achieved FROM release_changes('c14');
SELECT release_drop('c14');
RESET pg_topdown.scan;
-- In every form of the codes: more rows than their share of the memory, and rows thrown into heaps.
SET pg_topdown.max_memory TO '1MB';
INSERT INTO people SELECT p.* FROM people p, generate_series(1, 100);
SELECT * FROM same('c7', $$ARRAY[k_anonymity(ARRAY['age', 'sex'], 5)], class => 'illness'$$);
RESET pg_topdown.max_memory;
-- A clustering asks for every row.
SET pg_topdown.scan TO counts;
SELECT FROM kmember_anonymize('people', 'c8', ARRAY['age', 'sex'], 5);
SELECT parameters -> 'scan' AS scan FROM c8_private.manifest;
-- Chosen by itself only where it is large, and known to be.
RESET pg_topdown.scan;
SELECT FROM tds_anonymize('people', 'c9', ARRAY[k_anonymity(ARRAY['age', 'sex'], 5)]);
SELECT parameters -> 'scan' AS scan FROM c9_private.manifest;
INSERT INTO people SELECT p.* FROM people p, generate_series(1, 2);
ANALYZE people;
SELECT release_refresh('c9') ->> 'version' AS version;
SELECT parameters -> 'scan' ->> 'how' AS how, parameters -> 'scan' ->> 'reason' AS reason FROM c9_private.manifest WHERE current;
CREATE VIEW seen AS TABLE people;
SELECT FROM tds_anonymize('seen', 'c10', ARRAY[k_anonymity(ARRAY['age', 'sex'], 5)]);
SELECT parameters -> 'scan' AS scan FROM c10_private.manifest;
SELECT release_drop(r) FROM unnest(ARRAY['c8', 'c9', 'c10']) r;
-- the same combinations, and as many rows, but not as many of each
CREATE TABLE balanced AS SELECT CASE WHEN i <= 6 THEN 'a' ELSE 'b' END AS v FROM generate_series(1, 11) i;
SET pg_topdown.scan TO counts;
SELECT tds_anonymize('balanced', 'c11', k_anonymity('{v}', 2)) -> 'version' AS version;
SELECT release_refresh('c11') -> 'unchanged' AS unchanged;
UPDATE balanced SET v = CASE v WHEN 'a' THEN 'b' ELSE 'a' END;
SELECT release_refresh('c11') -> 'version' AS version;
SELECT v, count(*) FROM c11.balanced GROUP BY v ORDER BY v;
SELECT release_drop('c11');
SET pg_topdown.scan TO 'sometimes';
RESET search_path;
DROP SCHEMA cnt CASCADE;
