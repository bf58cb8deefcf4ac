-- From 0.1.0 to 0.2.0, kept by hand. Once 0.2.0 is released this file is not edited any more: what comes later is a file of
-- its own. That it makes what CREATE EXTENSION makes, a test says (tests/tests/upgrade.rs).

-- 1. Functions that have more arguments now: the new ones beside the old, whose rights they take over, and which then go. What of the
-- user's depends on an old one (a view that calls it) keeps it from going: PostgreSQL says what that is, and nothing is changed.

CREATE FUNCTION "by_intervals"(
	"column_name" TEXT,
	"lower" TEXT DEFAULT NULL,
	"upper" TEXT DEFAULT NULL,
	"step" TEXT DEFAULT NULL,
	"breakpoints" TEXT[] DEFAULT NULL
) RETURNS masking
IMMUTABLE PARALLEL SAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'by_intervals_wrapper';

CREATE FUNCTION "k_anonymity"(
	"quasi_identifier" TEXT[],
	"k" INT,
	"person" TEXT DEFAULT NULL
) RETURNS privacy_model
IMMUTABLE PARALLEL SAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'k_anonymity_wrapper';

CREATE FUNCTION "kmember_anonymize"(
	"source" regclass,
	"release" name,
	"quasi_identifier" TEXT[],
	"k" INT,
	"masking" masking[] DEFAULT '{}',
	"keep" TEXT[] DEFAULT '{}',
	"endpoints" TEXT DEFAULT 'rounded',
	"view" name DEFAULT NULL,
	"allow_weaker" bool DEFAULT false
) RETURNS jsonb
VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'kmember_anonymize_wrapper';

CREATE FUNCTION "pda_anonymize"(
	"source" regclass,
	"release" name,
	"templates" privacy_model[],
	"class" TEXT,
	"masking" masking[] DEFAULT '{}',
	"keep" TEXT[] DEFAULT '{}',
	"max_steps" INT DEFAULT NULL,
	"suppressed" TEXT DEFAULT '*',
	"endpoints" TEXT DEFAULT 'rounded',
	"view" name DEFAULT NULL,
	"allow_weaker" bool DEFAULT false
) RETURNS jsonb
VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'pda_anonymize_wrapper';

CREATE FUNCTION "release_risk"(
	"release" name,
	"threshold" double precision DEFAULT 0.2,
	"known" TEXT[] DEFAULT NULL
) RETURNS TABLE (
	"attacker" TEXT,
	"records_at_risk" double precision,
	"highest_risk" double precision,
	"average_risk" double precision
)
VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'release_risk_wrapper';

CREATE FUNCTION "tds_anonymize"(
	"source" regclass,
	"release" name,
	"privacy" privacy_model[],
	"class" TEXT DEFAULT NULL,
	"masking" masking[] DEFAULT '{}',
	"keep" TEXT[] DEFAULT '{}',
	"score" TEXT DEFAULT 'tds',
	"max_steps" INT DEFAULT NULL,
	"intervals" TEXT DEFAULT 'label',
	"suppressed" TEXT DEFAULT '*',
	"split" TEXT DEFAULT 'optimal',
	"withhold" double precision DEFAULT 0,
	"endpoints" TEXT DEFAULT 'rounded',
	"recoding" TEXT DEFAULT 'global',
	"view" name DEFAULT NULL,
	"allow_weaker" bool DEFAULT false
) RETURNS jsonb
VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'tds_anonymize_wrapper';

CREATE FUNCTION "tds_steps"(
	"source" regclass,
	"privacy" privacy_model[],
	"class" TEXT DEFAULT NULL,
	"masking" masking[] DEFAULT '{}',
	"keep" TEXT[] DEFAULT '{}',
	"score" TEXT DEFAULT 'tds',
	"max_steps" INT DEFAULT NULL,
	"split" TEXT DEFAULT 'optimal',
	"withhold" double precision DEFAULT 0,
	"endpoints" TEXT DEFAULT 'rounded',
	"recoding" TEXT DEFAULT 'global'
) RETURNS TABLE (
	"step" INT,
	"attribute" TEXT,
	"node" TEXT,
	"children" TEXT[],
	"records" bigint,
	"info_gain" double precision,
	"privacy_loss" double precision,
	"score" double precision,
	"achieved" double precision[]
)
VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'tds_steps_wrapper';

