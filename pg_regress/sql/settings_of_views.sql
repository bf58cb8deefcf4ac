-- A view is read under settings of the extension. What it converts as settings say is told of, if the session has set them otherwise.
SET client_min_messages TO notice;
CREATE SCHEMA sov;
SET search_path TO sov, public;
SET DateStyle = 'ISO, MDY';
SET TimeZone = 'Etc/UTC';
SET IntervalStyle = 'postgres';
SET extra_float_digits = 1;
CREATE TABLE born AS SELECT to_char(date '1980-03-01' + (i % 10) * interval '1 month', 'DD.MM.YYYY') AS born, i % 7 AS n, i / 8.0::float8 AS x,
  timestamptz '2020-01-01 12:00+00' + i * interval '1 hour' AS seen, '3 days'::text AS stay FROM generate_series(1, 1000) i;
CREATE VIEW as_set AS SELECT born::date AS born, n::text AS n FROM born;
CREATE VIEW below AS SELECT born FROM as_set;
CREATE VIEW by_format AS SELECT to_date(born, 'DD.MM.YYYY') AS born, n FROM born;
CREATE VIEW by_zone AS SELECT (seen AT TIME ZONE 'Asia/Tokyo')::date AS seen, n FROM born;
CREATE VIEW printed AS SELECT seen::date AS seen, x::text AS x, stay::interval > '1 day' AS long FROM born;
CREATE VIEW today AS SELECT current_date - '2020-01-01' AS day, n FROM born;
CREATE MATERIALIZED VIEW stored AS SELECT to_date(born, 'DD.MM.YYYY')::text AS born FROM born;
CREATE VIEW of_strings AS SELECT n::text AS n, x::numeric AS x, now() > seen AS past FROM born;
CREATE FUNCTION steps(source text, qi text) RETURNS bigint LANGUAGE sql AS $$ SELECT count(*) FROM tds_steps(source::regclass, k_anonymity(ARRAY[qi], 10), max_steps => 1) $$;
-- as they are set: nothing is said
SELECT steps('as_set', 'born');
SELECT steps('printed', 'x');
-- otherwise
SET DateStyle = 'German, DMY';
SET TimeZone = 'Asia/Tokyo';
SET IntervalStyle = 'iso_8601';
SET extra_float_digits = 3;
SELECT steps('as_set', 'born');
SELECT steps('below', 'born');
SELECT steps('printed', 'x');
SELECT steps('today', 'n');
-- in functions that take any type, operators, rows, arrays, ranges and JSON; printed, and read
CREATE TABLE days AS SELECT i % 2 AS w, date '2024-01-01' + i % 60 AS d, timestamptz '2024-01-01 12:00+00' AS tz, i / 8.0::float8 AS f, '2024-01-02'::text AS txt FROM generate_series(1, 200) i;
CREATE TYPE with_a_day AS (d date, n int);
CREATE FUNCTION tells(expression text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE told text;
BEGIN
  EXECUTE format('CREATE OR REPLACE VIEW sov.tried AS SELECT w, (%s)::text AS x FROM sov.days', expression);
  PERFORM FROM tds_steps('sov.tried', k_anonymity('{w}', 2), max_steps => 0);
  DROP VIEW sov.tried;
  RETURN expression;
END $$;
SELECT tells(e) FROM unnest(ARRAY[$$d || ''$$, $$concat(d)$$, $$format('%s', f)$$, $$row(d, w)$$, $$ARRAY[d]$$, $$daterange(d, NULL)$$, $$to_json(tz)$$, $$json_build_object('d', d)$$,
  $$('[' || txt || ',]')::daterange$$, $$('(' || txt || ',1)')::sov.with_a_day$$, $$(SELECT r.d FROM json_to_record(json_build_object('d', txt)) AS r (d date))$$, $$date_in(textout(txt))$$]) e;
-- of the types that there are nothing is printed or read as a setting says
SELECT tells(e) FROM unnest(ARRAY['w + 1', $$w || 'x'$$, 'upper(txt)', $$(tz AT TIME ZONE 'Asia/Tokyo')::date - d$$]) e;
-- what depends on none of them
SELECT steps('by_format', 'born');
SELECT steps('by_zone', 'seen');
SELECT steps('of_strings', 'n');
SELECT steps('stored', 'born');
SELECT steps('born', 'n');
-- every function that reads one, once a call
SELECT (tds_anonymize('as_set', 'sov_r', k_anonymity(ARRAY['born'], 10), masking => by_calendar('born', ARRAY['year', 'month'])) ->> 'version')::int;
SELECT (release_refresh('sov_r') ->> 'version')::int;
SELECT count(*) FROM release_verify('sov_r');
SELECT count(*) FROM privacy_columns('as_set');
SELECT count(*) FROM privacy_keys('as_set');
-- with the format it is right in every session
SELECT (release_alter('sov_r', source => 'by_format', allow_weaker => true) ->> 'version')::int;
SELECT born, count(*) FROM sov_r.as_set GROUP BY 1 ORDER BY 1;
SELECT release_drop('sov_r');
DROP SCHEMA sov CASCADE;
