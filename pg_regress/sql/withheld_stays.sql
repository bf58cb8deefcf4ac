-- What was withheld once stays withheld: by whatever verb, masking or model the next version is made, and however the source writes the values.
CREATE SCHEMA staying;
SET search_path TO staying, public;

-- 220 rows of which two are rare in every column: their name tells whether they are there.
CREATE TABLE t (name text, code text, born date, at timestamp, host inet, age int, price numeric, who int);
INSERT INTO t SELECT 'common', '4790' || i % 2, date '1980-01-01' + i % 2, timestamp '1980-01-01 10:00' + i % 2 * interval '1 minute', ('10.1.2.' || i % 2)::inet,
  30 + i % 2, 1.5 + i % 2, i FROM generate_series(1, 200) i;
INSERT INTO t SELECT 'rare', '99123', '1931-05-05', '1931-05-05 05:05', '192.168.7.9', 97, 1.0, 300 + i FROM generate_series(1, 2) i;
-- and near them enough that a coarser look is not rare
INSERT INTO t SELECT 'near', '99145', '1931-05-06', '1931-05-05 06:06', '192.168.7.10', 96, 0.5, 400 + i FROM generate_series(1, 18) i;

-- From each masking of a column to each other one, by release_alter and, from there, by refreshes of both modes and to the first one again.
CREATE FUNCTION matrix(of text, maskings masking[]) RETURNS TABLE (masked text, made bigint, rare bigint, left_out bigint) LANGUAGE plpgsql AS $$
DECLARE
  m masking;
  other masking;
  number int;
BEGIN
  masked := of;
  made := 0;
  rare := 0;
  left_out := 0;
  -- Each with the next one: law.rs tries any after any.
  FOR number IN 0 .. cardinality(maskings) - 1 LOOP
    m := maskings[1 + number];
    other := maskings[1 + (number + 1) % cardinality(maskings)];
    PERFORM tds_anonymize('t', 'rel', k_anonymity(ARRAY[of], 5), masking => m, keep => '{name}', withhold => 0.01);
    PERFORM release_alter('rel', masking => other);
    PERFORM release_refresh(public.again('rel'));
    PERFORM release_refresh('rel', 'search');
    PERFORM release_alter('rel', masking => m);
    -- Two versions are kept: the newest, and the one before.
    made := made + 5;
    rare := rare + (SELECT count(*) FROM rel.t WHERE name = 'rare') + (SELECT count(*) FROM rel_private.rows_v4 WHERE name = 'rare');
    left_out := left_out + (SELECT withheld FROM rel.about);
    PERFORM release_drop('rel');
  END LOOP;
  RETURN NEXT;
END $$;
SELECT * FROM matrix('code', ARRAY[by_prefix('code'), by_prefix('code', '{3,5}'), by_prefix('code', '{5}'), by_suppression('code'),
  by_taxonomy_tree('code', '{"any": {"north": ["47900", "47901"], "south": ["99123", "99145"]}}'), finest(by_prefix('code'), 5), weighted(by_suppression('code'), 2)]);
SELECT * FROM matrix('born', ARRAY[by_calendar('born'), by_calendar('born', '{year,month,week,day}'), by_calendar('born', '{decade,day}'), by_intervals('born'),
  by_intervals('born', lower => '1900-01-01', upper => '2000-01-01'), by_suppression('born')]);
SELECT * FROM matrix('at', ARRAY[by_calendar('at', '{year,day,hour,minute}'), by_calendar('at', '{day,hour}'), by_intervals('at'), by_suppression('at')]);
SELECT * FROM matrix('host', ARRAY[by_network('host'), by_network('host', '{16,32}'), by_network('host', '{32}'), by_suppression('host')]);
SELECT * FROM matrix('age', ARRAY[by_intervals('age'), by_intervals('age', breakpoints => '{40,97}'), by_suppression('age'), by_taxonomy_tree('age', '{"any": {"young": [30, 31], "old": [96, 97]}}')]);
SELECT * FROM matrix('price', ARRAY[by_intervals('price'), by_suppression('price')]);