-- Who may call those of before is remembered. Of what others may have put into the schema nothing is called; and what the extension's owner has made
-- a member of it, who need not be a superuser, is none of ours: only a superuser makes functions in C.
DO $$
DECLARE
  path text := pg_catalog.current_setting('search_path');
BEGIN
  PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
  PERFORM set_config('pg_topdown_update.rights',
                     jsonb_agg(jsonb_build_array(p.oid::int8, p.proname, p.proowner::int8, coalesce(p.proacl, acldefault('f', p.proowner))::text))::text, true)
  FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
  JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND e.extname = 'pg_topdown' AND e.extnamespace = p.pronamespace
  JOIN pg_language l ON l.oid = p.prolang AND l.lanname = 'c'
  WHERE p.prosrc = p.proname || '_wrapper';
  PERFORM set_config('search_path', path, true);
END $$;

DROP FUNCTION by_intervals(text, text, text);
DROP FUNCTION k_anonymity(text[], integer);
DROP FUNCTION kmember_anonymize(regclass, name, text[], integer, masking[], text[]);
DROP FUNCTION pda_anonymize(regclass, name, privacy_model[], text, masking[], text[], integer, text);
DROP FUNCTION release_risk(name, double precision);
DROP FUNCTION tds_anonymize(regclass, name, privacy_model[], text, masking[], text[], text, integer, text, text, text, double precision);
DROP FUNCTION tds_steps(regclass, privacy_model[], text, masking[], text[], text, integer, text, double precision);

-- 2. New functions.

CREATE FUNCTION "beta_likeness"(
	"quasi_identifier" TEXT[],
	"sensitive" TEXT,
	"beta" double precision
) RETURNS privacy_model
IMMUTABLE PARALLEL SAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'beta_likeness_wrapper';

CREATE FUNCTION "by_calendar"(
	"column_name" TEXT,
	"units" TEXT[] DEFAULT '{year,quarter,month,day}'
) RETURNS masking
IMMUTABLE PARALLEL SAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'by_calendar_wrapper';

CREATE FUNCTION "by_network"(
	"column_name" TEXT,
	"lengths" INT[] DEFAULT NULL
) RETURNS masking
IMMUTABLE PARALLEL SAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'by_network_wrapper';

CREATE FUNCTION "by_prefix"(
	"column_name" TEXT,
	"lengths" INT[] DEFAULT NULL
) RETURNS masking
IMMUTABLE PARALLEL SAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'by_prefix_wrapper';

CREATE FUNCTION "coarsest"(
	"masking" masking,
	"depth" INT
) RETURNS masking
IMMUTABLE PARALLEL SAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'coarsest_wrapper';

CREATE FUNCTION "finest"(
	"masking" masking,
	"depth" INT
) RETURNS masking
IMMUTABLE PARALLEL SAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'finest_wrapper';

CREATE FUNCTION "maskings"(
	"one" masking
) RETURNS masking[]
IMMUTABLE STRICT PARALLEL SAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'maskings_wrapper';

CREATE FUNCTION "privacy_from_labels"(
	"source" regclass,
	"k" INT
) RETURNS privacy_model[]
STABLE PARALLEL SAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'privacy_from_labels_wrapper';

CREATE FUNCTION "privacy_keys"(
	"source" regclass,
	"columns" TEXT[] DEFAULT NULL,
	"k" INT DEFAULT 5,
	"max_columns" INT DEFAULT 3
) RETURNS TABLE (
	"columns" TEXT[],
	"groups" bigint,
	"unique_rows" bigint,
	"rows_below_k" bigint,
	"share_below_k" double precision
)
VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'privacy_keys_wrapper';

CREATE FUNCTION "privacy_models"(
	"one" privacy_model
) RETURNS privacy_model[]
IMMUTABLE STRICT PARALLEL SAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'privacy_models_wrapper';

CREATE FUNCTION "release_alter"(
	"release" name,
	"source" regclass DEFAULT NULL,
	"privacy" privacy_model[] DEFAULT NULL,
	"masking" masking[] DEFAULT NULL,
	"score" TEXT DEFAULT NULL,
	"max_steps" INT DEFAULT NULL,
	"withhold" double precision DEFAULT NULL,
	"endpoints" TEXT DEFAULT NULL,
	"allow_weaker" bool DEFAULT false
) RETURNS jsonb
VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'release_alter_wrapper';

