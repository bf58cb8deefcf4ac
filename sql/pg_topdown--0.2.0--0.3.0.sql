-- From 0.2.0 to 0.3.0, kept by hand. Once 0.3.0 is released this file is not edited any more: what comes later is a file of
-- its own. That it makes what CREATE EXTENSION makes, a test says (tests/tests/upgrade.rs).

-- 1. Functions that have more arguments now: the new ones beside the old, whose rights they take over, and which then go. What of the
-- user's depends on an old one (a view that calls it) keeps it from going: PostgreSQL says what that is, and nothing is changed.

-- Who may call those of before is remembered. Of what others may have put into the schema nothing is called; and what the extension's owner has made
-- a member of it, who need not be a superuser, is none of ours: only a superuser makes functions in C.
DO $$
DECLARE
  path text := pg_catalog.current_setting('search_path');
BEGIN
  PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
  PERFORM set_config('pg_topdown_update.rights',
                     jsonb_agg(jsonb_build_array(p.oid::int8, p.proname, p.proowner::int8, coalesce(p.proacl, acldefault('f', p.proowner))::text,
                                                 (SELECT i.initprivs::text FROM pg_init_privs i WHERE (i.classoid, i.objoid) = (d.classid, d.objid))))::text, true)
  FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
  JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND e.extname = 'pg_topdown' AND e.extnamespace = p.pronamespace
  JOIN pg_language l ON l.oid = p.prolang AND l.lanname = 'c'
  WHERE p.prosrc = p.proname || '_wrapper';
  PERFORM set_config('search_path', path, true);
END $$;

CREATE FUNCTION "confidence_bound"(
	"inference_channel" TEXT[],
	"sensitive" TEXT,
	"sensitive_values" TEXT[],
	"max_confidence" double precision,
	"person" TEXT DEFAULT NULL
) RETURNS privacy_model
IMMUTABLE PARALLEL SAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'confidence_bound_wrapper';

DROP FUNCTION confidence_bound(text[], text, text[], double precision);

CREATE FUNCTION "l_diversity"(
	"quasi_identifier" TEXT[],
	"sensitive" TEXT,
	"l" double precision,
	"kind" TEXT DEFAULT 'distinct',
	"c" double precision DEFAULT NULL,
	"person" TEXT DEFAULT NULL
) RETURNS privacy_model
IMMUTABLE PARALLEL SAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'l_diversity_wrapper';

DROP FUNCTION l_diversity(text[], text, double precision, text, double precision);

CREATE FUNCTION "t_closeness"(
	"quasi_identifier" TEXT[],
	"sensitive" TEXT,
	"t" double precision,
	"distance" TEXT DEFAULT 'equal',
	"person" TEXT DEFAULT NULL
) RETURNS privacy_model
IMMUTABLE PARALLEL SAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 't_closeness_wrapper';

DROP FUNCTION t_closeness(text[], text, double precision, text);

CREATE FUNCTION "beta_likeness"(
	"quasi_identifier" TEXT[],
	"sensitive" TEXT,
	"beta" double precision,
	"person" TEXT DEFAULT NULL
) RETURNS privacy_model
IMMUTABLE PARALLEL SAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'beta_likeness_wrapper';

DROP FUNCTION beta_likeness(text[], text, double precision);

CREATE FUNCTION "release_alter"(
	"release" name,
	"source" regclass DEFAULT NULL,
	"privacy" privacy_model[] DEFAULT NULL,
	"masking" masking[] DEFAULT NULL,
	"score" TEXT DEFAULT NULL,
	"max_steps" INT DEFAULT NULL,
	"withhold" double precision DEFAULT NULL,
	"endpoints" TEXT DEFAULT NULL,
	"allow_weaker" bool DEFAULT false,
	"unmask" TEXT[] DEFAULT NULL,
	"class" TEXT DEFAULT NULL,
	"keep" TEXT[] DEFAULT NULL,
	"split" TEXT DEFAULT NULL,
	"recoding" TEXT DEFAULT NULL,
	"intervals" TEXT DEFAULT NULL,
	"suppressed" TEXT DEFAULT NULL,
	"show" TEXT[] DEFAULT NULL,
	"means" TEXT[] DEFAULT NULL,
	"counts" bool DEFAULT NULL,
	"tell_error" bool DEFAULT NULL,
	"changes" TEXT DEFAULT NULL
) RETURNS jsonb
VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'release_alter_wrapper';

