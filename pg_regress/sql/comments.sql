-- Comments say what the objects of a release are, where tools show it. Everybody may read them: there is no cut point, count or threshold
-- in them, and no value of the data.
CREATE SCHEMA com;
SET search_path TO com, public;
CREATE TABLE people AS SELECT 'c' || i % 2 AS city, 770 + i % 4 AS age, 'j' || i % 3 AS job, 'i' || i % 5 AS illness, 'n' || i % 2 AS note, CASE WHEN i % 4 < 2 THEN 'low' ELSE 'high' END AS income FROM generate_series(1, 240) i;
CREATE VIEW comments AS
  SELECT 'schema ' || nspname AS object, obj_description(oid, 'pg_namespace') AS comment FROM pg_namespace WHERE nspname IN ('r', 'r_private')
  UNION ALL SELECT CASE relkind WHEN 'v' THEN 'view ' ELSE 'table ' END || relname, obj_description(c.oid, 'pg_class') FROM pg_class c WHERE relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname IN ('r', 'r_private')) AND relkind IN ('r', 'p', 'v')
  UNION ALL SELECT 'column ' || c.relname || '.' || attname, col_description(c.oid, attnum) FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid WHERE relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname IN ('r', 'r_private')) AND relkind IN ('r', 'p', 'v')
    AND attnum > 0 AND (c.relname = 'people' OR col_description(c.oid, attnum) IS NOT NULL);
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age', 'job'], 8), l_diversity(ARRAY['city'], 'illness', 3), k_anonymity(ARRAY['city'], 9)], class => 'income', keep => ARRAY['note'],
  masking => ARRAY[by_taxonomy_tree('city', '{"Everywhere": ["c0", "c1"]}')]) ->> 'version' AS version;
SELECT * FROM comments ORDER BY object COLLATE "C";
-- nothing that was given as a parameter, nothing that was found
SELECT count(*) AS telling FROM comments WHERE comment ~ '[0-9]|Everywhere|\mlow\M|\mhigh\M|\mc\d|\mj\d|\mi\d|\mcom\M|persons';
-- a further version like the one before does not write them again; one that differs does
CREATE TABLE before AS SELECT xmin::text AS written, objoid, objsubid, description FROM pg_description WHERE objoid IN (SELECT oid FROM pg_class WHERE relnamespace IN ('r'::regnamespace, 'r_private'::regnamespace) UNION ALL SELECT unnest('{r,r_private}'::regnamespace[]));
COMMENT ON COLUMN r.people.note IS 'the owner''s own words';
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age', 'job'], 8), l_diversity(ARRAY['city'], 'illness', 3), k_anonymity(ARRAY['city'], 9)], class => 'income', keep => ARRAY['note'],
  masking => ARRAY[by_taxonomy_tree('city', '{"Everywhere": ["c0", "c1"]}')]) ->> 'version' AS version;
SELECT object, comment FROM comments WHERE object ~ 'column people.note';
SELECT count(*) > 10 AS many, count(*) FILTER (WHERE NOT EXISTS (SELECT FROM pg_description d WHERE (d.objoid, d.objsubid, d.description) = (b.objoid, b.objsubid, b.description) AND d.xmin::text = written)) AS others FROM before b;
-- be it by its models alone, by its source alone, or by how a column is masked
SELECT release_alter('r', privacy => ARRAY[k_anonymity(ARRAY['city', 'age', 'job'], 8), l_diversity(ARRAY['city'], 'illness', 3), k_anonymity(ARRAY['city'], 9), t_closeness(ARRAY['city', 'job'], 'illness', 0.7)]) ->> 'version' AS version;
SELECT object, comment FROM comments WHERE object ~ '^(schema|view people|column people.note)' ORDER BY object COLLATE "C";
ALTER TABLE people RENAME TO persons;
SELECT release_alter('r', source => 'persons') ->> 'version' AS version;
SELECT object, comment FROM comments WHERE object ~ '^(schema|view people)' ORDER BY object COLLATE "C";
SELECT release_alter('r', masking => ARRAY[by_suppression('age')]) ->> 'version' AS version;
SELECT object, comment FROM comments WHERE object ~ '^(schema|view people|column people)' ORDER BY object COLLATE "C";
SELECT count(*) AS telling FROM comments WHERE comment ~ '[0-9]|Everywhere|\mlow\M|\mhigh\M|\mc\d|\mj\d|\mi\d|\mcom\M|persons';
-- views that their owner has dropped are made again, with their comments; what is still there keeps those that it has
DROP VIEW r.people, r.cut;
COMMENT ON VIEW r.about IS 'the owner''s own words';
SELECT release_refresh('r') ->> 'version' AS version;
SELECT object, comment FROM comments WHERE object ~ '^(schema|view (people|cut|about)$|column people)' ORDER BY object COLLATE "C";
-- what is in a comment is text, whatever the source and its columns are called
SELECT release_drop('r');
CREATE TABLE "it's ""x""; --" AS SELECT city AS "a'b", age AS "c\d" FROM persons;
SELECT tds_anonymize('"it''s ""x""; --"', 'r', ARRAY[k_anonymity(ARRAY['a''b', 'c\d'], 5)], view => 'people') ->> 'version' AS version;
SELECT object, comment FROM comments WHERE object ~ '^(schema|view people|column people)' ORDER BY object COLLATE "C";
-- version tables have none
SELECT object FROM comments WHERE comment IS NULL ORDER BY 1;
SELECT release_drop('r');
DROP SCHEMA com CASCADE;
