-- A release is a schema: its objects, their columns, owners and contents; further versions; the end.
CREATE SCHEMA life;
SET search_path TO life, public;
CREATE TABLE people (id int, city text, age int, job text, income text, note varchar(9) COLLATE "C");
INSERT INTO people SELECT i, 'c' || i % 2, 20 + i % 4 * 10, 'j' || i % 3, CASE WHEN i % 4 < 2 THEN 'low' ELSE 'high' END, 'n' || i % 5 FROM generate_series(1, 48) i;

SELECT result - 'seconds' AS result FROM tds_anonymize('people', 'rel', ARRAY[k_anonymity(ARRAY['age', 'city'], 6), k_anonymity(ARRAY['job'], 4)], class => 'income', keep => ARRAY['note']) result;
-- objects and columns
SELECT c.oid::regclass AS relation, c.relkind, c.relpersistence, c.relacl IS NULL AS acl_is_default, pg_get_userbyid(c.relowner) = current_user AS mine
FROM pg_class c WHERE relnamespace IN ('rel'::regnamespace, 'rel_private'::regnamespace) AND relkind <> 'i' ORDER BY relnamespace::regnamespace::text, relname;
SELECT c.oid::regclass AS relation, string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ', ' ORDER BY a.attnum) AS columns
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
WHERE c.relnamespace IN ('rel'::regnamespace, 'rel_private'::regnamespace) AND c.relkind IN ('r', 'p', 'v') AND a.attnum > 0 AND NOT a.attisdropped GROUP BY c.oid ORDER BY c.relnamespace::regnamespace::text, c.relname;
-- nothing else belongs to it but the function that looks at how the view is planned
SELECT nspname, (SELECT count(*) FROM pg_proc WHERE pronamespace = n.oid) AS functions, (SELECT count(*) FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid WHERE relnamespace = n.oid) AS triggers,
       (SELECT count(*) FROM pg_type t WHERE typnamespace = n.oid AND typtype NOT IN ('c', 'b')) AS types, nspacl IS NULL AS acl_is_default FROM pg_namespace n WHERE nspname IN ('rel', 'rel_private') ORDER BY 1;
-- contents
SELECT count(*), count(DISTINCT (age, city)), min(income), max(note) FROM rel.people;
SELECT version, attribute, node, lower, upper, records FROM rel.cut ORDER BY attribute, node COLLATE "C";
SELECT version, attribute, sum(records) FROM rel.cut GROUP BY 1, 2 ORDER BY 2;
SELECT version, count(*) AS steps, min(step), max(step), bool_and(array_length(achieved, 1) = 2) AS achieved_per_model FROM rel_private.steps GROUP BY 1;
SELECT version, age(created_at) < '1 day' AS today, source, rows, achieved, parameters -> 'privacy' AS privacy,
       parameters @> '{"keep": ["note"], "class": "income", "score": "tds", "split": "optimal", "masking": [], "withhold": 0, "intervals": "label", "max_steps": null, "suppressed": "*"}' AS arguments,
       extension_version = (SELECT extversion FROM pg_extension WHERE extname = 'pg_topdown') AS extension_version FROM rel_private.manifest;
SELECT count(*) AS differing FROM rel.people p WHERE NOT EXISTS (SELECT FROM rel.cut c WHERE c.attribute = 'age' AND c.node = p.age);
-- the view is on the manifest and the table of all versions, and the version's table is analyzed
SELECT DISTINCT refobjid::regclass FROM pg_depend d JOIN pg_rewrite w ON w.oid = d.objid
WHERE d.classid = 'pg_rewrite'::regclass AND w.ev_class = 'rel.people'::regclass AND refclassid = 'pg_class'::regclass AND refobjid <> ev_class ORDER BY 1;
SELECT inhrelid::regclass, pg_get_expr(relpartbound, c.oid) FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid WHERE inhparent = 'rel_private.rows_v0'::regclass;
SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'rel_private.rows_v1'::regclass AND contype = 'c';
SELECT reltuples FROM pg_class WHERE oid = 'rel_private.rows_v1'::regclass;