DROP FUNCTION release_alter(name, regclass, privacy_model[], masking[], text, integer, double precision, text, boolean);

REVOKE EXECUTE ON FUNCTION release_alter FROM PUBLIC;

GRANT EXECUTE ON FUNCTION release_alter TO pg_database_owner WITH GRANT OPTION;

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
	"allow_weaker" bool DEFAULT false,
	"changes" TEXT DEFAULT 'any'
) RETURNS jsonb
VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'pda_anonymize_wrapper';

DROP FUNCTION pda_anonymize(regclass, name, privacy_model[], text, masking[], text[], integer, text, text, name, boolean);

REVOKE EXECUTE ON FUNCTION pda_anonymize FROM PUBLIC;

GRANT EXECUTE ON FUNCTION pda_anonymize TO pg_database_owner WITH GRANT OPTION;

CREATE FUNCTION "release_refresh"(
	"release" name,
	"mode" TEXT DEFAULT 'replay',
	"unknown" TEXT DEFAULT 'error',
	"max_loss" double precision DEFAULT NULL,
	"erase" bool DEFAULT false
) RETURNS jsonb
VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'release_refresh_wrapper';

DROP FUNCTION release_refresh(name, text, text);

CREATE FUNCTION "release_refresh_all"(
	"mode" TEXT DEFAULT 'replay'
) RETURNS TABLE (
	"release" name,
	"outcome" jsonb,
	"error" TEXT
)
VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'release_refresh_all_wrapper';

DROP FUNCTION release_refresh_all();

REVOKE EXECUTE ON FUNCTION release_refresh, release_refresh_all FROM PUBLIC;

GRANT EXECUTE ON FUNCTION release_refresh, release_refresh_all TO pg_database_owner WITH GRANT OPTION;

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
	"allow_weaker" bool DEFAULT false,
	"show" TEXT[] DEFAULT '{}',
	"means" TEXT[] DEFAULT '{}',
	"counts" bool DEFAULT false,
	"tell_error" bool DEFAULT false,
	"changes" TEXT DEFAULT 'any'
) RETURNS jsonb
VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'tds_anonymize_wrapper';

DROP FUNCTION tds_anonymize(regclass, name, privacy_model[], TEXT, masking[], TEXT[], TEXT, INT, TEXT, TEXT, TEXT, double precision, TEXT, TEXT, name, bool);

CREATE FUNCTION "kmember_anonymize"(
	"source" regclass,
	"release" name,
	"quasi_identifier" TEXT[],
	"k" INT,
	"masking" masking[] DEFAULT '{}',
	"keep" TEXT[] DEFAULT '{}',
	"endpoints" TEXT DEFAULT 'rounded',
	"view" name DEFAULT NULL,
	"allow_weaker" bool DEFAULT false,
	"means" TEXT[] DEFAULT '{}',
	"counts" bool DEFAULT false,
	"tell_error" bool DEFAULT false,
	"changes" TEXT DEFAULT 'any'
) RETURNS jsonb
VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'kmember_anonymize_wrapper';

DROP FUNCTION kmember_anonymize(regclass, name, text[], integer, masking[], text[], text, name, boolean);

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
	"recoding" TEXT DEFAULT 'global',
	"show" TEXT[] DEFAULT '{}'
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

DROP FUNCTION tds_steps(regclass, privacy_model[], TEXT, masking[], TEXT[], TEXT, INT, TEXT, double precision, TEXT, TEXT);

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
	"recoding" TEXT DEFAULT 'global',
	"show" TEXT[] DEFAULT '{}'
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

DROP FUNCTION tds_tradeoff(regclass, INT[], privacy_model[], TEXT, masking[], TEXT[], TEXT, INT, TEXT, double precision, TEXT, TEXT);

REVOKE EXECUTE ON FUNCTION tds_anonymize, kmember_anonymize FROM PUBLIC;

GRANT EXECUTE ON FUNCTION tds_anonymize, kmember_anonymize TO pg_database_owner WITH GRANT OPTION;