CREATE FUNCTION "release_apply"(
	"release" name,
	"source" regclass,
	"target" TEXT
) RETURNS bigint
VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'release_apply_wrapper';

CREATE FUNCTION "release_assert"(
	"release" name
) RETURNS void
VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'release_assert_wrapper';

CREATE FUNCTION "release_drift"(
	"release" name
) RETURNS TABLE (
	"version" INT,
	"created_at" timestamp with time zone,
	"rows" bigint,
	"withheld" bigint,
	"steps_kept" INT,
	"steps_dropped" INT,
	"achieved" jsonb,
	"certainty_loss" double precision,
	"class_information" double precision
)
VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'release_drift_wrapper';

CREATE FUNCTION "release_explain"(
	"release" name
) RETURNS TABLE (
	"attribute" TEXT,
	"node" TEXT,
	"reason" TEXT,
	"achieved" double precision,
	"required" double precision
)
VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'release_explain_wrapper';

CREATE FUNCTION "release_export"(
	"release" name
) RETURNS SETOF TEXT
VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'release_export_wrapper';

CREATE FUNCTION "release_refresh"(
	"release" name,
	"mode" TEXT DEFAULT 'replay',
	"unknown" TEXT DEFAULT 'error'
) RETURNS jsonb
VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'release_refresh_wrapper';

CREATE FUNCTION "release_refresh_all"() RETURNS TABLE (
	"release" name,
	"outcome" jsonb,
	"error" TEXT
)
STRICT VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'release_refresh_all_wrapper';

CREATE FUNCTION "release_report"(
	"release" name,
	"audience" TEXT DEFAULT 'owner'
) RETURNS TEXT
VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'release_report_wrapper';

CREATE FUNCTION "release_rewind"(
	"release" name,
	"step" INT
) RETURNS jsonb
VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'release_rewind_wrapper';

CREATE FUNCTION "taxonomy_of"(
	"masking" masking,
	"source" regclass
) RETURNS TABLE (
	"child" TEXT,
	"parent" TEXT
)
VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'taxonomy_of_wrapper';

CREATE FUNCTION "taxonomy_to_levels"(
	"taxonomy" regclass
) RETURNS TABLE (
	"levels" TEXT[]
)
STABLE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'taxonomy_to_levels_wrapper';

CREATE FUNCTION "tds_tradeoff"(
	"source" regclass,
	"ks" INT[],
	"privacy" privacy_model[],
	"class" TEXT DEFAULT NULL,
	"masking" masking[] DEFAULT '{}',
	"keep" TEXT[] DEFAULT '{}',
	"score" TEXT DEFAULT 'tds',
	"max_steps" INT DEFAULT NULL,
	"split" TEXT DEFAULT 'optimal',
	"withhold" double precision DEFAULT 0,
	"endpoints" TEXT DEFAULT 'rounded',
	"recoding" TEXT DEFAULT 'global'
) RETURNS TABLE (
	"k" INT,
	"steps" INT,
	"groups" bigint,
	"smallest_group" bigint,
	"certainty_loss" double precision,
	"class_information" double precision,
	"withheld" bigint
)
VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'tds_tradeoff_wrapper';

CREATE FUNCTION "weighted"(
	"masking" masking,
	"weight" double precision
) RETURNS masking
IMMUTABLE PARALLEL SAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'weighted_wrapper';

REVOKE EXECUTE ON FUNCTION tds_anonymize, pda_anonymize, kmember_anonymize, release_refresh, release_refresh_all, release_alter,
  release_rewind, release_apply FROM PUBLIC;

GRANT EXECUTE ON FUNCTION tds_anonymize, pda_anonymize, kmember_anonymize, release_refresh, release_refresh_all, release_alter,
  release_rewind, release_apply, release_grant, release_revoke, release_drop TO pg_database_owner WITH GRANT OPTION;

-- The rights of those of before go over to the new, whatever default privileges have given these. What an extension's script grants PostgreSQL takes for
-- the extension's own, which no dump has; so the catalog of these is set to what CREATE EXTENSION makes of it: pg_database_owner's, and PUBLIC's.
DO $$
DECLARE
  path text := pg_catalog.current_setting('search_path');
  pair record;
  entry record;
  rights jsonb;
  members oid[];
