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
