//! The source and the taxonomies are hostile: views over functions, policies, index predicates,
//! statistics, children. PostgreSQL runs these for a plain SELECT too, with the rights of whoever
//! selects: so they only try to leave something behind.

use super::{hostile, on_source, Hostile};

/// A name, and what mallory does.
const CASES: &[(&str, &str)] = &[
    ("the source is a view that calls a function for each row",
     "ALTER TABLE evil.people RENAME TO plain; CREATE VIEW evil.people AS SELECT * FROM evil.plain WHERE age < 19 OR evil.mild('view')"),
    ("the source is a view that calls a function for a column",
     "ALTER TABLE evil.people RENAME TO plain; CREATE VIEW evil.people AS SELECT city, age, kind, CASE WHEN age < 19 OR evil.mild('view') THEN illness END AS illness, note FROM evil.plain"),
    ("the source is a view with the rights of its reader",
     "ALTER TABLE evil.people RENAME TO plain; CREATE VIEW evil.people WITH (security_invoker) AS SELECT * FROM evil.plain WHERE age < 19 OR evil.mild('view')"),
    ("the source is a function that returns rows",
     "ALTER TABLE evil.people RENAME TO plain; CREATE FUNCTION evil.rows() RETURNS SETOF evil.plain LANGUAGE plpgsql AS $$BEGIN PERFORM evil.mild('rows'); RETURN QUERY SELECT * FROM evil.plain; END$$;
      CREATE VIEW evil.people AS SELECT * FROM evil.rows()"),
    ("the source calls somebody else's function, which fails",
     "ALTER TABLE evil.people RENAME TO plain; CREATE VIEW evil.people AS SELECT * FROM evil.plain WHERE dora.refuses(city)"),
    ("the source catches somebody else's failure",
     "ALTER TABLE evil.people RENAME TO plain; CREATE FUNCTION evil.caught(text) RETURNS boolean LANGUAGE plpgsql AS $$BEGIN RETURN dora.refuses($1); EXCEPTION WHEN OTHERS THEN RETURN evil.mild('caught'); END$$;
      CREATE VIEW evil.people AS SELECT * FROM evil.plain WHERE age < 19 OR evil.caught(city)"),
    ("the source fails in the middle",
     "ALTER TABLE evil.people RENAME TO plain; CREATE VIEW evil.people AS SELECT city, 10 / (age - 7) AS age, kind, illness, note FROM evil.plain"),
    ("the source alters itself",
     "ALTER TABLE evil.people RENAME TO plain; CREATE FUNCTION evil.alters() RETURNS boolean LANGUAGE plpgsql AS $$BEGIN EXECUTE 'ALTER TABLE evil.plain ADD COLUMN IF NOT EXISTS more int'; RETURN true; END$$;
      CREATE VIEW evil.people AS SELECT * FROM evil.plain WHERE evil.alters()"),
    ("the source calls the extension",
     "ALTER TABLE evil.people RENAME TO plain; CREATE FUNCTION evil.calls() RETURNS boolean LANGUAGE plpgsql AS $$BEGIN PERFORM public.releases(); PERFORM public.release_verify('rel');
        PERFORM evil.try('SELECT public.release_drop(''rel'')'); PERFORM public.tds_steps('evil.plain', ARRAY[public.k_anonymity(ARRAY['age'], 2)]); RETURN evil.mild('calls'); END$$;
      CREATE VIEW evil.people AS SELECT * FROM evil.plain WHERE age > 18 OR evil.calls()"),
    ("the source has an index whose predicate is a function",
     "CREATE INDEX ON evil.people (age) WHERE evil.calm_mild('predicate'); CREATE INDEX ON evil.people ((evil.calm_mild(city)))"),
    ("the source has statistics over functions",
     "CREATE STATISTICS evil.s ON (evil.calm_mild(city)), (evil.calm_mild(illness)) FROM evil.people; ANALYZE evil.people"),
    ("the source has checks, defaults and rules",
     "ALTER TABLE evil.people ADD CHECK (evil.mild('check')), ALTER note SET DEFAULT evil.mild('default')::int;
      CREATE RULE r AS ON INSERT TO evil.people DO ALSO INSERT INTO evil.caught SELECT evil.mild('rule')::text"),
    ("the source has children",
     "CREATE TABLE evil.child (CHECK (evil.calm_mild('check'))) INHERITS (evil.people); CREATE INDEX ON evil.child (age) WHERE evil.calm_mild('child');
      INSERT INTO evil.child SELECT * FROM evil.people LIMIT 10"),
    ("the source is partitioned by a function",
     "ALTER TABLE evil.people RENAME TO plain; CREATE TABLE evil.people (LIKE evil.plain) PARTITION BY LIST ((evil.calm_mild(city)));
      CREATE TABLE evil.part PARTITION OF evil.people FOR VALUES IN (true); INSERT INTO evil.people SELECT * FROM evil.plain"),
    ("the source has policies for others",
     "CREATE POLICY p ON evil.people USING (evil.mild('policy')); ALTER TABLE evil.people ENABLE ROW LEVEL SECURITY"),
    ("the source has policies for everybody",
     "CREATE POLICY p ON evil.people USING (evil.mild('policy')); ALTER TABLE evil.people ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY"),
    ("a table below the source has policies",
     "CREATE POLICY p ON evil.people USING (evil.mild('policy')); ALTER TABLE evil.people ENABLE ROW LEVEL SECURITY; ALTER TABLE evil.people RENAME TO plain;
      CREATE VIEW evil.people WITH (security_invoker) AS SELECT * FROM evil.plain"),
    ("the source is a materialized view over a function",
     "ALTER TABLE evil.people RENAME TO plain; CREATE MATERIALIZED VIEW evil.people AS SELECT * FROM evil.plain WHERE evil.mild('matview'); CREATE INDEX ON evil.people (age) WHERE evil.calm_mild('predicate')"),
    ("the taxonomies are views over functions",
     "ALTER TABLE evil.tree RENAME TO plain; CREATE VIEW evil.tree AS SELECT * FROM evil.plain WHERE evil.mild('tree');
      ALTER TABLE evil.levels RENAME TO wide; CREATE VIEW evil.levels AS SELECT * FROM evil.wide WHERE evil.mild('levels')"),
    ("the taxonomies have columns of a domain",
     "CREATE DOMAIN evil.d AS text CHECK (evil.bait('check')); ALTER TABLE evil.tree ALTER child TYPE evil.d, ALTER parent TYPE evil.d; ALTER TABLE evil.tree ADD lower evil.d, ADD upper evil.d;
      ALTER TABLE evil.levels ALTER leaf TYPE evil.d, ALTER up TYPE evil.d"),
    ("the taxonomies have columns with casts",
     "CREATE TYPE evil.c AS ENUM ('any', 'xy', 'x', 'y', 'z'); ALTER TABLE evil.tree ALTER child TYPE evil.c USING child::evil.c, ALTER parent TYPE evil.c USING parent::evil.c;
      ALTER TABLE evil.levels ALTER leaf TYPE evil.c USING leaf::evil.c, ALTER up TYPE evil.c USING up::evil.c;
      CREATE FUNCTION evil.to_text(evil.c) RETURNS text LANGUAGE plpgsql AS $$BEGIN PERFORM evil.bait('cast'); RETURN 'x'; END$$; CREATE CAST (evil.c AS text) WITH FUNCTION evil.to_text(evil.c) AS IMPLICIT"),
    ("the taxonomies' bounds fail",
     "ALTER TABLE evil.tree ADD lower text DEFAULT 'q', ADD upper text DEFAULT '{'"),
    ("the taxonomies are broken",
     "INSERT INTO evil.tree VALUES ('any', 'x'), (NULL, NULL), ('x', 'x'), ('', ''), ('x', 'z'); UPDATE evil.levels SET up = leaf"),
    ("the taxonomies belong to the extension's own tables",
     "DROP TABLE evil.tree; CREATE VIEW evil.tree AS SELECT node AS child, parent FROM rel_private.taxonomy WHERE attribute = 'city' AND evil.mild('tree')"),
    ("names are hostile",
     r#"ALTER TABLE evil.people RENAME city TO "a""; DROP TABLE x; --"; ALTER TABLE evil.people RENAME note TO "$1"; ALTER TABLE evil.people ADD "city" text DEFAULT $$'; SELECT evil.bait('x'); --$$;
      ALTER TABLE evil.people ADD note text DEFAULT E'\\x00''"\n', ADD "ctid " int, ADD "{table}" int; UPDATE evil.people SET illness = E'\\''; --"{}[],*()' WHERE age = 3"#),
];

pub fn sources() -> Vec<Hostile> {
    let made = CASES.iter().map(|(name, sql)| {
        let install = format!("{sql}; GRANT SELECT ON ALL TABLES IN SCHEMA evil TO PUBLIC");
        Hostile { matters: on_source, ..hostile(name, &[("mallory", &install)]) }
    });
    made.collect()
}
