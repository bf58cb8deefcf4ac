//! What lies in the release is hostile: indexes, triggers, rules, policies, children and columns of its
//! tables, views in place of them. A superuser who works on it must lend mallory nothing.

use super::{hostile, on_release, Hostile};

/// What is done to each of the release's tables, `{t}`.
const TO_A_TABLE: &[(&str, &str)] = &[
    ("an index whose predicate is a bait", "CREATE INDEX ON {t} (version) WHERE evil.calm_bait('predicate'); CREATE INDEX ON {t} ((evil.calm_bait('index' || version)))"),
    ("statistics over a bait", "CREATE STATISTICS evil.s ON version, (evil.calm_bait('statistics' || version)) FROM {t}"),
    ("triggers", "CREATE TRIGGER t1 BEFORE INSERT OR DELETE OR UPDATE ON {t} FOR EACH ROW EXECUTE FUNCTION evil.trap();
        CREATE TRIGGER t2 AFTER INSERT OR DELETE OR TRUNCATE ON {t} EXECUTE FUNCTION evil.trap(); ALTER TABLE {t} ENABLE ALWAYS TRIGGER t1"),
    ("a deferred trigger", "CREATE CONSTRAINT TRIGGER t AFTER INSERT OR DELETE OR UPDATE ON {t} DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION evil.trap()"),
    ("a rule", "CREATE RULE r AS ON INSERT TO {t} DO ALSO SELECT evil.bait('rule')"),
    ("a rule instead", "CREATE RULE r AS ON INSERT TO {t} DO INSTEAD SELECT evil.bait('rule'); CREATE RULE r2 AS ON DELETE TO {t} DO INSTEAD NOTHING"),
    ("policies", "CREATE POLICY p ON {t} USING (evil.bait('policy')) WITH CHECK (evil.bait('check')); ALTER TABLE {t} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY"),
    ("checks and defaults", "ALTER TABLE {t} ADD CHECK (evil.bait('check')), ALTER version SET DEFAULT evil.bait('default')::int"),
    ("a column more", "ALTER TABLE {t} ADD COLUMN more text DEFAULT 'x'"),
    ("a generated column", "ALTER TABLE {t} ADD COLUMN more boolean GENERATED ALWAYS AS (evil.calm_bait('generated')) STORED"),
    ("a column less", "ALTER TABLE {t} DROP COLUMN version CASCADE"),
    ("a child", "CREATE TABLE evil.child (CHECK (evil.calm_bait('child'))) INHERITS ({t}); CREATE INDEX ON evil.child (version) WHERE evil.calm_bait('child')"),
    ("another owner", "GRANT CREATE ON SCHEMA rel_private TO thirdparty; GRANT ALL ON {t} TO thirdparty WITH GRANT OPTION"),
    ("been replaced by a view", "ALTER TABLE {t} RENAME TO was; CREATE VIEW {t} AS SELECT * FROM rel_private.was WHERE evil.bait('view')"),
    ("been replaced by a view that is written through", "ALTER TABLE {t} RENAME TO was; CREATE VIEW {t} AS SELECT * FROM rel_private.was WHERE evil.bait('view');
        CREATE TRIGGER t INSTEAD OF INSERT OR DELETE ON {t} FOR EACH ROW EXECUTE FUNCTION evil.trap()"),
    ("been replaced by a materialized view", "ALTER TABLE {t} RENAME TO was; CREATE MATERIALIZED VIEW {t} AS SELECT * FROM rel_private.was"),
    ("been replaced by a partitioned table", "ALTER TABLE {t} RENAME TO was; CREATE TABLE {t} (LIKE rel_private.was) PARTITION BY RANGE (version);
        CREATE TABLE rel_private.part PARTITION OF {t} (CHECK (evil.calm_bait('partition'))) DEFAULT; INSERT INTO {t} SELECT * FROM rel_private.was"),
    ("gone", "DROP TABLE {t} CASCADE"),
];

/// What is done to the release as a whole.
const TO_THE_RELEASE: &[(&str, &str)] = &[
    ("the view calls a bait", "CREATE OR REPLACE VIEW rel.people AS SELECT city, age, kind, illness, note FROM rel_private.rows_v1 WHERE evil.bait('view')"),
    ("the view calls a bait for its columns", "CREATE OR REPLACE VIEW rel.people AS SELECT CASE WHEN evil.bait('view') THEN city END AS city, age, kind, illness, note FROM rel_private.rows_v1"),
    ("the view runs as its reader", "CREATE OR REPLACE VIEW rel.people WITH (security_invoker) AS SELECT city, age, kind, illness, note FROM rel_private.rows_v1 WHERE evil.bait('view')"),
    ("the view drops the release", "CREATE FUNCTION evil.drops() RETURNS boolean LANGUAGE plpgsql AS $$BEGIN PERFORM evil.try('DROP SCHEMA rel, rel_private CASCADE'); PERFORM evil.try('ALTER TABLE rel_private.cuts_v0 ADD more int');
        PERFORM evil.try('DROP TABLE rel_private.taxonomy_v0 CASCADE'); RETURN true; END$$; CREATE OR REPLACE VIEW rel.people AS SELECT city, age, kind, illness, note FROM rel_private.rows_v1 WHERE evil.drops()"),
    ("the view calls somebody else's function, which fails", "CREATE OR REPLACE VIEW rel.people AS SELECT city, age, kind, illness, note FROM rel_private.rows_v1 WHERE dora.refuses(city)"),
    ("the view catches somebody else's failure", "CREATE FUNCTION evil.caught(text) RETURNS boolean LANGUAGE plpgsql AS $$BEGIN RETURN dora.refuses($1); EXCEPTION WHEN OTHERS THEN RETURN evil.bait('caught'); END$$;
        CREATE OR REPLACE VIEW rel.people AS SELECT city, age, kind, illness, note FROM rel_private.rows_v1 WHERE evil.caught(city)"),
    ("the view calls the extension", "CREATE FUNCTION evil.calls() RETURNS boolean LANGUAGE plpgsql AS $$BEGIN PERFORM public.releases(); PERFORM evil.try('SELECT public.release_drop(''rel'')');
        PERFORM evil.try('SELECT public.release_risk(''rel'')'); RETURN evil.bait('calls'); END$$; CREATE OR REPLACE VIEW rel.people AS SELECT city, age, kind, illness, note FROM rel_private.rows_v1 WHERE age <> 'x' OR evil.calls()"),
    ("the view has other types", "DROP VIEW rel.people; CREATE VIEW rel.people AS SELECT 1 AS city, ARRAY[age] AS age, kind::text::json AS kind, illness::bytea AS illness, note FROM rel_private.rows_v1 WHERE false"),
    ("the view has a domain", "CREATE DOMAIN evil.d AS text CHECK (evil.bait('check')); DROP VIEW rel.people; CREATE VIEW rel.people AS SELECT city::evil.d, age::evil.d, kind, illness::evil.d, note FROM rel_private.rows_v1"),
    ("the view has a type with casts", "CREATE TYPE evil.c AS (a text); CREATE FUNCTION evil.to_text(evil.c) RETURNS text LANGUAGE plpgsql AS $$BEGIN PERFORM evil.bait('cast'); RETURN 'x'; END$$;
        CREATE CAST (evil.c AS text) WITH FUNCTION evil.to_text(evil.c) AS IMPLICIT; DROP VIEW rel.people; CREATE VIEW rel.people AS SELECT ROW(city)::evil.c AS city, ROW(age)::evil.c AS age, kind, ROW(illness)::evil.c AS illness, note FROM rel_private.rows_v1"),
    ("the view is a table", "DROP VIEW rel.people; CREATE TABLE rel.people AS SELECT * FROM rel_private.rows_v1; CREATE INDEX ON rel.people (city) WHERE evil.calm_bait('predicate')"),
    ("the view has rules and triggers", "CREATE RULE r AS ON INSERT TO rel.people DO ALSO SELECT evil.bait('rule')"),
    ("the view is gone", "DROP VIEW rel.people"),
    ("somebody's view is on the view", "CREATE VIEW evil.built AS SELECT * FROM rel.people WHERE evil.bait('built'); CREATE MATERIALIZED VIEW evil.also AS SELECT * FROM rel_private.rows_v1"),
    ("the next version is there already", "CREATE TABLE rel_private.rows_v2 (city text)"),
    ("the next version is a view", "CREATE VIEW rel_private.rows_v2 AS SELECT evil.bait('v2') AS city"),
    ("the version's table has an index on a bait", "CREATE INDEX ON rel_private.rows_v1 (city) WHERE evil.calm_bait('predicate'); CREATE STATISTICS evil.s ON (evil.calm_bait(city)), (evil.calm_bait(age)) FROM rel_private.rows_v1; ANALYZE rel_private.rows_v1"),
    ("the version's table has policies", "CREATE POLICY p ON rel_private.rows_v1 USING (evil.bait('policy')); ALTER TABLE rel_private.rows_v1 ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY"),
    ("the version's table is a view", "ALTER TABLE rel_private.rows_v1 RENAME TO was; CREATE VIEW rel_private.rows_v1 AS SELECT * FROM rel_private.was WHERE evil.bait('v1')"),
    ("the table of all versions has a child with a bait", "CREATE TABLE evil.child PARTITION OF rel_private.rows_v0 (CHECK (evil.calm_bait('child'))) DEFAULT; CREATE INDEX ON evil.child (city) WHERE evil.calm_bait('child')"),
    ("the table of all versions has the next version already", "CREATE TABLE rel_private.stranger PARTITION OF rel_private.rows_v0 FOR VALUES IN (2)"),
    ("the table of all versions has an index on a bait", "CREATE INDEX ON rel_private.rows_v0 (city) WHERE evil.calm_bait('predicate'); CREATE INDEX ON rel_private.rows_v0 ((evil.calm_bait(city)))"),
    ("the table of all versions has triggers", "CREATE TRIGGER t1 BEFORE INSERT OR DELETE OR UPDATE ON rel_private.rows_v0 FOR EACH ROW EXECUTE FUNCTION evil.trap(); CREATE TRIGGER t2 AFTER INSERT ON rel_private.rows_v0 EXECUTE FUNCTION evil.trap()"),
    ("the table of all versions has checks and defaults", "ALTER TABLE rel_private.rows_v0 ADD CHECK (evil.bait('check')), ALTER city SET DEFAULT evil.bait('default')::text, ALTER version SET DEFAULT evil.bait('default')::int"),
    ("the table of all versions has policies", "CREATE POLICY p ON rel_private.rows_v0 USING (evil.bait('policy')) WITH CHECK (evil.bait('check')); ALTER TABLE rel_private.rows_v0 ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY"),
    ("the table of all versions has a rule", "CREATE RULE r AS ON INSERT TO rel_private.rows_v0 DO ALSO SELECT evil.bait('rule')"),
    ("the table of all versions has columns more and less", "ALTER TABLE rel_private.rows_v0 ADD COLUMN more evil.e DEFAULT 'a'; ALTER TABLE rel_private.rows_v0 DROP COLUMN note CASCADE"),
    ("the table of all versions has a generated column", "ALTER TABLE rel_private.rows_v0 ADD COLUMN more boolean GENERATED ALWAYS AS (evil.calm_bait('generated')) STORED"),
    ("the table of all versions has other types", "DROP VIEW rel.people, rel.cut, rel.about; ALTER TABLE rel_private.rows_v0 ALTER city TYPE int USING 7"),
    ("the table of all versions is a view", "ALTER TABLE rel_private.rows_v0 RENAME TO was; CREATE VIEW rel_private.rows_v0 AS SELECT * FROM rel_private.was WHERE evil.bait('v0')"),
    ("the table of all versions is partitioned by a bait", "ALTER TABLE rel_private.rows_v0 RENAME TO was; CREATE TABLE rel_private.rows_v0 (LIKE rel_private.was) PARTITION BY LIST (evil.calm_bait(version::text)); CREATE TABLE rel_private.part PARTITION OF rel_private.rows_v0 DEFAULT"),
    ("the table of all versions is gone", "DROP TABLE rel_private.rows_v0 CASCADE"),
    ("the version is detached", "ALTER TABLE rel_private.rows_v0 DETACH PARTITION rel_private.rows_v1"),
    ("about and cut call baits", "CREATE OR REPLACE VIEW rel.about AS SELECT 'rel'::text AS release, version, created_at, rows, NULL::bigint AS withheld, parameters AS privacy, NULL::text AS class, NULL::text[] AS masked, NULL::text AS suppressed, extension_version, NULL::text AS recoding, NULL::text[] AS means, NULL::bool AS counts, NULL::jsonb AS query_error FROM rel_private.manifest WHERE evil.bait('about');
        CREATE OR REPLACE VIEW rel.cut AS SELECT * FROM rel_private.cuts WHERE evil.bait('cut')"),
    ("about and cut are tables", "DROP VIEW rel.about, rel.cut; CREATE TABLE rel.about AS SELECT 1 AS version; CREATE TABLE rel.cut AS SELECT * FROM rel_private.cuts"),
    ("cuts is another view", "CREATE OR REPLACE VIEW rel_private.cuts AS SELECT 1 AS version, 'age'::text AS attribute, 'x'::text AS node, '1e400'::text AS lower, evil.bait('cuts')::text AS upper, NULL::bigint AS records"),
    ("taxonomy and steps are other views", "DROP VIEW rel_private.taxonomy, rel_private.steps; CREATE VIEW rel_private.taxonomy AS SELECT 1 AS version, 'city'::text AS attribute, 'x' AS node, NULL::text AS parent, NULL::text AS lower, NULL::text AS upper, 0 AS depth, evil.bait('taxonomy') AS in_cut;
        CREATE VIEW rel_private.steps AS SELECT evil.bait('steps') AS version"),
    ("taxonomy is endless and of other types", "DROP VIEW rel_private.taxonomy; CREATE VIEW rel_private.taxonomy AS SELECT 1 AS version, 'city'::text AS attribute, i AS node, i - 1 AS parent, i AS lower, i::float8 AS upper, i::text AS depth, 'x' AS in_cut FROM generate_series(1, 100) i"),
    ("taxonomy is a circle", "DROP VIEW rel_private.taxonomy; CREATE VIEW rel_private.taxonomy AS SELECT 1 AS version, 'city'::text AS attribute, 'x'::text AS node, 'x'::text AS parent, NULL::text AS lower, NULL::text AS upper, d AS depth, true AS in_cut FROM unnest(ARRAY[-2147483648, -1, 0, 1, 2, 2147483647, NULL]) d"),
    ("the cut is hostile", "UPDATE rel_private.cuts_v0 SET lowers = ARRAY['{'], uppers = ARRAY['NaN', NULL, '{'], nodes = NULL, records = ARRAY[-1]; INSERT INTO rel_private.cuts_v0 SELECT NULL, -2147483648, attribute, ARRAY[repeat('x', 100000)], ARRAY['1e400'], ARRAY['''; --'], NULL FROM rel_private.cuts_v0"),
    ("somebody's objects are in the schema", "CREATE FUNCTION rel.unnest(text[]) RETURNS text LANGUAGE sql AS 'SELECT NULL::text'; CREATE TYPE rel.text AS (a int); CREATE SEQUENCE rel.manifest_pkey2; GRANT CREATE ON SCHEMA rel TO PUBLIC; CREATE FUNCTION rel_private.unnest(text[]) RETURNS text LANGUAGE sql AS 'SELECT NULL::text'; CREATE TYPE rel_private.text AS (a int); GRANT CREATE ON SCHEMA rel_private TO PUBLIC"),
    ("the schema has been granted with everything", "GRANT ALL ON SCHEMA rel, rel_private TO thirdparty WITH GRANT OPTION; GRANT ALL ON ALL TABLES IN SCHEMA rel, rel_private TO thirdparty WITH GRANT OPTION; GRANT SELECT (city) ON rel.people TO thirdparty"),
    ("the source is another table", "DROP TABLE evil.people; CREATE TABLE evil.people (city int, age text, kind int, illness int, note text); GRANT SELECT ON evil.people TO PUBLIC"),
    ("the source is gone", "DROP TABLE evil.people"),
];

pub fn releases() -> Vec<Hostile> {
    let mut all = Vec::new();
    for (table, bare) in [
        ("rel_private.manifest", "manifest"),
        ("rel_private.cuts_v0", "cuts_v0"),
        ("rel_private.taxonomy_v0", "taxonomy_v0"),
        ("rel_private.steps_v0", "steps_v0"),
        ("rel_private.key_v0", "key_v0"),
    ] {
        for (name, sql) in TO_A_TABLE {
            // These are written as the others are.
            if ["rel_private.steps_v0", "rel_private.key_v0"].contains(&table)
                && !name.contains("trigger")
                && !name.contains("rule")
                && !name.contains("view")
            {
                continue;
            }
            all.push(made(&format!("{bare} has {name}"), &sql.replace("{t}", table)));
        }
    }
    all.extend(TO_THE_RELEASE.iter().map(|(name, sql)| made(name, sql)));
    all
}

fn made(name: &str, sql: &str) -> Hostile {
    let install = format!("{sql}; GRANT USAGE ON SCHEMA rel_private TO PUBLIC; GRANT SELECT ON ALL TABLES IN SCHEMA rel, rel_private, evil TO PUBLIC");
    // What mallory's own function drops with her own rights is hers to drop.
    let alters = sql.contains("evil.drops");
    Hostile { matters: on_release, alters, ..hostile(name, &[("mallory", &install)]) }
}