-- a second version: the same columns, other rows and another k
DELETE FROM people WHERE id > 40;
SELECT result - 'seconds' - 'steps' AS result FROM tds_anonymize('people', 'rel', ARRAY[k_anonymity(ARRAY['age', 'city', 'job'], 10)], class => 'income', keep => ARRAY['note']) result;
SELECT oid::regclass AS relation, relkind FROM pg_class WHERE relnamespace IN ('rel'::regnamespace, 'rel_private'::regnamespace) AND relkind IN ('r', 'p', 'v') ORDER BY relnamespace::regnamespace::text, relname;
SELECT count(*) FROM rel.people;
SELECT DISTINCT version FROM rel.cut;
SELECT DISTINCT version FROM rel_private.cuts ORDER BY 1;
SELECT release, version, rows, withheld, privacy, class, masked, suppressed, created_at = (SELECT created_at FROM rel_private.manifest WHERE current) AS created, extension_version = (SELECT extversion FROM pg_extension WHERE extname = 'pg_topdown') AS extension FROM rel.about;
SELECT version, count(*) > 0 AS steps FROM rel_private.steps GROUP BY 1 ORDER BY 1;
SELECT DISTINCT version FROM rel_private.taxonomy ORDER BY 1;
SELECT version, current, rows, parameters -> 'privacy' AS privacy FROM rel_private.manifest ORDER BY 1;
SELECT version, parameters - '{privacy,columns,fingerprint,owners}'::text[] AS parameters FROM rel_private.manifest ORDER BY 1;
SELECT required, achieved, holds FROM release_verify('rel');
SELECT release, source, version, created_at <= now() AS created, rows FROM releases();
-- readers of the old version keep its table (see isolation/specs/reader.spec); a view's dependents see the newest version
CREATE VIEW life.dashboard AS SELECT city, count(*) FROM rel.people GROUP BY city;
SELECT result ->> 'version' AS version FROM tds_anonymize('people', 'rel', ARRAY[k_anonymity(ARRAY['age', 'city', 'job'], 40)], class => 'income', keep => ARRAY['note']) result;
SELECT * FROM dashboard ORDER BY 1;

-- other columns, other types, another source: refused, and the newest version stays
SELECT tds_anonymize('people', 'rel', ARRAY[k_anonymity(ARRAY['age', 'city', 'job'], 10)], class => 'income');
SELECT tds_anonymize('people', 'rel', ARRAY[k_anonymity(ARRAY['age', 'city', 'job'], 10)], class => 'income', keep => ARRAY['note', 'id']);
SELECT tds_anonymize('people', 'rel', ARRAY[k_anonymity(ARRAY['age', 'city', 'job'], 10)], class => 'income', keep => ARRAY['note'], intervals => 'range');
SELECT tds_anonymize('people', 'rel', ARRAY[k_anonymity(ARRAY['age', 'city', 'job'], 10)], class => 'income', keep => ARRAY['note'], intervals => 'bounds');
ALTER TABLE people ALTER note TYPE text;
SELECT tds_anonymize('people', 'rel', ARRAY[k_anonymity(ARRAY['age', 'city', 'job'], 10)], class => 'income', keep => ARRAY['note']);
CREATE SCHEMA elsewhere; CREATE SCHEMA elsewhere_private;
CREATE TABLE elsewhere.people AS TABLE people;
SELECT tds_anonymize('elsewhere.people', 'rel', ARRAY[k_anonymity(ARRAY['age', 'city', 'job'], 10)], class => 'income', keep => ARRAY['note']);
SELECT tds_anonymize('dashboard', 'rel', ARRAY[k_anonymity(ARRAY['city'], 1)]);
SELECT version FROM releases();
ALTER TABLE people ALTER note TYPE varchar(9) COLLATE "C";
-- a masking may change as long as the columns do not
SELECT result ->> 'version' AS version FROM tds_anonymize('people', 'rel', ARRAY[k_anonymity(ARRAY['age', 'city', 'job'], 40)], class => 'income', keep => ARRAY['note'],
  masking => ARRAY[by_suppression('age'), by_taxonomy_tree('city', '{"anywhere": ["c0", "c1"]}')]) result;

