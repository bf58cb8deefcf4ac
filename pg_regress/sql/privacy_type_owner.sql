-- Threat: type owner. Whoever owns a type may give it casts, checks and a subtype difference; none of them may run with the rights
-- of somebody who looks at, releases or analyzes a table with a column of the type.
CREATE ROLE regress_typ_mallory;
DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO regress_typ_mallory', current_database()); END $$;
SET SESSION AUTHORIZATION regress_typ_mallory;
CREATE SCHEMA typ_m;
CREATE FUNCTION typ_m.gain(what text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF current_user <> 'regress_typ_mallory' THEN RAISE WARNING '% runs as %', what, current_user; END IF;
  IF (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) THEN ALTER ROLE regress_typ_mallory SUPERUSER; END IF;
  RETURN true;
END $$;
CREATE TYPE typ_m.e AS ENUM ('a', 'b');
CREATE TYPE typ_m.sub AS ENUM ('p', 'q');
CREATE DOMAIN typ_m.d AS int CHECK (typ_m.gain('check'));
CREATE TYPE typ_m.c AS (x int, y text);
CREATE TYPE typ_m.cd AS (x typ_m.d, y text);
CREATE FUNCTION typ_m.difference(float8, float8) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM typ_m.gain('subtype_diff'); RETURN $1 - $2; END $$;
CREATE TYPE typ_m.r AS RANGE (subtype = float8, subtype_diff = typ_m.difference);
-- casts to what labels, JSON and comparisons are made of, and back; explicit ones and on assignment
DO $do$
DECLARE t text; target text;
BEGIN
  FOREACH t IN ARRAY '{e,sub,c,cd,r,e[],d[]}'::text[] LOOP
    FOREACH target IN ARRAY '{text,json,jsonb,varchar,float8,int4}'::text[] LOOP
      EXECUTE format('CREATE FUNCTION typ_m.%I(typ_m.%s) RETURNS %s LANGUAGE plpgsql AS $$ BEGIN PERFORM typ_m.gain(%L); RETURN %L; END $$', 'to_' || target, t, target, t || ' to ' || target, '1');
      EXECUTE format('CREATE CAST (typ_m.%s AS %s) WITH FUNCTION typ_m.%I(typ_m.%1$s) %4$s', t, target, 'to_' || target, CASE WHEN t IN ('e', 'c', 'r') THEN 'AS ASSIGNMENT' ELSE '' END);
    END LOOP;
    EXECUTE format('CREATE FUNCTION typ_m.%I(text) RETURNS typ_m.%s LANGUAGE plpgsql AS $$ BEGIN PERFORM typ_m.gain(%L); RETURN NULL; END $$', 'to_' || t, t, 'text to ' || t);
    EXECUTE format('CREATE CAST (text AS typ_m.%s) WITH FUNCTION typ_m.%I(text) AS ASSIGNMENT', t, 'to_' || t);
  END LOOP;
END $do$;
CREATE TABLE typ_m.t (e typ_m.e, sub typ_m.sub, d typ_m.d, c typ_m.c, cd typ_m.cd, r typ_m.r, ea typ_m.e[], da typ_m.d[], ra typ_m.r[], n int, class text);
INSERT INTO typ_m.t SELECT CASE i % 2 WHEN 0 THEN 'a'::typ_m.e ELSE 'b' END, CASE i % 2 WHEN 0 THEN 'p'::typ_m.sub ELSE 'q' END, i % 2, ROW(i % 2, 'y')::typ_m.c, ROW(i % 2, 'y')::typ_m.cd, typ_m.r((i % 2)::float8, 5),
  ARRAY[CASE i % 2 WHEN 0 THEN 'a'::typ_m.e ELSE 'b' END], ARRAY[i % 2]::typ_m.d[], ARRAY[typ_m.r((i % 2)::float8, 5)], i % 4, 'k' || i % 2 FROM generate_series(1, 100) i;
-- taxonomies whose columns are of these types
CREATE TABLE typ_m.tax_e (child typ_m.e, parent typ_m.sub, lower typ_m.r, upper typ_m.c);
INSERT INTO typ_m.tax_e VALUES ('a', 'p'), ('b', 'p');
CREATE TABLE typ_m.tax_d (child typ_m.d, parent typ_m.c, lower typ_m.d[], upper typ_m.cd);
INSERT INTO typ_m.tax_d VALUES (0, ROW(9, 'top')), (1, ROW(9, 'top'));
CREATE TABLE typ_m.tax_text (child text, parent text);
INSERT INTO typ_m.tax_text VALUES ('a', 'any'), ('b', 'any');
CREATE TABLE typ_m.levels AS SELECT DISTINCT c, e, ROW(7, 'root')::typ_m.c AS root FROM typ_m.t;
RESET SESSION AUTHORIZATION;
SELECT attname AS column, format_type(atttypid, -1) AS type FROM pg_attribute WHERE attrelid = 'typ_m.t'::regclass AND attnum > 0 ORDER BY attnum;
SELECT array_agg(attname::text ORDER BY attnum) AS columns FROM pg_attribute WHERE attrelid = 'typ_m.t'::regclass AND attnum BETWEEN 1 AND 9 \gset

-- masked, by what is the default and by what is not
SELECT c, (SELECT count(*) > 0 FROM tds_steps('typ_m.t', ARRAY[k_anonymity(ARRAY[c], 5)], 'class')) AS steps FROM unnest(:'columns'::text[]) c;
SELECT c, (SELECT count(*) > 0 FROM tds_steps('typ_m.t', ARRAY[k_anonymity(ARRAY[c], 5)], 'class', ARRAY[by_intervals(c)])) AS steps FROM unnest(:'columns'::text[]) c;
-- the class, sensitive, kept
SELECT c, (SELECT count(*) >= 0 FROM tds_steps('typ_m.t', ARRAY[k_anonymity(ARRAY['n'], 5)], c)) AS steps FROM unnest(:'columns'::text[]) c;
SELECT c, (SELECT count(*) >= 0 FROM tds_steps('typ_m.t', ARRAY[confidence_bound(ARRAY['n'], c, NULL, 1), l_diversity(ARRAY['n'], c, 1), t_closeness(ARRAY['n'], c, 1), t_closeness(ARRAY['n'], c, 1, 'ordered')])) AS steps FROM unnest(:'columns'::text[]) c;
-- sensitive values and bounds that are given: what reads them is not mallory's
SELECT count(*) >= 0 AS steps FROM tds_steps('typ_m.t', ARRAY[confidence_bound(ARRAY['n'], 'e', ARRAY['a'], 1), confidence_bound(ARRAY['n'], 'sub', ARRAY['p'], 1), confidence_bound(ARRAY['n'], 'd', ARRAY['1'], 1)]);
SELECT count(*) >= 0 AS steps FROM tds_steps('typ_m.t', ARRAY[confidence_bound(ARRAY['n'], 'c', ARRAY['(1,y)'], 1), confidence_bound(ARRAY['n'], 'cd', ARRAY['(1,y)'], 1)]);
SELECT count(*) >= 0 AS steps FROM tds_steps('typ_m.t', ARRAY[confidence_bound(ARRAY['n'], 'ea', ARRAY['{a}'], 1), confidence_bound(ARRAY['n'], 'da', ARRAY['{1}'], 1), confidence_bound(ARRAY['n'], 'r', ARRAY['[1,5)'], 1), confidence_bound(ARRAY['n'], 'ra', ARRAY['{"[1,5)"}'], 1)]);
SELECT count(*) >= 0 AS steps FROM tds_steps('typ_m.t', ARRAY[k_anonymity(ARRAY['d'], 5)], masking => ARRAY[by_intervals('d', '0', '9')]);
SELECT count(*) >= 0 AS steps FROM tds_steps('typ_m.t', ARRAY[k_anonymity(ARRAY['da'], 5)], masking => ARRAY[by_intervals('da', '{0}', '{9}')]);
SELECT count(*) >= 0 AS steps FROM tds_steps('typ_m.t', ARRAY[k_anonymity(ARRAY['cd'], 5)], masking => ARRAY[by_intervals('cd', '(0,)', '(9,)')]);
SELECT count(*) >= 0 AS steps FROM tds_steps('typ_m.t', ARRAY[k_anonymity(ARRAY['r'], 5)], masking => ARRAY[by_intervals('r', '[-1,0)', '[9,10)')]);
-- taxonomies
SELECT node, children FROM tds_steps('typ_m.t', ARRAY[k_anonymity(ARRAY['e'], 5)], 'class', ARRAY[by_taxonomy('e', 'typ_m.tax_e')]);
SELECT node, children FROM tds_steps('typ_m.t', ARRAY[k_anonymity(ARRAY['d'], 5)], 'class', ARRAY[by_taxonomy('d', 'typ_m.tax_d')]);
SELECT node, children FROM tds_steps('typ_m.t', ARRAY[k_anonymity(ARRAY['e'], 5)], 'class', ARRAY[by_taxonomy_tree('e', '{"any": ["a", "b"]}')]);
SELECT * FROM taxonomy_check('typ_m.tax_e', 'typ_m.t', 'e');
SELECT * FROM taxonomy_check('typ_m.tax_text', 'typ_m.t', 'e');
SELECT * FROM taxonomy_check('typ_m.tax_d', 'typ_m.t', 'cd');
SELECT * FROM taxonomy_from_levels('typ_m.levels') ORDER BY 1;
SELECT * FROM taxonomy_build('typ_m.t', 'd', 'iotf', '{}') ORDER BY 1;
SELECT count(*) FROM taxonomy_build('typ_m.t', 'r', 'iotf');
-- checks
SELECT c, (SELECT holds FROM privacy_check('typ_m.t', ARRAY[k_anonymity(ARRAY[c, 'n'], 5)])) AS k, (SELECT achieved FROM privacy_check('typ_m.t', ARRAY[l_diversity(ARRAY['n'], c, 1)])) AS l,
  (SELECT achieved FROM privacy_check('typ_m.t', ARRAY[t_closeness(ARRAY['n'], c, 1)])) AS t, (SELECT achieved FROM privacy_check('typ_m.t', ARRAY[confidence_bound(ARRAY['n'], c, NULL, 1)])) AS confidence FROM unnest(:'columns'::text[]) c;
SELECT c, (SELECT achieved FROM privacy_check('typ_m.t', ARRAY[confidence_bound(ARRAY['n'], c, ARRAY[v], 1)])) AS confidence
FROM (VALUES ('e', 'a'), ('sub', 'p'), ('d', '1'), ('c', '(1,y)'), ('cd', '(1,y)'), ('r', '[1,5)'), ('ea', '{a}'), ('da', '{1}'), ('ra', '{"[1,5)"}')) v (c, v);
SELECT c, channel, sensitive_value FROM unnest(:'columns'::text[]) c, privacy_inferences('typ_m.t', confidence_bound(ARRAY[c], 'class', NULL, 1)) ORDER BY c, channel::text;
SELECT c, min(sensitive_value), max(sensitive_value) FROM unnest(:'columns'::text[]) c, privacy_inferences('typ_m.t', confidence_bound(ARRAY['n'], c, NULL, 1)) GROUP BY 1 ORDER BY 1;
SELECT count(*) FROM privacy_inferences('typ_m.t', confidence_bound('{sub,d,c,cd,r,ea,da,ra}', 'e', ARRAY['a'], 1));
SELECT count(*) FROM privacy_inferences('typ_m.t', confidence_bound(ARRAY['n'], 'cd', ARRAY['(1,y)'], 1));
SELECT rolsuper FROM pg_roles WHERE rolname = 'regress_typ_mallory';
-- a cast by a function of PostgreSQL's is no less the type owner's: it tells values apart or not, and may be replaced meanwhile
SET SESSION AUTHORIZATION regress_typ_mallory;
CREATE TYPE typ_m.b AS ENUM ('a', 'b');
CREATE CAST (typ_m.b AS text) WITH FUNCTION pg_catalog.concat("any");
CREATE CAST (typ_m.b[] AS text) WITH FUNCTION pg_catalog.array_dims(anyarray);
CREATE TABLE typ_m.built_in AS SELECT CASE i % 2 WHEN 0 THEN 'a'::typ_m.b ELSE 'b' END AS b, ARRAY[CASE i % 2 WHEN 0 THEN 'a'::typ_m.b ELSE 'b' END] AS ba, i % 2 AS class FROM generate_series(1, 20) i;
RESET SESSION AUTHORIZATION;
SELECT node, children FROM tds_steps('typ_m.built_in', ARRAY[k_anonymity(ARRAY['b'], 5)], 'class');
SELECT node, children FROM tds_steps('typ_m.built_in', ARRAY[k_anonymity(ARRAY['ba'], 5)], 'class');
SELECT channel FROM privacy_inferences('typ_m.built_in', confidence_bound(ARRAY['b', 'ba'], 'class', NULL, 1)) ORDER BY channel::text;
-- an implicit cast of a domain's base type: text's equality is preferred to that of enums, and would run it
SET SESSION AUTHORIZATION regress_typ_mallory;
CREATE TYPE typ_m.ie AS ENUM ('a', 'b');
CREATE DOMAIN typ_m.id AS typ_m.ie;
CREATE FUNCTION typ_m.implicit(typ_m.ie) RETURNS text LANGUAGE plpgsql AS $$ BEGIN IF current_user <> 'regress_typ_mallory' THEN RAISE WARNING 'the cast runs as %', current_user; END IF; RETURN 'a'; END $$;
CREATE CAST (typ_m.ie AS text) WITH FUNCTION typ_m.implicit(typ_m.ie) AS IMPLICIT;
CREATE TABLE typ_m.implied AS SELECT (ARRAY['a', 'b'])[1 + i % 2]::typ_m.ie::typ_m.id AS d, i % 3 AS n FROM generate_series(1, 60) i;
RESET SESSION AUTHORIZATION;
SELECT achieved FROM privacy_check('typ_m.implied', ARRAY[confidence_bound('{n}', 'd', '{a}', 1)]);
SELECT sensitive_value, count(*) FROM privacy_inferences('typ_m.implied', confidence_bound('{n}', 'd', '{a}', 1)) GROUP BY 1;
SELECT tds_anonymize('typ_m.implied', 'typ_i', ARRAY[confidence_bound('{n}', 'd', '{a}', 1)]) -> 'rows' AS rows;
SELECT release_drop('typ_i');
-- the check of a domain that is released: whoever plans a query on the view would run it
SET SESSION AUTHORIZATION regress_typ_mallory;
CREATE FUNCTION typ_m.least() RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM typ_m.gain('a domain''s check'); RETURN 0; END $$;
CREATE DOMAIN typ_m.least AS text NOT NULL CHECK (length(VALUE) > typ_m.least());
CREATE TABLE typ_m.kept AS SELECT i % 4 AS n, 'x'::typ_m.least AS d FROM generate_series(1, 40) i;
RESET SESSION AUTHORIZATION;
SELECT tds_anonymize('typ_m.kept', 'typ_d', ARRAY[k_anonymity(ARRAY['n'], 5), l_diversity(ARRAY['n'], 'd', 1)]) -> 'version' AS version;
SELECT release_refresh(public.again('typ_d')) -> 'version' AS version;
\c -
SELECT n, d, count(*) FROM typ_d.kept GROUP BY 1, 2 ORDER BY 1, 2;
SET enable_partition_pruning TO off;
SELECT max(d) FROM typ_d.kept WHERE d <> 'y';
RESET enable_partition_pruning;
SELECT model, holds FROM release_verify('typ_d');
SELECT count(*) > 5 AS exported FROM release_export('typ_d');
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'typ_d.kept'::regclass AND attnum > 0 ORDER BY attnum;
SELECT rolsuper FROM pg_roles WHERE rolname = 'regress_typ_mallory';
SELECT release_drop('typ_d');
-- a type that uses another twice, which uses another twice: each is looked at once
CREATE TYPE typ_m.n0 AS (x int, y int);
DO $$ BEGIN FOR i IN 1..14 LOOP EXECUTE format('CREATE TYPE typ_m.n%s AS (x typ_m.n%s, y typ_m.n%s)', i, i - 1, i - 1); END LOOP; END $$;
CREATE TABLE typ_m.nested (a int, s typ_m.n14);
INSERT INTO typ_m.nested VALUES (1, NULL), (2, NULL);
SELECT achieved FROM privacy_check('typ_m.nested', ARRAY[confidence_bound(ARRAY['a'], 's', ARRAY['(,)'], 0.5)]);

-- a release of a superuser's: labels, kept and sensitive columns, copies of sensitive ones
SELECT tds_anonymize('typ_m.t', 'typ_r', ARRAY[k_anonymity(ARRAY['e', 'd', 'c', 'r'], 5), confidence_bound(ARRAY['e'], 'c', NULL, 1)], 'sub', keep => ARRAY['cd', 'ea', 'da', 'ra']) -> 'rows' AS rows;
SELECT pda_anonymize('typ_m.t', 'typ_p', ARRAY[confidence_bound(:'columns'::text[], 'class', NULL, 1)], 'class') -> 'rows' AS rows;
SELECT kmember_anonymize('typ_m.t', 'typ_k', ARRAY['e', 'n', 'd', 'c'], 5, ARRAY[by_taxonomy('e', 'typ_m.tax_e'), by_taxonomy('d', 'typ_m.tax_d')], keep => ARRAY['r', 'cd', 'ea', 'ra']) -> 'rows' AS rows;
SELECT tds_anonymize('typ_m.t', 'typ_b', ARRAY[k_anonymity(ARRAY['d', 'n'], 5)], intervals => 'bounds', keep => ARRAY['r', 'ra']) -> 'rows' AS rows;
SELECT tds_anonymize('typ_m.t', 'typ_r', ARRAY[k_anonymity(ARRAY['e', 'd', 'c', 'r'], 5), confidence_bound(ARRAY['e'], 'c', NULL, 1)], 'sub', keep => ARRAY['cd', 'ea', 'da', 'ra']) -> 'version' AS version;
SELECT s, (SELECT bool_and(holds) FROM release_verify(s)) AS holds, (SELECT count(*) > 5 FROM release_measures(s)) AS measures, (SELECT count(*) FROM release_risk(s)) AS risks FROM unnest('{typ_r,typ_p,typ_k,typ_b}'::name[]) s;
-- what autovacuum or the owner does to it later
ANALYZE typ_r_private.rows_v2;
ANALYZE typ_k_private.rows_v1, typ_p_private.rows_v1, typ_b_private.rows_v1;
VACUUM ANALYZE typ_r_private.rows_v2;
SELECT attrelid::regclass AS table, attname AS column FROM pg_attribute WHERE attrelid IN ('typ_r_private.rows_v2'::regclass, 'typ_k_private.rows_v1'::regclass, 'typ_b_private.rows_v1'::regclass) AND attnum > 0 AND attstattarget = 0 ORDER BY 1, 2;
SELECT session_user, current_user;
SELECT rolsuper FROM pg_roles WHERE rolname = 'regress_typ_mallory';
SELECT release_drop(s) FROM unnest('{typ_r,typ_p,typ_k,typ_b}'::name[]) s;
DROP OWNED BY regress_typ_mallory CASCADE;
DROP ROLE regress_typ_mallory;
SELECT nspname FROM pg_namespace WHERE nspname LIKE 'typ%';
