//! Manifests forged in every field.

use super::{hostile, on_release, Hostile};

/// What mallory does to the manifest.
const FORGED: &[(&str, &str)] = &[
    ("its version is 0", "UPDATE rel_private.manifest SET version = 0"),
    ("its version is negative", "UPDATE rel_private.manifest SET version = -2147483648"),
    ("its version is the last", "UPDATE rel_private.manifest SET version = 2147483647"),
    ("it is empty", "DELETE FROM rel_private.manifest"),
    ("it has many rows", "INSERT INTO rel_private.manifest SELECT i, created_at, source, parameters, rows, achieved, extension_version, i % 2 = 0 FROM rel_private.manifest, generate_series(2, 2000) i"),
    ("it has the same version twice", "ALTER TABLE rel_private.manifest DROP CONSTRAINT manifest_pkey, DROP CONSTRAINT manifest_current_version_key; INSERT INTO rel_private.manifest SELECT * FROM rel_private.manifest"),
    ("its columns are NULL", "ALTER TABLE rel_private.manifest DROP CONSTRAINT manifest_pkey, ALTER version DROP NOT NULL; UPDATE rel_private.manifest SET version = NULL, created_at = NULL, source = NULL, parameters = NULL, rows = NULL, achieved = NULL, extension_version = NULL, current = NULL"),
    ("some columns are NULL", "ALTER TABLE rel_private.manifest ADD CHECK (true); INSERT INTO rel_private.manifest SELECT 2, NULL, source, parameters, NULL, NULL, NULL, NULL FROM rel_private.manifest"),
    ("its types are others", "DROP VIEW rel.people, rel.cut, rel.about; ALTER TABLE rel_private.manifest ALTER version TYPE bigint, ALTER rows TYPE text, ALTER parameters TYPE text"),
    ("its types are domains", "DROP DOMAIN IF EXISTS evil.d; CREATE DOMAIN evil.d AS jsonb CHECK (evil.bait('domain')); DROP VIEW rel.about; ALTER TABLE rel_private.manifest ALTER parameters TYPE evil.d"),
    ("its columns are in another order", "ALTER TABLE rel_private.manifest RENAME version TO x; ALTER TABLE rel_private.manifest RENAME rows TO version; ALTER TABLE rel_private.manifest RENAME x TO rows"),
    ("a column was dropped and made anew", "ALTER TABLE rel_private.manifest DROP extension_version CASCADE; ALTER TABLE rel_private.manifest ADD extension_version text DEFAULT 'x'"),
    ("no version is current", "UPDATE rel_private.manifest SET current = false"),
    ("whether it is current is not said", "UPDATE rel_private.manifest SET current = NULL"),
    ("a version is current that is not there", "INSERT INTO rel_private.manifest SELECT 7, created_at, source, parameters, rows, achieved, extension_version, true FROM rel_private.manifest; UPDATE rel_private.manifest SET current = version = 7"),
    ("its time is infinite", "UPDATE rel_private.manifest SET created_at = 'infinity', rows = -9223372036854775808, extension_version = repeat('x', 100000)"),
    ("its source is no name", "UPDATE rel_private.manifest SET source = E'\"; DROP SCHEMA evil; --\\n.{}'"),
    ("its source is empty", "UPDATE rel_private.manifest SET source = ''"),
    ("its source is deep", "UPDATE rel_private.manifest SET source = repeat('a.', 10000) || 'b'"),
    ("its source is a catalog", "UPDATE rel_private.manifest SET source = 'pg_catalog.pg_authid'"),
    ("its source is a table of the release", "UPDATE rel_private.manifest SET source = 'rel_private.manifest'"),
    ("its source would be a version", "UPDATE rel_private.manifest SET source = 'evil.rows_v1'"),
];

