-- The view is called like the source, or as the first version was told; then it keeps its name.
CREATE SCHEMA vn;
SET search_path TO vn, public;
CREATE TABLE people AS SELECT 'c' || i % 2 AS city, i % 4 AS age, 'Y' AS class FROM generate_series(1, 40) i;
CREATE FUNCTION objects(release name) RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(relname, ', ' ORDER BY relname) FROM pg_class WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = release) AND relkind IN ('r', 'p', 'v') AND relname !~ '^(about|cuts?|cuts_v0|manifest|steps|steps_v0|taxonomy|taxonomy_v0)$' $$;
SELECT result - 'seconds' AS result FROM tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city'], 5)], view => 'residents') result;
SELECT objects('r'), objects('r_private');
SELECT count(*) FROM r.residents;
SELECT parameters ->> 'view' AS view, source FROM r_private.manifest;
-- the next version: the same name, whether said or not
SELECT result ->> 'relation' AS relation FROM tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city'], 5)]) result;
SELECT result ->> 'relation' AS relation FROM tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city'], 5)], view => 'residents') result;
SELECT objects('r'), objects('r_private');
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city'], 5)], view => 'people');
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city'], 5)], view => 'cut');
SELECT kmember_anonymize('people', 'r', ARRAY['city'], 5, view => 'Residents');
SELECT kmember_anonymize('people', 'r', ARRAY['city'], 5) ->> 'relation' AS relation;
SELECT holds FROM release_verify('r');
SELECT count(*) > 5 AS measures FROM release_measures('r');
SELECT release_drop('r');
-- of the other verbs
SELECT pda_anonymize('people', 'r', ARRAY[confidence_bound(ARRAY['city'], 'class', NULL, 1)], NULL, view => 'p') ->> 'relation' AS relation;
SELECT release_drop('r');
SELECT kmember_anonymize('people', 'r', ARRAY['city'], 5, view => 'k') ->> 'relation' AS relation;
SELECT release_drop('r');
-- a name that has to be quoted, and one that is clipped
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city'], 5)], view => 'The "people"; --') ->> 'relation' AS relation;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city'], 5)]) ->> 'relation' AS relation;
SELECT objects('r'), objects('r_private');
SELECT release_drop('r');
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city'], 5)], view => repeat('x', 63)::name) ->> 'relation' AS relation;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city'], 5)]) ->> 'version' AS version;
SELECT objects('r'), objects('r_private');
SELECT release_drop('r');
-- names that are taken, or none
CREATE FUNCTION refused(view name) RETURNS text LANGUAGE plpgsql AS $$
BEGIN PERFORM tds_anonymize('vn.people', 'r', ARRAY[k_anonymity(ARRAY['city'], 5)], view => view); RAISE EXCEPTION 'made'; EXCEPTION WHEN OTHERS THEN RETURN sqlstate || ' ' || sqlerrm; END $$;
SELECT name, refused(name) FROM unnest('{cut,cuts,about,counts,taxonomy,steps,manifest,cuts_v0,rows_v1,manifest_pkey,values,people_v1,Cut,cutter}'::name[]) WITH ORDINALITY n (name, i) ORDER BY i;
SELECT refused('');
-- a source whose own name is taken gets another
CREATE TABLE cut AS TABLE people;
SELECT tds_anonymize('cut', 'r', ARRAY[k_anonymity(ARRAY['city'], 5)]);
SELECT tds_anonymize('cut', 'r', ARRAY[k_anonymity(ARRAY['city'], 5)], view => 'people') ->> 'relation' AS relation;
SELECT tds_anonymize('cut', 'r', ARRAY[k_anonymity(ARRAY['city'], 5)]) ->> 'relation' AS relation;
SELECT source FROM releases();
SELECT release_drop('r');
-- a column called as the one that tells versions apart
CREATE TABLE twice AS SELECT city AS version, city AS version_, age FROM people;
SELECT tds_anonymize('twice', 'r', ARRAY[k_anonymity(ARRAY['version', 'age'], 5)], keep => ARRAY['version_']) ->> 'version' AS version;
SELECT tds_anonymize('twice', 'r', ARRAY[k_anonymity(ARRAY['version', 'age'], 5)], keep => ARRAY['version_']) ->> 'version' AS version;
SELECT attname FROM pg_attribute WHERE attrelid = 'r_private.rows_v2'::regclass AND attnum > 0 ORDER BY attnum;
SELECT attname FROM pg_attribute WHERE attrelid = 'r.twice'::regclass AND attnum > 0 ORDER BY attnum;
SELECT version, count(*) FROM r.twice GROUP BY 1 ORDER BY 1;
SELECT holds FROM release_verify('r');
SELECT release_drop('r');
DROP SCHEMA vn CASCADE;
