-- privacy_keys: which combinations of columns single rows out; against plain SQL; what cannot be.
SET client_min_messages TO notice;
CREATE SCHEMA keys;
SET search_path TO keys, public;
CREATE TABLE people AS SELECT i AS id, 18 + i * 7 % 61 AS age, (ARRAY['F', 'M'])[1 + i % 2] AS sex, (47900 + i * i % 23)::text AS zip, nullif(i % 17, 3) AS illness, 'same' AS nation FROM generate_series(1, 400) i;
SELECT * FROM privacy_keys('people');
SELECT * FROM privacy_keys('people', ARRAY['zip', 'sex', 'age'], k => 3);
SELECT * FROM privacy_keys('people', ARRAY['zip', 'sex', 'age'], max_columns => 1, k => 30);
SELECT columns, groups FROM privacy_keys('people', ARRAY['nation', 'sex']);
-- every figure as plain SQL counts it, NULLs being one value
CREATE FUNCTION count_by(columns text[], k int) RETURNS TABLE (groups bigint, unique_rows bigint, rows_below_k bigint) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY EXECUTE format('SELECT count(*), count(*) FILTER (WHERE n = 1), coalesce(sum(n) FILTER (WHERE n < %s), 0)::bigint FROM (SELECT count(*) AS n FROM people GROUP BY %s) g',
    k, (SELECT string_agg(quote_ident(c), ', ') FROM unnest(columns) c));
END $$;
SELECT count(*) AS listed, count(*) FILTER (WHERE (k.groups, k.unique_rows, k.rows_below_k) <> (c.groups, c.unique_rows, c.rows_below_k) OR share_below_k <> k.rows_below_k / 400.0) AS wrong
FROM privacy_keys('people', k => 4, max_columns => 4) k, count_by(columns, 4) c;
-- what is not listed tells no more than what is, with a column less
WITH all_columns AS (SELECT unnest('{id,age,sex,zip,illness,nation}'::text[]) AS c),
  combinations AS (SELECT array[c] AS columns FROM all_columns UNION SELECT array[a.c, b.c] FROM all_columns a, all_columns b WHERE a.c < b.c),
  counted AS (SELECT columns, c.* FROM combinations, count_by(columns, 4) c)
SELECT count(*) AS not_listed, count(*) FILTER (WHERE rows_below_k > 0 AND cardinality(columns) = 1
  OR NOT EXISTS (SELECT FROM counted part WHERE part.columns <@ counted.columns AND part.columns <> counted.columns AND (part.rows_below_k, part.unique_rows) = (counted.rows_below_k, counted.unique_rows)) AND rows_below_k > 0) AS wrong
FROM counted WHERE NOT EXISTS (SELECT FROM privacy_keys('people', k => 4) k WHERE k.columns @> counted.columns AND k.columns <@ counted.columns);
-- values that are equal are one, whatever their bytes; types without an order go by their text
CREATE TABLE odd AS SELECT v::numeric AS num, (v || ' hours')::interval AS span, format('{"a": %s}', i % 2)::json AS doc, f::float8 AS f FROM
  (VALUES ('1.0', '0', 1), ('1.00', '-0', 2), ('24', '0', 3), ('24.0', 'NaN', 4), ('1', 'NaN', 5)) v (v, f, i);
UPDATE odd SET span = '1 day' WHERE num = 24 AND f = 0;
SELECT * FROM privacy_keys('odd', k => 3, max_columns => 1);
-- no rows, one row, no columns; views and partitioned tables
CREATE TABLE nobody (a int, b text);
SELECT * FROM privacy_keys('nobody');
INSERT INTO nobody VALUES (1, NULL);
SELECT * FROM privacy_keys('nobody');
CREATE TABLE nothing ();
SELECT * FROM privacy_keys('nothing');
CREATE VIEW v AS SELECT age, sex FROM people;
SELECT * FROM privacy_keys('v');

-- a column that by itself explains what it is a part of is named; one that does not is not
CREATE TABLE nearly AS SELECT nullif(i % 390, 0) AS visit, i % 7 AS ward, i % 11 AS age, i * i % 90 AS half FROM generate_series(1, 400) i;
SELECT columns, rows_below_k FROM privacy_keys('nearly', k => 3, max_columns => 2);
SELECT columns, rows_below_k FROM privacy_keys('nearly', ARRAY['ward', 'age', 'half'], k => 3, max_columns => 2);

-- what cannot be
SELECT * FROM privacy_keys(NULL);
SELECT * FROM privacy_keys('people', k => 0);
SELECT * FROM privacy_keys('people', max_columns => 0);
SELECT * FROM privacy_keys('people', max_columns => NULL);
SELECT * FROM privacy_keys('people', '{}');
SELECT * FROM privacy_keys('people', ARRAY['sex', NULL]);
SELECT * FROM privacy_keys('people', ARRAY['sex', 'gone']);
SELECT * FROM privacy_keys('people', ARRAY['sex', 'sex']);
SELECT format('CREATE TABLE wide (%s)', string_agg(format('c%s int', i), ', ')) FROM generate_series(1, 100) i \gexec
SELECT * FROM privacy_keys('wide');
-- rows that are hidden are not looked past, and what may not be read is not
CREATE ROLE keys_reader;
GRANT USAGE ON SCHEMA keys TO keys_reader;
SET ROLE keys_reader;
SELECT * FROM privacy_keys('people');
RESET ROLE;
GRANT SELECT ON people TO keys_reader;
ALTER TABLE people ENABLE ROW LEVEL SECURITY;
SET ROLE keys_reader;
SELECT * FROM privacy_keys('people');
RESET ROLE;
-- However many columns are asked for, no more are combined than there are.
SET statement_timeout TO '100s';
DO $$ BEGIN EXECUTE (SELECT format('CREATE TABLE broad AS SELECT %s', string_agg(format('i %% %s AS c%1$s', c), ', ')) || ' FROM generate_series(1, 20) i' FROM generate_series(1, 40) c); END $$;
SELECT count(*) FROM privacy_keys('broad', max_columns => 2147483647);
RESET statement_timeout;
DROP SCHEMA keys CASCADE;
DROP ROLE keys_reader;
