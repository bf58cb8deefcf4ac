-- An old version goes with the next call, unless this very session still reads it or something was built on it: then the new
-- version is made all the same, and the old one goes as soon as it can.
CREATE SCHEMA ov;
SET search_path TO ov, public;
SET client_min_messages TO warning;
\set SHOW_CONTEXT never
CREATE TABLE people AS SELECT 'c' || i % 2 AS city, i % 4 AS age FROM generate_series(1, 40) i;
CREATE VIEW tables AS SELECT relname::text AS name FROM pg_class WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = 'r') AND relname ~ '^people_v' ORDER BY 1;
CREATE FUNCTION again() RETURNS text LANGUAGE sql AS $$ SELECT tds_anonymize('ov.people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 5)]) ->> 'version' $$;
SELECT again();
SELECT again();
SELECT * FROM tables;
-- an open cursor, on the view
BEGIN;
DECLARE c CURSOR FOR SELECT count(*) OVER () FROM r.people;
FETCH 1 FROM c;
SELECT again();
SELECT * FROM tables;
FETCH 1 FROM c;
COMMIT;
SELECT again();
SELECT * FROM tables;
-- and on the table behind it, not yet read
BEGIN;
DECLARE c CURSOR FOR TABLE r.people_v4;
SELECT again();
SELECT * FROM tables;
MOVE ALL IN c;
COMMIT;
SELECT again();
SELECT * FROM tables;
-- what was built on it: a view, a materialized view, a child, a function and a column of its row type
CREATE VIEW on_view AS SELECT count(*) FROM r.people_v6;
SELECT again();
SELECT * FROM tables;
SELECT * FROM on_view;
DROP VIEW on_view;
CREATE MATERIALIZED VIEW on_rows AS SELECT DISTINCT city FROM r.people_v7;
SELECT again();
SELECT * FROM tables;
DROP MATERIALIZED VIEW on_rows;
CREATE TABLE child () INHERITS (r.people_v8);
SELECT again();
SELECT * FROM tables;
DROP TABLE child;
CREATE FUNCTION on_type(r.people_v9) RETURNS int LANGUAGE sql AS 'SELECT 1';
SELECT again();
SELECT * FROM tables;
DROP FUNCTION on_type;
SELECT again();
SELECT * FROM tables;
CREATE TABLE of_rows (rows r.people_v11[]);
SELECT again();
SELECT * FROM tables;
DROP TABLE of_rows;
SELECT again();
SELECT * FROM tables;
-- with all of that, the release can be dropped, but for what others built
CREATE VIEW on_view AS SELECT count(*) FROM r.people_v13;
SELECT release_drop('r');
\echo :SQLSTATE
SELECT version FROM releases();
DROP VIEW on_view;
SELECT release_drop('r');
DROP SCHEMA ov CASCADE;
