-- What holds of every function and type, and where they land. Names, arguments and results are in the reference, which is compared with the library.
-- every function has a comment, none runs with its owner's rights, none that reads tables is called immutable
SELECT proname FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e' JOIN pg_extension e ON e.oid = d.refobjid
WHERE extname = 'pg_topdown' AND NOT EXISTS (SELECT FROM pg_type t WHERE p.oid IN (t.typinput, t.typoutput))
  AND (prosecdef OR coalesce(obj_description(p.oid, 'pg_proc'), '') = '' OR (provolatile = 'i' AND prorettype::regtype NOT IN ('privacy_model'::regtype, 'masking'::regtype, 'privacy_model[]'::regtype, 'masking[]'::regtype))) ORDER BY 1;
SELECT typname, obj_description(t.oid, 'pg_type') IS NOT NULL AS comment FROM pg_type t WHERE typname IN ('privacy_model', 'masking') ORDER BY 1;
-- types round-trip through text and can be stored
CREATE TEMP TABLE stored AS SELECT k_anonymity(ARRAY['a"b', 'ü'], 2147483647) AS model, by_taxonomy_tree('c', '{"r": {"x": ["1", 2, true], "y": {}}}') AS masking;
SELECT model, masking FROM stored;
SELECT model::text::jsonb -> 'k_anonymity' -> 'quasi_identifier' ->> 0 AS first, masking::text::masking::text = masking::text AS round FROM stored;

-- the objects land in the schema chosen at CREATE EXTENSION, and work from there
DROP TABLE stored;
DROP EXTENSION pg_topdown;
CREATE SCHEMA "Ext; schema";
CREATE EXTENSION pg_topdown SCHEMA "Ext; schema";
CREATE TABLE people AS SELECT 'c' || i % 2 AS city, i % 4 AS age FROM generate_series(1, 40) i;
SELECT count(*) > 10 AS functions FROM pg_proc WHERE pronamespace = '"Ext; schema"'::regnamespace;
SELECT k_anonymity(ARRAY['city'], 5);
SELECT "Ext; schema".tds_anonymize('people', 'r', ARRAY["Ext; schema".k_anonymity(ARRAY['city', 'age'], 5)], masking => ARRAY["Ext; schema".by_suppression('age')]) ->> 'rows' AS rows;
SELECT required, achieved, holds FROM "Ext; schema".release_verify('r');
SELECT release, version FROM "Ext; schema".releases();
-- a release outlives the extension
DROP EXTENSION pg_topdown;
SELECT count(*) FROM r.people;
SELECT version, source FROM r_private.manifest;
DROP SCHEMA "Ext; schema";
CREATE EXTENSION pg_topdown;
SELECT required, achieved, holds FROM release_verify('r');
SELECT release_drop('r');
DROP TABLE people;
