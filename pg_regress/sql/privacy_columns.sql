-- privacy_columns: what each column singles out, against plain SQL; roles; every masking that is suggested in a release; what cannot be.
CREATE SCHEMA cols;
SET search_path TO cols, public;
CREATE TABLE customers (customer_id int PRIMARY KEY, last_name text);
INSERT INTO customers SELECT i, 'name ' || i FROM generate_series(1, 100) i;
CREATE TABLE airports (code text PRIMARY KEY);
INSERT INTO airports VALUES ('JFK'), ('LGA'), ('EWR');
CREATE TABLE trips AS SELECT i AS nr, 7 * i AS ticket_no, i % 100 + 1 AS customer, (ARRAY['JFK', 'LGA', 'EWR'])[1 + i % 3] AS origin, date '1950-01-01' + i * 61 % 20000 AS born,
  (47900 + i * i % 23)::text AS zip, i * 37 % 90 AS age, i % 2 AS paid, (i % 11) * 2.5 AS price, 'user' || i % 90 || '@mail.example' AS mail, 'trip' AS kind, NULL::text AS note,
  ('10.0.' || i % 7 || '.' || i % 200)::inet AS host, (ARRAY['flu', 'cold', 'none'])[1 + i % 3] AS illness, to_char(date '2020-01-01' + i % 60, 'DD.MM.YYYY') AS day, nullif(i % 17, 3) AS points
FROM generate_series(1, 400) i;
ALTER TABLE trips ADD PRIMARY KEY (nr), ADD FOREIGN KEY (customer) REFERENCES customers, ADD FOREIGN KEY (origin) REFERENCES airports;
CREATE UNIQUE INDEX ON trips (ticket_no);
SELECT column_name, type, distinct_values, nulls, alone, adds, role, masking FROM privacy_columns('trips');
SELECT column_name, reason FROM privacy_columns('trips', 3);
SELECT column_name, role, reason FROM privacy_columns('customers');

-- every figure as plain SQL counts it, NULLs being one value
CREATE FUNCTION share_below(relation regclass, columns text[], k int) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE share float8;
BEGIN
  IF columns IS NULL THEN columns := '{}'; END IF;
  EXECUTE format('SELECT coalesce(sum(n) FILTER (WHERE n < %s), 0)::float8 / sum(n) FROM (SELECT count(*) AS n FROM %s GROUP BY %s) g', k, relation,
    coalesce((SELECT string_agg(quote_ident(c), ', ') FROM unnest(columns) c), '()')) INTO share;
  RETURN share;
END $$;
CREATE FUNCTION wrong(relation regclass, k int) RETURNS SETOF text LANGUAGE sql AS $$
  WITH told AS (SELECT * FROM privacy_columns(relation, k)),
    known AS (SELECT array_agg(column_name) AS columns FROM told WHERE role = 'quasi-identifier')
  SELECT column_name FROM told, known
  WHERE alone <> share_below(relation, ARRAY[column_name], k)
     OR abs(adds - CASE WHEN role = 'quasi-identifier' THEN share_below(relation, columns, k) - share_below(relation, array_remove(columns, column_name), k) ELSE 0 END) > 1e-12 $$;
SELECT wrong('trips', 5);
SELECT wrong('trips', 2);
CREATE TABLE few AS SELECT i % 2 AS a, i % 3 AS b, i % 4 AS c, i % 5 AS d, nullif(i % 7, 0) AS e FROM generate_series(1, 1000) i;
SELECT wrong('few', 8);
SELECT column_name, alone, adds FROM privacy_columns('few', 8);
SELECT column_name, alone, adds FROM privacy_columns('few', 1);
-- values that are equal are one, whatever their bytes
CREATE TABLE odd AS SELECT v::numeric AS num, i FROM (VALUES ('1.0', 1), ('1.00', 2), ('1', 3)) v (v, i);
SELECT column_name, distinct_values, alone, role FROM privacy_columns('odd', 4);

