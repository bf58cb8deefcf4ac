CREATE TYPE masking;

CREATE FUNCTION "masking_in"(
	"input" cstring
) RETURNS masking
IMMUTABLE PARALLEL SAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'masking_in_wrapper';

CREATE FUNCTION "masking_out"(
	"input" masking
) RETURNS cstring
IMMUTABLE STRICT PARALLEL SAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'masking_out_wrapper';

CREATE TYPE masking (
	INTERNALLENGTH = variable,
	INPUT = masking_in,
	OUTPUT = masking_out,
	STORAGE = extended
);

CREATE TYPE privacy_model;

CREATE FUNCTION "privacy_model_in"(
	"input" cstring
) RETURNS privacy_model
IMMUTABLE PARALLEL SAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'privacy_model_in_wrapper';

CREATE FUNCTION "privacy_model_out"(
	"input" privacy_model
) RETURNS cstring
IMMUTABLE STRICT PARALLEL SAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'privacy_model_out_wrapper';

CREATE TYPE privacy_model (
	INTERNALLENGTH = variable,
	INPUT = privacy_model_in,
	OUTPUT = privacy_model_out,
	STORAGE = extended
);

CREATE FUNCTION "beta_likeness"(
	"quasi_identifier" TEXT[],
	"sensitive" TEXT,
	"beta" double precision,
	"person" TEXT DEFAULT NULL
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

CREATE FUNCTION "by_suppression"(
	"column_name" TEXT
) RETURNS masking
IMMUTABLE PARALLEL SAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'by_suppression_wrapper';

CREATE FUNCTION "by_taxonomy"(
	"column_name" TEXT,
	"taxonomy" regclass
) RETURNS masking
STABLE PARALLEL SAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'by_taxonomy_wrapper';

CREATE FUNCTION "by_taxonomy_tree"(
	"column_name" TEXT,
	"taxonomy" jsonb
) RETURNS masking
IMMUTABLE PARALLEL SAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'by_taxonomy_tree_wrapper';

CREATE FUNCTION "coarsest"(
	"masking" masking,
	"depth" INT
) RETURNS masking
IMMUTABLE PARALLEL SAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'coarsest_wrapper';

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

CREATE FUNCTION "finest"(
	"masking" masking,
	"depth" INT
) RETURNS masking
IMMUTABLE PARALLEL SAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'finest_wrapper';

CREATE FUNCTION "k_anonymity"(
	"quasi_identifier" TEXT[],
	"k" INT,
	"person" TEXT DEFAULT NULL
) RETURNS privacy_model
IMMUTABLE PARALLEL SAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'k_anonymity_wrapper';

CREATE FUNCTION "k_map"(
	"quasi_identifier" TEXT[],
	"k" INT,
	"population" regclass
) RETURNS privacy_model
STABLE PARALLEL SAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'k_map_wrapper';

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

CREATE FUNCTION "maskings"(
	"one" masking
) RETURNS masking[]
IMMUTABLE STRICT PARALLEL SAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'maskings_wrapper';

CREATE FUNCTION "microaggregated"(
	"column_name" TEXT,
	"m" INT
) RETURNS masking
IMMUTABLE PARALLEL SAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'microaggregated_wrapper';

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

CREATE FUNCTION "privacy_check"(
	"source" regclass,
	"privacy" privacy_model[]
) RETURNS TABLE (
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
AS 'MODULE_PATHNAME', 'privacy_check_wrapper';

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

CREATE FUNCTION "privacy_from_labels"(
	"source" regclass,
	"k" INT
) RETURNS privacy_model[]
STABLE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'privacy_from_labels_wrapper';

CREATE FUNCTION "privacy_inferences"(
	"source" regclass,
	"template" privacy_model,
	"min_confidence" double precision DEFAULT 0
) RETURNS TABLE (
	"channel" jsonb,
	"sensitive_value" TEXT,
	"support" bigint,
	"matches" bigint,
	"confidence" double precision
)
VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'privacy_inferences_wrapper';

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

CREATE FUNCTION "release_drop"(
	"release" name
) RETURNS void
VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'release_drop_wrapper';

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

CREATE FUNCTION "release_functions"(
	"grantee" name
) RETURNS void
VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'release_functions_wrapper';

CREATE FUNCTION "release_grant"(
	"release" name,
	"grantee" name
) RETURNS void
VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'release_grant_wrapper';

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

CREATE FUNCTION "release_report"(
	"release" name,
	"audience" TEXT DEFAULT 'owner',
	"sampling_fraction" double precision DEFAULT NULL
) RETURNS TEXT
VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'release_report_wrapper';

CREATE FUNCTION "release_revoke"(
	"release" name,
	"grantee" name
) RETURNS void
VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'release_revoke_wrapper';

CREATE FUNCTION "release_rewind"(
	"release" name,
	"step" INT
) RETURNS jsonb
VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'release_rewind_wrapper';

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

CREATE FUNCTION "release_verify"(
	"release" name
) RETURNS TABLE (
	"model" privacy_model,
	"required" double precision,
	"achieved" double precision,
	"holds" bool
)
VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'release_verify_wrapper';

CREATE FUNCTION "releases"() RETURNS TABLE (
	"release" name,
	"source" TEXT,
	"version" INT,
	"created_at" timestamp with time zone,
	"rows" bigint,
	"view" name,
	"waiting" bigint,
	"lingering" bigint,
	"refreshed_at" timestamp with time zone,
	"failed_at" timestamp with time zone,
	"error" TEXT
)
STRICT VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'releases_wrapper';

CREATE FUNCTION "rounded"(
	"column_name" TEXT,
	"step" TEXT
) RETURNS masking
IMMUTABLE PARALLEL SAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'rounded_wrapper';

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

CREATE FUNCTION "taxonomy_build"(
	"source" regclass,
	"column_name" TEXT,
	"method" TEXT,
	"options" jsonb DEFAULT '{}'
) RETURNS TABLE (
	"child" TEXT,
	"parent" TEXT,
	"lower" TEXT,
	"upper" TEXT
)
VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'taxonomy_build_wrapper';

CREATE FUNCTION "taxonomy_check"(
	"taxonomy" regclass,
	"source" regclass,
	"column_name" TEXT
) RETURNS TABLE (
	"problem" TEXT,
	"value" TEXT
)
VOLATILE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'taxonomy_check_wrapper';

CREATE FUNCTION "taxonomy_from_levels"(
	"levels" regclass
) RETURNS TABLE (
	"child" TEXT,
	"parent" TEXT
)
STABLE PARALLEL UNSAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'taxonomy_from_levels_wrapper';

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

CREATE FUNCTION "top_coded"(
	"column_name" TEXT,
	"upper" TEXT DEFAULT NULL
) RETURNS masking
IMMUTABLE PARALLEL SAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'top_coded_wrapper';

CREATE FUNCTION "weighted"(
	"masking" masking,
	"weight" double precision
) RETURNS masking
IMMUTABLE PARALLEL SAFE
LANGUAGE c
AS 'MODULE_PATHNAME', 'weighted_wrapper';

-- src/api/release.rs:62
-- pg_topdown::api::release::release_refresh_all
CREATE PROCEDURE "release_refresh_all"(
	"mode" TEXT DEFAULT 'replay'
)
LANGUAGE c
AS 'MODULE_PATHNAME', 'release_refresh_all_wrapper';

-- src/lib.rs:24
-- finalize
-- What the generator cannot say: who may call what, and what each function is for. Names without
-- arguments: where somebody has put another function of the name into the schema, this fails.

REVOKE EXECUTE ON ROUTINE tds_anonymize, pda_anonymize, kmember_anonymize, release_refresh, release_refresh_all, release_alter,
  release_rewind, release_apply, release_grant, release_revoke, release_drop FROM PUBLIC;

-- Who creates the extension need not be a superuser, who then owns its functions: to call and to hand on is for the database's
-- owner, too, whoever that is at the time. No role is named that a dump would have to find where it is restored.
GRANT EXECUTE ON ROUTINE tds_anonymize, pda_anonymize, kmember_anonymize, release_refresh, release_refresh_all, release_alter,
  release_rewind, release_apply, release_grant, release_revoke, release_drop TO pg_database_owner WITH GRANT OPTION;

CREATE CAST (privacy_model AS privacy_model[]) WITH FUNCTION privacy_models(privacy_model) AS IMPLICIT;
CREATE CAST (masking AS masking[]) WITH FUNCTION maskings(masking) AS IMPLICIT;
COMMENT ON CAST (privacy_model AS privacy_model[]) IS 'one model is an array of one';
COMMENT ON CAST (masking AS masking[]) IS 'one masking is an array of one';
COMMENT ON FUNCTION privacy_models IS 'an array of one model: privacy => k_anonymity(...)';
COMMENT ON FUNCTION maskings IS 'an array of one masking: masking => by_prefix(...)';

COMMENT ON TYPE privacy_model IS 'what a release has to keep: made by k_anonymity(), confidence_bound(), l_diversity(), t_closeness(), beta_likeness(), lkc_privacy(), k_map(); its text form is JSON';
COMMENT ON TYPE masking IS 'how a column is masked: made by by_taxonomy(), by_taxonomy_tree(), by_intervals(), by_suppression(), by_prefix(), by_calendar(), by_network(), and of kept columns by rounded(), top_coded(), microaggregated(); its text form is JSON';

COMMENT ON FUNCTION k_anonymity IS 'every combination of released values on the columns is shared by at least k rows, or by rows of at least k persons';
COMMENT ON FUNCTION confidence_bound IS 'privacy templates <IC -> p, h>: of the rows that share a combination on the channel, at most a share h holds a sensitive value p';
COMMENT ON FUNCTION l_diversity IS 'every combination of released values on the columns goes with l well-represented sensitive values';
COMMENT ON FUNCTION t_closeness IS 'in every group the sensitive values are distributed as in the whole table, up to a distance of t';
COMMENT ON FUNCTION beta_likeness IS 'in every group no sensitive value is more frequent than in the whole table by more than beta times its share there';
COMMENT ON FUNCTION k_map IS 'every combination of released values on the columns is that of at least k rows of a population';
COMMENT ON FUNCTION lkc_privacy IS 'who knows at most l values of somebody finds at least k rows, or rows of at least k persons, and infers no sensitive value with more than a confidence';
COMMENT ON FUNCTION by_taxonomy IS 'generalize a column along a taxonomy: a relation with columns child and parent';
COMMENT ON FUNCTION by_taxonomy_tree IS 'generalize a column along a taxonomy given as nested JSON';
COMMENT ON FUNCTION by_intervals IS 'generalize a continuous column to intervals that are split during the search; the bounds are the domain''s';
COMMENT ON FUNCTION by_suppression IS 'suppress a column; single values are disclosed';
COMMENT ON FUNCTION by_prefix IS 'generalize codes to how they begin; the rest is shown as a star a character';
COMMENT ON FUNCTION by_calendar IS 'generalize dates and timestamps to units of the calendar that they are in';
COMMENT ON FUNCTION by_network IS 'generalize addresses to the networks that they are in';
COMMENT ON FUNCTION rounded IS 'a kept column is shown in multiples of a step; dates and timestamps become the begin of their bin';
COMMENT ON FUNCTION top_coded IS 'the values of a kept column above a bound are shown as their mean';
COMMENT ON FUNCTION microaggregated IS 'the values of a kept column are shown as means of at least m rows that are alike on all masked columns';
COMMENT ON FUNCTION weighted IS 'a masking, the gain of whose refinements counts so many times in the score';
COMMENT ON FUNCTION coarsest IS 'a masking, whose column is released at least as specific as a depth of its hierarchy';
COMMENT ON FUNCTION finest IS 'a masking, whose column is released at most as specific as a depth of its hierarchy';
COMMENT ON FUNCTION tds_anonymize IS 'search top-down for the most useful generalization that keeps the privacy models, and publish it as the next version of a release';
COMMENT ON FUNCTION tds_steps IS 'the steps that tds_anonymize would take; nothing is written';
COMMENT ON FUNCTION pda_anonymize IS 'disclose values progressively out of full suppression as long as the templates hold, and publish the next version of a release';
COMMENT ON FUNCTION privacy_check IS 'how any table or view stands to privacy models as it is';
COMMENT ON FUNCTION privacy_from_labels IS 'k-anonymity over the columns that security labels call quasi-identifiers';
COMMENT ON FUNCTION tds_tradeoff IS 'what tds_anonymize would release with each of several k; the source is read once, nothing is written';
COMMENT ON FUNCTION release_suggest IS 'the ways there are to search, tried on one reading of the source and ranked by how far off counts over each release would be';
COMMENT ON FUNCTION privacy_columns IS 'what each column singles out by itself and with others, what part it seems to play, and how it could be masked';
COMMENT ON FUNCTION privacy_keys IS 'which combinations of columns single rows out, the most dangerous first: what to name as quasi-identifier';
COMMENT ON FUNCTION privacy_inferences IS 'the inferences of a template with a confidence above a bound';
COMMENT ON FUNCTION kmember_anonymize IS 'cluster rows into groups of at least k, generalize each to what it has in common, and publish the next version of a release';
COMMENT ON FUNCTION taxonomy_build IS 'a taxonomy over the distinct values of a numerical column: iotf, otf, han, chu, equal_width, equal_frequency or breakpoints';
COMMENT ON FUNCTION release_measures IS 'information loss and utility of what is published';
COMMENT ON FUNCTION release_query_error IS 'how far off counts, sums and means are that a reader gets from a release, by random queries or given ones';
COMMENT ON FUNCTION release_risk IS 'the risk of being found again in a release, for several attackers';
COMMENT ON FUNCTION taxonomy_from_levels IS 'the rows of a taxonomy from a wide table: leaf, level 1, level 2, ..., root';
COMMENT ON FUNCTION taxonomy_to_levels IS 'a taxonomy as a wide table: leaf, level 1, level 2, ..., root';
COMMENT ON FUNCTION taxonomy_of IS 'the rows of the taxonomy that a masking has over the values of a source';
COMMENT ON FUNCTION taxonomy_check IS 'what keeps a relation from being a taxonomy for a column; no rows if nothing does';
COMMENT ON FUNCTION release_verify IS 'recount every privacy model of a release with plain SQL, on what is published';
COMMENT ON FUNCTION release_assert IS 'recount every privacy model of a release, and fail if one does not hold';
COMMENT ON FUNCTION release_refresh IS 'make the next version of a release over its source as it is now, with the steps of its last search, by a new one, or by whichever loses little';
COMMENT ON PROCEDURE release_refresh_all IS 'refresh every release that the caller may, for schedulers: each in a transaction of its own; one that fails does not stop the others';
COMMENT ON FUNCTION release_alter IS 'make the next version of a release by a new search, with some of its arguments changed';
COMMENT ON FUNCTION release_rewind IS 'make the next version of a release as the search stood after a step';
COMMENT ON FUNCTION release_apply IS 'other rows, generalized by a release''s cut, into a new table of its owner''s that is published nowhere';
COMMENT ON FUNCTION release_drift IS 'how a release has changed from version to version';
COMMENT ON FUNCTION release_changes IS 'what two versions of a release tell of the rows that came between them, left and stayed: every model, measured on each';
COMMENT ON FUNCTION release_explain IS 'why each node of the cut of a release was not refined further';
COMMENT ON FUNCTION release_report IS 'a release as a page of HTML, for its owner or for a recipient';
COMMENT ON FUNCTION release_export IS 'a recipient''s copy of a release as plain SQL: view, cut and about as tables';
COMMENT ON FUNCTION release_grant IS 'let a role read the view, the cut and about of a release';
COMMENT ON FUNCTION release_revoke IS 'take back what release_grant gave';
COMMENT ON FUNCTION release_functions IS 'let a role call every function that an owner of releases needs';
COMMENT ON FUNCTION release_drop IS 'drop a release and its schemas';
COMMENT ON FUNCTION releases IS 'the releases of this database that the caller may read, by their manifest or their view';

-- Texts are handled as UTF-8: in a database of another encoding a call fails, and the extension is not created. It reads what nobody but
-- a superuser writes. Every argument is given, and of its own type: any other function would be somebody else's, and this script may run with
-- the rights of a superuser.
SELECT pg_catalog.count(*) FROM privacy_keys('pg_catalog.pg_am'::pg_catalog.regclass, NULL::pg_catalog.text[], 1::pg_catalog.int4, 1::pg_catalog.int4);
