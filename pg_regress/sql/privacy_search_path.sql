-- Threat: search_path, pg_temp and operator shadowing. A hostile schema first in search_path, and objects in pg_temp, named
-- like what the extension uses: none of it may be called or read, and the release must be what it is without them.
CREATE ROLE regress_victim;
DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO regress_victim', current_database()); END $$;
GRANT EXECUTE ON FUNCTION tds_anonymize, release_grant, release_revoke, release_drop TO regress_victim;
CREATE SCHEMA hostile;
CREATE SCHEMA victim AUTHORIZATION regress_victim;
CREATE TABLE victim.people (a text, n int, d date, m numeric, class text);
INSERT INTO victim.people SELECT 'a' || i % 3, i % 4, date '2020-01-01' + i % 4, i % 4 / 2.0, CASE WHEN i % 4 < 2 THEN 'Y' ELSE 'N' END FROM generate_series(1, 48) i;
CREATE TABLE victim.tax AS SELECT DISTINCT a AS child, 'ANY' AS parent FROM victim.people;
ALTER TABLE victim.people OWNER TO regress_victim;
ALTER TABLE victim.tax OWNER TO regress_victim;
-- what the release is without an attacker
SET ROLE regress_victim;
SET search_path TO victim, public;
SELECT result - 'seconds' AS result FROM tds_anonymize('people', 'r0', ARRAY[k_anonymity(ARRAY['a', 'n', 'd', 'm'], 4)], 'class', ARRAY[by_taxonomy('a', 'tax'), by_intervals('n', '0', '9')]) result;
RESET ROLE;

