//! The calls: for every function of the extension at least one that does its work on what mallory has.
//! A function that has none fails the test, so one that is added later comes with its calls.

/// What a call changes when it succeeds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Effect {
    /// Nothing, whatever it is called on.
    Nothing,
    /// The same, and it looks at no object at all but its arguments.
    Pure,
    /// A new release, called `made`, or a table `evil.applied`.
    Makes,
    /// The release `rel`.
    Changes,
}

/// A call of a function.
pub struct Call {
    pub function: &'static str,
    pub effect: Effect,
    /// Whether mallory may expect it to work where nothing is hostile.
    pub works: bool,
    /// The arguments, each with its name. Of the column `kind`, `:a` and `:c` are the least and the
    /// greatest value.
    pub arguments: &'static [(&'static str, &'static str)],
}

impl Call {
    pub fn sql(&self) -> String {
        self.with(self.arguments.iter().map(|(name, value)| (*name, value.to_string())))
    }

    /// The call with these arguments. The search path may be a hostile one: all is qualified.
    pub fn with<'a>(&self, arguments: impl Iterator<Item = (&'a str, String)>) -> String {
        let list: Vec<String> = arguments
            .map(|(name, value)| if name.is_empty() { value } else { format!("{name} => {value}") })
            .collect();
        let verb = if self.is_procedure() { "CALL" } else { "SELECT * FROM" };
        format!("{verb} public.{}({})", self.function, list.join(", "))
    }

    /// Whether it commits, and so works in no transaction of its caller's.
    pub fn is_procedure(&self) -> bool {
        self.function == "release_refresh_all"
    }
}

const MODELS: &str = "ARRAY[public.k_anonymity(ARRAY['city', 'age'], 3),
    public.confidence_bound(ARRAY['city', 'kind'], 'illness', NULL, 1), public.t_closeness(ARRAY['age'], 'kind', 1), public.beta_likeness(ARRAY['age'], 'kind', 99),
    public.lkc_privacy(ARRAY['city', 'kind', 'age'], 2, 1, 'illness', NULL, 1)]";
const MASKING: &str =
    "ARRAY[public.by_taxonomy('city', 'evil.tree'), public.by_intervals('age', '0', '100')]";
const PERSONS: &str =
    "ARRAY[public.k_anonymity(ARRAY['city', 'age'], 2, 'kind'), public.k_anonymity(ARRAY['city'], 1, 'note'),
    public.confidence_bound(ARRAY['age'], 'illness', NULL, 1, 'kind')]";
const PEOPLE: (&str, &str) = ("source", "'evil.people'");
const REL: (&str, &str) = ("release", "'rel'");
const MADE: (&str, &str) = ("release", "'made'");

use Effect::{Changes, Makes, Nothing, Pure};

const fn call(
    function: &'static str,
    effect: Effect,
    works: bool,
    arguments: &'static [(&'static str, &'static str)],
) -> Call {
    Call { function, effect, works, arguments }
}