BEGIN
  PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
  rights := current_setting('pg_topdown_update.rights');
  -- Those of a name that was there before.
  members := ARRAY(SELECT p.oid FROM pg_depend d JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND e.extname = 'pg_topdown'
                   JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND e.extnamespace = p.pronamespace
                   JOIN pg_language l ON l.oid = p.prolang AND l.lanname = 'c'
                   WHERE d.deptype = 'e' AND p.prosrc = p.proname || '_wrapper' AND EXISTS (SELECT FROM jsonb_array_elements(rights) o WHERE o ->> 1 = p.proname));
  FOR pair IN
    SELECT n.oid::regprocedure AS new, n.proowner AS owner, coalesce(n.proacl, acldefault('f', n.proowner)) AS given,
           (o ->> 2)::oid AS old_owner, (o ->> 3)::aclitem[] AS rights
    FROM jsonb_array_elements(rights) o JOIN pg_proc n ON n.proname = o ->> 1 AND n.oid = ANY (members)
    WHERE n.oid <> (o ->> 0)::oid
  LOOP
    FOR entry IN SELECT DISTINCT a.grantee FROM aclexplode(pair.given) a WHERE a.grantee NOT IN (pair.owner, 'pg_database_owner'::regrole) LOOP
      EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM %s CASCADE', pair.new, CASE entry.grantee WHEN 0 THEN 'PUBLIC' ELSE entry.grantee::regrole::text END);
    END LOOP;
    FOR entry IN
      SELECT a.grantee, bool_or(a.is_grantable OR a.grantee = pair.old_owner) AS hands_on FROM aclexplode(pair.rights) a WHERE a.grantee <> pair.owner GROUP BY 1
    LOOP
      EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %s%s', pair.new, CASE entry.grantee WHEN 0 THEN 'PUBLIC' ELSE entry.grantee::regrole::text END,
                     CASE WHEN entry.hands_on THEN ' WITH GRANT OPTION' ELSE '' END);
    END LOOP;
  END LOOP;
  DELETE FROM pg_init_privs i WHERE i.classoid = 'pg_proc'::regclass AND i.objoid = ANY (members)
    AND NOT EXISTS (SELECT FROM pg_proc p, aclexplode(p.proacl) a WHERE p.oid = i.objoid AND a.grantee = 'pg_database_owner'::regrole);
  UPDATE pg_init_privs i
  SET initprivs = ARRAY[makeaclitem(p.proowner, p.proowner, 'EXECUTE', false), makeaclitem('pg_database_owner'::regrole, p.proowner, 'EXECUTE', true)]
  FROM pg_proc p WHERE p.oid = i.objoid AND i.classoid = 'pg_proc'::regclass AND i.objoid = ANY (members);
  -- From 17 on roles that are named there cannot be dropped.
  DELETE FROM pg_shdepend s WHERE s.deptype = 'i' AND s.classid = 'pg_proc'::regclass AND s.objid = ANY (members)
    AND s.dbid = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database());
  PERFORM set_config('search_path', path, true);
END $$;

CREATE CAST (privacy_model AS privacy_model[]) WITH FUNCTION privacy_models(privacy_model) AS IMPLICIT;
CREATE CAST (masking AS masking[]) WITH FUNCTION maskings(masking) AS IMPLICIT;

-- 3. What they are for.

