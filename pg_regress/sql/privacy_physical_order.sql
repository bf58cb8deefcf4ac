-- Threat: physical order. Two releases of the same rows must not be joinable row by row (by ctid or row number), nor a
-- release with its source; there are no serial ids, and versions show no older rows by xmin.
CREATE SCHEMA phys;
SET search_path TO phys, public;
CREATE TABLE people AS SELECT i AS id, 'q' AS q, i % 7 AS age FROM generate_series(1, 5000) i;
SELECT tds_anonymize('people', 'r1', ARRAY[k_anonymity(ARRAY['q'], 5000)], keep => ARRAY['id']) ->> 'rows' AS rows;
SELECT tds_anonymize('people', 'r2', ARRAY[k_anonymity(ARRAY['q'], 5000)], keep => ARRAY['id']) ->> 'rows' AS rows;
-- Of 5000 rows about one stays in its place; neighbours are neighbours no more.
CREATE FUNCTION same_place(a text, b text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE n bigint;
BEGIN
  EXECUTE format('SELECT count(*) FROM (SELECT id, row_number() OVER (ORDER BY ctid) AS place FROM %s) a JOIN (SELECT id, row_number() OVER (ORDER BY ctid) AS place FROM %s) b USING (id, place)', a, b) INTO n;
  RETURN n;
END $$;
SELECT same_place('people', 'r1_private.rows_v1') < 20 AS source, same_place('people', 'r2_private.rows_v1') < 20 AS source2, same_place('r1_private.rows_v1', 'r2_private.rows_v1') < 20 AS releases;
SELECT count(*) < 50 AS neighbours FROM (SELECT id - lag(id) OVER (ORDER BY ctid) AS step FROM r1_private.rows_v1) s WHERE step = 1;
SELECT abs(corr(id, place)) < 0.1 AS uncorrelated FROM (SELECT id, row_number() OVER (ORDER BY ctid) AS place FROM r1_private.rows_v1) p;
-- in the order that a reader gets, too
SELECT count(*) < 50 AS neighbours FROM (SELECT id - lag(id) OVER () AS step FROM r1.people) s WHERE step = 1;
-- the next version of the same rows: another order again, all rows of one transaction
CREATE TABLE kept AS SELECT id, row_number() OVER (ORDER BY ctid) AS place FROM r1_private.rows_v1;
INSERT INTO people SELECT i, 'q', 0 FROM generate_series(5001, 6000) i;
SELECT tds_anonymize('people', 'r1', ARRAY[k_anonymity(ARRAY['q'], 5000)], keep => ARRAY['id']) ->> 'version' AS version;
SELECT count(*) < 20 AS versions FROM kept JOIN (SELECT id, row_number() OVER (ORDER BY ctid) AS place FROM r1_private.rows_v2) b USING (id, place);
SELECT count(DISTINCT xmin::text) AS transactions, count(DISTINCT cmin::text) AS commands FROM r1_private.rows_v2;
SELECT avg(place) BETWEEN 2600 AND 3400 AS new_rows_are_spread FROM (SELECT id, row_number() OVER (ORDER BY ctid) AS place FROM r1_private.rows_v2) p WHERE id > 5000;
-- no columns, defaults or sequences of our own
SELECT count(*) FROM pg_attrdef a JOIN pg_class c ON c.oid = adrelid WHERE relnamespace IN ('r1'::regnamespace, 'r1_private'::regnamespace);
SELECT count(*) FROM pg_class WHERE relnamespace IN ('r1'::regnamespace, 'r1_private'::regnamespace) AND relkind NOT IN ('r', 'p', 'v', 'i');
SELECT release_drop('r1'), release_drop('r2');
DROP SCHEMA phys CASCADE;
