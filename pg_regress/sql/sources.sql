-- What can be released: partitioned and inherited tables, views, materialized views, temporary tables;
-- generated and dropped columns; names in any case.
CREATE SCHEMA src;
SET search_path TO src, public;
CREATE TABLE plain (id int, gone int, city text, age int, twice int GENERATED ALWAYS AS (age * 2) STORED, class text);
ALTER TABLE plain DROP COLUMN gone;
ALTER TABLE plain ADD COLUMN added text DEFAULT 'later';
INSERT INTO plain (id, city, age, class) SELECT i, 'c' || i % 2, i % 4, CASE WHEN i % 4 < 2 THEN 'N' ELSE 'Y' END FROM generate_series(1, 24) i;
CREATE TABLE parted (id int, city text, age int, twice int, class text, added text) PARTITION BY LIST (city);
CREATE TABLE parted0 PARTITION OF parted FOR VALUES IN ('c0') PARTITION BY RANGE (age);
CREATE TABLE parted00 PARTITION OF parted0 FOR VALUES FROM (0) TO (2);
CREATE TABLE parted01 (added text, class text, twice int, junk int, age int, city text, id int);
ALTER TABLE parted01 DROP COLUMN junk;
ALTER TABLE parted0 ATTACH PARTITION parted01 FOR VALUES FROM (2) TO (9);
CREATE TABLE parted1 PARTITION OF parted DEFAULT;
INSERT INTO parted SELECT * FROM plain;
CREATE TABLE parent (id int, city text, age int, twice int, class text, added text);
CREATE TABLE child (more int) INHERITS (parent);
INSERT INTO parent SELECT * FROM plain WHERE id <= 12;
INSERT INTO child SELECT * FROM plain WHERE id > 12;
CREATE VIEW a_view AS SELECT * FROM plain;
CREATE VIEW joined AS SELECT p.id, v.city, p.age, p.twice, p.class, v.added FROM parted p JOIN a_view v USING (id) ORDER BY id DESC;
CREATE MATERIALIZED VIEW mat AS TABLE plain;
CREATE UNLOGGED TABLE unlogged AS TABLE plain;
CREATE TEMP TABLE temporary AS TABLE plain;
CREATE TEMP VIEW temp_view AS TABLE temporary;
CREATE TABLE "MixedCase" AS TABLE plain;

-- each gives the same release
CREATE TABLE releases_made (source text, steps text, rows text, columns text, content text);
CREATE FUNCTION make(source regclass) RETURNS void LANGUAGE plpgsql AS $$
DECLARE name text := (SELECT relname FROM pg_class WHERE oid = source); steps text; rows text; columns text; content text;
BEGIN
  PERFORM tds_anonymize(source, 'r', ARRAY[k_anonymity(ARRAY['city', 'age', 'twice'], 6)], 'class', ARRAY[by_intervals('age', '0', '9')], ARRAY['added']);
  EXECUTE 'SELECT string_agg(step || attribute || node || children::text || records, '' '' ORDER BY step) FROM r_private.steps' INTO steps;
  EXECUTE format('SELECT string_agg(t::text, '' '' ORDER BY t::text COLLATE "C") FROM r.%I t', name) INTO content;
  SELECT string_agg(attname, ',' ORDER BY attnum) INTO columns FROM pg_attribute WHERE attrelid = format('r.%I', name)::regclass AND attnum > 0;
  EXECUTE format('SELECT count(*) FROM r.%I', name) INTO rows;
  INSERT INTO releases_made VALUES (source::text, steps, rows, columns, md5(content));
  PERFORM release_drop('r');
END $$;
SELECT make(s) FROM unnest(ARRAY['plain', 'parted', 'parent', 'a_view', 'joined', 'mat', 'unlogged', 'temporary', 'temp_view', '"MixedCase"']::regclass[]) s;
SELECT string_agg(source, ' ' ORDER BY source COLLATE "C") AS sources, steps, rows, columns FROM releases_made GROUP BY steps, rows, columns, content;
-- what reads all columns reads no dropped one
SELECT columns, groups FROM privacy_keys('plain', max_columns => 1) ORDER BY 1;
CREATE TABLE levels (leaf text, gone text, root text);
ALTER TABLE levels DROP COLUMN gone;
INSERT INTO levels VALUES ('c0', 'any'), ('c1', 'any');
SELECT * FROM taxonomy_from_levels('levels') ORDER BY 1;
-- a partition by itself, and one level down
SELECT tds_anonymize('parted0', 'r', ARRAY[k_anonymity(ARRAY['age'], 6)]) ->> 'rows' AS rows;
SELECT release_drop('r');
SELECT tds_anonymize('parted01', 'r', ARRAY[k_anonymity(ARRAY['age'], 6)], keep => ARRAY['city', 'added']) ->> 'rows' AS rows;
SELECT * FROM r.parted01 GROUP BY 1, 2, 3;
SELECT release_drop('r');
-- a release of a release's view; and of its own schema's
SELECT tds_anonymize('plain', 'r', ARRAY[k_anonymity(ARRAY['age'], 6)], keep => ARRAY['city']) ->> 'rows' AS rows;
SELECT tds_anonymize('r.plain', 'r2', ARRAY[k_anonymity(ARRAY['age', 'city'], 6)]) ->> 'rows' AS rows;
SELECT source FROM r2_private.manifest;
SELECT release_drop('r2');
SELECT tds_anonymize('r.plain', 'r', ARRAY[k_anonymity(ARRAY['city'], 6)]);
SELECT release_drop('r');
-- a materialized view that was never filled, a foreign table that cannot be read: the server's own errors
CREATE MATERIALIZED VIEW unfilled AS TABLE plain WITH NO DATA;
SELECT tds_anonymize('unfilled', 'r', ARRAY[k_anonymity(ARRAY['age'], 6)]);
-- a source whose expressions fail while it is read
CREATE VIEW failing AS SELECT age, 1 / (id - 20) AS n FROM plain;
SELECT tds_anonymize('failing', 'r', ARRAY[k_anonymity(ARRAY['age'], 6)]) ->> 'rows' AS rows;
SELECT release_drop('r');
SELECT tds_anonymize('failing', 'r', ARRAY[k_anonymity(ARRAY['n'], 6)]);
-- system catalogs are tables like others
SELECT tds_anonymize('pg_catalog.pg_am', 'r', ARRAY[k_anonymity(ARRAY['amtype'], 1)]) ->> 'relation' AS relation;
SELECT release_drop('r');
SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname NOT IN ('information_schema', 'public') ORDER BY 1;
DROP SCHEMA src CASCADE;
