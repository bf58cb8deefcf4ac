-- One query on the source of a release and on the release.
CREATE SCHEMA compared;
SET search_path TO compared, public;
\set SHOW_CONTEXT never
SET client_min_messages = error;
CREATE TABLE people AS SELECT i AS age, CASE i % 2 WHEN 0 THEN 'F' ELSE 'M' END AS sex, CASE WHEN i < 3 THEN 'north' WHEN i < 7 THEN 'south' ELSE 'east' END AS town, i * 10 AS pay, date '2000-01-01' + i AS born FROM generate_series(0, 9) i;
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['age', 'sex', 'born'], 5), masking => ARRAY[coarsest(by_suppression('sex'), 1), by_intervals('age', '0', '10', step => '5'), by_intervals('born', '2000-01-01', '2000-01-11', step => '10 days')], keep => '{town,pay}', means => '{age}', intervals => 'bounds') -> 'steps' AS steps;
SELECT * FROM r.people ORDER BY pay;
-- What is kept is the same; a number without a key has the empty one.
SELECT * FROM release_compare('r', 'SELECT town, count(*) FROM {release} GROUP BY town ORDER BY town');
SELECT * FROM release_compare('r', 'SELECT sum(pay) FROM {release}');
SELECT * FROM release_compare('r', 'SELECT town, sex, avg(pay) AS pay FROM {release} GROUP BY 1, 2 ORDER BY 1, 2');
-- A masked column holds the source's value as the view shows one; what only one shows is NULL in the other.
SELECT * FROM release_compare('r', 'SELECT age, count(*) FROM {release} WHERE pay < 30 GROUP BY age ORDER BY age');
-- Its mean is the value, and its ends are those of an interval of one value.
SELECT * FROM release_compare('r', 'SELECT sex, avg(age_mean) FROM {release} GROUP BY sex ORDER BY sex');
SELECT * FROM release_compare('r', 'SELECT min(age_lo) AS lo, max(age_hi) AS hi, count(*) FROM {release} WHERE born_hi > born_lo');
-- Rows spread over the ages that they show: each counts by {n} at each of these.
SELECT * FROM release_compare('r', 'SELECT a AS age, sum({n}) FROM {release} r JOIN generate_series(0, 9) a ON a >= r.age_lo AND a < r.age_hi GROUP BY a ORDER BY a');
SELECT * FROM release_compare('r', 'SELECT a < 3 AS young, d, sum(r.{n}) FROM {release} AS r, generate_series(0, 9) a, (VALUES (date ''2000-01-02'')) AS b (d) WHERE a >= r.age_lo AND a < r.age_hi AND d >= born_lo AND d < born_hi GROUP BY 1, 2 ORDER BY 1');
-- Without ends there is nothing to spread over, and no weight.
CREATE VIEW open_ends AS SELECT age, sex FROM people;
SELECT tds_anonymize('open_ends', 'o', k_anonymity(ARRAY['age'], 5), masking => by_intervals('age', upper => '10'), intervals => 'bounds') -> 'steps' AS steps;
SELECT DISTINCT age_lo IS NULL AS open FROM o.open_ends ORDER BY 1;
SELECT key, original, released < original AS fewer FROM release_compare('o', 'SELECT sum({n}) FROM {release} r LEFT JOIN generate_series(0, 9) a ON a >= r.age_lo AND a < r.age_hi');
SELECT release_drop('o');
-- Where nothing is spread a row is a row, also by other names of the ends.
SELECT * FROM release_compare('r', 'SELECT sum({n}) FROM (SELECT {n}, age_lo AS my_age_hi FROM {release}) q');
-- Zero, NULL and nothing have no error.
SELECT * FROM release_compare('r', 'SELECT sum(pay) - 450 AS zero FROM {release}');
SELECT * FROM release_compare('r', 'SELECT max(pay) FROM {release} WHERE pay > 1000');
SELECT * FROM release_compare('r', 'SELECT town, pay FROM {release} WHERE false');
-- Of any form: WITH, VALUES beside it, a comment at the end, twice.
SELECT * FROM release_compare('r', 'WITH a AS (SELECT * FROM {release}), b AS (SELECT count(*) AS n FROM {release}) SELECT a.town, count(*) / max(b.n)::float8 AS share FROM a, b GROUP BY 1 ORDER BY 1 -- {release}');
SELECT * FROM release_compare('r', 'SELECT ''it''''s "odd"'' AS "a b", 1 AS "n''", ARRAY[1, NULL] AS "c1", sum(pay)::numeric(10, 2) FROM {release}');
SELECT release_drop('r');
-- Of every form of intervals a value is shown as the view shows one.
CREATE TABLE things AS SELECT (i % 4)::int2 AS small, (i % 4)::int8 AS large, (i % 4)::float8 / 4 AS part, (i % 4)::numeric AS amount, timestamp '2000-01-01' + i % 4 * interval '1 hour' AS at, i % 2 = 0 AS flag FROM generate_series(1, 40) i;
CREATE FUNCTION forms() RETURNS TABLE (intervals text, in_both bigint, in_one bigint, error float8) LANGUAGE plpgsql AS $$
BEGIN
  FOREACH intervals IN ARRAY '{label,padded,bounds,range}'::text[] LOOP
    PERFORM tds_anonymize('things', 'f', k_anonymity(ARRAY['small', 'large', 'part', 'amount', 'at', 'flag'], 10), means => '{amount,part}', intervals => intervals,
      masking => ARRAY[by_suppression('flag'), by_suppression('at')]);
    SELECT count(*) FILTER (WHERE original IS NOT NULL AND released IS NOT NULL), count(*) FILTER (WHERE original IS NULL OR released IS NULL), max(c.error) INTO in_both, in_one, error
    FROM release_compare('f', 'SELECT small, large, flag, at, avg(amount_mean) + avg(part_mean) + 1 AS mean FROM {release} GROUP BY 1, 2, 3, 4') c;
    PERFORM release_drop('f');
    RETURN NEXT;
  END LOOP;
END $$;
SELECT * FROM forms();

-- Nothing is written, neither by the query nor by what it calls, and no setting stays.
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['age', 'sex'], 5), keep => '{town,pay}') -> 'version' AS version;
CREATE TABLE log (what text);
CREATE FUNCTION writes() RETURNS int LANGUAGE plpgsql AS $$ BEGIN INSERT INTO compared.log VALUES ('written'); RETURN 1; END $$;
CREATE FUNCTION frees() RETURNS int LANGUAGE plpgsql AS $$ BEGIN SET LOCAL transaction_read_only = off; INSERT INTO compared.log VALUES ('written'); RETURN 1; END $$;
CREATE FUNCTION hides() RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM set_config('search_path', 'compared', false); PERFORM set_config('extra_float_digits', '0', false); RETURN 1; END $$;
CREATE FUNCTION fails(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  message text; detail text; hint text;
BEGIN
  EXECUTE statement;
  RETURN 'it works';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
  RETURN format(E'%s: %s\n  %s\n  %s', SQLSTATE, message, detail, hint);
END $$;
SELECT * FROM release_compare('r', 'SELECT sum(compared.hides()) FROM {release}');
SHOW extra_float_digits;
SHOW search_path;
\pset format unaligned
\pset tuples_only on
SELECT fails(format('SELECT * FROM release_compare(''r'', %L)', q)) FROM unnest(ARRAY[
  'SELECT compared.writes() FROM {release}', 'SELECT compared.frees() FROM {release}', 'DELETE FROM {release}', 'WITH d AS (DELETE FROM compared.log RETURNING 1) SELECT count(*) FROM d, {release}',
  'SELECT count(*) INTO compared.new FROM {release}', 'SELECT 1 FROM {release} FOR UPDATE', 'SELECT 1 FROM {release}; DROP TABLE compared.log', 'SELECT 1 FROM {release};;', 'SELECT 1 FROM {release}) q; DROP TABLE compared.log; --',
  'COPY {release} TO ''/tmp/x''', 'SET search_path = compared -- {release}', '-- {release}', 'SELECT 1', 'SELECT town FROM {release}', 'SELECT FROM {release}', 'SELECT 1 AS a, 2 AS a, 3 FROM {release}', 'SELECT town, pay FROM {release}',
  'SELECT nothing FROM {release}', 'SELECT count(*) FROM people, {release}', 'SELECT $1 FROM {release}', 'SELECT count(* FROM {release}', 'SELECT ''x'' FROM {release}', 'SELECT 1/0 FROM {release}', 'SELECT born, 1 FROM {release}', '']) q;