-- each masking as it stands in a release of its own: many types, infinite and strange values, names that have to be quoted
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE DOMAIN years AS int CHECK (VALUE >= 0);
CREATE TABLE kinds AS SELECT i % 2 = 0 AS flag, (i % 9)::int2 AS small, i::int8 * 1000003 AS large, i % 40 / 4.0 AS num, (i % 40)::float8 / 8 AS float, (ARRAY['NaN', 'Infinity', '-Infinity', '1', '2.5'])[1 + i % 5]::float8 AS odd_float,
  (ARRAY['NaN', '1', '2.5'])[1 + i % 3]::numeric AS odd_num, (i % 30)::text::money AS cash, date '2000-01-01' + i AS day, (ARRAY['infinity', '-infinity', '2000-01-01', '0044-03-15 BC'])[1 + i % 4]::date AS odd_day,
  timestamp '2000-01-01 00:00' + i * interval '7 hours' AS at, timestamp '2000-01-01 08:00' + i * interval '1 minute' AS within_a_day, timestamptz '2000-01-01 00:00+00' + i * interval '1 day' AS tz, (interval '1 minute' * (i % 90))::time AS clock,
  ((interval '1 minute' * (i % 90))::time || '+01')::timetz AS clock_tz, interval '1 hour' * (i % 50) AS span, ('10.1.' || i % 5 || '.0/24')::cidr AS net, ('08:00:2b:01:02:' || lpad((i % 30)::text, 2, '0'))::macaddr AS mac,
  lpad((i * 97 % 1000)::text, 5, '0') AS zip, 90000 + i % 50 AS "postal code", 'E' || i % 13 || '.' || i % 9 AS icd, (ARRAY['a', 'b', 'c'])[1 + i % 3]::char(5) AS padded, (ARRAY['sad', 'ok', 'happy'])[1 + i % 3]::mood AS mood,
  (i % 40)::years AS "it's", format('{"a": %s}', i % 5)::json AS doc, format('{"a": %s}', i % 5)::jsonb AS docb, ARRAY[i % 4, 1] AS list, int4range(i % 4, 10) AS range, md5((i % 30)::text)::uuid AS token,
  decode(lpad((i % 10)::text, 2, '0'), 'hex') AS bytes, (i % 50 * 1.5)::text AS price, ('x' || i % 4)::name AS called, (i % 4)::bit(3) AS bits, point(i % 3, 1) AS place, to_char(date '2020-01-01' + i % 60, 'YYYY-MM-DD') AS iso
FROM generate_series(1, 300) i;
SELECT column_name, type, role, masking FROM privacy_columns('kinds');
CREATE PROCEDURE released(relation regclass) LANGUAGE plpgsql AS $$
DECLARE one record; outcome jsonb; done int := 0;
BEGIN
  FOR one IN SELECT column_name, masking FROM privacy_columns(relation) LOOP
    BEGIN
      EXECUTE format('SELECT tds_anonymize(%L, ''cols_one'', k_anonymity(ARRAY[%L], 5), masking => %s)', relation, one.column_name, one.masking) INTO outcome;
      PERFORM release_assert('cols_one');
      IF (SELECT count(*) FROM release_verify('cols_one')) <> 1 THEN RAISE 'nothing is verified'; END IF;
      PERFORM release_drop('cols_one');
      done := done + 1;
    EXCEPTION WHEN OTHERS THEN
      RAISE INFO '% cannot be masked by %: %', one.column_name, one.masking, SQLERRM;
    END;
  END LOOP;
  RAISE INFO '% releases of %', done, relation;
END $$;
CALL released('kinds');
CALL released('trips');

-- security labels win: whoever gives them, the strictest of several
INSERT INTO pg_seclabel SELECT 'trips'::regclass, 'pg_class'::regclass, attnum, provider, label
FROM (VALUES ('nr', 'k_anonymity', 'QUASI IDENTIFIER'), ('illness', 'anon', ' indirect identifier '), ('age', 'anon', 'NOT SENSITIVE'), ('age', 'k_anonymity', 'QUASI IDENTIFIER'), ('zip', 'anon', 'direct identifier'), ('points', 'anon', 'PERSON'),
  ('origin', 'anon', 'SENSITIVE'), ('price', 'anon', 'MASKED WITH VALUE NULL')) l (name, provider, label)
