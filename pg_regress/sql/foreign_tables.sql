-- Foreign tables, a file and a table of the same database, are released as a table is.
-- Needs: (SELECT count(*) = 2 FROM pg_available_extensions WHERE name IN ('file_fdw', 'postgres_fdw'))
CREATE SCHEMA src;
SET search_path TO src, public;
CREATE TABLE plain AS SELECT i AS id, 'c' || i % 2 AS city, i % 4 AS age, i % 4 * 2 AS twice, CASE WHEN i % 4 < 2 THEN 'N' ELSE 'Y' END AS class, 'later' AS added FROM generate_series(1, 24) i;
CREATE EXTENSION file_fdw SCHEMA src;
CREATE EXTENSION postgres_fdw SCHEMA src;
CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
CREATE FOREIGN TABLE lines (id int, city text, age int, twice int, class text, added text) SERVER files
  OPTIONS (program 'i=1; while [ $i -le 24 ]; do c=N; [ $((i % 4)) -lt 2 ] || c=Y; echo "$i,c$((i % 2)),$((i % 4)),$((i % 4 * 2)),$c,later"; i=$((i + 1)); done', format 'csv');
DO $$ BEGIN
  EXECUTE format('CREATE SERVER self FOREIGN DATA WRAPPER postgres_fdw OPTIONS (dbname %L, port %L, host %L)', current_database(), current_setting('port'),
                 split_part(current_setting('unix_socket_directories'), ',', 1));
  EXECUTE format('CREATE USER MAPPING FOR CURRENT_USER SERVER self OPTIONS (user %L)', current_user);
END $$;
CREATE FOREIGN TABLE remote (id int, city text, age int, twice int, class text, added text) SERVER self OPTIONS (schema_name 'src', table_name 'plain');
SELECT s, tds_anonymize(s::regclass, s, k_anonymity('{city,age,twice}', 6), 'class', by_intervals('age', '0', '9'), '{added}') -> 'rows' AS rows FROM unnest('{plain,lines,remote}'::name[]) s;
SELECT count(*) FROM (SELECT city, age, twice, class, added FROM plain.plain EXCEPT ALL SELECT city, age, twice, class, added FROM lines.lines) d;
SELECT count(*) FROM (SELECT city, age, twice, class, added FROM plain.plain EXCEPT ALL SELECT city, age, twice, class, added FROM remote.remote) d;
SELECT s, bool_and(holds) FROM unnest('{plain,lines,remote}'::name[]) s, release_verify(s) GROUP BY 1 ORDER BY 1;
SELECT count(release_drop(release)) FROM releases();
DROP EXTENSION file_fdw CASCADE;
DROP EXTENSION postgres_fdw CASCADE;
DROP SCHEMA src CASCADE;