/// What mallory puts into `parameters`: a path of keys and a value, as jsonb.
const PARAMETERS: &[(&str, &str)] = &[
    ("{}", "null"),
    ("{}", "1e308"),
    ("{}", "[]"),
    ("{}", "{}"),
    ("{}", "\"x\""),
    ("{privacy}", "null"),
    ("{privacy}", "[]"),
    ("{privacy}", "[null]"),
    ("{privacy}", "{}"),
    ("{privacy}", "[{\"unknown\": {}}]"),
    ("{privacy}", r#"[{"k_anonymity": {"quasi_identifier": [], "k": 3}}]"#),
    ("{privacy}", r#"[{"k_anonymity": {"quasi_identifier": ["city"], "k": -1}}]"#),
    ("{privacy}", r#"[{"k_anonymity": {"quasi_identifier": ["city", "city"], "k": 2147483648}}]"#),
    ("{privacy}", r#"[{"k_anonymity": {"quasi_identifier": ["\"; SELECT evil.bait('x'); --"], "k": 2}}]"#),
    ("{privacy}", r#"[{"k_anonymity": {"quasi_identifier": ["ctid", "tableoid", "xmin"], "k": 2}}]"#),
    ("{privacy}", r#"[{"k_anonymity": {"quasi_identifier": ["city"], "k": 1e400}}]"#),
    (
        "{privacy}",
        r#"[{"confidence_bound": {"inference_channel": ["city"], "sensitive": "kind", "sensitive_values": ["q", "", "'; --"], "max_confidence": 1}}]"#,
    ),
    (
        "{privacy}",
        r#"[{"confidence_bound": {"inference_channel": ["kind"], "sensitive": "illness", "sensitive_values": [], "max_confidence": -1e308}}]"#,
    ),
    (
        "{privacy}",
        r#"[{"l_diversity": {"quasi_identifier": ["city"], "sensitive": "kind", "l": -1, "kind": "recursive", "c": 1e-320}}]"#,
    ),
    (
        "{privacy}",
        r#"[{"l_diversity": {"quasi_identifier": ["city"], "sensitive": "city", "l": 1e300, "kind": "entropy", "c": null}}]"#,
    ),
    (
        "{privacy}",
        r#"[{"t_closeness": {"quasi_identifier": ["age"], "sensitive": "note", "t": 9, "distance": "ordered"}}]"#,
    ),
    ("{view}", "null"),
    ("{view}", "7"),
    ("{view}", "\"\""),
    ("{view}", "\"manifest\""),
    ("{view}", "\"cut\""),
    ("{view}", "\"counts\""),
    ("{view}", "\"nothing\""),
    ("{view}", r#""\"; SELECT evil.bait('x'); --""#),
    ("{source_columns}", "null"),
    ("{source_columns}", "[{\"name\": \"city\", \"type\": \"evil.d\"}]"),
    ("{withheld}", "1e30"),
    ("{withheld}", "-9223372036854775809"),
    ("{trace}", "2147483648"),
    ("{steps_dropped}", "\"x\""),
    ("{weaker}", "{}"),
    ("{recoding}", "\"local\""),
    ("{recoding}", "7"),
    ("{masking}", r#"[{"by_taxonomy": {"column_name": "city", "taxonomy": "evil.bait('x')"}}]"#),
    ("{columns}", "null"),
    ("{columns}", "[]"),
    ("{columns}", "[null]"),
    ("{columns}", "7"),
    ("{columns,0,name}", r#""\"; SELECT evil.bait('x'); --""#),
    ("{columns,0,name}", "\"ctid\""),
    ("{columns,0,name}", "\"\""),
    ("{columns,0,name}", "\"illness\""),
    ("{columns,0,masked}", "\"intervals\""),
    ("{columns,0,masked}", "\"suppression\""),
    ("{columns,0,masked}", "\"unknown\""),
    ("{columns,1,masked}", "\"taxonomy\""),
    ("{columns,1,type}", "\"evil.d[]\""),
    ("{columns,1,type}", "\"text; SELECT 1\""),
    ("{columns,1,type}", "\"interval\""),
    ("{columns,1,type}", "\"timetz\""),
    ("{columns,1,type}", "null"),
    ("{columns,1,lower}", "\"{q}\""),
    ("{columns,1,lower}", "\"NaN\""),
    ("{columns,1,upper}", "\"-1e400\""),
    ("{columns,1,upper}", "17"),
    ("{columns,1,nulls}", "true"),
    ("{columns,0,nulls}", "true"),
    ("{columns,1,non_uniform_entropy}", "1e308"),
    ("{columns,1,non_uniform_entropy}", "-1e400"),
    ("{class}", "\"ctid\""),
    ("{class}", "\"'; --\""),
    ("{class}", "[]"),
    ("{class}", "\"age\""),
    ("{suppressed}", "7"),
    ("{suppressed}", "\"\""),
    ("{intervals}", "\"range\""),
    ("{intervals}", "\"bounds\""),
    ("{k}", "-1"),
    ("{unknown}", "{\"a\": []}"),
];

pub fn forged() -> Vec<Hostile> {
    let plain = FORGED.iter().map(|(name, sql)| (name.to_string(), sql.to_string()));
    let parameters = PARAMETERS.iter().map(|(path, value)| {
        let set = if *path == "{}" {
            format!("'{}'", quoted(value))
        } else {
            format!("jsonb_set(parameters, '{path}', '{}')", quoted(value))
        };
        (
            format!("its parameters have {path} = {value}"),
            format!("UPDATE rel_private.manifest SET parameters = {set}"),
        )
    });
    let deep = [("arrays", "[", "]"), ("objects", "{\"a\":", "}")].map(|(name, open, close)| {
        let value = format!("(repeat('{open}', 6000) || '1' || repeat('{close}', 6000))::jsonb");
        (format!("its parameters are deep in {name}"), format!("UPDATE rel_private.manifest SET parameters = parameters || jsonb_build_object('columns', {value}, 'privacy', {value}, 'class', {value})"))
    });
    let all = plain.chain(parameters).chain(deep);
    all.map(|(name, sql)| Hostile {
        matters: on_release,
        ..hostile(&format!("the manifest is forged: {name}"), &[("mallory", &sql)])
    })
    .collect()
}

fn quoted(text: &str) -> String {
    text.replace('\'', "''")
}