/// Calls that end a release come last: they are committed.
pub const CALLS: &[Call] = &[
    call("k_anonymity", Pure, true, &[("quasi_identifier", "ARRAY['city']"), ("k", "3")]),
    call("k_anonymity", Pure, true, &[("quasi_identifier", "ARRAY['city']"), ("k", "3"), ("person", "'kind'")]),
    call(
        "confidence_bound",
        Pure,
        true,
        &[
            ("inference_channel", "ARRAY['city']"),
            ("sensitive", "'kind'"),
            ("sensitive_values", "ARRAY[':a']"),
            ("max_confidence", "1"),
        ],
    ),
    call("l_diversity", Pure, true, &[("quasi_identifier", "ARRAY['city']"), ("sensitive", "'kind'"), ("l", "2"), ("kind", "'recursive'"), ("c", "2"), ("person", "'age'")]),
    call("confidence_bound", Pure, true, &[("inference_channel", "ARRAY['city']"), ("sensitive", "'kind'"), ("sensitive_values", "ARRAY[':a']"), ("max_confidence", "1"), ("person", "'age'")]),
    call("beta_likeness", Pure, true, &[("quasi_identifier", "ARRAY['city']"), ("sensitive", "'kind'"), ("beta", "2"), ("person", "'age'")]),
    call("t_closeness", Pure, true, &[("quasi_identifier", "ARRAY['city']"), ("sensitive", "'kind'"), ("t", "0.5"), ("person", "'age'")]),
    call("l_diversity", Pure, true, &[("quasi_identifier", "ARRAY['city']"), ("sensitive", "'kind'"), ("l", "2"), ("kind", "'entropy'")]),
    call("beta_likeness", Pure, true, &[("quasi_identifier", "ARRAY['city']"), ("sensitive", "'kind'"), ("beta", "2")]),
    call("lkc_privacy", Pure, true, &[("quasi_identifier", "ARRAY['city', 'age']"), ("l", "1"), ("k", "2"), ("sensitive", "'kind'"), ("sensitive_values", "ARRAY[':a']"), ("max_confidence", "1")]),
    call("lkc_privacy", Pure, true, &[("quasi_identifier", "ARRAY['city', 'age']"), ("l", "1"), ("k", "2"), ("person", "'kind'")]),
    call("k_map", Nothing, true, &[("quasi_identifier", "ARRAY['city', 'age']"), ("k", "1"), ("population", "'evil.people'")]),
    call("t_closeness", Pure, true, &[("quasi_identifier", "ARRAY['city']"), ("sensitive", "'kind'"), ("t", "0.5"), ("distance", "'ordered'")]),
    call("by_taxonomy", Nothing, true, &[("column_name", "'city'"), ("taxonomy", "'evil.tree'")]),
    call("by_taxonomy_tree", Pure, true, &[("column_name", "'city'"), ("taxonomy", r#"'{"any": {"xy": ["x", "y"], "z": []}}'"#)]),
    call("by_intervals", Pure, true, &[("column_name", "'kind'"), ("lower", "':a'"), ("upper", "':c'")]),
    call("by_suppression", Pure, true, &[("column_name", "'kind'")]),
    call("by_prefix", Pure, true, &[("column_name", "'kind'"), ("lengths", "'{1,3}'")]),
    call("by_calendar", Pure, true, &[("column_name", "'kind'"), ("units", "'{year,day}'")]),
    call("by_network", Pure, true, &[("column_name", "'kind'"), ("lengths", "'{8}'")]),
    call("weighted", Pure, true, &[("masking", "public.by_suppression('kind')"), ("weight", "2")]),
    call("coarsest", Pure, true, &[("masking", "public.by_prefix('kind')"), ("depth", "1")]),
    call("finest", Pure, true, &[("masking", "public.by_prefix('kind')"), ("depth", "1")]),
    call("rounded", Pure, true, &[("column_name", "'age'"), ("step", "'10'")]),
    call("top_coded", Pure, true, &[("column_name", "'age'"), ("upper", "'60'")]),
    call("microaggregated", Pure, true, &[("column_name", "'age'"), ("m", "3")]),
    call("maskings", Pure, true, &[("", "public.by_prefix('kind')")]),
    call("privacy_models", Pure, true, &[("", "public.k_anonymity(ARRAY['city'], 3)")]),
    call("privacy_model_in", Pure, true, &[("", r#"'{"k_anonymity":{"quasi_identifier":["city"],"k":3}}'"#)]),
    call("privacy_model_out", Pure, true, &[("", "public.k_anonymity(ARRAY['city'], 3)")]),
    call("masking_in", Pure, true, &[("", r#"'{"by_suppression":{"column_name":"city"}}'"#)]),
    call("masking_out", Pure, true, &[("", "public.by_taxonomy('city', 'evil.tree')")]),
    call("tds_steps", Nothing, true, &[PEOPLE, ("privacy", MODELS), ("class", "'illness'"), ("masking", MASKING), ("keep", "ARRAY['note']")]),
    call(
        "tds_steps",
        Nothing,
        true,
        &[
            PEOPLE,
            ("privacy", "ARRAY[public.k_anonymity(ARRAY['kind', 'city'], 2), public.l_diversity(ARRAY['age'], 'kind', 1), public.confidence_bound(ARRAY['city'], 'kind', ARRAY[':a'], 1)]"),
            ("masking", "ARRAY[public.by_intervals('kind', ':a', ':c'), public.by_suppression('city')]"),
        ],
    ),
    call("tds_steps", Nothing, true, &[PEOPLE, ("privacy", "ARRAY[public.k_anonymity(ARRAY['kind', 'city'], 2)]"), ("masking", "ARRAY[public.weighted(public.coarsest(public.by_prefix('kind', '{1,2}'), 1), 2), public.finest(public.by_prefix('city'), 1)]")]),
    call("tds_steps", Nothing, true, &[PEOPLE, ("privacy", PERSONS)]),
    call("privacy_from_labels", Nothing, false, &[PEOPLE, ("k", "3")]),
    call("tds_tradeoff", Nothing, true, &[PEOPLE, ("ks", "ARRAY[1, 2]"), ("privacy", MODELS), ("class", "'illness'"), ("masking", MASKING)]),
    call("tds_tradeoff", Nothing, true, &[PEOPLE, ("ks", "ARRAY[2, 1]"), ("privacy", PERSONS)]),
    call("privacy_check", Nothing, true, &[PEOPLE, ("privacy", MODELS)]),
    call("privacy_check", Nothing, true, &[PEOPLE, ("privacy", PERSONS)]),
    call(
        "privacy_check",
        Nothing,
        true,
        &[PEOPLE, ("privacy", "ARRAY[public.confidence_bound(ARRAY['city'], 'kind', ARRAY[':a'], 1), public.k_anonymity(ARRAY['kind'], 2), public.l_diversity(ARRAY['kind'], 'city', 1, 'recursive', 2), public.t_closeness(ARRAY['city'], 'kind', 1, 'ordered')]")],
    ),
    call(
        "privacy_inferences",
        Nothing,
        true,
        &[PEOPLE, ("template", "public.confidence_bound(ARRAY['kind', 'age'], 'illness', NULL, 1)"), ("min_confidence", "0.1")],
    ),
    call("privacy_inferences", Nothing, true, &[PEOPLE, ("template", "public.confidence_bound(ARRAY['city'], 'kind', ARRAY[':a'], 1)")]),
    call("release_suggest", Nothing, true, &[PEOPLE, ("privacy", MODELS), ("class", "'illness'"), ("masking", MASKING)]),
    call("release_suggest", Nothing, true, &[PEOPLE, ("privacy", PERSONS), ("max_withhold", "0.1")]),
    call("privacy_columns", Nothing, true, &[PEOPLE]),
    call("privacy_columns", Nothing, true, &[PEOPLE, ("k", "2")]),
    call("privacy_keys", Nothing, true, &[PEOPLE]),
    call("privacy_keys", Nothing, true, &[PEOPLE, ("columns", "ARRAY['kind', 'city']"), ("k", "2"), ("max_columns", "1")]),
    call("taxonomy_check", Nothing, true, &[("taxonomy", "'evil.tree'"), PEOPLE, ("column_name", "'city'")]),
    call("taxonomy_check", Nothing, true, &[("taxonomy", "'evil.tree'"), PEOPLE, ("column_name", "'kind'")]),
    call("taxonomy_from_levels", Nothing, true, &[("levels", "'evil.levels'")]),
    call("taxonomy_from_levels", Nothing, false, &[("levels", "'evil.people'")]),
    call("taxonomy_to_levels", Nothing, true, &[("taxonomy", "'evil.tree'")]),
    call("taxonomy_of", Nothing, true, &[("masking", "public.by_prefix('city')"), PEOPLE]),
    call("taxonomy_of", Nothing, true, &[("masking", "public.by_prefix('kind', '{1}')"), PEOPLE]),
    call("taxonomy_of", Nothing, true, &[("masking", "public.by_taxonomy('city', 'evil.tree')"), PEOPLE]),
    call("taxonomy_build", Nothing, true, &[PEOPLE, ("column_name", "'age'"), ("method", "'iotf'")]),
    call("taxonomy_build", Nothing, false, &[PEOPLE, ("column_name", "'kind'"), ("method", "'breakpoints'"), ("options", r#"'{"breakpoints": [[":a"]], "lower": ":a", "upper": ":c"}'"#)]),
    call("releases", Nothing, true, &[]),
    call("release_verify", Nothing, true, &[REL]),
    call("release_assert", Nothing, true, &[REL]),
    call("release_drift", Nothing, true, &[REL]),
    call("release_changes", Nothing, true, &[REL]),
    call("release_changes", Nothing, false, &[REL, ("by", "'shown'")]),
    call("release_explain", Nothing, true, &[REL]),
    call("release_report", Nothing, true, &[REL]),
    call("release_export", Nothing, true, &[REL]),
    call("release_refresh", Changes, true, &[REL, ("mode", "'replay'")]),
    call("release_refresh", Changes, false, &[REL, ("mode", "'auto'"), ("max_loss", "1")]),
    call("release_rewind", Changes, true, &[REL, ("step", "0")]),
    call("release_apply", Makes, true, &[REL, PEOPLE, ("target", "'evil.applied'")]),
    call("release_alter", Changes, true, &[REL, ("max_steps", "3")]),
    call("release_alter", Changes, false, &[REL, ("tell_error", "true")]),
    call("release_alter", Changes, false, &[REL, ("means", "ARRAY['age']"), ("allow_weaker", "true")]),
    call("release_alter", Changes, false, &[REL, ("counts", "true"), ("allow_weaker", "true")]),
    call("release_alter", Changes, true, &[REL, ("masking", "ARRAY[public.by_prefix('city')]"), ("unmask", "ARRAY['age']")]),
    call("release_measures", Nothing, true, &[REL]),
    call("release_query_error", Nothing, true, &[REL, ("count", "60"), ("seed", "2")]),
    call("release_query_error", Nothing, true, &[REL, ("queries", r#"'[{"where": {"age": "[1,3)", "city": ["x"]}}]'"#)]),
    call("release_risk", Nothing, true, &[REL, ("threshold", "0.3")]),
    call("release_risk", Nothing, true, &[REL, ("known", "ARRAY['city', 'note']")]),
    call("release_risk", Nothing, true, &[REL, ("known", "ARRAY['city', 'age']"), ("population", "'evil.people'")]),
    call("release_risk", Nothing, true, &[REL, ("sampling_fraction", "0.1")]),
    call("release_grant", Changes, true, &[REL, ("grantee", "'thirdparty'")]),
    call("release_functions", Nothing, false, &[("grantee", "'thirdparty'")]),
    call("release_revoke", Changes, true, &[REL, ("grantee", "'thirdparty'")]),
    call("tds_anonymize", Makes, true, &[PEOPLE, MADE, ("privacy", MODELS), ("class", "'illness'"), ("masking", MASKING), ("keep", "ARRAY['note']")]),
    call(
        "tds_anonymize",
        Makes,
        true,
        &[
            PEOPLE,
            MADE,
            ("privacy", "ARRAY[public.k_anonymity(ARRAY['age', 'kind'], 2), public.confidence_bound(ARRAY['city'], 'kind', ARRAY[':a'], 1)]"),
            ("masking", "ARRAY[public.by_suppression('kind')]"),
            ("intervals", "'range'"),
        ],
    ),
    call("tds_anonymize", Makes, true, &[PEOPLE, MADE, ("privacy", PERSONS), ("means", "ARRAY['age']"), ("counts", "true")]),
    call("tds_anonymize", Makes, true, &[PEOPLE, MADE, ("privacy", "public.k_map(ARRAY['city', 'age'], 2, 'evil.people')"), ("masking", MASKING)]),
    call("pda_anonymize", Makes, true, &[PEOPLE, MADE, ("templates", "ARRAY[public.confidence_bound(ARRAY['city', 'age'], 'kind', ARRAY[':a'], 1), public.confidence_bound(ARRAY['kind'], 'illness', NULL, 1)]"), ("class", "'illness'")]),
    call("kmember_anonymize", Makes, true, &[PEOPLE, MADE, ("quasi_identifier", "ARRAY['city', 'age', 'kind']"), ("k", "3"), ("masking", "ARRAY[public.by_taxonomy('city', 'evil.tree')]"), ("view", "'shown'"), ("means", "ARRAY['age']")]),
    call("tds_anonymize", Changes, true, &[PEOPLE, REL, ("privacy", MODELS), ("class", "'illness'"), ("masking", MASKING), ("keep", "ARRAY['note']")]),
    call("kmember_anonymize", Changes, false, &[PEOPLE, REL, ("quasi_identifier", "ARRAY['city', 'age', 'kind']"), ("k", "3"), ("keep", "ARRAY['note', 'illness']"), ("allow_weaker", "true")]),
    call("tds_anonymize", Changes, false, &[PEOPLE, REL, ("privacy", "ARRAY[public.k_anonymity(ARRAY['city', 'age'], 2), public.t_closeness(ARRAY['age'], 'kind', 1)]"), ("class", "'illness'"), ("keep", "ARRAY['note']"), ("view", "'people'"), ("allow_weaker", "true")]),
    call("pda_anonymize", Changes, false, &[PEOPLE, REL, ("templates", MODELS), ("class", "'illness'"), ("keep", "ARRAY['note']")]),
    call("release_refresh_all", Changes, true, &[("mode", "'auto'")]),
    call("release_drop", Changes, true, &[REL]),
];

/// The names of the functions that are called.
pub fn called() -> Vec<&'static str> {
    let mut names: Vec<&str> = CALLS.iter().map(|call| call.function).collect();
    names.sort_unstable();
    names.dedup();
    names
}