-- the attacker's schema: tables like the catalogs and the release's, functions and operators like the built-in ones
GRANT ALL ON SCHEMA hostile TO PUBLIC;
SET search_path TO hostile, public;
CREATE TABLE hostile.log (what text);
GRANT ALL ON hostile.log TO PUBLIC;
CREATE FUNCTION hostile.evil(text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN INSERT INTO hostile.log VALUES ($1 || ' by ' || current_user); END $$;
DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY '{pg_class,pg_namespace,pg_attribute,pg_type,pg_proc,pg_database,pg_roles,pg_authid,pg_collation,cut,cuts,about,taxonomy,steps,manifest,cuts_v0,rows_v0,rows_v1,rows_v2,rows_v3,key_v0,pg_depend,pg_constraint,pg_inherits,tax}'::text[] LOOP
    EXECUTE format('CREATE TABLE hostile.%I (oid oid, relname name, nspname name, child text, parent text, version int, attribute text, node text, lower text, upper text, records bigint)', t);
  END LOOP;
  FOREACH t IN ARRAY '{count(text),min(int),unnest(text[]),quote_ident(text),format_type(oid,integer),hashtext(text),array_agg(text),now(),coalesce_(text)}'::text[] LOOP
    EXECUTE format('CREATE FUNCTION hostile.%s RETURNS text LANGUAGE plpgsql AS $f$ BEGIN PERFORM hostile.evil(%L); RETURN NULL; END $f$', t, t);
  END LOOP;
  CREATE FUNCTION hostile.count(anyelement) RETURNS bigint LANGUAGE plpgsql AS $f$ BEGIN PERFORM hostile.evil('count'); RETURN 1000000; END $f$;
  CREATE FUNCTION hostile.min(bigint) RETURNS bigint LANGUAGE plpgsql AS $f$ BEGIN PERFORM hostile.evil('min'); RETURN 1000000; END $f$;
  CREATE FUNCTION hostile.to_regclass(text) RETURNS regclass LANGUAGE plpgsql AS $f$ BEGIN PERFORM hostile.evil('to_regclass'); RETURN 'hostile.log'; END $f$;
  CREATE FUNCTION hostile.pg_has_role(oid, text) RETURNS bool LANGUAGE plpgsql AS $f$ BEGIN PERFORM hostile.evil('pg_has_role'); RETURN true; END $f$;
  CREATE FUNCTION hostile.has_schema_privilege(oid, text) RETURNS bool LANGUAGE plpgsql AS $f$ BEGIN PERFORM hostile.evil('has_schema_privilege'); RETURN true; END $f$;
  CREATE FUNCTION hostile.pg_advisory_xact_lock(int, int) RETURNS void LANGUAGE plpgsql AS $f$ BEGIN PERFORM hostile.evil('lock'); END $f$;
  -- the extension's own names
  CREATE FUNCTION hostile.k_anonymity(text, integer) RETURNS text LANGUAGE plpgsql AS $f$ BEGIN PERFORM hostile.evil('k_anonymity'); RETURN NULL; END $f$;
  CREATE FUNCTION hostile.release_drop(text) RETURNS void LANGUAGE plpgsql AS $f$ BEGIN PERFORM hostile.evil('release_drop'); END $f$;
  -- operators and casts
  CREATE FUNCTION hostile.lie(text, text) RETURNS bool LANGUAGE plpgsql AS $f$ BEGIN PERFORM hostile.evil('= text'); RETURN true; END $f$;
  CREATE FUNCTION hostile.lie(oid, oid) RETURNS bool LANGUAGE plpgsql AS $f$ BEGIN PERFORM hostile.evil('= oid'); RETURN true; END $f$;
  CREATE FUNCTION hostile.lie(name, text) RETURNS bool LANGUAGE plpgsql AS $f$ BEGIN PERFORM hostile.evil('= name'); RETURN true; END $f$;
  CREATE FUNCTION hostile.lie(int, int) RETURNS bool LANGUAGE plpgsql AS $f$ BEGIN PERFORM hostile.evil('= int'); RETURN true; END $f$;
  CREATE FUNCTION hostile.glue(text, text) RETURNS text LANGUAGE plpgsql AS $f$ BEGIN PERFORM hostile.evil('||'); RETURN 'x'; END $f$;
END $$;
CREATE OPERATOR hostile.= (FUNCTION = hostile.lie, LEFTARG = text, RIGHTARG = text);
CREATE OPERATOR hostile.= (FUNCTION = hostile.lie, LEFTARG = oid, RIGHTARG = oid);
CREATE OPERATOR hostile.= (FUNCTION = hostile.lie, LEFTARG = name, RIGHTARG = text);
CREATE OPERATOR hostile.= (FUNCTION = hostile.lie, LEFTARG = int, RIGHTARG = int);
CREATE OPERATOR hostile.<> (FUNCTION = hostile.lie, LEFTARG = oid, RIGHTARG = oid);
CREATE OPERATOR hostile.> (FUNCTION = hostile.lie, LEFTARG = int, RIGHTARG = int);
CREATE OPERATOR hostile.< (FUNCTION = hostile.lie, LEFTARG = text, RIGHTARG = text);
CREATE OPERATOR hostile.|| (FUNCTION = hostile.glue, LEFTARG = text, RIGHTARG = text);
-- a domain and types named like built-in ones
CREATE DOMAIN hostile.int AS pg_catalog.text;
CREATE DOMAIN hostile.bigint AS pg_catalog.text;
CREATE DOMAIN hostile.float8 AS pg_catalog.text;
CREATE DOMAIN hostile.timestamptz AS pg_catalog.text;
CREATE DOMAIN hostile.jsonb AS pg_catalog.text;
CREATE DOMAIN hostile.text AS pg_catalog.int4;
GRANT ALL ON ALL TABLES IN SCHEMA hostile TO PUBLIC;

-- the victim calls with all of that in front, and with temporary objects
SET ROLE regress_victim;
CREATE TEMP TABLE people (a pg_catalog.text, n pg_catalog.int4);
CREATE TEMP TABLE pg_class (oid oid, relname name);
CREATE TEMP TABLE pg_namespace (oid oid, nspname name);
CREATE TEMP TABLE tax (child pg_catalog.text, parent pg_catalog.text);
CREATE TEMP TABLE manifest (version pg_catalog.int4);
CREATE TEMP TABLE rows_v1 (x pg_catalog.int4);
SET search_path TO hostile, pg_temp, pg_catalog, public;
SELECT public.tds_anonymize('victim.people', 'r1', ARRAY[public.k_anonymity(ARRAY['a', 'n', 'd', 'm']::pg_catalog.text[], 4)], 'class', ARRAY[public.by_taxonomy('a', 'victim.tax'), public.by_intervals('n', '0', '9')]) IS NOT NULL AS made;
SELECT public.tds_anonymize('victim.people', 'r1', ARRAY[public.k_anonymity(ARRAY['a', 'n', 'd', 'm']::pg_catalog.text[], 4)], 'class', ARRAY[public.by_taxonomy('a', 'victim.tax'), public.by_intervals('n', '0', '9')]) IS NOT NULL AS made;
-- with a third the first two go as it is committed
SET pg_topdown.keep_versions TO 1;
SELECT public.tds_anonymize('victim.people', 'r1', ARRAY[public.k_anonymity(ARRAY['a', 'n', 'd', 'm']::pg_catalog.text[], 4)], 'class', ARRAY[public.by_taxonomy('a', 'victim.tax'), public.by_intervals('n', '0', '9')]) IS NOT NULL AS made;
RESET pg_topdown.keep_versions;
SELECT pg_catalog.count(*) FROM public.tds_steps('victim.people', ARRAY[public.k_anonymity(ARRAY['a', 'n', 'd', 'm']::pg_catalog.text[], 4)], 'class');
SELECT required, achieved, holds FROM public.release_verify('r1');
SELECT pg_catalog.count(*) FROM public.releases();
SELECT public.release_grant('r1', 'public'), public.release_revoke('r1', 'public');
SELECT pg_catalog.count(*) FROM public.taxonomy_check('victim.tax', 'victim.people', 'a');
SELECT pg_catalog.count(*) FROM public.taxonomy_from_levels('victim.tax');
SET search_path TO pg_catalog, pg_temp;
SELECT * FROM hostile.log;
SELECT relname FROM pg_class WHERE relnamespace = 'r1_private'::regnamespace AND relname ~ '^rows_v[1-9]' ORDER BY 1;
-- types, columns and contents are those of the release without an attacker
SELECT replace(c.relname, '_v3', '_v1') AS relation, string_agg(attname || ' ' || atttypid::regtype, ', ' ORDER BY attnum) FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid
WHERE relnamespace IN ('r0'::regnamespace, 'r0_private'::regnamespace) AND relkind IN ('r', 'p', 'v') AND attnum > 0 GROUP BY 1
EXCEPT
SELECT replace(c.relname, '_v3', '_v1') AS relation, string_agg(attname || ' ' || atttypid::regtype, ', ' ORDER BY attnum) FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid
WHERE relnamespace IN ('r1'::regnamespace, 'r1_private'::regnamespace) AND relkind IN ('r', 'p', 'v') AND attnum > 0 GROUP BY 1;
SELECT count(*) AS differing FROM (SELECT * FROM r0.people EXCEPT ALL SELECT * FROM r1.people) d;
SELECT count(*) AS differing FROM (SELECT attribute, node, records FROM r0.cut EXCEPT ALL SELECT attribute, node, records FROM r1.cut) d;
SELECT count(*) AS differing FROM (SELECT step, attribute, node, children, score FROM r0_private.steps EXCEPT ALL SELECT step, attribute, node, children, score FROM r1_private.steps WHERE version = 3) d;
-- nothing was made in pg_temp or in the hostile schema
SELECT relname FROM pg_class WHERE relnamespace = pg_my_temp_schema() AND relkind IN ('r', 'p', 'v') ORDER BY 1;
SELECT relname FROM pg_class WHERE relnamespace = 'hostile'::regnamespace AND relkind IN ('r', 'p', 'v') AND relowner = 'regress_victim'::regrole;
SET search_path TO hostile, pg_temp, pg_catalog, public;
SELECT public.release_drop('r1'), public.release_drop('r0');
SET search_path TO pg_catalog, pg_temp;
SELECT * FROM hostile.log;
-- a source in pg_temp is named by its own schema, and is its own release
INSERT INTO pg_temp.tax SELECT 'x', 'y' FROM generate_series(1, 4);
SELECT public.tds_anonymize('pg_temp.tax', 'r2', ARRAY[public.k_anonymity(ARRAY['child'], 1)]) ->> 'rows' AS rows;
SELECT public.release_drop('r2');
RESET ROLE;
DISCARD TEMP;
DROP SCHEMA hostile CASCADE;
DROP OWNED BY regress_victim CASCADE;
DROP ROLE regress_victim;