CREATE FUNCTION "release_measures"(
	"release" name,
	"weight" TEXT DEFAULT NULL
) RETURNS TABLE (
	"measure" TEXT,
	"value" double precision
)
VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'release_measures_wrapper';

DROP FUNCTION release_measures(name);

CREATE FUNCTION "release_report"(
	"release" name,
	"audience" TEXT DEFAULT 'owner',
	"sampling_fraction" double precision DEFAULT NULL
) RETURNS TEXT
VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'release_report_wrapper';

DROP FUNCTION release_report(name, text);

CREATE FUNCTION "release_risk"(
	"release" name,
	"threshold" double precision DEFAULT 0.2,
	"known" TEXT[] DEFAULT NULL,
	"population" regclass DEFAULT NULL,
	"weight" TEXT DEFAULT NULL,
	"sampling_fraction" double precision DEFAULT NULL
) RETURNS TABLE (
	"attacker" TEXT,
	"records_at_risk" double precision,
	"highest_risk" double precision,
	"average_risk" double precision
)
VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'release_risk_wrapper';

DROP FUNCTION release_risk(name, double precision, text[]);

DROP FUNCTION releases();

CREATE FUNCTION "releases"() RETURNS TABLE (
	"release" name,
	"source" TEXT,
	"version" INT,
	"created_at" timestamp with time zone,
	"rows" bigint,
	"view" name
)
STRICT VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'releases_wrapper';

DROP FUNCTION release_drift(name);

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
	"class_information" double precision,
	"waiting" bigint,
	"lingering" bigint,
	"oldest_waiting" timestamp with time zone,
	"oldest_lingering" timestamp with time zone
)
VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'release_drift_wrapper';

-- The rights of those of before go over to the new, whatever default privileges have given these. What an extension's script grants PostgreSQL takes for
-- the extension's own, which no dump has; so the catalog of these gets what it had of those of before.
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
  -- Those that take another's place.
  members := ARRAY(SELECT p.oid FROM pg_depend d JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND e.extname = 'pg_topdown'
                   JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND e.extnamespace = p.pronamespace
                   JOIN pg_language l ON l.oid = p.prolang AND l.lanname = 'c'
                   WHERE d.deptype = 'e' AND p.prosrc = p.proname || '_wrapper' AND EXISTS (SELECT FROM jsonb_array_elements(rights) o WHERE o ->> 1 = p.proname)
                     AND NOT EXISTS (SELECT FROM jsonb_array_elements(rights) o WHERE (o ->> 0)::oid = p.oid));
  FOR pair IN
    SELECT n.oid::regprocedure AS new, n.proowner AS owner, coalesce(n.proacl, acldefault('f', n.proowner)) AS given,
           (o ->> 2)::oid AS old_owner, (o ->> 3)::aclitem[] AS rights
    FROM jsonb_array_elements(rights) o JOIN pg_proc n ON n.proname = o ->> 1 AND n.oid = ANY (members)
  LOOP
    FOR entry IN SELECT DISTINCT a.grantee FROM aclexplode(pair.given) a WHERE a.grantee <> pair.owner LOOP
      EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM %s CASCADE', pair.new, CASE entry.grantee WHEN 0 THEN 'PUBLIC' ELSE entry.grantee::regrole::text END);
    END LOOP;
    FOR entry IN
      SELECT a.grantee, bool_or(a.is_grantable OR a.grantee = pair.old_owner) AS hands_on FROM aclexplode(pair.rights) a WHERE a.grantee <> pair.owner GROUP BY 1
    LOOP
      EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %s%s', pair.new, CASE entry.grantee WHEN 0 THEN 'PUBLIC' ELSE entry.grantee::regrole::text END,
                     CASE WHEN entry.hands_on THEN ' WITH GRANT OPTION' ELSE '' END);
    END LOOP;
  END LOOP;
  DELETE FROM pg_init_privs i WHERE i.classoid = 'pg_proc'::regclass AND i.objoid = ANY (members);
  INSERT INTO pg_init_privs (objoid, classoid, objsubid, privtype, initprivs)
  SELECT n.oid, 'pg_proc'::regclass, 0, 'e', (o ->> 4)::aclitem[]
  FROM jsonb_array_elements(rights) o JOIN pg_proc n ON n.proname = o ->> 1 AND n.oid = ANY (members) WHERE o ->> 4 IS NOT NULL;
  -- From 17 on roles that are named there cannot be dropped.
  DELETE FROM pg_shdepend s WHERE s.deptype = 'i' AND s.classid = 'pg_proc'::regclass AND s.objid = ANY (members)
    AND s.dbid = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database());
  PERFORM set_config('search_path', path, true);