JOIN pg_attribute ON attrelid = 'trips'::regclass AND attname = name;
SELECT column_name, role, reason FROM privacy_columns('trips') WHERE column_name IN ('nr', 'illness', 'age', 'zip', 'points', 'origin', 'price');
DELETE FROM pg_seclabel WHERE objoid = 'trips'::regclass;

-- keys of persons: by name, by a reference, by tokens that repeat; not what has few values, nor what is only called so
CREATE TABLE visits AS SELECT 'P' || i % 80 AS patient_id, md5((i % 150)::text)::uuid AS card, i % 400 / 3 AS id, i % 5 AS passenger_count, (i % 3)::text AS member_type, 20 + i % 60 AS patient_age, i % 150 * 3 AS visit_nr, (i * 7.3)::numeric AS amount
FROM generate_series(1, 400) i;
SELECT column_name, role, reason FROM privacy_columns('visits');

-- a value that reads like a suppressed one
CREATE TABLE stars AS SELECT (ARRAY['*', 'a', 'b'])[1 + i % 3] AS star FROM generate_series(1, 60) i;
SELECT masking, reason FROM privacy_columns('stars');
SELECT tds_anonymize('stars', 'cols_stars', k_anonymity(ARRAY['star'], 5), masking => by_suppression('star'));
SELECT tds_anonymize('stars', 'cols_stars', k_anonymity(ARRAY['star'], 5), masking => by_suppression('star'), suppressed => '?') ->> 'version' AS version;
SELECT release_drop('cols_stars');
-- no rows, one row, no columns; views, partitioned tables; a partial and an invalid index say nothing
CREATE TABLE nobody (a int PRIMARY KEY, b text);
SELECT * FROM privacy_columns('nobody');
INSERT INTO nobody VALUES (1, NULL);
SELECT * FROM privacy_columns('nobody');
CREATE TABLE nothing ();
SELECT * FROM privacy_columns('nothing');
CREATE VIEW v AS SELECT age, zip FROM trips;
SELECT column_name, alone, adds, role FROM privacy_columns('v');
CREATE TABLE parted (a int, b int) PARTITION BY LIST (a);
CREATE TABLE parted_1 PARTITION OF parted DEFAULT;
INSERT INTO parted SELECT i % 3, i % 5 FROM generate_series(1, 60) i;
CREATE UNIQUE INDEX ON parted_1 (b) WHERE a > 5;
SELECT column_name, distinct_values, alone, role FROM privacy_columns('parted');
SELECT column_name, distinct_values, alone, role FROM privacy_columns('parted_1');

-- what cannot be
SELECT * FROM privacy_columns(NULL);
SELECT * FROM privacy_columns('trips', NULL);
SELECT * FROM privacy_columns('trips', 0);
SELECT * FROM privacy_columns('trips', -3);
SELECT * FROM privacy_columns('trips_nr_seq_gone');
-- rows that are hidden are not looked past, and what may not be read is not
CREATE ROLE cols_reader;
GRANT USAGE ON SCHEMA cols TO cols_reader;
SET ROLE cols_reader;
SELECT * FROM privacy_columns('trips');
RESET ROLE;
GRANT SELECT (age) ON trips TO cols_reader;
SET ROLE cols_reader;
SELECT * FROM privacy_columns('trips');
RESET ROLE;
GRANT SELECT ON trips TO cols_reader;
ALTER TABLE trips ENABLE ROW LEVEL SECURITY;
SET ROLE cols_reader;
SELECT * FROM privacy_columns('trips');
RESET ROLE;
DROP SCHEMA cols CASCADE;
DROP ROLE cols_reader;