SELECT count(*) FROM log;
-- A mean is no whole number of the source either, and what is divided is not cut off.
SELECT tds_anonymize('people', 'm', k_anonymity(ARRAY['age', 'sex'], 5), masking => coarsest(by_suppression('sex'), 1), keep => '{pay}', means => '{age}') -> 'version' AS version;
SELECT original, released, error FROM release_compare('m', 'SELECT sum(age_mean) / count(*) FROM {release}');
SELECT release_drop('m');
INSERT INTO log VALUES ('afterwards, everything can be written');
SELECT count(*) FROM log;
SELECT fails('SELECT * FROM release_compare(''r'', NULL)');
SELECT fails('SELECT * FROM release_compare(NULL, ''SELECT 1'')');
SELECT fails('SELECT * FROM release_compare(''none'', ''SELECT count(*) FROM {release}'')');
-- Its owner only; and whoever calls, with the owner's rights: a superuser lends the query none.
CREATE ROLE compared_other;
CREATE ROLE compared_owner;
GRANT USAGE ON SCHEMA compared TO compared_other, compared_owner;
SELECT release_grant('r', 'compared_other');
SET ROLE compared_other;
SELECT fails('SELECT * FROM release_compare(''r'', ''SELECT count(*) FROM {release}'')');
RESET ROLE;
SELECT format('GRANT CREATE ON DATABASE %I TO compared_owner', current_database()) \gexec
GRANT EXECUTE ON FUNCTION tds_anonymize TO compared_owner;
GRANT SELECT ON people TO compared_owner;
SET ROLE compared_owner;
SELECT tds_anonymize('people', 'own', k_anonymity(ARRAY['age', 'sex'], 5), keep => '{pay}') -> 'version' AS version;
RESET ROLE;
SELECT released FROM release_compare('own', 'SELECT count(*) FROM {release} WHERE current_user = ''compared_owner''');
SELECT fails('SELECT * FROM release_compare(''own'', ''SELECT count(*) FROM compared.log, {release}'')');
ALTER TABLE people ENABLE ROW LEVEL SECURITY;
CREATE POLICY part ON people USING (age < 5);
SELECT fails('SELECT * FROM release_compare(''own'', ''SELECT count(*) FROM {release}'')');
ALTER TABLE people DISABLE ROW LEVEL SECURITY;
SELECT release_drop('own');
SELECT release_drop('r');
SELECT format('REVOKE CREATE ON DATABASE %I FROM compared_owner', current_database()) \gexec
REVOKE EXECUTE ON FUNCTION tds_anonymize FROM compared_owner;
DROP SCHEMA compared CASCADE;
DROP ROLE compared_other, compared_owner;
