-- The table of an old version goes with the second version after it, unless something was built on it: then the new version is made all the
-- same, and the old one goes as soon as it can. How many are kept, and for how long, is versions_kept's.
CREATE SCHEMA ov;
SET search_path TO ov, public;
CREATE TABLE people AS SELECT 'c' || i % 2 AS city, i % 4 AS age FROM generate_series(1, 40) i;
CREATE VIEW tables AS SELECT relname::text AS name FROM pg_class WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = 'r_private') AND relname ~ '^rows_v[1-9]' ORDER BY 1;
CREATE FUNCTION again() RETURNS text LANGUAGE sql AS $$ SELECT tds_anonymize('ov.people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 5)]) ->> 'version' $$;
SELECT again();
SELECT again();
SELECT again();
SELECT * FROM tables;
-- an open cursor on the view: this very session reads the table of all versions, which cannot get one more; the release is as it was
BEGIN;
DECLARE c CURSOR FOR SELECT count(*) OVER () FROM r.people;
FETCH 1 FROM c;
SAVEPOINT s;
SELECT again();
ROLLBACK TO s;
SELECT * FROM tables;
FETCH 1 FROM c;
COMMIT;
SELECT version, current FROM r_private.manifest ORDER BY 1;
-- and on the table behind it, not yet read: it ends with its transaction, and so nobody uses the table when that is committed
BEGIN;
DECLARE c CURSOR FOR SELECT count(*) OVER () FROM r_private.rows_v2;
SELECT again();
SELECT * FROM tables;
FETCH 1 FROM c;
MOVE ALL IN c;
COMMIT;
SELECT * FROM tables;
-- what was built on it: a view, a materialized view, a function and a column of its row type; nothing can inherit from it
CREATE VIEW on_view AS SELECT count(*) FROM r_private.rows_v3;
SELECT again();
SELECT again();
SELECT * FROM tables;
SELECT * FROM on_view;
DROP VIEW on_view;
CREATE MATERIALIZED VIEW on_rows AS SELECT DISTINCT city FROM r_private.rows_v5;
SELECT again();
SELECT * FROM tables;
SELECT again();
SELECT * FROM tables;
DROP MATERIALIZED VIEW on_rows;
CREATE TABLE child () INHERITS (r_private.rows_v7);
CREATE FUNCTION on_type(r_private.rows_v7) RETURNS int LANGUAGE sql AS 'SELECT 1';
SELECT again();
SELECT * FROM tables;
SELECT again();
SELECT * FROM tables;
DROP FUNCTION on_type;
CREATE TABLE of_rows (rows r_private.rows_v9[]);
SELECT again();
SELECT again();
SELECT * FROM tables;
DROP TABLE of_rows;
SELECT again();
SELECT * FROM tables;
-- what was built on the view or on the table of all versions keeps none
CREATE VIEW on_view AS SELECT count(*) FROM r.people;
CREATE VIEW on_all AS SELECT count(*) FROM r_private.rows_v0;
SELECT again();
SELECT again();
SELECT * FROM tables;
SELECT * FROM on_view;
DROP VIEW on_view, on_all;
-- with all of that, the release can be dropped, but for what others built
CREATE VIEW on_view AS SELECT count(*) FROM r_private.rows_v14;
SELECT release_drop('r');
SELECT version FROM releases();
DROP VIEW on_view;
-- nor what the owner has made a partition of the release's own
CREATE TABLE mine PARTITION OF r_private.rows_v0 FOR VALUES IN (100);
SELECT release_drop('r');
DROP TABLE mine;
SELECT release_drop('r');
DROP SCHEMA ov CASCADE;