END $$;

-- 2. New functions.

CREATE FUNCTION "privacy_columns"(
	"source" regclass,
	"k" INT DEFAULT 5
) RETURNS TABLE (
	"column_name" TEXT,
	"type" TEXT,
	"distinct_values" bigint,
	"nulls" bigint,
	"alone" double precision,
	"adds" double precision,
	"role" TEXT,
	"masking" TEXT,
	"reason" TEXT
)
VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'privacy_columns_wrapper';

CREATE FUNCTION "release_compare"(
	"release" name,
	"query" TEXT
) RETURNS TABLE (
	"key" jsonb,
	"original" double precision,
	"released" double precision,
	"error" double precision
)
VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'release_compare_wrapper';

CREATE FUNCTION "microaggregated"(
	"column_name" TEXT,
	"m" INT
) RETURNS masking
IMMUTABLE PARALLEL SAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'microaggregated_wrapper';

CREATE FUNCTION "rounded"(
	"column_name" TEXT,
	"step" TEXT
) RETURNS masking
IMMUTABLE PARALLEL SAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'rounded_wrapper';

CREATE FUNCTION "top_coded"(
	"column_name" TEXT,
	"upper" TEXT DEFAULT NULL
) RETURNS masking
IMMUTABLE PARALLEL SAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'top_coded_wrapper';

CREATE FUNCTION "release_functions"(
	"grantee" name
) RETURNS VOID
VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'release_functions_wrapper';

CREATE FUNCTION "release_changes"(
	"release" name,
	"from_version" INT DEFAULT NULL,
	"to_version" INT DEFAULT NULL,
	"by" TEXT DEFAULT 'source'
) RETURNS TABLE (
	"part" TEXT,
	"model" privacy_model,
	"required" double precision,
	"achieved" double precision,
	"holds" bool,
	"groups" bigint,
	"violating_groups" bigint,
	"violating_rows" bigint
)
VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'release_changes_wrapper';

CREATE FUNCTION "release_query_error"(
	"release" name,
	"queries" jsonb DEFAULT NULL,
	"count" INT DEFAULT 400,
	"seed" INT DEFAULT 1
) RETURNS TABLE (
	"columns" INT,
	"aggregate" TEXT,
	"with_counts" bool,
	"queries" INT,
	"median_error" double precision,
	"p90_error" double precision
)
VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'release_query_error_wrapper';

CREATE FUNCTION "release_suggest"(
	"source" regclass,
	"privacy" privacy_model[],
	"class" TEXT DEFAULT NULL,
	"masking" masking[] DEFAULT '{}',
	"keep" TEXT[] DEFAULT '{}',
	"show" TEXT[] DEFAULT '{}',
	"max_withhold" double precision DEFAULT 0.01
) RETURNS TABLE (
	"rank" INT,
	"recoding" TEXT,
	"score" TEXT,
	"split" TEXT,
	"withhold" double precision,
	"certainty_loss" double precision,
	"query_error" double precision,
	"class_information" double precision,
	"groups" bigint,
	"smallest_group" bigint,
	"seconds" double precision,
	"call" TEXT
)
VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'release_suggest_wrapper';

CREATE FUNCTION "lkc_privacy"(
	"quasi_identifier" TEXT[],
	"l" INT,
	"k" INT,
	"sensitive" TEXT DEFAULT NULL,
	"sensitive_values" TEXT[] DEFAULT NULL,
	"max_confidence" double precision DEFAULT 1,
	"person" TEXT DEFAULT NULL
) RETURNS privacy_model
IMMUTABLE PARALLEL SAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'lkc_privacy_wrapper';