COMMENT ON CAST (privacy_model AS privacy_model[]) IS 'one model is an array of one';
COMMENT ON CAST (masking AS masking[]) IS 'one masking is an array of one';
COMMENT ON FUNCTION privacy_models IS 'an array of one model: privacy => k_anonymity(...)';
COMMENT ON FUNCTION maskings IS 'an array of one masking: masking => by_prefix(...)';
COMMENT ON TYPE privacy_model IS 'what a release has to keep: made by k_anonymity(), confidence_bound(), l_diversity(), t_closeness(), beta_likeness(); its text form is JSON';
COMMENT ON TYPE masking IS 'how a column is masked: made by by_taxonomy(), by_taxonomy_tree(), by_intervals(), by_suppression(), by_prefix(), by_calendar(), by_network(); its text form is JSON';
COMMENT ON FUNCTION k_anonymity IS 'every combination of released values on the columns is shared by at least k rows, or by rows of at least k persons';
COMMENT ON FUNCTION beta_likeness IS 'in every group no sensitive value is more frequent than in the whole table by more than beta times its share there';
COMMENT ON FUNCTION by_intervals IS 'generalize a continuous column to intervals that are split during the search; the bounds are the domain''s';
COMMENT ON FUNCTION by_prefix IS 'generalize codes to how they begin; the rest is shown as a star a character';
COMMENT ON FUNCTION by_calendar IS 'generalize dates and timestamps to units of the calendar that they are in';
COMMENT ON FUNCTION by_network IS 'generalize addresses to the networks that they are in';
COMMENT ON FUNCTION weighted IS 'a masking, the gain of whose refinements counts so many times in the score';
COMMENT ON FUNCTION coarsest IS 'a masking, whose column is released at least as specific as a depth of its hierarchy';
COMMENT ON FUNCTION finest IS 'a masking, whose column is released at most as specific as a depth of its hierarchy';
COMMENT ON FUNCTION tds_anonymize IS 'search top-down for the most useful generalization that keeps the privacy models, and publish it as the next version of a release';
COMMENT ON FUNCTION tds_steps IS 'the steps that tds_anonymize would take; nothing is written';
COMMENT ON FUNCTION pda_anonymize IS 'disclose values progressively out of full suppression as long as the templates hold, and publish the next version of a release';
COMMENT ON FUNCTION privacy_from_labels IS 'k-anonymity over the columns that security labels call quasi-identifiers';
COMMENT ON FUNCTION tds_tradeoff IS 'what tds_anonymize would release with each of several k; the source is read once, nothing is written';
COMMENT ON FUNCTION privacy_keys IS 'which combinations of columns single rows out, the most dangerous first: what to name as quasi-identifier';
COMMENT ON FUNCTION kmember_anonymize IS 'cluster rows into groups of at least k, generalize each to what it has in common, and publish the next version of a release';
COMMENT ON FUNCTION release_risk IS 'the risk of being found again in a release, for three attackers';
COMMENT ON FUNCTION taxonomy_to_levels IS 'a taxonomy as a wide table: leaf, level 1, level 2, ..., root';
COMMENT ON FUNCTION taxonomy_of IS 'the rows of the taxonomy that a masking has over the values of a source';
COMMENT ON FUNCTION release_assert IS 'recount every privacy model of a release, and fail if one does not hold';
COMMENT ON FUNCTION release_refresh IS 'make the next version of a release over its source as it is now, with the steps of its last search or by a new one';
COMMENT ON FUNCTION release_refresh_all IS 'refresh every release that the caller may, for schedulers; one that fails does not stop the others';
COMMENT ON FUNCTION release_alter IS 'make the next version of a release by a new search, with some of its arguments changed';
COMMENT ON FUNCTION release_rewind IS 'make the next version of a release as the search stood after a step';
COMMENT ON FUNCTION release_apply IS 'other rows, generalized by a release''s cut, into a new table of its owner''s that is published nowhere';
COMMENT ON FUNCTION release_drift IS 'how a release has changed from version to version';
COMMENT ON FUNCTION release_explain IS 'why each node of the cut of a release was not refined further';
COMMENT ON FUNCTION release_report IS 'a release as a page of HTML, for its owner or for a recipient';
COMMENT ON FUNCTION release_export IS 'a recipient''s copy of a release as plain SQL: view, cut and about as tables';
COMMENT ON FUNCTION release_grant IS 'let a role read the view, the cut and about of a release';

-- 4. Releases of 0.1.0 keep no second version, hold ends of intervals that may be one row's, and show row counts of what was searched: they can
-- be read, and have to be made anew.

DO $$
DECLARE
  path text := pg_catalog.current_setting('search_path');
  release text;
BEGIN
  PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
  FOR release IN
    SELECT n.nspname FROM pg_namespace n JOIN pg_class m ON m.relnamespace = n.oid AND m.relname = 'manifest' AND m.relkind = 'r' AND m.relowner = n.nspowner
    WHERE (SELECT string_agg(a.attname::text, ' ' ORDER BY a.attnum) FROM pg_attribute a WHERE a.attrelid = m.oid AND a.attnum > 0)
          = 'version created_at source parameters rows achieved extension_version'
    ORDER BY 1
  LOOP
    RAISE WARNING 'release "%" was made by pg_topdown 0.1.0', release USING
      DETAIL = 'Its view can be read as before; nothing else can be done with it.',
      HINT = format('Make it anew under another name; then DROP SCHEMA %I CASCADE.', release);
  END LOOP;
  PERFORM set_config('search_path', path, true);
END $$;