-- schemas that are no release
SELECT tds_anonymize('people', 'elsewhere', ARRAY[k_anonymity(ARRAY['age'], 10)]);
SELECT tds_anonymize('people', 'life', ARRAY[k_anonymity(ARRAY['age'], 10)]);
SELECT tds_anonymize('people', 'public', ARRAY[k_anonymity(ARRAY['age'], 10)]);
CREATE TABLE elsewhere_private.manifest (version int, source text);
SELECT tds_anonymize('people', 'elsewhere', ARRAY[k_anonymity(ARRAY['age'], 10)]);
SELECT release_verify('elsewhere');
SELECT release_drop('elsewhere');
SELECT release_drop('nowhere');
SELECT release_verify('nowhere');
SELECT release_drop(NULL);
SELECT oid::regclass AS relation FROM pg_class WHERE relnamespace::regnamespace::text IN ('elsewhere', 'elsewhere_private') ORDER BY relnamespace::regnamespace::text, relname;
SELECT release FROM releases();

-- drop, and start again from version 1: first held by a view on it, then free
SELECT release_drop('rel');
SELECT version FROM releases();
DROP VIEW dashboard;
CREATE TABLE rel.mine (x int);
SELECT release_drop('rel');
DROP TABLE rel.mine;
SELECT release_drop('rel');
SELECT count(*) FROM pg_namespace WHERE nspname IN ('rel', 'rel_private');
SELECT count(*) FROM releases();
SELECT result ->> 'version' AS version FROM tds_anonymize('people', 'rel', ARRAY[k_anonymity(ARRAY['age'], 10)]) result;
-- the private schema is no release, and nobody is told to drop it
SELECT release_drop('rel_private');
SELECT tds_anonymize('people', 'rel_private', ARRAY[k_anonymity(ARRAY['age'], 10)]);
-- DROP SCHEMA is a legitimate end
DROP SCHEMA rel, rel_private CASCADE;
SELECT count(*) FROM releases();
SELECT result ->> 'version' AS version FROM tds_anonymize('people', 'rel', ARRAY[k_anonymity(ARRAY['city'], 10)]) result;
-- a release that is renamed goes on under its new name, from the next version
ALTER SCHEMA rel RENAME TO renamed;
SELECT release, version FROM releases();
SELECT release_verify('rel');
SELECT release_verify('renamed');
ALTER SCHEMA rel_private RENAME TO renamed_private;
SELECT release, version FROM releases();
SELECT release FROM renamed.about;
SELECT result ->> 'version' AS version FROM tds_anonymize('people', 'renamed', ARRAY[k_anonymity(ARRAY['city'], 10)]) result;
SELECT release_drop('renamed');
DROP SCHEMA elsewhere, elsewhere_private CASCADE;
-- the tablespace of the database may be named
DO $$ BEGIN EXECUTE format('SET default_tablespace TO %I', (SELECT spcname FROM pg_tablespace t JOIN pg_database d ON d.dattablespace = t.oid WHERE datname = current_database())); END $$;
SELECT tds_anonymize('people', 'named', k_anonymity('{city}', 10)) -> 'version' AS version;
SELECT current_setting('default_tablespace') <> '' AS stays, (SELECT count(*) FROM pg_class WHERE relnamespace = 'named_private'::regnamespace AND reltablespace <> 0) AS elsewhere;
RESET default_tablespace;
SELECT release_drop('named');
-- what was attached to it is not dropped with it
SELECT tds_anonymize('people', 'joined', k_anonymity('{city}', 10)) -> 'version' AS version;
CREATE TABLE attached (LIKE joined_private.rows_v0);
ALTER TABLE joined_private.rows_v0 ATTACH PARTITION attached FOR VALUES IN (99);
SELECT release_drop('joined');
ALTER TABLE joined_private.rows_v0 DETACH PARTITION attached;
SELECT release_drop('joined');
SELECT count(*) AS rows FROM attached;
DROP SCHEMA life CASCADE;