CREATE FUNCTION "k_map"(
	"quasi_identifier" TEXT[],
	"k" INT,
	"population" regclass
) RETURNS privacy_model
STABLE PARALLEL SAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'k_map_wrapper';

-- 3. What they are for.

COMMENT ON TYPE privacy_model IS 'what a release has to keep: made by k_anonymity(), confidence_bound(), l_diversity(), t_closeness(), beta_likeness(), lkc_privacy(), k_map(); its text form is JSON';
COMMENT ON FUNCTION confidence_bound IS 'privacy templates <IC -> p, h>: of the rows that share a combination on the channel, at most a share h holds a sensitive value p';
COMMENT ON FUNCTION l_diversity IS 'every combination of released values on the columns goes with l well-represented sensitive values';
COMMENT ON FUNCTION t_closeness IS 'in every group the sensitive values are distributed as in the whole table, up to a distance of t';
COMMENT ON FUNCTION beta_likeness IS 'in every group no sensitive value is more frequent than in the whole table by more than beta times its share there';
COMMENT ON FUNCTION k_map IS 'every combination of released values on the columns is that of at least k rows of a population';
COMMENT ON FUNCTION lkc_privacy IS 'who knows at most l values of somebody finds at least k rows, or rows of at least k persons, and infers no sensitive value with more than a confidence';
COMMENT ON TYPE masking IS 'how a column is masked: made by by_taxonomy(), by_taxonomy_tree(), by_intervals(), by_suppression(), by_prefix(), by_calendar(), by_network(), and of kept columns by rounded(), top_coded(), microaggregated(); its text form is JSON';
COMMENT ON FUNCTION rounded IS 'a kept column is shown in multiples of a step; dates and timestamps become the begin of their bin';
COMMENT ON FUNCTION top_coded IS 'the values of a kept column above a bound are shown as their mean';
COMMENT ON FUNCTION microaggregated IS 'the values of a kept column are shown as means of at least m rows that are alike on all masked columns';
COMMENT ON FUNCTION release_functions IS 'let a role call every function that an owner of releases needs';
COMMENT ON FUNCTION release_query_error IS 'how far off counts, sums and means are that a reader gets from a release, by random queries or given ones';
COMMENT ON FUNCTION release_measures IS 'information loss and utility of what is published';
COMMENT ON FUNCTION release_risk IS 'the risk of being found again in a release, for several attackers';
COMMENT ON FUNCTION release_report IS 'a release as a page of HTML, for its owner or for a recipient';
COMMENT ON FUNCTION release_drift IS 'how a release has changed from version to version';
COMMENT ON FUNCTION release_changes IS 'what two versions of a release tell of the rows that came between them, left and stayed: every model, measured on each';
COMMENT ON FUNCTION release_compare IS 'what a query gives on the source of a release and on the release, key by key';
COMMENT ON FUNCTION releases IS 'the releases of this database that the caller may read, by their manifest or their view';
COMMENT ON FUNCTION release_suggest IS 'the ways there are to search, tried on one reading of the source and ranked by how far off counts over each release would be';
COMMENT ON FUNCTION privacy_columns IS 'what each column singles out by itself and with others, what part it seems to play, and how it could be masked';

COMMENT ON FUNCTION pda_anonymize IS 'disclose values progressively out of full suppression as long as the templates hold, and publish the next version of a release';
COMMENT ON FUNCTION tds_anonymize IS 'search top-down for the most useful generalization that keeps the privacy models, and publish it as the next version of a release';
COMMENT ON FUNCTION kmember_anonymize IS 'cluster rows into groups of at least k, generalize each to what it has in common, and publish the next version of a release';
COMMENT ON FUNCTION tds_steps IS 'the steps that tds_anonymize would take; nothing is written';
COMMENT ON FUNCTION tds_tradeoff IS 'what tds_anonymize would release with each of several k; the source is read once, nothing is written';
COMMENT ON FUNCTION release_refresh IS 'make the next version of a release over its source as it is now, with the steps of its last search, by a new one, or by whichever loses little';
COMMENT ON FUNCTION release_refresh_all IS 'refresh every release that the caller may, for schedulers; one that fails does not stop the others';
COMMENT ON FUNCTION release_alter IS 'make the next version of a release by a new search, with some of its arguments changed';