-- By another verb, and by what cannot withhold rows itself.
CREATE FUNCTION left_out(release text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  seen text;
BEGIN
  EXECUTE format('SELECT a.version || '': '' || a.rows || '' rows, '' || a.withheld || '' withheld, '' || (SELECT count(*) FROM %1$I.t WHERE name = ''rare'') || '' of them there'' FROM %1$I.about a', release)
    INTO seen;
  RETURN seen;
END $$;
SELECT tds_anonymize('t', 'rel', k_anonymity('{code}', 5), masking => by_suppression('code'), keep => '{name}', withhold => 0.01) -> 'withheld' AS withheld;
SELECT kmember_anonymize('t', 'rel', '{code}', 5, keep => '{name}') -> 'withheld' AS withheld;
SELECT left_out('rel');
SELECT release_refresh(public.again('rel')) -> 'withheld' AS withheld, left_out('rel');
SELECT release_alter('rel', endpoints => 'values') -> 'withheld' AS withheld;
SELECT tds_anonymize('t', 'rel', k_anonymity('{code}', 5), recoding => 'local', keep => '{name}') -> 'withheld' AS withheld;
SELECT left_out('rel');
SELECT release_refresh(public.again('rel')) -> 'withheld' AS replayed;
SELECT release_rewind('rel', 0) -> 'withheld' AS rewound;
SELECT left_out('rel');
SELECT tds_anonymize('t', 'rel', k_anonymity('{code}', 5, person => 'who'), keep => '{name}') -> 'withheld' AS withheld;
SELECT pda_anonymize('t', 'rel', ARRAY[k_anonymity('{code}', 5), confidence_bound('{code}', 'name', '{rare}', 0.5)], NULL, allow_weaker => true) -> 'withheld' AS withheld;
SELECT left_out('rel');
SELECT tds_anonymize('t', 'rel', ARRAY[k_anonymity('{code}', 5), t_closeness('{code}', 'name', 0.9)], allow_weaker => true) -> 'withheld' AS withheld;
SELECT left_out('rel');
-- A search with a share to name counts them; without one that is enough none is made.
SELECT tds_anonymize('t', 'rel', k_anonymity('{code}', 5), keep => '{name}', allow_weaker => true);
SELECT release_drop('rel');
SELECT tds_anonymize('t', 'rel', k_anonymity('{code,age}', 5), keep => '{name}', withhold => 0.01) -> 'withheld' AS withheld;
SELECT * FROM rel_private.withheld;
UPDATE t SET age = 96 WHERE name = 'rare' AND who = 301;
-- one of the two is somebody else now
SELECT release_refresh('rel', 'search') -> 'withheld' AS withheld;
SELECT * FROM rel_private.withheld;
-- A column that is not masked any more tells them all the same, released as it is or not; so does one that nobody asks for.
SELECT tds_anonymize('t', 'rel', k_anonymity('{age}', 5), keep => '{name,code}', withhold => 0.02, allow_weaker => true) -> 'withheld' AS withheld;
SELECT left_out('rel');
SELECT release_drop('rel');
SELECT tds_anonymize('t', 'rel', k_anonymity('{code,age}', 5), keep => '{name}', withhold => 0.01, view => 'v') -> 'withheld' AS withheld;
ALTER TABLE t RENAME age TO years;
SELECT release_refresh(public.again('rel'));
ALTER TABLE t RENAME years TO age;
UPDATE t SET age = 97 WHERE name = 'rare';
SELECT release_drop('rel');

-- Versions that masked other columns, and withheld others: all of them stay out.
INSERT INTO t (name, code, age) SELECT 'rare', '47900', 5;
CREATE VIEW texts AS SELECT name, code, age::text AS age FROM t;
SELECT tds_anonymize('texts', 'rel', k_anonymity('{code}', 5), keep => '{name,age}', view => 't', withhold => 0.02) -> 'withheld' AS withheld;
SELECT tds_anonymize('texts', 'rel', k_anonymity('{age}', 5), keep => '{name,code}', withhold => 0.02, allow_weaker => true) -> 'withheld' AS withheld;
SELECT * FROM rel_private.withheld;
SELECT release_refresh('rel', 'search') -> 'withheld' AS withheld, left_out('rel');
SELECT kmember_anonymize('texts', 'rel', '{code}', 5, keep => '{name,age}', allow_weaker => true) -> 'withheld' AS withheld, left_out('rel');
SELECT release_drop('rel');
DROP VIEW texts;
DELETE FROM t WHERE age = 5;

-- As equal as their type says: 1.0 is 1.00, and texts may be equal that look different.
SELECT tds_anonymize('t', 'rel', k_anonymity('{price}', 5), masking => by_suppression('price'), keep => '{name}', withhold => 0.01) -> 'withheld' AS withheld;
SELECT * FROM rel_private.withheld;
UPDATE t SET price = 1.00 WHERE name = 'rare';
SELECT release_refresh('rel', 'search') -> 'withheld' AS withheld, left_out('rel');
SELECT release_refresh(public.again('rel')) -> 'withheld' AS withheld;
SELECT release_drop('rel');
CREATE TABLE blanks (name text, code char(6));
INSERT INTO blanks SELECT 'common', 'a' || i % 2 FROM generate_series(1, 100) i;
INSERT INTO blanks VALUES ('rare', 'b');
SELECT tds_anonymize('blanks', 'rel', k_anonymity('{code}', 5), keep => '{name}', withhold => 0.01) -> 'withheld' AS withheld;
SELECT release_alter('rel', masking => by_prefix('code')) -> 'withheld' AS withheld;
SELECT count(*) FROM rel.blanks WHERE name = 'rare';
SELECT release_drop('rel');

-- NULL is a value.
INSERT INTO t (name, code, age) VALUES ('rare', NULL, 30);
SELECT tds_anonymize('t', 'rel', k_anonymity('{code}', 5), keep => '{name}', withhold => 0.02) -> 'withheld' AS withheld;
SELECT combination FROM rel_private.withheld ORDER BY combination::text;
SELECT kmember_anonymize('t', 'rel', '{code}', 5, keep => '{name}') -> 'withheld' AS withheld;
SELECT count(*) FROM rel.t WHERE name = 'rare';
SELECT release_drop('rel');
DELETE FROM t WHERE code IS NULL;

-- What cannot be matched any more is an error, never skipped.
SELECT tds_anonymize('t', 'rel', k_anonymity('{code}', 5), keep => '{name}', withhold => 0.01) -> 'withheld' AS withheld;
ALTER TABLE t ALTER code TYPE bigint USING code::bigint;
SELECT release_refresh(public.again('rel'));
SELECT kmember_anonymize('t', 'rel', '{code}', 5, keep => '{name}');
SELECT version FROM releases() WHERE release = 'rel';
-- The owner's table of what was withheld is read, not trusted.
ALTER TABLE t ALTER code TYPE text;
UPDATE rel_private.withheld_v0 SET combinations = '{"{\"code\": "}';
SELECT release_refresh(public.again('rel'));
SELECT release_drop('rel');

-- Nothing that a recipient reads names them, nor depends on them but for their number: no node without a row, no end near their values, no width.
CREATE TABLE seen (form text, node text, records bigint);
CREATE FUNCTION look(form text, of text, masking masking, "intervals" text DEFAULT 'label') RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM tds_anonymize('t', 'rel', k_anonymity(ARRAY[of], 5), masking => look.masking, keep => '{name}', withhold => 0.01, intervals => look.intervals);
  INSERT INTO seen SELECT look.form, node, records FROM rel.cut;
  PERFORM release_drop('rel');
END $$;
DELETE FROM t WHERE name = 'near';
SELECT look('prefix', 'code', by_prefix('code')), look('calendar', 'born', by_calendar('born')), look('network', 'host', by_network('host')), look('suppression', 'code', by_suppression('code'));
SELECT look('label', 'age', by_intervals('age')), look('padded', 'who', by_intervals('who'), 'padded');
SELECT * FROM seen ORDER BY form, node;

-- Types within which there is a domain: equal values are withheld together, and what is printed otherwise cannot be looked for.
CREATE DOMAIN amount AS numeric;
CREATE TYPE pair AS (x amount);
CREATE FUNCTION within_a_domain(of text, rare text, equal text) RETURNS TABLE (first text, beside text, alone text) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE TABLE d (c %s, name text)', of);
  EXECUTE format('INSERT INTO d SELECT %L, ''common'' FROM generate_series(1, 100)', replace(rare, '1', '5'));
  EXECUTE format('INSERT INTO d VALUES (%L, ''rare'')', rare);
  first := tds_anonymize('d', 'rel', k_anonymity('{c}', 5), keep => '{name}', withhold => 0.05) -> 'withheld';
  -- An equal one beside it.
  EXECUTE format('INSERT INTO d VALUES (%L, ''rare'')', equal);
  beside := release_alter('rel', privacy => k_anonymity('{c}', 2), allow_weaker => true) -> 'withheld';
  PERFORM release_drop('rel');
  PERFORM tds_anonymize('d', 'rel', k_anonymity('{c}', 5), keep => '{name}', withhold => 0.05);
  -- One alone.
  EXECUTE format('UPDATE d SET c = %L WHERE name = ''rare''', replace(equal, '0', '00'));
  BEGIN
    alone := release_alter('rel', privacy => k_anonymity('{c}', 2), allow_weaker => true) -> 'withheld';
  EXCEPTION WHEN object_not_in_prerequisite_state THEN
    GET STACKED DIAGNOSTICS alone = PG_EXCEPTION_DETAIL;
  END;
  RETURN NEXT;
  PERFORM release_drop('rel');
  DROP TABLE d;
END $$;
SELECT of, w.* FROM (VALUES ('amount', '1.0', '1.00'), ('numeric[]', '{1.0}', '{1.00}'), ('amount[]', '{1.0}', '{1.00}'), ('pair', '(1.0)', '(1.00)')) v (of, rare, equal), within_a_domain(of, rare, equal) w;
DROP SCHEMA staying CASCADE;
