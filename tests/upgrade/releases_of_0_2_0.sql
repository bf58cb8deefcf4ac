-- Releases as version 0.2.0 made them, with their tables: dumped from a server with it.
CREATE SCHEMA clusters;
COMMENT ON SCHEMA clusters IS 'release of src.people: k_anonymity';
CREATE SCHEMA groups;
COMMENT ON SCHEMA groups IS 'release of src.people: k_anonymity';
CREATE SCHEMA labels_held;
COMMENT ON SCHEMA labels_held IS 'release of src.people: k_anonymity';
CREATE SCHEMA leaves_held;
COMMENT ON SCHEMA leaves_held IS 'release of src.people: k_anonymity';
CREATE SCHEMA persons;
COMMENT ON SCHEMA persons IS 'release of src.people: k_anonymity';
CREATE SCHEMA plain;
COMMENT ON SCHEMA plain IS 'release of src.people: k_anonymity, confidence_bound';
CREATE SCHEMA src;
CREATE SCHEMA templates;
COMMENT ON SCHEMA templates IS 'release of src.people: k_anonymity, confidence_bound';
CREATE SCHEMA values_held;
COMMENT ON SCHEMA values_held IS 'release of src.people: k_anonymity';
CREATE TABLE clusters.manifest (
    version integer NOT NULL,
    created_at timestamp with time zone,
    source text,
    parameters jsonb,
    rows bigint,
    achieved jsonb,
    extension_version text,
    current boolean
)
WITH (autovacuum_vacuum_cost_delay='0');
COMMENT ON TABLE clusters.manifest IS 'what the release knows of its versions; the owner''s';
CREATE TABLE clusters.people_v0 (
    version integer NOT NULL,
    age text,
    city text,
    stays text
)
PARTITION BY LIST (version);
COMMENT ON TABLE clusters.people_v0 IS 'the rows of all versions, which are its partitions; the owner''s';
CREATE VIEW clusters.about WITH (security_barrier='true') AS
 SELECT ( SELECT ((n.nspname)::text COLLATE "default") AS nspname
           FROM (pg_class c
             JOIN pg_namespace n ON ((n.oid = c.relnamespace)))
          WHERE (c.oid = a.tableoid)) AS release,
    a.version,
    a.created_at,
    a.rows,
    ((a.parameters ->> 'withheld'::text))::bigint AS withheld,
    (a.parameters -> 'privacy'::text) AS privacy,
    (a.parameters ->> 'class'::text) AS class,
    ARRAY( SELECT (c.mask ->> 'name'::text)
           FROM jsonb_array_elements((a.parameters -> 'columns'::text)) WITH ORDINALITY c(mask, place)
          ORDER BY c.place) AS masked,
    (a.parameters ->> 'suppressed'::text) AS suppressed,
    a.extension_version
   FROM ONLY clusters.manifest a
  WHERE (a.version = ( SELECT m.version
           FROM ( SELECT manifest.version,
                    manifest.rows
                   FROM ONLY clusters.manifest
                  ORDER BY manifest.current DESC, manifest.version DESC
                 OFFSET 0) m
          WHERE ((m.rows = 0) OR ( SELECT true
                   FROM clusters.people_v0 r
                  WHERE (r.version = m.version)
                 LIMIT 1))
         LIMIT 1))
 OFFSET 0;
COMMENT ON VIEW clusters.about IS 'the release''s current version: when it was made, of how much, and what it keeps';
CREATE TABLE clusters.cuts_v0 (
    version integer,
    "position" integer,
    attribute text,
    nodes text[],
    lowers text[],
    uppers text[],
    records bigint[]
);
COMMENT ON TABLE clusters.cuts_v0 IS 'what the release knows of its versions; the owner''s';
CREATE VIEW clusters.cut WITH (security_barrier='true') AS
 SELECT t.version,
    t.attribute,
    n.node,
    n.lower,
    n.upper,
    n.records
   FROM ONLY clusters.cuts_v0 t,
    LATERAL UNNEST(t.nodes, t.lowers, t.uppers, t.records) WITH ORDINALITY n(node, lower, upper, records, place)
  WHERE (t.version = ( SELECT m.version
           FROM ( SELECT manifest.version,
                    manifest.rows
                   FROM ONLY clusters.manifest
                  ORDER BY manifest.current DESC, manifest.version DESC
                 OFFSET 0) m
          WHERE ((m.rows = 0) OR ( SELECT true
                   FROM clusters.people_v0 r
                  WHERE (r.version = m.version)
                 LIMIT 1))
         LIMIT 1))
  ORDER BY t."position", n.place
 OFFSET 0;
COMMENT ON VIEW clusters.cut IS 'what the masked columns of the release show, and how many rows each value has';
CREATE VIEW clusters.cuts AS
 SELECT t.version,
    t.attribute,
    n.node,
    n.lower,
    n.upper,
    n.records
   FROM ONLY clusters.cuts_v0 t,
    LATERAL UNNEST(t.nodes, t.lowers, t.uppers, t.records) WITH ORDINALITY n(node, lower, upper, records, place)
  ORDER BY t.version, t."position", n.place;
COMMENT ON VIEW clusters.cuts IS 'the cuts of all versions; the owner''s';
CREATE VIEW clusters.people AS
 SELECT
        CASE
            WHEN (people_v0.version = ( SELECT m.version
               FROM ( SELECT manifest.version,
                        manifest.rows
                       FROM ONLY clusters.manifest
                      ORDER BY manifest.current DESC, manifest.version DESC
                     OFFSET 0) m
              WHERE ((m.rows = 0) OR ( SELECT true
                       FROM clusters.people_v0 r
                      WHERE (r.version = m.version)
                     LIMIT 1))
             LIMIT 1)) THEN people_v0.age
            ELSE (NULL::clusters.people_v0).age
        END AS age,
        CASE
            WHEN (people_v0.version = ( SELECT m.version
               FROM ( SELECT manifest.version,
                        manifest.rows
                       FROM ONLY clusters.manifest
                      ORDER BY manifest.current DESC, manifest.version DESC
                     OFFSET 0) m
              WHERE ((m.rows = 0) OR ( SELECT true
                       FROM clusters.people_v0 r
                      WHERE (r.version = m.version)
                     LIMIT 1))
             LIMIT 1)) THEN people_v0.city
            ELSE (NULL::clusters.people_v0).city
        END AS city,
        CASE
            WHEN (people_v0.version = ( SELECT m.version
               FROM ( SELECT manifest.version,
                        manifest.rows
                       FROM ONLY clusters.manifest
                      ORDER BY manifest.current DESC, manifest.version DESC
                     OFFSET 0) m
              WHERE ((m.rows = 0) OR ( SELECT true
                       FROM clusters.people_v0 r
                      WHERE (r.version = m.version)
                     LIMIT 1))
             LIMIT 1)) THEN people_v0.stays
            ELSE (NULL::clusters.people_v0).stays
        END AS stays
   FROM clusters.people_v0
  WHERE (people_v0.version = ( SELECT m.version
           FROM ( SELECT manifest.version,
                    manifest.rows
                   FROM ONLY clusters.manifest
                  ORDER BY manifest.current DESC, manifest.version DESC
                 OFFSET 0) m
          WHERE ((m.rows = 0) OR ( SELECT true
                   FROM clusters.people_v0 r
                  WHERE (r.version = m.version)
                 LIMIT 1))
         LIMIT 1));
COMMENT ON VIEW clusters.people IS 'src.people, released by pg_topdown: k_anonymity';
COMMENT ON COLUMN clusters.people.age IS 'generalized to intervals';
COMMENT ON COLUMN clusters.people.city IS 'suppressed, or disclosed';
COMMENT ON COLUMN clusters.people.stays IS 'as it is in the source';
CREATE TABLE clusters.people_v1 (
    version integer NOT NULL,
    age text,
    city text,
    stays text,
    CONSTRAINT people_v1_version_check CHECK ((version = 1))
);
CREATE TABLE clusters.steps_v0 (
    version integer,
    steps integer[],
    attributes text[],
    nodes text[],
    children text[],
    records bigint[],
    info_gains double precision[],
    privacy_losses double precision[],
    scores double precision[],
    achieved text[],
    groups text[],
    splits text[]
);
COMMENT ON TABLE clusters.steps_v0 IS 'what the release knows of its versions; the owner''s';
CREATE VIEW clusters.steps AS
 SELECT t.version,
    s.step,
    s.attribute,
    s.node,
    (s.children)::text[] AS children,
    s.records,
    s.info_gain,
    s.privacy_loss,
    s.score,
    (s.achieved)::double precision[] AS achieved
   FROM ONLY clusters.steps_v0 t,
    LATERAL UNNEST(t.steps, t.attributes, t.nodes, t.children, t.records, t.info_gains, t.privacy_losses, t.scores, t.achieved, t.groups) s(step, attribute, node, children, records, info_gain, privacy_loss, score, achieved, refined);
COMMENT ON VIEW clusters.steps IS 'the refinements that the search performed, of all versions; the owner''s';
CREATE TABLE clusters.taxonomy_v0 (
    version integer,
    attribute text,
    nodes text[],
    parents text[],
    lowers text[],
    uppers text[],
    depths integer[],
    in_cut boolean[]
);
COMMENT ON TABLE clusters.taxonomy_v0 IS 'what the release knows of its versions; the owner''s';
CREATE VIEW clusters.taxonomy AS
 SELECT t.version,
    t.attribute,
    n.node,
    n.parent,
    n.lower,
    n.upper,
    n.depth,
    n.in_cut
   FROM ONLY clusters.taxonomy_v0 t,
    LATERAL UNNEST(t.nodes, t.parents, t.lowers, t.uppers, t.depths, t.in_cut) n(node, parent, lower, upper, depth, in_cut);
COMMENT ON VIEW clusters.taxonomy IS 'the trees that the masked columns were generalized along, of all versions; the owner''s';
CREATE TABLE clusters.values_v0 (
    version integer,
    attribute text,
    hashes bigint[]
);
COMMENT ON TABLE clusters.values_v0 IS 'what the release knows of its versions; the owner''s';
CREATE TABLE clusters.withheld_v0 (
    version integer,
    combinations text[]
);
COMMENT ON TABLE clusters.withheld_v0 IS 'what the release knows of its versions; the owner''s';
CREATE VIEW clusters.withheld AS
 SELECT t.version,
    (c.combination)::jsonb AS combination
   FROM ONLY clusters.withheld_v0 t,
    LATERAL unnest(t.combinations) WITH ORDINALITY c(combination, place)
  ORDER BY t.version, c.place;
COMMENT ON VIEW clusters.withheld IS 'the source values whose rows are withheld, and since which version; the owner''s';
CREATE TABLE groups.manifest (
    version integer NOT NULL,
    created_at timestamp with time zone,
    source text,
    parameters jsonb,
    rows bigint,
    achieved jsonb,
    extension_version text,
    current boolean
)
WITH (autovacuum_vacuum_cost_delay='0');
COMMENT ON TABLE groups.manifest IS 'what the release knows of its versions; the owner''s';
CREATE TABLE groups.people_v0 (
    version integer NOT NULL,
    age text,
    age_lo integer,
    age_hi integer,
    city text,
    zip text
)
PARTITION BY LIST (version);
COMMENT ON TABLE groups.people_v0 IS 'the rows of all versions, which are its partitions; the owner''s';
CREATE VIEW groups.about WITH (security_barrier='true') AS
 SELECT ( SELECT ((n.nspname)::text COLLATE "default") AS nspname
           FROM (pg_class c
             JOIN pg_namespace n ON ((n.oid = c.relnamespace)))
          WHERE (c.oid = a.tableoid)) AS release,
    a.version,
    a.created_at,
    a.rows,
    ((a.parameters ->> 'withheld'::text))::bigint AS withheld,
    (a.parameters -> 'privacy'::text) AS privacy,
    (a.parameters ->> 'class'::text) AS class,
    ARRAY( SELECT (c.mask ->> 'name'::text)
           FROM jsonb_array_elements((a.parameters -> 'columns'::text)) WITH ORDINALITY c(mask, place)
          ORDER BY c.place) AS masked,
    (a.parameters ->> 'suppressed'::text) AS suppressed,
    a.extension_version
   FROM ONLY groups.manifest a
  WHERE (a.version = ( SELECT m.version
           FROM ( SELECT manifest.version,
                    manifest.rows
                   FROM ONLY groups.manifest
                  ORDER BY manifest.current DESC, manifest.version DESC
                 OFFSET 0) m
          WHERE ((m.rows = 0) OR ( SELECT true
                   FROM groups.people_v0 r
                  WHERE (r.version = m.version)
                 LIMIT 1))
         LIMIT 1))
 OFFSET 0;
COMMENT ON VIEW groups.about IS 'the release''s current version: when it was made, of how much, and what it keeps';
CREATE TABLE groups.cuts_v0 (
    version integer,
    "position" integer,
    attribute text,
    nodes text[],
    lowers text[],
    uppers text[],
    records bigint[]
);
COMMENT ON TABLE groups.cuts_v0 IS 'what the release knows of its versions; the owner''s';
CREATE VIEW groups.cut WITH (security_barrier='true') AS
 SELECT t.version,
    t.attribute,
    n.node,
    n.lower,
    n.upper,
    n.records
   FROM ONLY groups.cuts_v0 t,
    LATERAL UNNEST(t.nodes, t.lowers, t.uppers, t.records) WITH ORDINALITY n(node, lower, upper, records, place)
  WHERE (t.version = ( SELECT m.version
           FROM ( SELECT manifest.version,
                    manifest.rows
                   FROM ONLY groups.manifest
                  ORDER BY manifest.current DESC, manifest.version DESC
                 OFFSET 0) m
          WHERE ((m.rows = 0) OR ( SELECT true
                   FROM groups.people_v0 r
                  WHERE (r.version = m.version)
                 LIMIT 1))
         LIMIT 1))
  ORDER BY t."position", n.place
 OFFSET 0;
COMMENT ON VIEW groups.cut IS 'what the masked columns of the release show, and how many rows each value has';
CREATE VIEW groups.cuts AS
 SELECT t.version,
    t.attribute,
    n.node,
    n.lower,
    n.upper,
    n.records
   FROM ONLY groups.cuts_v0 t,
    LATERAL UNNEST(t.nodes, t.lowers, t.uppers, t.records) WITH ORDINALITY n(node, lower, upper, records, place)
  ORDER BY t.version, t."position", n.place;
COMMENT ON VIEW groups.cuts IS 'the cuts of all versions; the owner''s';
CREATE VIEW groups.people AS
 SELECT
        CASE
            WHEN (people_v0.version = ( SELECT m.version
               FROM ( SELECT manifest.version,
                        manifest.rows
                       FROM ONLY groups.manifest
                      ORDER BY manifest.current DESC, manifest.version DESC
                     OFFSET 0) m
              WHERE ((m.rows = 0) OR ( SELECT true
                       FROM groups.people_v0 r
                      WHERE (r.version = m.version)
                     LIMIT 1))
             LIMIT 1)) THEN people_v0.age
            ELSE (NULL::groups.people_v0).age
        END AS age,
        CASE
            WHEN (people_v0.version = ( SELECT m.version
               FROM ( SELECT manifest.version,
                        manifest.rows
                       FROM ONLY groups.manifest
                      ORDER BY manifest.current DESC, manifest.version DESC
                     OFFSET 0) m
              WHERE ((m.rows = 0) OR ( SELECT true
                       FROM groups.people_v0 r
                      WHERE (r.version = m.version)
                     LIMIT 1))
             LIMIT 1)) THEN people_v0.age_lo
            ELSE (NULL::groups.people_v0).age_lo
        END AS age_lo,
        CASE
            WHEN (people_v0.version = ( SELECT m.version
               FROM ( SELECT manifest.version,
                        manifest.rows
                       FROM ONLY groups.manifest
                      ORDER BY manifest.current DESC, manifest.version DESC
                     OFFSET 0) m
              WHERE ((m.rows = 0) OR ( SELECT true
                       FROM groups.people_v0 r
                      WHERE (r.version = m.version)
                     LIMIT 1))
             LIMIT 1)) THEN people_v0.age_hi
            ELSE (NULL::groups.people_v0).age_hi
        END AS age_hi,
        CASE
            WHEN (people_v0.version = ( SELECT m.version
               FROM ( SELECT manifest.version,
                        manifest.rows
                       FROM ONLY groups.manifest
                      ORDER BY manifest.current DESC, manifest.version DESC
                     OFFSET 0) m
              WHERE ((m.rows = 0) OR ( SELECT true
                       FROM groups.people_v0 r
                      WHERE (r.version = m.version)
                     LIMIT 1))
             LIMIT 1)) THEN people_v0.city
            ELSE (NULL::groups.people_v0).city
        END AS city,
        CASE
            WHEN (people_v0.version = ( SELECT m.version
               FROM ( SELECT manifest.version,
                        manifest.rows
                       FROM ONLY groups.manifest
                      ORDER BY manifest.current DESC, manifest.version DESC
                     OFFSET 0) m
              WHERE ((m.rows = 0) OR ( SELECT true
                       FROM groups.people_v0 r
                      WHERE (r.version = m.version)
                     LIMIT 1))
             LIMIT 1)) THEN people_v0.zip
            ELSE (NULL::groups.people_v0).zip
        END AS zip
   FROM groups.people_v0
  WHERE (people_v0.version = ( SELECT m.version
           FROM ( SELECT manifest.version,
                    manifest.rows
                   FROM ONLY groups.manifest
                  ORDER BY manifest.current DESC, manifest.version DESC
                 OFFSET 0) m
          WHERE ((m.rows = 0) OR ( SELECT true
                   FROM groups.people_v0 r
                  WHERE (r.version = m.version)
                 LIMIT 1))
         LIMIT 1));
COMMENT ON VIEW groups.people IS 'src.people, released by pg_topdown: k_anonymity';
COMMENT ON COLUMN groups.people.age IS 'generalized to intervals';
COMMENT ON COLUMN groups.people.city IS 'generalized along a taxonomy';
COMMENT ON COLUMN groups.people.zip IS 'generalized along a taxonomy';
CREATE TABLE groups.people_v1 (
    version integer NOT NULL,
    age text,
    age_lo integer,
    age_hi integer,
    city text,
    zip text,
    CONSTRAINT people_v1_version_check CHECK ((version = 1))
);
CREATE TABLE groups.steps_v0 (
    version integer,
    steps integer[],
    attributes text[],
    nodes text[],
    children text[],
    records bigint[],
    info_gains double precision[],
    privacy_losses double precision[],
    scores double precision[],
    achieved text[],
    groups text[],
    splits text[]
);
COMMENT ON TABLE groups.steps_v0 IS 'what the release knows of its versions; the owner''s';
CREATE VIEW groups.steps AS
 SELECT t.version,
    s.step,
    s.attribute,
    s.node,
    (s.children)::text[] AS children,
    s.records,
    s.info_gain,
    s.privacy_loss,
    s.score,
    (s.achieved)::double precision[] AS achieved,
    (s.refined)::jsonb AS groups
   FROM ONLY groups.steps_v0 t,
    LATERAL UNNEST(t.steps, t.attributes, t.nodes, t.children, t.records, t.info_gains, t.privacy_losses, t.scores, t.achieved, t.groups) s(step, attribute, node, children, records, info_gain, privacy_loss, score, achieved, refined);
COMMENT ON VIEW groups.steps IS 'the refinements that the search performed, of all versions; the owner''s';
CREATE TABLE groups.taxonomy_v0 (
    version integer,
    attribute text,
    nodes text[],
    parents text[],
    lowers text[],
    uppers text[],
    depths integer[],
    in_cut boolean[]
);
COMMENT ON TABLE groups.taxonomy_v0 IS 'what the release knows of its versions; the owner''s';
CREATE VIEW groups.taxonomy AS
 SELECT t.version,
    t.attribute,
    n.node,
    n.parent,
    n.lower,
    n.upper,
    n.depth,
    n.in_cut
   FROM ONLY groups.taxonomy_v0 t,
    LATERAL UNNEST(t.nodes, t.parents, t.lowers, t.uppers, t.depths, t.in_cut) n(node, parent, lower, upper, depth, in_cut);
COMMENT ON VIEW groups.taxonomy IS 'the trees that the masked columns were generalized along, of all versions; the owner''s';
CREATE TABLE groups.values_v0 (
    version integer,
    attribute text,
    hashes bigint[]
);
COMMENT ON TABLE groups.values_v0 IS 'what the release knows of its versions; the owner''s';
CREATE TABLE groups.withheld_v0 (
    version integer,
    combinations text[]
);
COMMENT ON TABLE groups.withheld_v0 IS 'what the release knows of its versions; the owner''s';
CREATE VIEW groups.withheld AS
 SELECT t.version,
    (c.combination)::jsonb AS combination
   FROM ONLY groups.withheld_v0 t,
    LATERAL unnest(t.combinations) WITH ORDINALITY c(combination, place)
  ORDER BY t.version, c.place;
COMMENT ON VIEW groups.withheld IS 'the source values whose rows are withheld, and since which version; the owner''s';
CREATE TABLE labels_held.manifest (
    version integer NOT NULL,
    created_at timestamp with time zone,
    source text,
    parameters jsonb,
    rows bigint,
    achieved jsonb,
    extension_version text,
    current boolean
)
WITH (autovacuum_vacuum_cost_delay='0');
COMMENT ON TABLE labels_held.manifest IS 'what the release knows of its versions; the owner''s';
CREATE TABLE labels_held.people_v0 (
    version integer NOT NULL,
    zip text,
    illness text
)
PARTITION BY LIST (version);
COMMENT ON TABLE labels_held.people_v0 IS 'the rows of all versions, which are its partitions; the owner''s';
CREATE VIEW labels_held.about WITH (security_barrier='true') AS
 SELECT ( SELECT ((n.nspname)::text COLLATE "default") AS nspname
           FROM (pg_class c
             JOIN pg_namespace n ON ((n.oid = c.relnamespace)))
          WHERE (c.oid = a.tableoid)) AS release,
    a.version,
    a.created_at,
    a.rows,
    ((a.parameters ->> 'withheld'::text))::bigint AS withheld,
    (a.parameters -> 'privacy'::text) AS privacy,
    (a.parameters ->> 'class'::text) AS class,
    ARRAY( SELECT (c.mask ->> 'name'::text)
           FROM jsonb_array_elements((a.parameters -> 'columns'::text)) WITH ORDINALITY c(mask, place)
          ORDER BY c.place) AS masked,
    (a.parameters ->> 'suppressed'::text) AS suppressed,
    a.extension_version
   FROM ONLY labels_held.manifest a
  WHERE (a.version = ( SELECT m.version
           FROM ( SELECT manifest.version,
                    manifest.rows
                   FROM ONLY labels_held.manifest
                  ORDER BY manifest.current DESC, manifest.version DESC
                 OFFSET 0) m
          WHERE ((m.rows = 0) OR ( SELECT true
                   FROM labels_held.people_v0 r
                  WHERE (r.version = m.version)
                 LIMIT 1))
         LIMIT 1))
 OFFSET 0;
COMMENT ON VIEW labels_held.about IS 'the release''s current version: when it was made, of how much, and what it keeps';
CREATE TABLE labels_held.cuts_v0 (
    version integer,
    "position" integer,
    attribute text,
    nodes text[],
    lowers text[],
    uppers text[],
    records bigint[]
);
COMMENT ON TABLE labels_held.cuts_v0 IS 'what the release knows of its versions; the owner''s';
CREATE VIEW labels_held.cut WITH (security_barrier='true') AS
 SELECT t.version,
    t.attribute,
    n.node,
    n.lower,
    n.upper,
    n.records
   FROM ONLY labels_held.cuts_v0 t,
    LATERAL UNNEST(t.nodes, t.lowers, t.uppers, t.records) WITH ORDINALITY n(node, lower, upper, records, place)
  WHERE (t.version = ( SELECT m.version
           FROM ( SELECT manifest.version,
                    manifest.rows
                   FROM ONLY labels_held.manifest
                  ORDER BY manifest.current DESC, manifest.version DESC
                 OFFSET 0) m
          WHERE ((m.rows = 0) OR ( SELECT true
                   FROM labels_held.people_v0 r
                  WHERE (r.version = m.version)
                 LIMIT 1))
         LIMIT 1))
  ORDER BY t."position", n.place
 OFFSET 0;
COMMENT ON VIEW labels_held.cut IS 'what the masked columns of the release show, and how many rows each value has';
CREATE VIEW labels_held.cuts AS
 SELECT t.version,
    t.attribute,
    n.node,
    n.lower,
    n.upper,
    n.records
   FROM ONLY labels_held.cuts_v0 t,
    LATERAL UNNEST(t.nodes, t.lowers, t.uppers, t.records) WITH ORDINALITY n(node, lower, upper, records, place)
  ORDER BY t.version, t."position", n.place;
COMMENT ON VIEW labels_held.cuts IS 'the cuts of all versions; the owner''s';
CREATE VIEW labels_held.people AS
 SELECT
        CASE
            WHEN (people_v0.version = ( SELECT m.version
               FROM ( SELECT manifest.version,
                        manifest.rows
                       FROM ONLY labels_held.manifest
                      ORDER BY manifest.current DESC, manifest.version DESC
                     OFFSET 0) m
              WHERE ((m.rows = 0) OR ( SELECT true
                       FROM labels_held.people_v0 r
                      WHERE (r.version = m.version)
                     LIMIT 1))
             LIMIT 1)) THEN people_v0.zip
            ELSE (NULL::labels_held.people_v0).zip
        END AS zip,
        CASE
            WHEN (people_v0.version = ( SELECT m.version
               FROM ( SELECT manifest.version,
                        manifest.rows
                       FROM ONLY labels_held.manifest
                      ORDER BY manifest.current DESC, manifest.version DESC
                     OFFSET 0) m
              WHERE ((m.rows = 0) OR ( SELECT true
                       FROM labels_held.people_v0 r
                      WHERE (r.version = m.version)
                     LIMIT 1))
             LIMIT 1)) THEN people_v0.illness
            ELSE (NULL::labels_held.people_v0).illness
        END AS illness
   FROM labels_held.people_v0
  WHERE (people_v0.version = ( SELECT m.version
           FROM ( SELECT manifest.version,
                    manifest.rows
                   FROM ONLY labels_held.manifest
                  ORDER BY manifest.current DESC, manifest.version DESC
                 OFFSET 0) m
          WHERE ((m.rows = 0) OR ( SELECT true
                   FROM labels_held.people_v0 r
                  WHERE (r.version = m.version)
                 LIMIT 1))
         LIMIT 1));
COMMENT ON VIEW labels_held.people IS 'src.people, released by pg_topdown: k_anonymity';
COMMENT ON COLUMN labels_held.people.zip IS 'generalized along a taxonomy';
COMMENT ON COLUMN labels_held.people.illness IS 'as it is in the source';
CREATE TABLE labels_held.people_v1 (
    version integer NOT NULL,
    zip text,
    illness text,
    CONSTRAINT people_v1_version_check CHECK ((version = 1))
);
CREATE TABLE labels_held.steps_v0 (
    version integer,
    steps integer[],
    attributes text[],
    nodes text[],
    children text[],
    records bigint[],
    info_gains double precision[],
    privacy_losses double precision[],
    scores double precision[],
    achieved text[],
    groups text[],
    splits text[]
);
COMMENT ON TABLE labels_held.steps_v0 IS 'what the release knows of its versions; the owner''s';
CREATE VIEW labels_held.steps AS
 SELECT t.version,
    s.step,
    s.attribute,
    s.node,
    (s.children)::text[] AS children,
    s.records,
    s.info_gain,
    s.privacy_loss,
    s.score,
    (s.achieved)::double precision[] AS achieved
   FROM ONLY labels_held.steps_v0 t,
    LATERAL UNNEST(t.steps, t.attributes, t.nodes, t.children, t.records, t.info_gains, t.privacy_losses, t.scores, t.achieved, t.groups) s(step, attribute, node, children, records, info_gain, privacy_loss, score, achieved, refined);
COMMENT ON VIEW labels_held.steps IS 'the refinements that the search performed, of all versions; the owner''s';
CREATE TABLE labels_held.taxonomy_v0 (
    version integer,
    attribute text,
    nodes text[],
    parents text[],
    lowers text[],
    uppers text[],
    depths integer[],
    in_cut boolean[]
);
COMMENT ON TABLE labels_held.taxonomy_v0 IS 'what the release knows of its versions; the owner''s';
CREATE VIEW labels_held.taxonomy AS
 SELECT t.version,
    t.attribute,
    n.node,
    n.parent,
    n.lower,
    n.upper,
    n.depth,
    n.in_cut
   FROM ONLY labels_held.taxonomy_v0 t,
    LATERAL UNNEST(t.nodes, t.parents, t.lowers, t.uppers, t.depths, t.in_cut) n(node, parent, lower, upper, depth, in_cut);
COMMENT ON VIEW labels_held.taxonomy IS 'the trees that the masked columns were generalized along, of all versions; the owner''s';
CREATE TABLE labels_held.values_v0 (
    version integer,
    attribute text,
    hashes bigint[]
);
COMMENT ON TABLE labels_held.values_v0 IS 'what the release knows of its versions; the owner''s';
CREATE TABLE labels_held.withheld_v0 (
    version integer,
    combinations text[]
);
COMMENT ON TABLE labels_held.withheld_v0 IS 'what the release knows of its versions; the owner''s';
CREATE VIEW labels_held.withheld AS
 SELECT t.version,
    (c.combination)::jsonb AS combination
   FROM ONLY labels_held.withheld_v0 t,
    LATERAL unnest(t.combinations) WITH ORDINALITY c(combination, place)
  ORDER BY t.version, c.place;
COMMENT ON VIEW labels_held.withheld IS 'the source values whose rows are withheld, and since which version; the owner''s';
CREATE TABLE leaves_held.manifest (
    version integer NOT NULL,
    created_at timestamp with time zone,
    source text,
    parameters jsonb,
    rows bigint,
    achieved jsonb,
    extension_version text,
    current boolean
)
WITH (autovacuum_vacuum_cost_delay='0');
COMMENT ON TABLE leaves_held.manifest IS 'what the release knows of its versions; the owner''s';
CREATE TABLE leaves_held.people_v0 (
    version integer NOT NULL,
    zip text,
    illness text
)
PARTITION BY LIST (version);
COMMENT ON TABLE leaves_held.people_v0 IS 'the rows of all versions, which are its partitions; the owner''s';
CREATE VIEW leaves_held.about WITH (security_barrier='true') AS
 SELECT ( SELECT ((n.nspname)::text COLLATE "default") AS nspname
           FROM (pg_class c
             JOIN pg_namespace n ON ((n.oid = c.relnamespace)))
          WHERE (c.oid = a.tableoid)) AS release,
    a.version,
    a.created_at,
    a.rows,
    ((a.parameters ->> 'withheld'::text))::bigint AS withheld,
    (a.parameters -> 'privacy'::text) AS privacy,
    (a.parameters ->> 'class'::text) AS class,
    ARRAY( SELECT (c.mask ->> 'name'::text)
           FROM jsonb_array_elements((a.parameters -> 'columns'::text)) WITH ORDINALITY c(mask, place)
          ORDER BY c.place) AS masked,
    (a.parameters ->> 'suppressed'::text) AS suppressed,
    a.extension_version
   FROM ONLY leaves_held.manifest a
  WHERE (a.version = ( SELECT m.version
           FROM ( SELECT manifest.version,
                    manifest.rows
                   FROM ONLY leaves_held.manifest
                  ORDER BY manifest.current DESC, manifest.version DESC
                 OFFSET 0) m
          WHERE ((m.rows = 0) OR ( SELECT true
                   FROM leaves_held.people_v0 r
                  WHERE (r.version = m.version)
                 LIMIT 1))
         LIMIT 1))
 OFFSET 0;
COMMENT ON VIEW leaves_held.about IS 'the release''s current version: when it was made, of how much, and what it keeps';
CREATE TABLE leaves_held.cuts_v0 (
    version integer,
    "position" integer,
    attribute text,
    nodes text[],
    lowers text[],
    uppers text[],
    records bigint[]
);
COMMENT ON TABLE leaves_held.cuts_v0 IS 'what the release knows of its versions; the owner''s';
CREATE VIEW leaves_held.cut WITH (security_barrier='true') AS
 SELECT t.version,
    t.attribute,
    n.node,
    n.lower,
    n.upper,
    n.records
   FROM ONLY leaves_held.cuts_v0 t,
    LATERAL UNNEST(t.nodes, t.lowers, t.uppers, t.records) WITH ORDINALITY n(node, lower, upper, records, place)
  WHERE (t.version = ( SELECT m.version
           FROM ( SELECT manifest.version,
                    manifest.rows
                   FROM ONLY leaves_held.manifest
                  ORDER BY manifest.current DESC, manifest.version DESC
                 OFFSET 0) m
          WHERE ((m.rows = 0) OR ( SELECT true
                   FROM leaves_held.people_v0 r
                  WHERE (r.version = m.version)
                 LIMIT 1))
         LIMIT 1))
  ORDER BY t."position", n.place
 OFFSET 0;
COMMENT ON VIEW leaves_held.cut IS 'what the masked columns of the release show, and how many rows each value has';
CREATE VIEW leaves_held.cuts AS
 SELECT t.version,
    t.attribute,
    n.node,
    n.lower,
    n.upper,
    n.records
   FROM ONLY leaves_held.cuts_v0 t,
    LATERAL UNNEST(t.nodes, t.lowers, t.uppers, t.records) WITH ORDINALITY n(node, lower, upper, records, place)
  ORDER BY t.version, t."position", n.place;
COMMENT ON VIEW leaves_held.cuts IS 'the cuts of all versions; the owner''s';
CREATE VIEW leaves_held.people AS
 SELECT
        CASE
            WHEN (people_v0.version = ( SELECT m.version
               FROM ( SELECT manifest.version,
                        manifest.rows
                       FROM ONLY leaves_held.manifest
                      ORDER BY manifest.current DESC, manifest.version DESC
                     OFFSET 0) m
              WHERE ((m.rows = 0) OR ( SELECT true
                       FROM leaves_held.people_v0 r
                      WHERE (r.version = m.version)
                     LIMIT 1))
             LIMIT 1)) THEN people_v0.zip
            ELSE (NULL::leaves_held.people_v0).zip
        END AS zip,
        CASE
            WHEN (people_v0.version = ( SELECT m.version
               FROM ( SELECT manifest.version,
                        manifest.rows
                       FROM ONLY leaves_held.manifest
                      ORDER BY manifest.current DESC, manifest.version DESC
                     OFFSET 0) m
              WHERE ((m.rows = 0) OR ( SELECT true
                       FROM leaves_held.people_v0 r
                      WHERE (r.version = m.version)
                     LIMIT 1))
             LIMIT 1)) THEN people_v0.illness
            ELSE (NULL::leaves_held.people_v0).illness
        END AS illness
   FROM leaves_held.people_v0
  WHERE (people_v0.version = ( SELECT m.version
           FROM ( SELECT manifest.version,
                    manifest.rows
                   FROM ONLY leaves_held.manifest
                  ORDER BY manifest.current DESC, manifest.version DESC
                 OFFSET 0) m
          WHERE ((m.rows = 0) OR ( SELECT true
                   FROM leaves_held.people_v0 r
                  WHERE (r.version = m.version)
                 LIMIT 1))
         LIMIT 1));
COMMENT ON VIEW leaves_held.people IS 'src.people, released by pg_topdown: k_anonymity';
COMMENT ON COLUMN leaves_held.people.zip IS 'generalized along a taxonomy';
COMMENT ON COLUMN leaves_held.people.illness IS 'as it is in the source';
CREATE TABLE leaves_held.people_v1 (
    version integer NOT NULL,
    zip text,
    illness text,
    CONSTRAINT people_v1_version_check CHECK ((version = 1))
);
CREATE TABLE leaves_held.steps_v0 (
    version integer,
    steps integer[],
    attributes text[],
    nodes text[],
    children text[],
    records bigint[],
    info_gains double precision[],
    privacy_losses double precision[],
    scores double precision[],
    achieved text[],
    groups text[],
    splits text[]
);
COMMENT ON TABLE leaves_held.steps_v0 IS 'what the release knows of its versions; the owner''s';
CREATE VIEW leaves_held.steps AS
 SELECT t.version,
    s.step,
    s.attribute,
    s.node,
    (s.children)::text[] AS children,
    s.records,
    s.info_gain,
    s.privacy_loss,
    s.score,
    (s.achieved)::double precision[] AS achieved
   FROM ONLY leaves_held.steps_v0 t,
    LATERAL UNNEST(t.steps, t.attributes, t.nodes, t.children, t.records, t.info_gains, t.privacy_losses, t.scores, t.achieved, t.groups) s(step, attribute, node, children, records, info_gain, privacy_loss, score, achieved, refined);
COMMENT ON VIEW leaves_held.steps IS 'the refinements that the search performed, of all versions; the owner''s';
CREATE TABLE leaves_held.taxonomy_v0 (
    version integer,
    attribute text,
    nodes text[],
    parents text[],
    lowers text[],
    uppers text[],
    depths integer[],
    in_cut boolean[]
);
COMMENT ON TABLE leaves_held.taxonomy_v0 IS 'what the release knows of its versions; the owner''s';
CREATE VIEW leaves_held.taxonomy AS
 SELECT t.version,
    t.attribute,
    n.node,
    n.parent,
    n.lower,
    n.upper,
    n.depth,
    n.in_cut
   FROM ONLY leaves_held.taxonomy_v0 t,
    LATERAL UNNEST(t.nodes, t.parents, t.lowers, t.uppers, t.depths, t.in_cut) n(node, parent, lower, upper, depth, in_cut);
COMMENT ON VIEW leaves_held.taxonomy IS 'the trees that the masked columns were generalized along, of all versions; the owner''s';
CREATE TABLE leaves_held.values_v0 (
    version integer,
    attribute text,
    hashes bigint[]
);
COMMENT ON TABLE leaves_held.values_v0 IS 'what the release knows of its versions; the owner''s';
CREATE TABLE leaves_held.withheld_v0 (
    version integer,
    combinations text[]
);
COMMENT ON TABLE leaves_held.withheld_v0 IS 'what the release knows of its versions; the owner''s';
CREATE VIEW leaves_held.withheld AS
 SELECT t.version,
    (c.combination)::jsonb AS combination
   FROM ONLY leaves_held.withheld_v0 t,
    LATERAL unnest(t.combinations) WITH ORDINALITY c(combination, place)
  ORDER BY t.version, c.place;
COMMENT ON VIEW leaves_held.withheld IS 'the source values whose rows are withheld, and since which version; the owner''s';
CREATE TABLE persons.manifest (
    version integer NOT NULL,
    created_at timestamp with time zone,
    source text,
    parameters jsonb,
    rows bigint,
    achieved jsonb,
    extension_version text,
    current boolean
)
WITH (autovacuum_vacuum_cost_delay='0');
COMMENT ON TABLE persons.manifest IS 'what the release knows of its versions; the owner''s';
CREATE TABLE persons.people_v0 (
    version integer NOT NULL,
    age text,
    city text,
    patient_person integer
)
PARTITION BY LIST (version);
COMMENT ON TABLE persons.people_v0 IS 'the rows of all versions, which are its partitions; the owner''s';
CREATE VIEW persons.about WITH (security_barrier='true') AS
 SELECT ( SELECT ((n.nspname)::text COLLATE "default") AS nspname
           FROM (pg_class c
             JOIN pg_namespace n ON ((n.oid = c.relnamespace)))
          WHERE (c.oid = a.tableoid)) AS release,
    a.version,
    a.created_at,
    a.rows,
    ((a.parameters ->> 'withheld'::text))::bigint AS withheld,
    (a.parameters -> 'privacy'::text) AS privacy,
    (a.parameters ->> 'class'::text) AS class,
    ARRAY( SELECT (c.mask ->> 'name'::text)
           FROM jsonb_array_elements((a.parameters -> 'columns'::text)) WITH ORDINALITY c(mask, place)
          ORDER BY c.place) AS masked,
    (a.parameters ->> 'suppressed'::text) AS suppressed,
    a.extension_version
   FROM ONLY persons.manifest a
  WHERE (a.version = ( SELECT m.version
           FROM ( SELECT manifest.version,
                    manifest.rows
                   FROM ONLY persons.manifest
                  ORDER BY manifest.current DESC, manifest.version DESC
                 OFFSET 0) m
          WHERE ((m.rows = 0) OR ( SELECT true
                   FROM persons.people_v0 r
                  WHERE (r.version = m.version)
                 LIMIT 1))
         LIMIT 1))
 OFFSET 0;
COMMENT ON VIEW persons.about IS 'the release''s current version: when it was made, of how much, and what it keeps';
CREATE TABLE persons.cuts_v0 (
    version integer,
    "position" integer,
    attribute text,
    nodes text[],
    lowers text[],
    uppers text[],
    records bigint[]
);
COMMENT ON TABLE persons.cuts_v0 IS 'what the release knows of its versions; the owner''s';
CREATE VIEW persons.cut WITH (security_barrier='true') AS
 SELECT t.version,
    t.attribute,
    n.node,
    n.lower,
    n.upper,
    n.records
   FROM ONLY persons.cuts_v0 t,
    LATERAL UNNEST(t.nodes, t.lowers, t.uppers, t.records) WITH ORDINALITY n(node, lower, upper, records, place)
  WHERE (t.version = ( SELECT m.version
           FROM ( SELECT manifest.version,
                    manifest.rows
                   FROM ONLY persons.manifest
                  ORDER BY manifest.current DESC, manifest.version DESC
                 OFFSET 0) m
          WHERE ((m.rows = 0) OR ( SELECT true
                   FROM persons.people_v0 r
                  WHERE (r.version = m.version)
                 LIMIT 1))
         LIMIT 1))
  ORDER BY t."position", n.place
 OFFSET 0;
COMMENT ON VIEW persons.cut IS 'what the masked columns of the release show, and how many rows each value has';
CREATE VIEW persons.cuts AS
 SELECT t.version,
    t.attribute,
    n.node,
    n.lower,
    n.upper,
    n.records
   FROM ONLY persons.cuts_v0 t,
    LATERAL UNNEST(t.nodes, t.lowers, t.uppers, t.records) WITH ORDINALITY n(node, lower, upper, records, place)
  ORDER BY t.version, t."position", n.place;
COMMENT ON VIEW persons.cuts IS 'the cuts of all versions; the owner''s';
CREATE VIEW persons.people AS
 SELECT
        CASE
            WHEN (people_v0.version = ( SELECT m.version
               FROM ( SELECT manifest.version,
                        manifest.rows
                       FROM ONLY persons.manifest
                      ORDER BY manifest.current DESC, manifest.version DESC
                     OFFSET 0) m
              WHERE ((m.rows = 0) OR ( SELECT true
                       FROM persons.people_v0 r
                      WHERE (r.version = m.version)
                     LIMIT 1))
             LIMIT 1)) THEN people_v0.age
            ELSE (NULL::persons.people_v0).age
        END AS age,
        CASE
            WHEN (people_v0.version = ( SELECT m.version
               FROM ( SELECT manifest.version,
                        manifest.rows
                       FROM ONLY persons.manifest
                      ORDER BY manifest.current DESC, manifest.version DESC
                     OFFSET 0) m
              WHERE ((m.rows = 0) OR ( SELECT true
                       FROM persons.people_v0 r
                      WHERE (r.version = m.version)
                     LIMIT 1))
             LIMIT 1)) THEN people_v0.city
            ELSE (NULL::persons.people_v0).city
        END AS city
   FROM persons.people_v0
  WHERE (people_v0.version = ( SELECT m.version
           FROM ( SELECT manifest.version,
                    manifest.rows
                   FROM ONLY persons.manifest
                  ORDER BY manifest.current DESC, manifest.version DESC
                 OFFSET 0) m
          WHERE ((m.rows = 0) OR ( SELECT true
                   FROM persons.people_v0 r
                  WHERE (r.version = m.version)
                 LIMIT 1))
         LIMIT 1));
COMMENT ON VIEW persons.people IS 'src.people, released by pg_topdown: k_anonymity';
COMMENT ON COLUMN persons.people.age IS 'generalized to intervals';
COMMENT ON COLUMN persons.people.city IS 'generalized along a taxonomy';
CREATE TABLE persons.people_v1 (
    version integer NOT NULL,
    age text,
    city text,
    patient_person integer,
    CONSTRAINT people_v1_version_check CHECK ((version = 1))
);
CREATE TABLE persons.steps_v0 (
    version integer,
    steps integer[],
    attributes text[],
    nodes text[],
    children text[],
    records bigint[],
    info_gains double precision[],
    privacy_losses double precision[],
    scores double precision[],
    achieved text[],
    groups text[],
    splits text[]
);
COMMENT ON TABLE persons.steps_v0 IS 'what the release knows of its versions; the owner''s';
CREATE VIEW persons.steps AS
 SELECT t.version,
    s.step,
    s.attribute,
    s.node,
    (s.children)::text[] AS children,
    s.records,
    s.info_gain,
    s.privacy_loss,
    s.score,
    (s.achieved)::double precision[] AS achieved
   FROM ONLY persons.steps_v0 t,
    LATERAL UNNEST(t.steps, t.attributes, t.nodes, t.children, t.records, t.info_gains, t.privacy_losses, t.scores, t.achieved, t.groups) s(step, attribute, node, children, records, info_gain, privacy_loss, score, achieved, refined);
COMMENT ON VIEW persons.steps IS 'the refinements that the search performed, of all versions; the owner''s';
CREATE TABLE persons.taxonomy_v0 (
    version integer,
    attribute text,
    nodes text[],
    parents text[],
    lowers text[],
    uppers text[],
    depths integer[],
    in_cut boolean[]
);
COMMENT ON TABLE persons.taxonomy_v0 IS 'what the release knows of its versions; the owner''s';
CREATE VIEW persons.taxonomy AS
 SELECT t.version,
    t.attribute,
    n.node,
    n.parent,
    n.lower,
    n.upper,
    n.depth,
    n.in_cut
   FROM ONLY persons.taxonomy_v0 t,
    LATERAL UNNEST(t.nodes, t.parents, t.lowers, t.uppers, t.depths, t.in_cut) n(node, parent, lower, upper, depth, in_cut);
COMMENT ON VIEW persons.taxonomy IS 'the trees that the masked columns were generalized along, of all versions; the owner''s';
CREATE TABLE persons.values_v0 (
    version integer,
    attribute text,
    hashes bigint[]
);
COMMENT ON TABLE persons.values_v0 IS 'what the release knows of its versions; the owner''s';
CREATE TABLE persons.withheld_v0 (
    version integer,
    combinations text[]
);
COMMENT ON TABLE persons.withheld_v0 IS 'what the release knows of its versions; the owner''s';
CREATE VIEW persons.withheld AS
 SELECT t.version,
    (c.combination)::jsonb AS combination
   FROM ONLY persons.withheld_v0 t,
    LATERAL unnest(t.combinations) WITH ORDINALITY c(combination, place)
  ORDER BY t.version, c.place;
COMMENT ON VIEW persons.withheld IS 'the source values whose rows are withheld, and since which version; the owner''s';
CREATE TABLE plain.manifest (
    version integer NOT NULL,
    created_at timestamp with time zone,
    source text,
    parameters jsonb,
    rows bigint,
    achieved jsonb,
    extension_version text,
    current boolean
)
WITH (autovacuum_vacuum_cost_delay='0');
COMMENT ON TABLE plain.manifest IS 'what the release knows of its versions; the owner''s';
CREATE TABLE plain.people_v0 (
    version integer NOT NULL,
    age text,
    city text,
    illness text,
    stays text
)
PARTITION BY LIST (version);
COMMENT ON TABLE plain.people_v0 IS 'the rows of all versions, which are its partitions; the owner''s';
CREATE VIEW plain.about WITH (security_barrier='true') AS
 SELECT ( SELECT ((n.nspname)::text COLLATE "default") AS nspname
           FROM (pg_class c
             JOIN pg_namespace n ON ((n.oid = c.relnamespace)))
          WHERE (c.oid = a.tableoid)) AS release,
    a.version,
    a.created_at,
    a.rows,
    ((a.parameters ->> 'withheld'::text))::bigint AS withheld,
    (a.parameters -> 'privacy'::text) AS privacy,
    (a.parameters ->> 'class'::text) AS class,
    ARRAY( SELECT (c.mask ->> 'name'::text)
           FROM jsonb_array_elements((a.parameters -> 'columns'::text)) WITH ORDINALITY c(mask, place)
          ORDER BY c.place) AS masked,
    (a.parameters ->> 'suppressed'::text) AS suppressed,
    a.extension_version
   FROM ONLY plain.manifest a
  WHERE (a.version = ( SELECT m.version
           FROM ( SELECT manifest.version,
                    manifest.rows
                   FROM ONLY plain.manifest
                  ORDER BY manifest.current DESC, manifest.version DESC
                 OFFSET 0) m
          WHERE ((m.rows = 0) OR ( SELECT true
                   FROM plain.people_v0 r
                  WHERE (r.version = m.version)
                 LIMIT 1))
         LIMIT 1))
 OFFSET 0;
COMMENT ON VIEW plain.about IS 'the release''s current version: when it was made, of how much, and what it keeps';
CREATE TABLE plain.cuts_v0 (
    version integer,
    "position" integer,
    attribute text,
    nodes text[],
    lowers text[],
    uppers text[],
    records bigint[]
);
COMMENT ON TABLE plain.cuts_v0 IS 'what the release knows of its versions; the owner''s';
CREATE VIEW plain.cut WITH (security_barrier='true') AS
 SELECT t.version,
    t.attribute,
    n.node,
    n.lower,
    n.upper,
    n.records
   FROM ONLY plain.cuts_v0 t,
    LATERAL UNNEST(t.nodes, t.lowers, t.uppers, t.records) WITH ORDINALITY n(node, lower, upper, records, place)
  WHERE (t.version = ( SELECT m.version
           FROM ( SELECT manifest.version,
                    manifest.rows
                   FROM ONLY plain.manifest
                  ORDER BY manifest.current DESC, manifest.version DESC
                 OFFSET 0) m
          WHERE ((m.rows = 0) OR ( SELECT true
                   FROM plain.people_v0 r
                  WHERE (r.version = m.version)
                 LIMIT 1))
         LIMIT 1))
  ORDER BY t."position", n.place
 OFFSET 0;
COMMENT ON VIEW plain.cut IS 'what the masked columns of the release show, and how many rows each value has';
CREATE VIEW plain.cuts AS
 SELECT t.version,
    t.attribute,
    n.node,
    n.lower,
    n.upper,
    n.records
   FROM ONLY plain.cuts_v0 t,
    LATERAL UNNEST(t.nodes, t.lowers, t.uppers, t.records) WITH ORDINALITY n(node, lower, upper, records, place)
  ORDER BY t.version, t."position", n.place;
COMMENT ON VIEW plain.cuts IS 'the cuts of all versions; the owner''s';
CREATE VIEW plain.people AS
 SELECT
        CASE
            WHEN (people_v0.version = ( SELECT m.version
               FROM ( SELECT manifest.version,
                        manifest.rows
                       FROM ONLY plain.manifest
                      ORDER BY manifest.current DESC, manifest.version DESC
                     OFFSET 0) m
              WHERE ((m.rows = 0) OR ( SELECT true
                       FROM plain.people_v0 r
                      WHERE (r.version = m.version)
                     LIMIT 1))
             LIMIT 1)) THEN people_v0.age
            ELSE (NULL::plain.people_v0).age
        END AS age,
        CASE
            WHEN (people_v0.version = ( SELECT m.version
               FROM ( SELECT manifest.version,
                        manifest.rows
                       FROM ONLY plain.manifest
                      ORDER BY manifest.current DESC, manifest.version DESC
                     OFFSET 0) m
              WHERE ((m.rows = 0) OR ( SELECT true
                       FROM plain.people_v0 r
                      WHERE (r.version = m.version)
                     LIMIT 1))
             LIMIT 1)) THEN people_v0.city
            ELSE (NULL::plain.people_v0).city
        END AS city,
        CASE
            WHEN (people_v0.version = ( SELECT m.version
               FROM ( SELECT manifest.version,
                        manifest.rows
                       FROM ONLY plain.manifest
                      ORDER BY manifest.current DESC, manifest.version DESC
                     OFFSET 0) m
              WHERE ((m.rows = 0) OR ( SELECT true
                       FROM plain.people_v0 r
                      WHERE (r.version = m.version)
                     LIMIT 1))
             LIMIT 1)) THEN people_v0.illness
            ELSE (NULL::plain.people_v0).illness
        END AS illness,
        CASE
            WHEN (people_v0.version = ( SELECT m.version
               FROM ( SELECT manifest.version,
                        manifest.rows
                       FROM ONLY plain.manifest
                      ORDER BY manifest.current DESC, manifest.version DESC
                     OFFSET 0) m
              WHERE ((m.rows = 0) OR ( SELECT true
                       FROM plain.people_v0 r
                      WHERE (r.version = m.version)
                     LIMIT 1))
             LIMIT 1)) THEN people_v0.stays
            ELSE (NULL::plain.people_v0).stays
        END AS stays
   FROM plain.people_v0
  WHERE (people_v0.version = ( SELECT m.version
           FROM ( SELECT manifest.version,
                    manifest.rows
                   FROM ONLY plain.manifest
                  ORDER BY manifest.current DESC, manifest.version DESC
                 OFFSET 0) m
          WHERE ((m.rows = 0) OR ( SELECT true
                   FROM plain.people_v0 r
                  WHERE (r.version = m.version)
                 LIMIT 1))
         LIMIT 1));
COMMENT ON VIEW plain.people IS 'src.people, released by pg_topdown: k_anonymity, confidence_bound';
COMMENT ON COLUMN plain.people.age IS 'generalized to intervals';
COMMENT ON COLUMN plain.people.city IS 'generalized along a taxonomy';
COMMENT ON COLUMN plain.people.illness IS 'sensitive, as it is in the source';
COMMENT ON COLUMN plain.people.stays IS 'as it is in the source';
CREATE TABLE plain.people_v1 (
    version integer NOT NULL,
    age text,
    city text,
    illness text,
    stays text,
    CONSTRAINT people_v1_version_check CHECK ((version = 1))
);
CREATE TABLE plain.people_v2 (
    version integer NOT NULL,
    age text,
    city text,
    illness text,
    stays text,
    CONSTRAINT people_v2_version_check CHECK ((version = 2))
);
CREATE TABLE plain.steps_v0 (
    version integer,
    steps integer[],
    attributes text[],
    nodes text[],
    children text[],
    records bigint[],
    info_gains double precision[],
    privacy_losses double precision[],
    scores double precision[],
    achieved text[],
    groups text[],
    splits text[]
);
COMMENT ON TABLE plain.steps_v0 IS 'what the release knows of its versions; the owner''s';
CREATE VIEW plain.steps AS
 SELECT t.version,
    s.step,
    s.attribute,
    s.node,
    (s.children)::text[] AS children,
    s.records,
    s.info_gain,
    s.privacy_loss,
    s.score,
    (s.achieved)::double precision[] AS achieved
   FROM ONLY plain.steps_v0 t,
    LATERAL UNNEST(t.steps, t.attributes, t.nodes, t.children, t.records, t.info_gains, t.privacy_losses, t.scores, t.achieved, t.groups) s(step, attribute, node, children, records, info_gain, privacy_loss, score, achieved, refined);
COMMENT ON VIEW plain.steps IS 'the refinements that the search performed, of all versions; the owner''s';
CREATE TABLE plain.taxonomy_v0 (
    version integer,
    attribute text,
    nodes text[],
    parents text[],
    lowers text[],
    uppers text[],
    depths integer[],
    in_cut boolean[]
);
COMMENT ON TABLE plain.taxonomy_v0 IS 'what the release knows of its versions; the owner''s';
CREATE VIEW plain.taxonomy AS
 SELECT t.version,
    t.attribute,
    n.node,
    n.parent,
    n.lower,
    n.upper,
    n.depth,
    n.in_cut
   FROM ONLY plain.taxonomy_v0 t,
    LATERAL UNNEST(t.nodes, t.parents, t.lowers, t.uppers, t.depths, t.in_cut) n(node, parent, lower, upper, depth, in_cut);
COMMENT ON VIEW plain.taxonomy IS 'the trees that the masked columns were generalized along, of all versions; the owner''s';
CREATE TABLE plain.values_v0 (
    version integer,
    attribute text,
    hashes bigint[]
);
COMMENT ON TABLE plain.values_v0 IS 'what the release knows of its versions; the owner''s';
CREATE TABLE plain.withheld_v0 (
    version integer,
    combinations text[]
);
COMMENT ON TABLE plain.withheld_v0 IS 'what the release knows of its versions; the owner''s';
CREATE VIEW plain.withheld AS
 SELECT t.version,
    (c.combination)::jsonb AS combination
   FROM ONLY plain.withheld_v0 t,
    LATERAL unnest(t.combinations) WITH ORDINALITY c(combination, place)
  ORDER BY t.version, c.place;
COMMENT ON VIEW plain.withheld IS 'the source values whose rows are withheld, and since which version; the owner''s';
CREATE TABLE src.cities (
    child text,
    parent text
);
CREATE TABLE src.people (
    id integer,
    age integer,
    city text,
    zip text,
    patient integer,
    illness text,
    stays text
);
CREATE TABLE templates.manifest (
    version integer NOT NULL,
    created_at timestamp with time zone,
    source text,
    parameters jsonb,
    rows bigint,
    achieved jsonb,
    extension_version text,
    current boolean
)
WITH (autovacuum_vacuum_cost_delay='0');
COMMENT ON TABLE templates.manifest IS 'what the release knows of its versions; the owner''s';
CREATE TABLE templates.people_v0 (
    version integer NOT NULL,
    city text,
    zip text,
    illness text,
    stays text
)
PARTITION BY LIST (version);
COMMENT ON TABLE templates.people_v0 IS 'the rows of all versions, which are its partitions; the owner''s';
CREATE VIEW templates.about WITH (security_barrier='true') AS
 SELECT ( SELECT ((n.nspname)::text COLLATE "default") AS nspname
           FROM (pg_class c
             JOIN pg_namespace n ON ((n.oid = c.relnamespace)))
          WHERE (c.oid = a.tableoid)) AS release,
    a.version,
    a.created_at,
    a.rows,
    ((a.parameters ->> 'withheld'::text))::bigint AS withheld,
    (a.parameters -> 'privacy'::text) AS privacy,
    (a.parameters ->> 'class'::text) AS class,
    ARRAY( SELECT (c.mask ->> 'name'::text)
           FROM jsonb_array_elements((a.parameters -> 'columns'::text)) WITH ORDINALITY c(mask, place)
          ORDER BY c.place) AS masked,
    (a.parameters ->> 'suppressed'::text) AS suppressed,
    a.extension_version
   FROM ONLY templates.manifest a
  WHERE (a.version = ( SELECT m.version
           FROM ( SELECT manifest.version,
                    manifest.rows
                   FROM ONLY templates.manifest
                  ORDER BY manifest.current DESC, manifest.version DESC
                 OFFSET 0) m
          WHERE ((m.rows = 0) OR ( SELECT true
                   FROM templates.people_v0 r
                  WHERE (r.version = m.version)
                 LIMIT 1))
         LIMIT 1))
 OFFSET 0;
COMMENT ON VIEW templates.about IS 'the release''s current version: when it was made, of how much, and what it keeps';
CREATE TABLE templates.cuts_v0 (
    version integer,
    "position" integer,
    attribute text,
    nodes text[],
    lowers text[],
    uppers text[],
    records bigint[]
);
COMMENT ON TABLE templates.cuts_v0 IS 'what the release knows of its versions; the owner''s';
CREATE VIEW templates.cut WITH (security_barrier='true') AS
 SELECT t.version,
    t.attribute,
    n.node,
    n.lower,
    n.upper,
    n.records
   FROM ONLY templates.cuts_v0 t,
    LATERAL UNNEST(t.nodes, t.lowers, t.uppers, t.records) WITH ORDINALITY n(node, lower, upper, records, place)
  WHERE (t.version = ( SELECT m.version
           FROM ( SELECT manifest.version,
                    manifest.rows
                   FROM ONLY templates.manifest
                  ORDER BY manifest.current DESC, manifest.version DESC
                 OFFSET 0) m
          WHERE ((m.rows = 0) OR ( SELECT true
                   FROM templates.people_v0 r
                  WHERE (r.version = m.version)
                 LIMIT 1))
         LIMIT 1))
  ORDER BY t."position", n.place
 OFFSET 0;
COMMENT ON VIEW templates.cut IS 'what the masked columns of the release show, and how many rows each value has';
CREATE VIEW templates.cuts AS
 SELECT t.version,
    t.attribute,
    n.node,
    n.lower,
    n.upper,
    n.records
   FROM ONLY templates.cuts_v0 t,
    LATERAL UNNEST(t.nodes, t.lowers, t.uppers, t.records) WITH ORDINALITY n(node, lower, upper, records, place)
  ORDER BY t.version, t."position", n.place;
COMMENT ON VIEW templates.cuts IS 'the cuts of all versions; the owner''s';
CREATE VIEW templates.people AS
 SELECT
        CASE
            WHEN (people_v0.version = ( SELECT m.version
               FROM ( SELECT manifest.version,
                        manifest.rows
                       FROM ONLY templates.manifest
                      ORDER BY manifest.current DESC, manifest.version DESC
                     OFFSET 0) m
              WHERE ((m.rows = 0) OR ( SELECT true
                       FROM templates.people_v0 r
                      WHERE (r.version = m.version)
                     LIMIT 1))
             LIMIT 1)) THEN people_v0.city
            ELSE (NULL::templates.people_v0).city
        END AS city,
        CASE
            WHEN (people_v0.version = ( SELECT m.version
               FROM ( SELECT manifest.version,
                        manifest.rows
                       FROM ONLY templates.manifest
                      ORDER BY manifest.current DESC, manifest.version DESC
                     OFFSET 0) m
              WHERE ((m.rows = 0) OR ( SELECT true
                       FROM templates.people_v0 r
                      WHERE (r.version = m.version)
                     LIMIT 1))
             LIMIT 1)) THEN people_v0.zip
            ELSE (NULL::templates.people_v0).zip
        END AS zip,
        CASE
            WHEN (people_v0.version = ( SELECT m.version
               FROM ( SELECT manifest.version,
                        manifest.rows
                       FROM ONLY templates.manifest
                      ORDER BY manifest.current DESC, manifest.version DESC
                     OFFSET 0) m
              WHERE ((m.rows = 0) OR ( SELECT true
                       FROM templates.people_v0 r
                      WHERE (r.version = m.version)
                     LIMIT 1))
             LIMIT 1)) THEN people_v0.illness
            ELSE (NULL::templates.people_v0).illness
        END AS illness,
        CASE
            WHEN (people_v0.version = ( SELECT m.version
               FROM ( SELECT manifest.version,
                        manifest.rows
                       FROM ONLY templates.manifest
                      ORDER BY manifest.current DESC, manifest.version DESC
                     OFFSET 0) m
              WHERE ((m.rows = 0) OR ( SELECT true
                       FROM templates.people_v0 r
                      WHERE (r.version = m.version)
                     LIMIT 1))
             LIMIT 1)) THEN people_v0.stays
            ELSE (NULL::templates.people_v0).stays
        END AS stays
   FROM templates.people_v0
  WHERE (people_v0.version = ( SELECT m.version
           FROM ( SELECT manifest.version,
                    manifest.rows
                   FROM ONLY templates.manifest
                  ORDER BY manifest.current DESC, manifest.version DESC
                 OFFSET 0) m
          WHERE ((m.rows = 0) OR ( SELECT true
                   FROM templates.people_v0 r
                  WHERE (r.version = m.version)
                 LIMIT 1))
         LIMIT 1));
COMMENT ON VIEW templates.people IS 'src.people, released by pg_topdown: k_anonymity, confidence_bound';
COMMENT ON COLUMN templates.people.city IS 'suppressed, or disclosed';
COMMENT ON COLUMN templates.people.zip IS 'suppressed, or disclosed';
COMMENT ON COLUMN templates.people.illness IS 'sensitive, as it is in the source';
COMMENT ON COLUMN templates.people.stays IS 'as it is in the source';
CREATE TABLE templates.people_v1 (
    version integer NOT NULL,
    city text,
    zip text,
    illness text,
    stays text,
    CONSTRAINT people_v1_version_check CHECK ((version = 1))
);
CREATE TABLE templates.steps_v0 (
    version integer,
    steps integer[],
    attributes text[],
    nodes text[],
    children text[],
    records bigint[],
    info_gains double precision[],
    privacy_losses double precision[],
    scores double precision[],
    achieved text[],
    groups text[],
    splits text[]
);
COMMENT ON TABLE templates.steps_v0 IS 'what the release knows of its versions; the owner''s';
CREATE VIEW templates.steps AS
 SELECT t.version,
    s.step,
    s.attribute,
    s.node,
    (s.children)::text[] AS children,
    s.records,
    s.info_gain,
    s.privacy_loss,
    s.score,
    (s.achieved)::double precision[] AS achieved
   FROM ONLY templates.steps_v0 t,
    LATERAL UNNEST(t.steps, t.attributes, t.nodes, t.children, t.records, t.info_gains, t.privacy_losses, t.scores, t.achieved, t.groups) s(step, attribute, node, children, records, info_gain, privacy_loss, score, achieved, refined);
COMMENT ON VIEW templates.steps IS 'the refinements that the search performed, of all versions; the owner''s';
CREATE TABLE templates.taxonomy_v0 (
    version integer,
    attribute text,
    nodes text[],
    parents text[],
    lowers text[],
    uppers text[],
    depths integer[],
    in_cut boolean[]
);
COMMENT ON TABLE templates.taxonomy_v0 IS 'what the release knows of its versions; the owner''s';
CREATE VIEW templates.taxonomy AS
 SELECT t.version,
    t.attribute,
    n.node,
    n.parent,
    n.lower,
    n.upper,
    n.depth,
    n.in_cut
   FROM ONLY templates.taxonomy_v0 t,
    LATERAL UNNEST(t.nodes, t.parents, t.lowers, t.uppers, t.depths, t.in_cut) n(node, parent, lower, upper, depth, in_cut);
COMMENT ON VIEW templates.taxonomy IS 'the trees that the masked columns were generalized along, of all versions; the owner''s';
CREATE TABLE templates.values_v0 (
    version integer,
    attribute text,
    hashes bigint[]
);
COMMENT ON TABLE templates.values_v0 IS 'what the release knows of its versions; the owner''s';
CREATE TABLE templates.withheld_v0 (
    version integer,
    combinations text[]
);
COMMENT ON TABLE templates.withheld_v0 IS 'what the release knows of its versions; the owner''s';
CREATE VIEW templates.withheld AS
 SELECT t.version,
    (c.combination)::jsonb AS combination
   FROM ONLY templates.withheld_v0 t,
    LATERAL unnest(t.combinations) WITH ORDINALITY c(combination, place)
  ORDER BY t.version, c.place;
COMMENT ON VIEW templates.withheld IS 'the source values whose rows are withheld, and since which version; the owner''s';
CREATE TABLE values_held.manifest (
    version integer NOT NULL,
    created_at timestamp with time zone,
    source text,
    parameters jsonb,
    rows bigint,
    achieved jsonb,
    extension_version text,
    current boolean
)
WITH (autovacuum_vacuum_cost_delay='0');
COMMENT ON TABLE values_held.manifest IS 'what the release knows of its versions; the owner''s';
CREATE TABLE values_held.people_v0 (
    version integer NOT NULL,
    zip text,
    illness text
)
PARTITION BY LIST (version);
COMMENT ON TABLE values_held.people_v0 IS 'the rows of all versions, which are its partitions; the owner''s';
CREATE VIEW values_held.about WITH (security_barrier='true') AS
 SELECT ( SELECT ((n.nspname)::text COLLATE "default") AS nspname
           FROM (pg_class c
             JOIN pg_namespace n ON ((n.oid = c.relnamespace)))
          WHERE (c.oid = a.tableoid)) AS release,
    a.version,
    a.created_at,
    a.rows,
    ((a.parameters ->> 'withheld'::text))::bigint AS withheld,
    (a.parameters -> 'privacy'::text) AS privacy,
    (a.parameters ->> 'class'::text) AS class,
    ARRAY( SELECT (c.mask ->> 'name'::text)
           FROM jsonb_array_elements((a.parameters -> 'columns'::text)) WITH ORDINALITY c(mask, place)
          ORDER BY c.place) AS masked,
    (a.parameters ->> 'suppressed'::text) AS suppressed,
    a.extension_version
   FROM ONLY values_held.manifest a
  WHERE (a.version = ( SELECT m.version
           FROM ( SELECT manifest.version,
                    manifest.rows
                   FROM ONLY values_held.manifest
                  ORDER BY manifest.current DESC, manifest.version DESC
                 OFFSET 0) m
          WHERE ((m.rows = 0) OR ( SELECT true
                   FROM values_held.people_v0 r
                  WHERE (r.version = m.version)
                 LIMIT 1))
         LIMIT 1))
 OFFSET 0;
COMMENT ON VIEW values_held.about IS 'the release''s current version: when it was made, of how much, and what it keeps';
CREATE TABLE values_held.cuts_v0 (
    version integer,
    "position" integer,
    attribute text,
    nodes text[],
    lowers text[],
    uppers text[],
    records bigint[]
);
COMMENT ON TABLE values_held.cuts_v0 IS 'what the release knows of its versions; the owner''s';
CREATE VIEW values_held.cut WITH (security_barrier='true') AS
 SELECT t.version,
    t.attribute,
    n.node,
    n.lower,
    n.upper,
    n.records
   FROM ONLY values_held.cuts_v0 t,
    LATERAL UNNEST(t.nodes, t.lowers, t.uppers, t.records) WITH ORDINALITY n(node, lower, upper, records, place)
  WHERE (t.version = ( SELECT m.version
           FROM ( SELECT manifest.version,
                    manifest.rows
                   FROM ONLY values_held.manifest
                  ORDER BY manifest.current DESC, manifest.version DESC
                 OFFSET 0) m
          WHERE ((m.rows = 0) OR ( SELECT true
                   FROM values_held.people_v0 r
                  WHERE (r.version = m.version)
                 LIMIT 1))
         LIMIT 1))
  ORDER BY t."position", n.place
 OFFSET 0;
COMMENT ON VIEW values_held.cut IS 'what the masked columns of the release show, and how many rows each value has';
CREATE VIEW values_held.cuts AS
 SELECT t.version,
    t.attribute,
    n.node,
    n.lower,
    n.upper,
    n.records
   FROM ONLY values_held.cuts_v0 t,
    LATERAL UNNEST(t.nodes, t.lowers, t.uppers, t.records) WITH ORDINALITY n(node, lower, upper, records, place)
  ORDER BY t.version, t."position", n.place;
COMMENT ON VIEW values_held.cuts IS 'the cuts of all versions; the owner''s';
CREATE VIEW values_held.people AS
 SELECT
        CASE
            WHEN (people_v0.version = ( SELECT m.version
               FROM ( SELECT manifest.version,
                        manifest.rows
                       FROM ONLY values_held.manifest
                      ORDER BY manifest.current DESC, manifest.version DESC
                     OFFSET 0) m
              WHERE ((m.rows = 0) OR ( SELECT true
                       FROM values_held.people_v0 r
                      WHERE (r.version = m.version)
                     LIMIT 1))
             LIMIT 1)) THEN people_v0.zip
            ELSE (NULL::values_held.people_v0).zip
        END AS zip,
        CASE
            WHEN (people_v0.version = ( SELECT m.version
               FROM ( SELECT manifest.version,
                        manifest.rows
                       FROM ONLY values_held.manifest
                      ORDER BY manifest.current DESC, manifest.version DESC
                     OFFSET 0) m
              WHERE ((m.rows = 0) OR ( SELECT true
                       FROM values_held.people_v0 r
                      WHERE (r.version = m.version)
                     LIMIT 1))
             LIMIT 1)) THEN people_v0.illness
            ELSE (NULL::values_held.people_v0).illness
        END AS illness
   FROM values_held.people_v0
  WHERE (people_v0.version = ( SELECT m.version
           FROM ( SELECT manifest.version,
                    manifest.rows
                   FROM ONLY values_held.manifest
                  ORDER BY manifest.current DESC, manifest.version DESC
                 OFFSET 0) m
          WHERE ((m.rows = 0) OR ( SELECT true
                   FROM values_held.people_v0 r
                  WHERE (r.version = m.version)
                 LIMIT 1))
         LIMIT 1));
COMMENT ON VIEW values_held.people IS 'src.people, released by pg_topdown: k_anonymity';
COMMENT ON COLUMN values_held.people.zip IS 'suppressed, or disclosed';
COMMENT ON COLUMN values_held.people.illness IS 'as it is in the source';
CREATE TABLE values_held.people_v1 (
    version integer NOT NULL,
    zip text,
    illness text,
    CONSTRAINT people_v1_version_check CHECK ((version = 1))
);
CREATE TABLE values_held.steps_v0 (
    version integer,
    steps integer[],
    attributes text[],
    nodes text[],
    children text[],
    records bigint[],
    info_gains double precision[],
    privacy_losses double precision[],
    scores double precision[],
    achieved text[],
    groups text[],
    splits text[]
);
COMMENT ON TABLE values_held.steps_v0 IS 'what the release knows of its versions; the owner''s';
CREATE VIEW values_held.steps AS
 SELECT t.version,
    s.step,
    s.attribute,
    s.node,
    (s.children)::text[] AS children,
    s.records,
    s.info_gain,
    s.privacy_loss,
    s.score,
    (s.achieved)::double precision[] AS achieved
   FROM ONLY values_held.steps_v0 t,
    LATERAL UNNEST(t.steps, t.attributes, t.nodes, t.children, t.records, t.info_gains, t.privacy_losses, t.scores, t.achieved, t.groups) s(step, attribute, node, children, records, info_gain, privacy_loss, score, achieved, refined);
COMMENT ON VIEW values_held.steps IS 'the refinements that the search performed, of all versions; the owner''s';
CREATE TABLE values_held.taxonomy_v0 (
    version integer,
    attribute text,
    nodes text[],
    parents text[],
    lowers text[],
    uppers text[],
    depths integer[],
    in_cut boolean[]
);
COMMENT ON TABLE values_held.taxonomy_v0 IS 'what the release knows of its versions; the owner''s';
CREATE VIEW values_held.taxonomy AS
 SELECT t.version,
    t.attribute,
    n.node,
    n.parent,
    n.lower,
    n.upper,
    n.depth,
    n.in_cut
   FROM ONLY values_held.taxonomy_v0 t,
    LATERAL UNNEST(t.nodes, t.parents, t.lowers, t.uppers, t.depths, t.in_cut) n(node, parent, lower, upper, depth, in_cut);
COMMENT ON VIEW values_held.taxonomy IS 'the trees that the masked columns were generalized along, of all versions; the owner''s';
CREATE TABLE values_held.values_v0 (
    version integer,
    attribute text,
    hashes bigint[]
);
COMMENT ON TABLE values_held.values_v0 IS 'what the release knows of its versions; the owner''s';
CREATE TABLE values_held.withheld_v0 (
    version integer,
    combinations text[]
);
COMMENT ON TABLE values_held.withheld_v0 IS 'what the release knows of its versions; the owner''s';
CREATE VIEW values_held.withheld AS
 SELECT t.version,
    (c.combination)::jsonb AS combination
   FROM ONLY values_held.withheld_v0 t,
    LATERAL unnest(t.combinations) WITH ORDINALITY c(combination, place)
  ORDER BY t.version, c.place;
COMMENT ON VIEW values_held.withheld IS 'the source values whose rows are withheld, and since which version; the owner''s';
ALTER TABLE ONLY clusters.people_v0 ATTACH PARTITION clusters.people_v1 FOR VALUES IN (1);
ALTER TABLE ONLY groups.people_v0 ATTACH PARTITION groups.people_v1 FOR VALUES IN (1);
ALTER TABLE ONLY labels_held.people_v0 ATTACH PARTITION labels_held.people_v1 FOR VALUES IN (1);
ALTER TABLE ONLY leaves_held.people_v0 ATTACH PARTITION leaves_held.people_v1 FOR VALUES IN (1);
ALTER TABLE ONLY persons.people_v0 ATTACH PARTITION persons.people_v1 FOR VALUES IN (1);
ALTER TABLE ONLY plain.people_v0 ATTACH PARTITION plain.people_v1 FOR VALUES IN (1);
ALTER TABLE ONLY plain.people_v0 ATTACH PARTITION plain.people_v2 FOR VALUES IN (2);
ALTER TABLE ONLY templates.people_v0 ATTACH PARTITION templates.people_v1 FOR VALUES IN (1);
ALTER TABLE ONLY values_held.people_v0 ATTACH PARTITION values_held.people_v1 FOR VALUES IN (1);
INSERT INTO clusters.cuts_v0 VALUES
	(1, 1, 'age', '{"[10,24]","[21,25]","[22,26]","[23,27]","[28,32]","[29,33]","[30,34]","[31,39]","[36,40]","[37,41]","[38,42]","[42,44]","[44,52]","[45,52]","[46,50]","[47,51]","[52,100]","[53,55]","[54,58]","[55,80]","[56,58]"}', '{10,21,22,23,28,29,30,31,36,37,38,42,44,45,46,47,52,53,54,55,56}', '{24,25,26,27,32,33,34,39,40,41,42,44,52,52,50,51,100,55,58,80,58}', '{6,6,6,6,6,6,6,8,6,6,6,6,6,8,6,6,6,6,6,6,6}'),
	(1, 2, 'city', '{*,Bergen,Milan,Oslo,Rome}', '{NULL,NULL,NULL,NULL,NULL}', '{NULL,NULL,NULL,NULL,NULL}', '{12,24,26,38,30}');
INSERT INTO clusters.manifest VALUES
	(1, '2026-11-23 17:43:46.944661+00', 'src.people', '{"keep": ["stays"], "scan": {"how": "rows", "reason": "a clustering asks for every row"}, "verb": "kmember_anonymize", "view": "people", "class": null, "score": "tds", "split": "optimal", "trace": 1, "format": 2, "weaker": [], "columns": [{"name": "age", "type": "integer", "lower": "20", "nulls": false, "upper": "97", "masked": "intervals", "non_uniform_entropy": 0.4493887660192077}, {"name": "city", "type": "text", "lower": null, "nulls": false, "upper": null, "masked": "suppression", "non_uniform_entropy": 0.09726793113500717}], "masking": [], "privacy": [{"k_anonymity": {"k": 6, "quasi_identifier": ["age", "city"]}}], "recoding": "global", "withheld": 0, "withhold": 0.0, "endpoints": "rounded", "intervals": "label", "max_steps": null, "suppressed": "*", "steps_dropped": 0, "source_columns": [{"name": "age", "type": "integer"}, {"name": "city", "type": "text COLLATE pg_catalog.\"default\""}, {"name": "stays", "type": "text COLLATE pg_catalog.\"default\""}], "class_information": null}', 130, '[{"holds": true, "model": {"k_anonymity": {"k": 6, "quasi_identifier": ["age", "city"]}}, "achieved": 6.0, "required": 6.0}]', '0.2.0', true);
INSERT INTO clusters.people_v1 VALUES
	(1, '[28,32]', 'Rome', 'no'),
	(1, '[56,58]', 'Oslo', 'no'),
	(1, '[45,52]', 'Oslo', 'no'),
	(1, '[54,58]', 'Bergen', 'no'),
	(1, '[31,39]', 'Milan', 'no'),
	(1, '[44,52]', 'Rome', 'no'),
	(1, '[21,25]', 'Oslo', 'yes'),
	(1, '[47,51]', 'Milan', 'no'),
	(1, '[44,52]', 'Rome', 'no'),
	(1, '[10,24]', 'Rome', 'no'),
	(1, '[45,52]', 'Oslo', 'no'),
	(1, '[53,55]', 'Oslo', 'no'),
	(1, '[29,33]', 'Oslo', 'no'),
	(1, '[37,41]', 'Oslo', 'no'),
	(1, '[46,50]', 'Bergen', 'yes'),
	(1, '[30,34]', 'Bergen', 'yes'),
	(1, '[31,39]', 'Milan', 'no'),
	(1, '[38,42]', '*', 'no'),
	(1, '[36,40]', 'Rome', 'yes'),
	(1, '[31,39]', 'Milan', 'yes'),
	(1, '[52,100]', 'Rome', 'yes'),
	(1, '[21,25]', 'Oslo', 'yes'),
	(1, '[55,80]', 'Milan', 'no'),
	(1, '[53,55]', 'Oslo', 'no'),
	(1, '[36,40]', 'Rome', 'yes'),
	(1, '[54,58]', 'Bergen', 'no'),
	(1, '[29,33]', 'Oslo', 'no'),
	(1, '[38,42]', '*', 'no'),
	(1, '[37,41]', 'Oslo', 'yes'),
	(1, '[42,44]', '*', 'no'),
	(1, '[52,100]', 'Rome', 'yes'),
	(1, '[45,52]', 'Oslo', 'yes'),
	(1, '[46,50]', 'Bergen', 'yes'),
	(1, '[23,27]', 'Milan', 'no'),
	(1, '[10,24]', 'Rome', 'yes'),
	(1, '[54,58]', 'Bergen', 'no'),
	(1, '[47,51]', 'Milan', 'no'),
	(1, '[38,42]', '*', 'no'),
	(1, '[21,25]', 'Oslo', 'yes'),
	(1, '[46,50]', 'Bergen', 'yes'),
	(1, '[30,34]', 'Bergen', 'no'),
	(1, '[29,33]', 'Oslo', 'no'),
	(1, '[55,80]', 'Milan', 'no'),
	(1, '[52,100]', 'Rome', 'no'),
	(1, '[55,80]', 'Milan', 'no'),
	(1, '[28,32]', 'Rome', 'no'),
	(1, '[56,58]', 'Oslo', 'no'),
	(1, '[52,100]', 'Rome', 'yes'),
	(1, '[55,80]', 'Milan', 'yes'),
	(1, '[45,52]', 'Oslo', 'no'),
	(1, '[30,34]', 'Bergen', 'yes'),
	(1, '[46,50]', 'Bergen', 'yes'),
	(1, '[46,50]', 'Bergen', 'yes'),
	(1, '[22,26]', 'Bergen', 'yes'),
	(1, '[42,44]', '*', 'no'),
	(1, '[22,26]', 'Bergen', 'no'),
	(1, '[31,39]', 'Milan', 'yes'),
	(1, '[42,44]', '*', 'no'),
	(1, '[54,58]', 'Bergen', 'no'),
	(1, '[45,52]', 'Oslo', 'yes'),
	(1, '[38,42]', '*', 'no'),
	(1, '[55,80]', 'Milan', 'yes'),
	(1, '[29,33]', 'Oslo', 'no'),
	(1, '[53,55]', 'Oslo', 'no'),
	(1, '[31,39]', 'Milan', 'yes'),
	(1, '[28,32]', 'Rome', 'no'),
	(1, '[37,41]', 'Oslo', 'yes'),
	(1, '[56,58]', 'Oslo', 'no'),
	(1, '[53,55]', 'Oslo', 'no'),
	(1, '[55,80]', 'Milan', 'yes'),
	(1, '[37,41]', 'Oslo', 'yes'),
	(1, '[10,24]', 'Rome', 'no'),
	(1, '[53,55]', 'Oslo', 'no'),
	(1, '[23,27]', 'Milan', 'no'),
	(1, '[42,44]', '*', 'no'),
	(1, '[36,40]', 'Rome', 'yes'),
	(1, '[23,27]', 'Milan', 'no'),
	(1, '[46,50]', 'Bergen', 'yes'),
	(1, '[54,58]', 'Bergen', 'no'),
	(1, '[31,39]', 'Milan', 'yes'),
	(1, '[56,58]', 'Oslo', 'no'),
	(1, '[10,24]', 'Rome', 'no'),
	(1, '[42,44]', '*', 'no'),
	(1, '[22,26]', 'Bergen', 'no'),
	(1, '[21,25]', 'Oslo', 'yes'),
	(1, '[10,24]', 'Rome', 'yes'),
	(1, '[45,52]', 'Oslo', 'yes'),
	(1, '[47,51]', 'Milan', 'yes'),
	(1, '[37,41]', 'Oslo', 'no'),
	(1, '[38,42]', '*', 'no'),
	(1, '[42,44]', '*', 'no'),
	(1, '[22,26]', 'Bergen', 'no'),
	(1, '[30,34]', 'Bergen', 'no'),
	(1, '[44,52]', 'Rome', 'no'),
	(1, '[21,25]', 'Oslo', 'yes'),
	(1, '[52,100]', 'Rome', 'yes'),
	(1, '[23,27]', 'Milan', 'no'),
	(1, '[28,32]', 'Rome', 'no'),
	(1, '[47,51]', 'Milan', 'no'),
	(1, '[28,32]', 'Rome', 'no'),
	(1, '[45,52]', 'Oslo', 'no'),
	(1, '[28,32]', 'Rome', 'no'),
	(1, '[36,40]', 'Rome', 'yes'),
	(1, '[23,27]', 'Milan', 'no'),
	(1, '[10,24]', 'Rome', 'yes'),
	(1, '[31,39]', 'Milan', 'yes'),
	(1, '[56,58]', 'Oslo', 'no'),
	(1, '[23,27]', 'Milan', 'no'),
	(1, '[36,40]', 'Rome', 'yes'),
	(1, '[56,58]', 'Oslo', 'no'),
	(1, '[29,33]', 'Oslo', 'no'),
	(1, '[31,39]', 'Milan', 'yes'),
	(1, '[22,26]', 'Bergen', 'yes'),
	(1, '[21,25]', 'Oslo', 'yes'),
	(1, '[30,34]', 'Bergen', 'no'),
	(1, '[52,100]', 'Rome', 'yes'),
	(1, '[29,33]', 'Oslo', 'no'),
	(1, '[37,41]', 'Oslo', 'no'),
	(1, '[38,42]', '*', 'no'),
	(1, '[53,55]', 'Oslo', 'no'),
	(1, '[36,40]', 'Rome', 'yes'),
	(1, '[44,52]', 'Rome', 'no'),
	(1, '[45,52]', 'Oslo', 'no'),
	(1, '[44,52]', 'Rome', 'no'),
	(1, '[22,26]', 'Bergen', 'yes'),
	(1, '[47,51]', 'Milan', 'yes'),
	(1, '[30,34]', 'Bergen', 'yes'),
	(1, '[54,58]', 'Bergen', 'no'),
	(1, '[47,51]', 'Milan', 'yes'),
	(1, '[44,52]', 'Rome', 'no');
INSERT INTO clusters.steps_v0 VALUES
	(1, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}');
INSERT INTO clusters.taxonomy_v0 VALUES
	(1, 'age', '{"[10,24]","[21,25]","[22,26]","[23,27]","[28,32]","[29,33]","[30,34]","[31,39]","[36,40]","[37,41]","[38,42]","[42,44]","[44,52]","[45,52]","[46,50]","[47,51]","[52,100]","[53,55]","[54,58]","[55,80]","[56,58]"}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}', '{10,21,22,23,28,29,30,31,36,37,38,42,44,45,46,47,52,53,54,55,56}', '{24,25,26,27,32,33,34,39,40,41,42,44,52,52,50,51,100,55,58,80,58}', '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0}', '{t,t,t,t,t,t,t,t,t,t,t,t,t,t,t,t,t,t,t,t,t}'),
	(1, 'city', '{*,Bergen,Milan,Oslo,Rome}', '{NULL,NULL,NULL,NULL,NULL}', '{NULL,NULL,NULL,NULL,NULL}', '{NULL,NULL,NULL,NULL,NULL}', '{0,0,0,0,0}', '{t,t,t,t,t}');
INSERT INTO clusters.values_v0 VALUES
	(1, 'stays', '{8819893535867277529,4617405270025061070}');
INSERT INTO groups.cuts_v0 VALUES
	(1, 1, 'age', '{"(,)","(,35)","(,34)","(,33)","[33,49)","[34,49)","[35,49)","[49,)"}', '{NULL,NULL,NULL,NULL,33,34,35,49}', '{NULL,35,34,33,49,49,49,NULL}', '{10,9,21,12,12,21,12,33}'),
	(1, 2, 'city', '{Europe,Italy,Milan,Rome,Bergen,Oslo}', '{NULL,NULL,NULL,NULL,NULL,NULL}', '{NULL,NULL,NULL,NULL,NULL,NULL}', '{10,15,21,24,30,30}'),
	(1, 3, 'zip', '{4790*,47900,47901,991**}', '{NULL,NULL,NULL,NULL}', '{NULL,NULL,NULL,NULL}', '{15,54,51,10}');
INSERT INTO groups.manifest VALUES
	(1, '2026-11-23 17:43:46.858413+00', 'src.people', '{"keep": [], "scan": {"how": "rows", "reason": "it is small, or was never analyzed"}, "verb": "tds_anonymize", "view": "people", "class": null, "score": "tds", "split": "optimal", "trace": 1, "format": 2, "weaker": [], "columns": [{"name": "age", "type": "integer", "lower": "20", "nulls": false, "upper": "97", "masked": "intervals", "non_uniform_entropy": 0.72584301104237}, {"name": "city", "type": "text", "lower": null, "nulls": false, "upper": null, "masked": "taxonomy", "non_uniform_entropy": 0.1288871089988663}, {"name": "zip", "type": "text", "lower": null, "nulls": false, "upper": null, "masked": "taxonomy", "non_uniform_entropy": 0.12477068248997818}], "masking": [{"by_taxonomy": {"taxonomy": "src.cities", "column_name": "city"}}, {"by_prefix": {"lengths": null, "column_name": "zip"}}], "privacy": [{"k_anonymity": {"k": 8, "quasi_identifier": ["age", "city", "zip"]}}], "recoding": "local", "withheld": 0, "withhold": 0.0, "endpoints": "rounded", "intervals": "bounds", "max_steps": null, "suppressed": "*", "steps_dropped": 0, "source_columns": [{"name": "age", "type": "integer"}, {"name": "city", "type": "text COLLATE pg_catalog.\"default\""}, {"name": "zip", "type": "text COLLATE pg_catalog.\"default\""}], "class_information": null}', 130, '[{"holds": true, "model": {"k_anonymity": {"k": 8, "quasi_identifier": ["age", "city", "zip"]}}, "achieved": 9.0, "required": 8.0}]', '0.2.0', true);
INSERT INTO groups.people_v1 VALUES
	(1, '(,34)', NULL, 34, 'Oslo', '47901'),
	(1, '[34,49)', 34, 49, 'Bergen', '47900'),
	(1, '(,33)', NULL, 33, 'Rome', '47900'),
	(1, '(,35)', NULL, 35, 'Milan', '47901'),
	(1, '[34,49)', 34, 49, 'Oslo', '47901'),
	(1, '(,)', NULL, NULL, 'Europe', '991**'),
	(1, '[34,49)', 34, 49, 'Oslo', '47901'),
	(1, '(,)', NULL, NULL, 'Europe', '991**'),
	(1, '(,34)', NULL, 34, 'Oslo', '47901'),
	(1, '[49,)', 49, NULL, 'Italy', '4790*'),
	(1, '[49,)', 49, NULL, 'Italy', '4790*'),
	(1, '(,34)', NULL, 34, 'Oslo', '47901'),
	(1, '[34,49)', 34, 49, 'Oslo', '47901'),
	(1, '(,)', NULL, NULL, 'Europe', '991**'),
	(1, '[34,49)', 34, 49, 'Oslo', '47901'),
	(1, '(,35)', NULL, 35, 'Milan', '47901'),
	(1, '[49,)', 49, NULL, 'Bergen', '47900'),
	(1, '[49,)', 49, NULL, 'Oslo', '47901'),
	(1, '[49,)', 49, NULL, 'Italy', '4790*'),
	(1, '[49,)', 49, NULL, 'Bergen', '47900'),
	(1, '(,35)', NULL, 35, 'Milan', '47901'),
	(1, '[34,49)', 34, 49, 'Oslo', '47901'),
	(1, '[49,)', 49, NULL, 'Italy', '4790*'),
	(1, '(,35)', NULL, 35, 'Milan', '47901'),
	(1, '(,34)', NULL, 34, 'Oslo', '47901'),
	(1, '(,)', NULL, NULL, 'Europe', '991**'),
	(1, '[35,49)', 35, 49, 'Milan', '47901'),
	(1, '(,34)', NULL, 34, 'Bergen', '47900'),
	(1, '[49,)', 49, NULL, 'Italy', '4790*'),
	(1, '(,34)', NULL, 34, 'Oslo', '47901'),
	(1, '(,33)', NULL, 33, 'Rome', '47900'),
	(1, '(,35)', NULL, 35, 'Milan', '47901'),
	(1, '[35,49)', 35, 49, 'Milan', '47901'),
	(1, '(,34)', NULL, 34, 'Oslo', '47901'),
	(1, '(,34)', NULL, 34, 'Bergen', '47900'),
	(1, '[35,49)', 35, 49, 'Milan', '47901'),
	(1, '[34,49)', 34, 49, 'Oslo', '47901'),
	(1, '[33,49)', 33, 49, 'Rome', '47900'),
	(1, '[33,49)', 33, 49, 'Rome', '47900'),
	(1, '(,35)', NULL, 35, 'Milan', '47901'),
	(1, '(,)', NULL, NULL, 'Europe', '991**'),
	(1, '[34,49)', 34, 49, 'Bergen', '47900'),
	(1, '[49,)', 49, NULL, 'Oslo', '47901'),
	(1, '(,33)', NULL, 33, 'Rome', '47900'),
	(1, '(,35)', NULL, 35, 'Milan', '47901'),
	(1, '(,34)', NULL, 34, 'Oslo', '47901'),
	(1, '(,34)', NULL, 34, 'Bergen', '47900'),
	(1, '(,34)', NULL, 34, 'Oslo', '47901'),
	(1, '(,33)', NULL, 33, 'Rome', '47900'),
	(1, '[34,49)', 34, 49, 'Oslo', '47901'),
	(1, '[35,49)', 35, 49, 'Milan', '47901'),
	(1, '(,33)', NULL, 33, 'Rome', '47900'),
	(1, '[49,)', 49, NULL, 'Bergen', '47900'),
	(1, '[33,49)', 33, 49, 'Rome', '47900'),
	(1, '[49,)', 49, NULL, 'Italy', '4790*'),
	(1, '[33,49)', 33, 49, 'Rome', '47900'),
	(1, '[33,49)', 33, 49, 'Rome', '47900'),
	(1, '(,35)', NULL, 35, 'Milan', '47901'),
	(1, '[33,49)', 33, 49, 'Rome', '47900'),
	(1, '[34,49)', 34, 49, 'Bergen', '47900'),
	(1, '(,34)', NULL, 34, 'Bergen', '47900'),
	(1, '[33,49)', 33, 49, 'Rome', '47900'),
	(1, '[35,49)', 35, 49, 'Milan', '47901'),
	(1, '[35,49)', 35, 49, 'Milan', '47901'),
	(1, '[49,)', 49, NULL, 'Oslo', '47901'),
	(1, '[35,49)', 35, 49, 'Milan', '47901'),
	(1, '[33,49)', 33, 49, 'Rome', '47900'),
	(1, '[34,49)', 34, 49, 'Oslo', '47901'),
	(1, '[49,)', 49, NULL, 'Oslo', '47901'),
	(1, '[49,)', 49, NULL, 'Italy', '4790*'),
	(1, '[49,)', 49, NULL, 'Italy', '4790*'),
	(1, '[49,)', 49, NULL, 'Italy', '4790*'),
	(1, '[33,49)', 33, 49, 'Rome', '47900'),
	(1, '[35,49)', 35, 49, 'Milan', '47901'),
	(1, '[34,49)', 34, 49, 'Oslo', '47901'),
	(1, '[49,)', 49, NULL, 'Oslo', '47901'),
	(1, '(,34)', NULL, 34, 'Oslo', '47901'),
	(1, '(,)', NULL, NULL, 'Europe', '991**'),
	(1, '[49,)', 49, NULL, 'Oslo', '47901'),
	(1, '[49,)', 49, NULL, 'Bergen', '47900'),
	(1, '[34,49)', 34, 49, 'Bergen', '47900'),
	(1, '(,34)', NULL, 34, 'Oslo', '47901'),
	(1, '(,)', NULL, NULL, 'Europe', '991**'),
	(1, '(,33)', NULL, 33, 'Rome', '47900'),
	(1, '(,33)', NULL, 33, 'Rome', '47900'),
	(1, '(,33)', NULL, 33, 'Rome', '47900'),
	(1, '[49,)', 49, NULL, 'Italy', '4790*'),
	(1, '[35,49)', 35, 49, 'Milan', '47901'),
	(1, '[34,49)', 34, 49, 'Bergen', '47900'),
	(1, '[49,)', 49, NULL, 'Bergen', '47900'),
	(1, '[34,49)', 34, 49, 'Bergen', '47900'),
	(1, '[33,49)', 33, 49, 'Rome', '47900'),
	(1, '(,33)', NULL, 33, 'Rome', '47900'),
	(1, '(,)', NULL, NULL, 'Europe', '991**'),
	(1, '(,)', NULL, NULL, 'Europe', '991**'),
	(1, '(,34)', NULL, 34, 'Bergen', '47900'),
	(1, '[35,49)', 35, 49, 'Milan', '47901'),
	(1, '(,34)', NULL, 34, 'Bergen', '47900'),
	(1, '(,35)', NULL, 35, 'Milan', '47901'),
	(1, '[49,)', 49, NULL, 'Oslo', '47901'),
	(1, '[34,49)', 34, 49, 'Bergen', '47900'),
	(1, '[34,49)', 34, 49, 'Bergen', '47900'),
	(1, '[49,)', 49, NULL, 'Italy', '4790*'),
	(1, '[49,)', 49, NULL, 'Bergen', '47900'),
	(1, '[49,)', 49, NULL, 'Bergen', '47900'),
	(1, '[34,49)', 34, 49, 'Bergen', '47900'),
	(1, '[49,)', 49, NULL, 'Italy', '4790*'),
	(1, '(,34)', NULL, 34, 'Bergen', '47900'),
	(1, '[33,49)', 33, 49, 'Rome', '47900'),
	(1, '[34,49)', 34, 49, 'Bergen', '47900'),
	(1, '[49,)', 49, NULL, 'Italy', '4790*'),
	(1, '[34,49)', 34, 49, 'Bergen', '47900'),
	(1, '(,33)', NULL, 33, 'Rome', '47900'),
	(1, '[34,49)', 34, 49, 'Bergen', '47900'),
	(1, '[49,)', 49, NULL, 'Oslo', '47901'),
	(1, '(,34)', NULL, 34, 'Bergen', '47900'),
	(1, '[49,)', 49, NULL, 'Oslo', '47901'),
	(1, '[49,)', 49, NULL, 'Bergen', '47900'),
	(1, '(,34)', NULL, 34, 'Oslo', '47901'),
	(1, '[49,)', 49, NULL, 'Italy', '4790*'),
	(1, '[49,)', 49, NULL, 'Italy', '4790*'),
	(1, '[49,)', 49, NULL, 'Bergen', '47900'),
	(1, '(,34)', NULL, 34, 'Bergen', '47900'),
	(1, '(,33)', NULL, 33, 'Rome', '47900'),
	(1, '(,33)', NULL, 33, 'Rome', '47900'),
	(1, '[35,49)', 35, 49, 'Milan', '47901'),
	(1, '(,)', NULL, NULL, 'Europe', '991**'),
	(1, '(,34)', NULL, 34, 'Oslo', '47901'),
	(1, '[33,49)', 33, 49, 'Rome', '47900'),
	(1, '[35,49)', 35, 49, 'Milan', '47901');
INSERT INTO groups.steps_v0 VALUES
	(1, '{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56}', '{zip,age,city,city,city,city,city,age,age,age,age,zip,zip,zip,zip,zip,zip,zip,zip,zip,zip,zip,zip,zip,zip,zip,zip,zip,zip,zip,zip,zip,zip,zip,zip,zip,zip,zip,zip,zip,zip,zip,zip,zip,zip,zip,zip,zip,zip,zip,zip,zip,zip,zip,zip,zip}', '{*,"(,)",Europe,Europe,Italy,Norway,Norway,"(,49)","(,49)","(,49)","(,49)",9****,4****,4****,4****,4****,4****,4****,4****,4****,4****,4****,4****,99***,47***,47***,47***,47***,47***,47***,47***,47***,47***,47***,47***,479**,479**,4790*,479**,4790*,479**,4790*,479**,4790*,479**,4790*,479**,4790*,479**,4790*,479**,4790*,479**,4790*,479**,4790*}', '{"{\"4****\",\"9****\"}","{\"(,49)\",\"[49,)\"}","{\"Italy\",\"Norway\"}","{\"Italy\",\"Norway\"}","{\"Milan\",\"Rome\"}","{\"Bergen\",\"Oslo\"}","{\"Bergen\",\"Oslo\"}","{\"(,35)\",\"[35,49)\"}","{\"(,34)\",\"[34,49)\"}","{\"(,34)\",\"[34,49)\"}","{\"(,33)\",\"[33,49)\"}","{\"99***\"}","{\"47***\"}","{\"47***\"}","{\"47***\"}","{\"47***\"}","{\"47***\"}","{\"47***\"}","{\"47***\"}","{\"47***\"}","{\"47***\"}","{\"47***\"}","{\"47***\"}","{\"991**\"}","{\"479**\"}","{\"479**\"}","{\"479**\"}","{\"479**\"}","{\"479**\"}","{\"479**\"}","{\"479**\"}","{\"479**\"}","{\"479**\"}","{\"479**\"}","{\"479**\"}","{\"4790*\"}","{\"4790*\"}","{\"47900\",\"47901\"}","{\"4790*\"}","{\"47900\",\"47901\"}","{\"4790*\"}","{\"47900\",\"47901\"}","{\"4790*\"}","{\"47900\",\"47901\"}","{\"4790*\"}","{\"47900\",\"47901\"}","{\"4790*\"}","{\"47900\",\"47901\"}","{\"4790*\"}","{\"47900\",\"47901\"}","{\"4790*\"}","{\"47900\",\"47901\"}","{\"4790*\"}","{\"47900\",\"47901\"}","{\"4790*\"}","{\"47900\",\"47901\"}"}', '{130,120,33,87,45,18,42,21,21,21,24,10,15,9,9,9,12,12,9,9,12,12,12,10,15,9,9,9,12,12,9,9,12,12,12,15,9,9,9,9,9,9,12,12,12,12,9,9,9,9,12,12,12,12,12,12}', '{0.6666666666666666,0.5555194805194805,0.6666666666666666,0.6666666666666666,0.3333333333333333,0.3333333333333333,0.3333333333333333,0.18923933209647498,0.18923933209647498,0.18738404452690163,0.18831168831168832,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.3333333333333333,0,0.3333333333333333,0,0.3333333333333333,0,0.3333333333333333,0,0.3333333333333333,0,0.3333333333333333,0,0.3333333333333333,0,0.3333333333333333,0,0.3333333333333333,0,0.3333333333333333}', '{18.46153846153846,47.85,16.363636363636363,43.44827586206897,22.4,9,21,10.285714285714286,10.285714285714286,10.285714285714286,12,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0}', '{0.036111111111111115,0.010716556171101626,0.010341880341880341,0.010268620268620268,0.005151098901098901,0.005128205128205128,0.005128205128205128,0.0029720279720279724,0.0029720279720279724,0.0029428904428904423,0.0028971028971028975,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.023076923076923078,0,0.023076923076923078,0,0.023076923076923078,0,0.03076923076923077,0,0.03076923076923077,0,0.023076923076923078,0,0.023076923076923078,0,0.03076923076923077,0,0.03076923076923077,0,0.03076923076923077}', '{"{\"10\"}","{\"10\"}","{\"10\"}","{\"10\"}","{\"10\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}","{\"9\"}"}', '{"{\"age\":\"(,)\",\"city\":\"Europe\",\"zip\":\"*\"}","{\"age\":\"(,)\",\"city\":\"Europe\",\"zip\":\"4****\"}","{\"age\":\"[49,)\",\"city\":\"Europe\",\"zip\":\"4****\"}","{\"age\":\"(,49)\",\"city\":\"Europe\",\"zip\":\"4****\"}","{\"age\":\"(,49)\",\"city\":\"Italy\",\"zip\":\"4****\"}","{\"age\":\"[49,)\",\"city\":\"Norway\",\"zip\":\"4****\"}","{\"age\":\"(,49)\",\"city\":\"Norway\",\"zip\":\"4****\"}","{\"age\":\"(,49)\",\"city\":\"Milan\",\"zip\":\"4****\"}","{\"age\":\"(,49)\",\"city\":\"Oslo\",\"zip\":\"4****\"}","{\"age\":\"(,49)\",\"city\":\"Bergen\",\"zip\":\"4****\"}","{\"age\":\"(,49)\",\"city\":\"Rome\",\"zip\":\"4****\"}","{\"age\":\"(,)\",\"city\":\"Europe\",\"zip\":\"9****\"}","{\"age\":\"[49,)\",\"city\":\"Italy\",\"zip\":\"4****\"}","{\"age\":\"[49,)\",\"city\":\"Bergen\",\"zip\":\"4****\"}","{\"age\":\"[49,)\",\"city\":\"Oslo\",\"zip\":\"4****\"}","{\"age\":\"(,35)\",\"city\":\"Milan\",\"zip\":\"4****\"}","{\"age\":\"[35,49)\",\"city\":\"Milan\",\"zip\":\"4****\"}","{\"age\":\"(,34)\",\"city\":\"Oslo\",\"zip\":\"4****\"}","{\"age\":\"[34,49)\",\"city\":\"Oslo\",\"zip\":\"4****\"}","{\"age\":\"(,34)\",\"city\":\"Bergen\",\"zip\":\"4****\"}","{\"age\":\"[34,49)\",\"city\":\"Bergen\",\"zip\":\"4****\"}","{\"age\":\"(,33)\",\"city\":\"Rome\",\"zip\":\"4****\"}","{\"age\":\"[33,49)\",\"city\":\"Rome\",\"zip\":\"4****\"}","{\"age\":\"(,)\",\"city\":\"Europe\",\"zip\":\"99***\"}","{\"age\":\"[49,)\",\"city\":\"Italy\",\"zip\":\"47***\"}","{\"age\":\"[49,)\",\"city\":\"Bergen\",\"zip\":\"47***\"}","{\"age\":\"[49,)\",\"city\":\"Oslo\",\"zip\":\"47***\"}","{\"age\":\"(,35)\",\"city\":\"Milan\",\"zip\":\"47***\"}","{\"age\":\"[35,49)\",\"city\":\"Milan\",\"zip\":\"47***\"}","{\"age\":\"(,34)\",\"city\":\"Oslo\",\"zip\":\"47***\"}","{\"age\":\"[34,49)\",\"city\":\"Oslo\",\"zip\":\"47***\"}","{\"age\":\"(,34)\",\"city\":\"Bergen\",\"zip\":\"47***\"}","{\"age\":\"[34,49)\",\"city\":\"Bergen\",\"zip\":\"47***\"}","{\"age\":\"(,33)\",\"city\":\"Rome\",\"zip\":\"47***\"}","{\"age\":\"[33,49)\",\"city\":\"Rome\",\"zip\":\"47***\"}","{\"age\":\"[49,)\",\"city\":\"Italy\",\"zip\":\"479**\"}","{\"age\":\"[49,)\",\"city\":\"Bergen\",\"zip\":\"479**\"}","{\"age\":\"[49,)\",\"city\":\"Bergen\",\"zip\":\"4790*\"}","{\"age\":\"[49,)\",\"city\":\"Oslo\",\"zip\":\"479**\"}","{\"age\":\"[49,)\",\"city\":\"Oslo\",\"zip\":\"4790*\"}","{\"age\":\"(,35)\",\"city\":\"Milan\",\"zip\":\"479**\"}","{\"age\":\"(,35)\",\"city\":\"Milan\",\"zip\":\"4790*\"}","{\"age\":\"[35,49)\",\"city\":\"Milan\",\"zip\":\"479**\"}","{\"age\":\"[35,49)\",\"city\":\"Milan\",\"zip\":\"4790*\"}","{\"age\":\"(,34)\",\"city\":\"Oslo\",\"zip\":\"479**\"}","{\"age\":\"(,34)\",\"city\":\"Oslo\",\"zip\":\"4790*\"}","{\"age\":\"[34,49)\",\"city\":\"Oslo\",\"zip\":\"479**\"}","{\"age\":\"[34,49)\",\"city\":\"Oslo\",\"zip\":\"4790*\"}","{\"age\":\"(,34)\",\"city\":\"Bergen\",\"zip\":\"479**\"}","{\"age\":\"(,34)\",\"city\":\"Bergen\",\"zip\":\"4790*\"}","{\"age\":\"[34,49)\",\"city\":\"Bergen\",\"zip\":\"479**\"}","{\"age\":\"[34,49)\",\"city\":\"Bergen\",\"zip\":\"4790*\"}","{\"age\":\"(,33)\",\"city\":\"Rome\",\"zip\":\"479**\"}","{\"age\":\"(,33)\",\"city\":\"Rome\",\"zip\":\"4790*\"}","{\"age\":\"[33,49)\",\"city\":\"Rome\",\"zip\":\"479**\"}","{\"age\":\"[33,49)\",\"city\":\"Rome\",\"zip\":\"4790*\"}"}', '{NULL,49,NULL,NULL,NULL,NULL,NULL,35,34,34,33,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}');
INSERT INTO groups.taxonomy_v0 VALUES
	(1, 'age', '{"(,)","(,49)","(,35)","(,34)","(,33)","[33,49)","[34,49)","[35,49)","[49,)"}', '{NULL,"(,)","(,49)","(,49)","(,49)","(,49)","(,49)","(,49)","(,)"}', '{NULL,NULL,NULL,NULL,NULL,33,34,35,49}', '{NULL,49,35,34,33,49,49,49,NULL}', '{0,1,2,2,2,2,2,2,1}', '{t,f,t,t,t,t,t,t,t}'),
	(1, 'city', '{Europe,Italy,Milan,Rome,Norway,Bergen,Oslo}', '{NULL,Europe,Italy,Italy,Europe,Norway,Norway}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL}', '{0,1,2,2,1,2,2}', '{t,t,t,t,f,t,t}'),
	(1, 'zip', '{*,4****,47***,479**,4790*,47900,47901,9****,99***,991**,9912*,99123,9914*,99145}', '{NULL,*,4****,47***,479**,4790*,4790*,*,9****,99***,991**,9912*,991**,9914*}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}', '{0,1,2,3,4,5,5,1,2,3,4,5,4,5}', '{f,f,f,f,t,t,t,f,f,t,f,f,f,f}');
INSERT INTO labels_held.cuts_v0 VALUES
	(1, 1, 'zip', '{479**,881**,991**}', '{NULL,NULL,NULL}', '{NULL,NULL,NULL}', '{120,0,8}');
INSERT INTO labels_held.manifest VALUES
	(1, '2026-11-23 17:43:47.084383+00', 'src.people', '{"keep": ["illness"], "scan": {"how": "rows", "reason": "it is small, or was never analyzed"}, "verb": "tds_anonymize", "view": "people", "class": null, "score": "tds", "split": "optimal", "trace": 1, "format": 2, "weaker": [], "columns": [{"name": "zip", "type": "text", "lower": null, "nulls": false, "upper": null, "masked": "taxonomy", "non_uniform_entropy": 0.0}], "masking": [{"by_prefix": {"lengths": [3], "column_name": "zip"}}], "privacy": [{"k_anonymity": {"k": 5, "quasi_identifier": ["zip"]}}], "recoding": "global", "withheld": 2, "withhold": 0.05, "endpoints": "rounded", "intervals": "label", "max_steps": null, "suppressed": "*", "steps_dropped": 0, "source_columns": [{"name": "zip", "type": "text COLLATE pg_catalog.\"default\""}, {"name": "illness", "type": "text COLLATE pg_catalog.\"default\""}], "class_information": null}', 128, '[{"holds": true, "model": {"k_anonymity": {"k": 5, "quasi_identifier": ["zip"]}}, "achieved": 8.0, "required": 5.0}]', '0.2.0', true);
INSERT INTO labels_held.people_v1 VALUES
	(1, '991**', 'cold'),
	(1, '479**', 'cold'),
	(1, '479**', 'cold'),
	(1, '479**', 'flu'),
	(1, '479**', 'none'),
	(1, '479**', 'none'),
	(1, '479**', 'cold'),
	(1, '479**', 'flu'),
	(1, '479**', 'cold'),
	(1, '479**', 'none'),
	(1, '479**', 'flu'),
	(1, '479**', 'flu'),
	(1, '479**', 'none'),
	(1, '479**', 'flu'),
	(1, '479**', 'cold'),
	(1, '479**', 'none'),
	(1, '479**', 'cold'),
	(1, '479**', 'none'),
	(1, '479**', 'cold'),
	(1, '479**', 'none'),
	(1, '479**', 'flu'),
	(1, '479**', 'none'),
	(1, '479**', 'flu'),
	(1, '479**', 'flu'),
	(1, '479**', 'cold'),
	(1, '479**', 'cold'),
	(1, '479**', 'none'),
	(1, '479**', 'none'),
	(1, '479**', 'cold'),
	(1, '479**', 'none'),
	(1, '479**', 'none'),
	(1, '479**', 'none'),
	(1, '479**', 'flu'),
	(1, '479**', 'flu'),
	(1, '479**', 'cold'),
	(1, '479**', 'none'),
	(1, '479**', 'none'),
	(1, '479**', 'cold'),
	(1, '479**', 'flu'),
	(1, '479**', 'flu'),
	(1, '479**', 'flu'),
	(1, '991**', 'cold'),
	(1, '991**', 'cold'),
	(1, '479**', 'cold'),
	(1, '479**', 'cold'),
	(1, '479**', 'flu'),
	(1, '479**', 'none'),
	(1, '479**', 'none'),
	(1, '479**', 'cold'),
	(1, '479**', 'cold'),
	(1, '479**', 'flu'),
	(1, '479**', 'none'),
	(1, '479**', 'cold'),
	(1, '479**', 'flu'),
	(1, '479**', 'flu'),
	(1, '479**', 'flu'),
	(1, '479**', 'none'),
	(1, '479**', 'cold'),
	(1, '479**', 'cold'),
	(1, '479**', 'flu'),
	(1, '479**', 'cold'),
	(1, '479**', 'cold'),
	(1, '479**', 'cold'),
	(1, '479**', 'none'),
	(1, '479**', 'none'),
	(1, '479**', 'cold'),
	(1, '991**', 'cold'),
	(1, '479**', 'cold'),
	(1, '479**', 'cold'),
	(1, '479**', 'flu'),
	(1, '479**', 'cold'),
	(1, '479**', 'cold'),
	(1, '479**', 'none'),
	(1, '479**', 'cold'),
	(1, '479**', 'flu'),
	(1, '479**', 'flu'),
	(1, '479**', 'flu'),
	(1, '479**', 'flu'),
	(1, '479**', 'flu'),
	(1, '479**', 'none'),
	(1, '479**', 'flu'),
	(1, '479**', 'flu'),
	(1, '479**', 'flu'),
	(1, '479**', 'flu'),
	(1, '479**', 'flu'),
	(1, '479**', 'none'),
	(1, '479**', 'cold'),
	(1, '479**', 'none'),
	(1, '479**', 'none'),
	(1, '479**', 'flu'),
	(1, '991**', 'cold'),
	(1, '479**', 'none'),
	(1, '479**', 'none'),
	(1, '479**', 'flu'),
	(1, '479**', 'cold'),
	(1, '479**', 'cold'),
	(1, '479**', 'none'),
	(1, '479**', 'none'),
	(1, '479**', 'flu'),
	(1, '479**', 'cold'),
	(1, '479**', 'none'),
	(1, '991**', 'cold'),
	(1, '479**', 'flu'),
	(1, '479**', 'cold'),
	(1, '479**', 'none'),
	(1, '479**', 'cold'),
	(1, '479**', 'flu'),
	(1, '479**', 'none'),
	(1, '479**', 'none'),
	(1, '479**', 'flu'),
	(1, '479**', 'cold'),
	(1, '479**', 'none'),
	(1, '479**', 'flu'),
	(1, '479**', 'cold'),
	(1, '479**', 'flu'),
	(1, '479**', 'cold'),
	(1, '479**', 'flu'),
	(1, '479**', 'none'),
	(1, '479**', 'cold'),
	(1, '479**', 'cold'),
	(1, '991**', 'cold'),
	(1, '479**', 'flu'),
	(1, '479**', 'none'),
	(1, '479**', 'none'),
	(1, '479**', 'cold'),
	(1, '991**', 'cold'),
	(1, '479**', 'none'),
	(1, '479**', 'none');
INSERT INTO labels_held.steps_v0 VALUES
	(1, '{1}', '{zip}', '{*}', '{"{\"479**\",\"881**\",\"991**\"}"}', '{130}', '{1}', '{122}', '{0.006147540983606558}', '{"{\"8\"}"}', '{NULL}', '{NULL}');
INSERT INTO labels_held.taxonomy_v0 VALUES
	(1, 'zip', '{*,479**,881**,991**}', '{NULL,*,*,*}', '{NULL,NULL,NULL,NULL}', '{NULL,NULL,NULL,NULL}', '{0,1,1,1}', '{f,t,t,t}');
INSERT INTO labels_held.values_v0 VALUES
	(1, 'illness', '{-539409077166545028,-2440192939613147878,1067009285796817413}');
INSERT INTO labels_held.withheld_v0 VALUES
	(1, '{"{\"zip\":\"881**\"}"}');
INSERT INTO leaves_held.cuts_v0 VALUES
	(1, 1, 'zip', '{47900,47901,9912*,99145}', '{NULL,NULL,NULL,NULL}', '{NULL,NULL,NULL,NULL}', '{60,60,0,8}');
INSERT INTO leaves_held.manifest VALUES
	(1, '2026-11-23 17:43:47.050267+00', 'src.people', '{"keep": ["illness"], "scan": {"how": "rows", "reason": "it is small, or was never analyzed"}, "verb": "tds_anonymize", "view": "people", "class": null, "score": "tds", "split": "optimal", "trace": 1, "format": 2, "weaker": [], "columns": [{"name": "zip", "type": "text", "lower": null, "nulls": false, "upper": null, "masked": "taxonomy", "non_uniform_entropy": 0.0}], "masking": [{"by_prefix": {"lengths": null, "column_name": "zip"}}], "privacy": [{"k_anonymity": {"k": 5, "quasi_identifier": ["zip"]}}], "recoding": "global", "withheld": 2, "withhold": 0.05, "endpoints": "rounded", "intervals": "label", "max_steps": null, "suppressed": "*", "steps_dropped": 0, "source_columns": [{"name": "zip", "type": "text COLLATE pg_catalog.\"default\""}, {"name": "illness", "type": "text COLLATE pg_catalog.\"default\""}], "class_information": null}', 128, '[{"holds": true, "model": {"k_anonymity": {"k": 5, "quasi_identifier": ["zip"]}}, "achieved": 8.0, "required": 5.0}]', '0.2.0', true);
INSERT INTO leaves_held.people_v1 VALUES
	(1, '47900', 'flu'),
	(1, '47900', 'none'),
	(1, '47900', 'cold'),
	(1, '47900', 'cold'),
	(1, '47900', 'none'),
	(1, '47901', 'none'),
	(1, '47901', 'cold'),
	(1, '47900', 'cold'),
	(1, '47901', 'none'),
	(1, '47900', 'flu'),
	(1, '47901', 'none'),
	(1, '47901', 'flu'),
	(1, '47900', 'none'),
	(1, '47900', 'cold'),
	(1, '47900', 'none'),
	(1, '47901', 'flu'),
	(1, '47900', 'flu'),
	(1, '47901', 'flu'),
	(1, '47900', 'flu'),
	(1, '47900', 'flu'),
	(1, '47900', 'flu'),
	(1, '47901', 'none'),
	(1, '47900', 'none'),
	(1, '47901', 'none'),
	(1, '47901', 'flu'),
	(1, '47901', 'flu'),
	(1, '47900', 'cold'),
	(1, '47901', 'cold'),
	(1, '99145', 'cold'),
	(1, '47900', 'flu'),
	(1, '47901', 'none'),
	(1, '47901', 'flu'),
	(1, '47900', 'none'),
	(1, '47900', 'none'),
	(1, '47900', 'none'),
	(1, '47900', 'none'),
	(1, '47901', 'flu'),
	(1, '47901', 'none'),
	(1, '47901', 'none'),
	(1, '47901', 'cold'),
	(1, '47900', 'cold'),
	(1, '47901', 'cold'),
	(1, '47900', 'cold'),
	(1, '47900', 'cold'),
	(1, '47901', 'flu'),
	(1, '47900', 'none'),
	(1, '47901', 'cold'),
	(1, '47901', 'cold'),
	(1, '47901', 'none'),
	(1, '99145', 'cold'),
	(1, '47900', 'cold'),
	(1, '47900', 'flu'),
	(1, '47900', 'none'),
	(1, '47901', 'cold'),
	(1, '47900', 'cold'),
	(1, '47900', 'flu'),
	(1, '47900', 'flu'),
	(1, '47900', 'cold'),
	(1, '47900', 'flu'),
	(1, '47901', 'none'),
	(1, '47901', 'none'),
	(1, '99145', 'cold'),
	(1, '47901', 'cold'),
	(1, '47901', 'cold'),
	(1, '47900', 'cold'),
	(1, '47900', 'flu'),
	(1, '47900', 'none'),
	(1, '47900', 'cold'),
	(1, '47901', 'flu'),
	(1, '47901', 'cold'),
	(1, '47901', 'none'),
	(1, '47901', 'none'),
	(1, '47900', 'none'),
	(1, '47900', 'flu'),
	(1, '99145', 'cold'),
	(1, '99145', 'cold'),
	(1, '47900', 'cold'),
	(1, '47900', 'cold'),
	(1, '47900', 'flu'),
	(1, '47900', 'cold'),
	(1, '47900', 'flu'),
	(1, '47901', 'flu'),
	(1, '47900', 'none'),
	(1, '47901', 'none'),
	(1, '47901', 'flu'),
	(1, '47901', 'none'),
	(1, '47901', 'cold'),
	(1, '47901', 'none'),
	(1, '47901', 'flu'),
	(1, '47900', 'flu'),
	(1, '47900', 'cold'),
	(1, '47900', 'none'),
	(1, '47901', 'cold'),
	(1, '47900', 'cold'),
	(1, '47900', 'none'),
	(1, '47901', 'flu'),
	(1, '47901', 'cold'),
	(1, '47901', 'cold'),
	(1, '99145', 'cold'),
	(1, '47900', 'none'),
	(1, '47900', 'cold'),
	(1, '47900', 'none'),
	(1, '47900', 'flu'),
	(1, '47900', 'cold'),
	(1, '47901', 'cold'),
	(1, '47901', 'flu'),
	(1, '47901', 'flu'),
	(1, '47901', 'none'),
	(1, '47901', 'flu'),
	(1, '47901', 'cold'),
	(1, '47901', 'flu'),
	(1, '47901', 'flu'),
	(1, '47901', 'none'),
	(1, '47901', 'flu'),
	(1, '99145', 'cold'),
	(1, '47901', 'cold'),
	(1, '47901', 'cold'),
	(1, '47900', 'flu'),
	(1, '47901', 'cold'),
	(1, '47901', 'none'),
	(1, '99145', 'cold'),
	(1, '47901', 'cold'),
	(1, '47900', 'none'),
	(1, '47900', 'none'),
	(1, '47900', 'flu'),
	(1, '47901', 'flu'),
	(1, '47901', 'none'),
	(1, '47900', 'flu');
INSERT INTO leaves_held.steps_v0 VALUES
	(1, '{1,2,3,4,5,6,7,8,9}', '{zip,zip,zip,zip,zip,zip,zip,zip,zip}', '{*,4****,47***,479**,4790*,9****,99***,991**,9914*}', '{"{\"4****\",\"9****\"}","{\"47***\"}","{\"479**\"}","{\"4790*\"}","{\"47900\",\"47901\"}","{\"99***\"}","{\"991**\"}","{\"9912*\",\"9914*\"}","{\"99145\"}"}', '{130,120,120,120,120,10,10,10,8}', '{0.6666666666666666,0,0,0,0.3333333333333333,0,0,0.3333333333333333,0}', '{120,0,0,0,0,0,0,2,0}', '{0.005555555555555555,0,0,0,0.3333333333333333,0,0,0.125,0}', '{"{\"10\"}","{\"10\"}","{\"10\"}","{\"10\"}","{\"10\"}","{\"10\"}","{\"10\"}","{\"8\"}","{\"8\"}"}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}');
INSERT INTO leaves_held.taxonomy_v0 VALUES
	(1, 'zip', '{*,4****,47***,479**,4790*,47900,47901,9****,99***,991**,9912*,99123,9914*,99145}', '{NULL,*,4****,47***,479**,4790*,4790*,*,9****,99***,991**,9912*,991**,9914*}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}', '{0,1,2,3,4,5,5,1,2,3,4,5,4,5}', '{f,f,f,f,f,t,t,f,f,f,t,f,f,t}');
INSERT INTO leaves_held.values_v0 VALUES
	(1, 'illness', '{-539409077166545028,-2440192939613147878,1067009285796817413}');
INSERT INTO leaves_held.withheld_v0 VALUES
	(1, '{"{\"zip\":\"99123\"}"}');
INSERT INTO persons.cuts_v0 VALUES
	(1, 1, 'age', '{"(,35)","[35,50)","[50,)"}', '{NULL,35,50}', '{35,50,NULL}', '{45,45,40}'),
	(1, 2, 'city', '{Milan,Rome,Bergen,Oslo}', '{NULL,NULL,NULL,NULL}', '{NULL,NULL,NULL,NULL}', '{30,32,30,38}');
INSERT INTO persons.manifest VALUES
	(1, '2026-11-23 17:43:46.901279+00', 'src.people', '{"keep": [], "scan": {"how": "rows", "reason": "it is small, or was never analyzed"}, "verb": "tds_anonymize", "view": "people", "class": null, "score": "tds", "split": "optimal", "trace": 1, "format": 2, "weaker": [], "columns": [{"name": "age", "type": "integer", "lower": "20", "nulls": false, "upper": "97", "masked": "intervals", "non_uniform_entropy": 0.7038308831028639}, {"name": "city", "type": "text", "lower": null, "nulls": false, "upper": null, "masked": "taxonomy", "non_uniform_entropy": 0.0}], "masking": [{"by_taxonomy": {"taxonomy": "src.cities", "column_name": "city"}}], "privacy": [{"k_anonymity": {"k": 4, "person": "patient", "quasi_identifier": ["age", "city"]}}], "recoding": "global", "withheld": 0, "withhold": 0.0, "endpoints": "rounded", "intervals": "label", "max_steps": null, "suppressed": "*", "steps_dropped": 0, "source_columns": [{"name": "age", "type": "integer"}, {"name": "city", "type": "text COLLATE pg_catalog.\"default\""}, {"name": "patient", "type": "integer"}], "class_information": null}', 130, '[{"holds": true, "model": {"k_anonymity": {"k": 4, "person": "patient", "quasi_identifier": ["age", "city"]}}, "achieved": 8.0, "required": 4.0}]', '0.2.0', true);
INSERT INTO persons.people_v1 VALUES
	(1, '[35,50)', 'Milan', 40),
	(1, '(,35)', 'Rome', 37),
	(1, '[50,)', 'Rome', 48),
	(1, '(,35)', 'Oslo', 51),
	(1, '[35,50)', 'Milan', 12),
	(1, '[50,)', 'Bergen', 34),
	(1, '[50,)', 'Rome', 39),
	(1, '[35,50)', 'Milan', 26),
	(1, '[50,)', 'Rome', 8),
	(1, '(,35)', 'Bergen', 7),
	(1, '[35,50)', 'Oslo', 57),
	(1, '[35,50)', 'Rome', 17),
	(1, '[50,)', 'Milan', 68),
	(1, '[50,)', 'Rome', 0),
	(1, '[35,50)', 'Milan', 67),
	(1, '(,35)', 'Oslo', 59),
	(1, '[50,)', 'Oslo', 2),
	(1, '[35,50)', 'Oslo', 47),
	(1, '(,35)', 'Oslo', 28),
	(1, '[50,)', 'Rome', 9),
	(1, '[35,50)', 'Oslo', 31),
	(1, '[35,50)', 'Milan', 24),
	(1, '(,35)', 'Bergen', 45),
	(1, '[35,50)', 'Rome', 66),
	(1, '[35,50)', 'Milan', 65),
	(1, '[50,)', 'Milan', 69),
	(1, '[50,)', 'Milan', 14),
	(1, '(,35)', 'Bergen', 10),
	(1, '[50,)', 'Bergen', 49),
	(1, '[50,)', 'Oslo', 21),
	(1, '[50,)', 'Oslo', 18),
	(1, '[50,)', 'Oslo', 62),
	(1, '(,35)', 'Rome', 51),
	(1, '[50,)', 'Oslo', 32),
	(1, '(,35)', 'Rome', 30),
	(1, '[35,50)', 'Oslo', 4),
	(1, '[35,50)', 'Milan', 53),
	(1, '[35,50)', 'Rome', 4),
	(1, '[50,)', 'Bergen', 15),
	(1, '[50,)', 'Bergen', 13),
	(1, '[50,)', 'Bergen', 27),
	(1, '[50,)', 'Bergen', 14),
	(1, '(,35)', 'Rome', 60),
	(1, '(,35)', 'Bergen', 54),
	(1, '[35,50)', 'Bergen', 16),
	(1, '[35,50)', 'Oslo', 64),
	(1, '(,35)', 'Milan', 23),
	(1, '(,35)', 'Oslo', 44),
	(1, '[50,)', 'Milan', 34),
	(1, '(,35)', 'Bergen', 56),
	(1, '(,35)', 'Milan', 45),
	(1, '(,35)', 'Oslo', 1),
	(1, '[50,)', 'Bergen', 69),
	(1, '[35,50)', 'Oslo', 66),
	(1, '[35,50)', 'Milan', 16),
	(1, '[35,50)', 'Milan', 19),
	(1, '[35,50)', 'Rome', 61),
	(1, '[35,50)', 'Oslo', 17),
	(1, '(,35)', 'Oslo', 25),
	(1, '(,35)', 'Rome', 5),
	(1, '[35,50)', 'Bergen', 65),
	(1, '(,35)', 'Milan', 43),
	(1, '[35,50)', 'Oslo', 42),
	(1, '[35,50)', 'Rome', 63),
	(1, '(,35)', 'Milan', 7),
	(1, '[50,)', 'Bergen', 68),
	(1, '[35,50)', 'Rome', 42),
	(1, '(,35)', 'Rome', 1),
	(1, '(,35)', 'Bergen', 40),
	(1, '[35,50)', 'Bergen', 11),
	(1, '[35,50)', 'Rome', 64),
	(1, '(,35)', 'Oslo', 37),
	(1, '(,35)', 'Rome', 44),
	(1, '[35,50)', 'Bergen', 26),
	(1, '[50,)', 'Oslo', 8),
	(1, '[50,)', 'Milan', 13),
	(1, '[50,)', 'Rome', 41),
	(1, '(,35)', 'Bergen', 19),
	(1, '[50,)', 'Bergen', 3),
	(1, '(,35)', 'Rome', 55),
	(1, '[50,)', 'Oslo', 9),
	(1, '(,35)', 'Milan', 52),
	(1, '[35,50)', 'Rome', 70),
	(1, '(,35)', 'Rome', 25),
	(1, '(,35)', 'Oslo', 60),
	(1, '[35,50)', 'Oslo', 61),
	(1, '(,35)', 'Oslo', 55),
	(1, '(,35)', 'Bergen', 43),
	(1, '[35,50)', 'Rome', 47),
	(1, '[35,50)', 'Oslo', 63),
	(1, '(,35)', 'Bergen', 23),
	(1, '[50,)', 'Oslo', 6),
	(1, '[50,)', 'Oslo', 50),
	(1, '(,35)', 'Rome', 28),
	(1, '(,35)', 'Milan', 54),
	(1, '[35,50)', 'Oslo', 70),
	(1, '[50,)', 'Milan', 15),
	(1, '[35,50)', 'Bergen', 29),
	(1, '[50,)', 'Oslo', 58),
	(1, '(,35)', 'Oslo', 5),
	(1, '[35,50)', 'Rome', 22),
	(1, '[35,50)', 'Oslo', 22),
	(1, '(,35)', 'Bergen', 52),
	(1, '(,35)', 'Rome', 33),
	(1, '[35,50)', 'Bergen', 53),
	(1, '[35,50)', 'Milan', 11),
	(1, '[50,)', 'Oslo', 20),
	(1, '[35,50)', 'Rome', 57),
	(1, '[35,50)', 'Bergen', 24),
	(1, '(,35)', 'Milan', 36),
	(1, '[50,)', 'Oslo', 48),
	(1, '(,35)', 'Oslo', 33),
	(1, '(,35)', 'Bergen', 36),
	(1, '[50,)', 'Oslo', 0),
	(1, '[50,)', 'Rome', 18),
	(1, '[35,50)', 'Bergen', 67),
	(1, '(,35)', 'Bergen', 38),
	(1, '[35,50)', 'Milan', 29),
	(1, '[50,)', 'Milan', 49),
	(1, '[50,)', 'Oslo', 35),
	(1, '[35,50)', 'Rome', 31),
	(1, '(,35)', 'Oslo', 46),
	(1, '[35,50)', 'Bergen', 12),
	(1, '[50,)', 'Milan', 27),
	(1, '(,35)', 'Rome', 46),
	(1, '(,35)', 'Milan', 10),
	(1, '(,35)', 'Milan', 56),
	(1, '[50,)', 'Rome', 21),
	(1, '[35,50)', 'Milan', 38),
	(1, '[50,)', 'Milan', 3);
INSERT INTO persons.steps_v0 VALUES
	(1, '{1,2,3,4,5}', '{city,age,age,city,city}', '{Europe,"(,)","(,50)",Norway,Italy}', '{"{\"Italy\",\"Norway\"}","{\"(,50)\",\"[50,)\"}","{\"(,35)\",\"[35,50)\"}","{\"Bergen\",\"Oslo\"}","{\"Milan\",\"Rome\"}"}', '{130,130,90,68,62}', '{0.6666666666666667,0.5424575424575425,0.19480519480519484,0.3333333333333333,0.3333333333333333}', '{9,45,0,8,1}', '{0.07407407407407408,0.012054612054612055,0.19480519480519484,0.041666666666666664,0.3333333333333333}', '{"{\"62\"}","{\"17\"}","{\"17\"}","{\"9\"}","{\"8\"}"}', '{NULL,NULL,NULL,NULL,NULL}', '{NULL,NULL,NULL,NULL,NULL}');
INSERT INTO persons.taxonomy_v0 VALUES
	(1, 'age', '{"(,)","(,50)","(,35)","(,27)","[27,35)","[35,50)","[35,42)","[42,50)","[50,)","[50,59)","[59,)"}', '{NULL,"(,)","(,50)","(,35)","(,35)","(,50)","[35,50)","[35,50)","(,)","[50,)","[50,)"}', '{NULL,NULL,NULL,NULL,27,35,35,42,50,50,59}', '{NULL,50,35,27,35,50,42,50,NULL,59,NULL}', '{0,1,2,3,3,2,3,3,1,2,2}', '{f,f,t,f,f,t,f,f,t,f,f}'),
	(1, 'city', '{Europe,Italy,Milan,Rome,Norway,Bergen,Oslo}', '{NULL,Europe,Italy,Italy,Europe,Norway,Norway}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL}', '{0,1,2,2,1,2,2}', '{f,f,t,t,f,t,t}');
INSERT INTO plain.cuts_v0 VALUES
	(1, 1, 'age', '{"(,)"}', '{NULL}', '{NULL}', '{130}'),
	(1, 2, 'city', '{Milan,Rome,Bergen,Oslo}', '{NULL,NULL,NULL,NULL}', '{NULL,NULL,NULL,NULL}', '{30,32,30,38}'),
	(2, 1, 'age', '{"(,)"}', '{NULL}', '{NULL}', '{130}'),
	(2, 2, 'city', '{Milan,Rome,Bergen,Oslo}', '{NULL,NULL,NULL,NULL}', '{NULL,NULL,NULL,NULL}', '{30,32,30,38}');
INSERT INTO plain.manifest VALUES
	(1, '2026-11-23 17:43:46.799344+00', 'src.people', '{"keep": [], "scan": {"how": "rows", "reason": "it is small, or was never analyzed"}, "verb": "tds_anonymize", "view": "people", "class": "stays", "score": "tds", "split": "optimal", "trace": 1, "format": 2, "weaker": [], "columns": [{"name": "age", "type": "integer", "lower": "20", "nulls": false, "upper": "97", "masked": "intervals", "non_uniform_entropy": 1.0}, {"name": "city", "type": "text", "lower": null, "nulls": false, "upper": null, "masked": "taxonomy", "non_uniform_entropy": 0.0}], "masking": [{"by_taxonomy": {"taxonomy": "src.cities", "column_name": "city"}}], "privacy": [{"k_anonymity": {"k": 8, "quasi_identifier": ["age", "city"]}}, {"confidence_bound": {"sensitive": "illness", "max_confidence": 0.9, "sensitive_values": ["flu"], "inference_channel": ["city"]}}], "recoding": "global", "withheld": 0, "withhold": 0.0, "endpoints": "rounded", "intervals": "label", "max_steps": null, "suppressed": "*", "steps_dropped": 0, "source_columns": [{"name": "age", "type": "integer"}, {"name": "city", "type": "text COLLATE pg_catalog.\"default\""}, {"name": "illness", "type": "text COLLATE pg_catalog.\"default\""}, {"name": "stays", "type": "text COLLATE pg_catalog.\"default\""}], "class_information": 0.0070028308137189965}', 130, '[{"holds": true, "model": {"k_anonymity": {"k": 8, "quasi_identifier": ["age", "city"]}}, "achieved": 30.0, "required": 8.0}, {"holds": true, "model": {"confidence_bound": {"sensitive": "illness", "max_confidence": 0.9, "sensitive_values": ["flu"], "inference_channel": ["city"]}}, "achieved": 0.375, "required": 0.9}]', '0.2.0', false),
	(2, '2026-11-23 17:43:47.122485+00', 'src.people', '{"keep": [], "scan": {"how": "rows", "reason": "it is small, or was never analyzed"}, "verb": "tds_anonymize", "view": "people", "class": "stays", "score": "tds", "split": "optimal", "trace": 1, "format": 2, "weaker": [], "columns": [{"name": "age", "type": "integer", "lower": "20", "nulls": false, "upper": "97", "masked": "intervals", "non_uniform_entropy": 1.0}, {"name": "city", "type": "text", "lower": null, "nulls": false, "upper": null, "masked": "taxonomy", "non_uniform_entropy": 0.0}], "masking": [{"by_taxonomy": {"taxonomy": "src.cities", "column_name": "city"}}], "privacy": [{"k_anonymity": {"k": 8, "quasi_identifier": ["age", "city"]}}, {"confidence_bound": {"sensitive": "illness", "max_confidence": 0.9, "sensitive_values": ["flu"], "inference_channel": ["city"]}}], "recoding": "global", "withheld": 0, "withhold": 0.0, "endpoints": "rounded", "intervals": "label", "max_steps": null, "suppressed": "*", "steps_dropped": 0, "source_columns": [{"name": "age", "type": "integer"}, {"name": "city", "type": "text COLLATE pg_catalog.\"default\""}, {"name": "illness", "type": "text COLLATE pg_catalog.\"default\""}, {"name": "stays", "type": "text COLLATE pg_catalog.\"default\""}], "class_information": 0.0070028308137189965}', 130, '[{"holds": true, "model": {"k_anonymity": {"k": 8, "quasi_identifier": ["age", "city"]}}, "achieved": 30.0, "required": 8.0}, {"holds": true, "model": {"confidence_bound": {"sensitive": "illness", "max_confidence": 0.9, "sensitive_values": ["flu"], "inference_channel": ["city"]}}, "achieved": 0.375, "required": 0.9}]', '0.2.0', true);
INSERT INTO plain.people_v1 VALUES
	(1, '(,)', 'Oslo', 'none', 'yes'),
	(1, '(,)', 'Bergen', 'none', 'no'),
	(1, '(,)', 'Oslo', 'cold', 'no'),
	(1, '(,)', 'Milan', 'cold', 'no'),
	(1, '(,)', 'Oslo', 'flu', 'no'),
	(1, '(,)', 'Oslo', 'flu', 'no'),
	(1, '(,)', 'Rome', 'cold', 'yes'),
	(1, '(,)', 'Rome', 'cold', 'no'),
	(1, '(,)', 'Rome', 'flu', 'yes'),
	(1, '(,)', 'Bergen', 'flu', 'no'),
	(1, '(,)', 'Milan', 'none', 'yes'),
	(1, '(,)', 'Oslo', 'flu', 'no'),
	(1, '(,)', 'Rome', 'none', 'yes'),
	(1, '(,)', 'Oslo', 'none', 'no'),
	(1, '(,)', 'Bergen', 'flu', 'no'),
	(1, '(,)', 'Bergen', 'none', 'no'),
	(1, '(,)', 'Oslo', 'flu', 'yes'),
	(1, '(,)', 'Oslo', 'cold', 'yes'),
	(1, '(,)', 'Milan', 'none', 'yes'),
	(1, '(,)', 'Oslo', 'flu', 'no'),
	(1, '(,)', 'Bergen', 'flu', 'no'),
	(1, '(,)', 'Bergen', 'flu', 'yes'),
	(1, '(,)', 'Milan', 'cold', 'no'),
	(1, '(,)', 'Rome', 'flu', 'yes'),
	(1, '(,)', 'Oslo', 'cold', 'no'),
	(1, '(,)', 'Rome', 'cold', 'no'),
	(1, '(,)', 'Bergen', 'cold', 'yes'),
	(1, '(,)', 'Rome', 'flu', 'yes'),
	(1, '(,)', 'Oslo', 'cold', 'no'),
	(1, '(,)', 'Rome', 'flu', 'no'),
	(1, '(,)', 'Milan', 'none', 'no'),
	(1, '(,)', 'Oslo', 'none', 'no'),
	(1, '(,)', 'Oslo', 'cold', 'no'),
	(1, '(,)', 'Milan', 'none', 'yes'),
	(1, '(,)', 'Rome', 'none', 'no'),
	(1, '(,)', 'Oslo', 'none', 'yes'),
	(1, '(,)', 'Milan', 'cold', 'yes'),
	(1, '(,)', 'Oslo', 'flu', 'yes'),
	(1, '(,)', 'Milan', 'flu', 'no'),
	(1, '(,)', 'Milan', 'none', 'no'),
	(1, '(,)', 'Milan', 'none', 'no'),
	(1, '(,)', 'Bergen', 'none', 'yes'),
	(1, '(,)', 'Rome', 'none', 'yes'),
	(1, '(,)', 'Milan', 'flu', 'yes'),
	(1, '(,)', 'Milan', 'flu', 'yes'),
	(1, '(,)', 'Bergen', 'flu', 'no'),
	(1, '(,)', 'Oslo', 'cold', 'no'),
	(1, '(,)', 'Bergen', 'flu', 'yes'),
	(1, '(,)', 'Oslo', 'cold', 'yes'),
	(1, '(,)', 'Rome', 'cold', 'no'),
	(1, '(,)', 'Milan', 'flu', 'no'),
	(1, '(,)', 'Bergen', 'none', 'no'),
	(1, '(,)', 'Rome', 'none', 'no'),
	(1, '(,)', 'Rome', 'none', 'no'),
	(1, '(,)', 'Bergen', 'cold', 'yes'),
	(1, '(,)', 'Rome', 'flu', 'no'),
	(1, '(,)', 'Rome', 'none', 'yes'),
	(1, '(,)', 'Rome', 'none', 'no'),
	(1, '(,)', 'Oslo', 'none', 'no'),
	(1, '(,)', 'Rome', 'cold', 'yes'),
	(1, '(,)', 'Oslo', 'none', 'yes'),
	(1, '(,)', 'Milan', 'none', 'no'),
	(1, '(,)', 'Milan', 'flu', 'no'),
	(1, '(,)', 'Rome', 'flu', 'no'),
	(1, '(,)', 'Oslo', 'flu', 'no'),
	(1, '(,)', 'Rome', 'flu', 'yes'),
	(1, '(,)', 'Rome', 'none', 'no'),
	(1, '(,)', 'Bergen', 'none', 'yes'),
	(1, '(,)', 'Milan', 'cold', 'no'),
	(1, '(,)', 'Bergen', 'cold', 'no'),
	(1, '(,)', 'Rome', 'flu', 'yes'),
	(1, '(,)', 'Oslo', 'flu', 'yes'),
	(1, '(,)', 'Oslo', 'flu', 'yes'),
	(1, '(,)', 'Bergen', 'cold', 'no'),
	(1, '(,)', 'Oslo', 'none', 'no'),
	(1, '(,)', 'Oslo', 'cold', 'no'),
	(1, '(,)', 'Bergen', 'flu', 'yes'),
	(1, '(,)', 'Bergen', 'cold', 'no'),
	(1, '(,)', 'Bergen', 'cold', 'no'),
	(1, '(,)', 'Oslo', 'none', 'yes'),
	(1, '(,)', 'Oslo', 'cold', 'no'),
	(1, '(,)', 'Oslo', 'cold', 'no'),
	(1, '(,)', 'Bergen', 'none', 'yes'),
	(1, '(,)', 'Milan', 'cold', 'yes'),
	(1, '(,)', 'Rome', 'flu', 'no'),
	(1, '(,)', 'Milan', 'flu', 'no'),
	(1, '(,)', 'Rome', 'flu', 'no'),
	(1, '(,)', 'Milan', 'cold', 'no'),
	(1, '(,)', 'Bergen', 'none', 'no'),
	(1, '(,)', 'Milan', 'flu', 'no'),
	(1, '(,)', 'Oslo', 'cold', 'no'),
	(1, '(,)', 'Milan', 'none', 'yes'),
	(1, '(,)', 'Oslo', 'flu', 'no'),
	(1, '(,)', 'Bergen', 'none', 'no'),
	(1, '(,)', 'Oslo', 'none', 'no'),
	(1, '(,)', 'Oslo', 'cold', 'yes'),
	(1, '(,)', 'Oslo', 'cold', 'no'),
	(1, '(,)', 'Bergen', 'cold', 'no'),
	(1, '(,)', 'Oslo', 'none', 'no'),
	(1, '(,)', 'Milan', 'cold', 'yes'),
	(1, '(,)', 'Rome', 'cold', 'no'),
	(1, '(,)', 'Milan', 'cold', 'no'),
	(1, '(,)', 'Rome', 'flu', 'yes'),
	(1, '(,)', 'Bergen', 'flu', 'yes'),
	(1, '(,)', 'Bergen', 'cold', 'no'),
	(1, '(,)', 'Oslo', 'cold', 'yes'),
	(1, '(,)', 'Rome', 'cold', 'no'),
	(1, '(,)', 'Rome', 'none', 'no'),
	(1, '(,)', 'Rome', 'cold', 'no'),
	(1, '(,)', 'Milan', 'flu', 'yes'),
	(1, '(,)', 'Milan', 'flu', 'no'),
	(1, '(,)', 'Milan', 'flu', 'yes'),
	(1, '(,)', 'Milan', 'none', 'no'),
	(1, '(,)', 'Bergen', 'flu', 'no'),
	(1, '(,)', 'Bergen', 'none', 'yes'),
	(1, '(,)', 'Oslo', 'cold', 'no'),
	(1, '(,)', 'Milan', 'none', 'no'),
	(1, '(,)', 'Bergen', 'cold', 'yes'),
	(1, '(,)', 'Oslo', 'cold', 'no'),
	(1, '(,)', 'Rome', 'cold', 'yes'),
	(1, '(,)', 'Rome', 'flu', 'no'),
	(1, '(,)', 'Milan', 'cold', 'no'),
	(1, '(,)', 'Milan', 'cold', 'yes'),
	(1, '(,)', 'Rome', 'cold', 'yes'),
	(1, '(,)', 'Bergen', 'flu', 'no'),
	(1, '(,)', 'Bergen', 'cold', 'yes'),
	(1, '(,)', 'Oslo', 'cold', 'no'),
	(1, '(,)', 'Rome', 'none', 'yes'),
	(1, '(,)', 'Oslo', 'cold', 'no'),
	(1, '(,)', 'Bergen', 'none', 'no');
INSERT INTO plain.people_v2 VALUES
	(2, '(,)', 'Milan', 'flu', 'no'),
	(2, '(,)', 'Oslo', 'cold', 'no'),
	(2, '(,)', 'Milan', 'none', 'yes'),
	(2, '(,)', 'Bergen', 'flu', 'yes'),
	(2, '(,)', 'Rome', 'cold', 'yes'),
	(2, '(,)', 'Rome', 'cold', 'no'),
	(2, '(,)', 'Bergen', 'flu', 'yes'),
	(2, '(,)', 'Bergen', 'none', 'yes'),
	(2, '(,)', 'Bergen', 'none', 'yes'),
	(2, '(,)', 'Bergen', 'cold', 'yes'),
	(2, '(,)', 'Milan', 'cold', 'yes'),
	(2, '(,)', 'Oslo', 'cold', 'no'),
	(2, '(,)', 'Milan', 'none', 'no'),
	(2, '(,)', 'Milan', 'flu', 'yes'),
	(2, '(,)', 'Oslo', 'flu', 'yes'),
	(2, '(,)', 'Milan', 'cold', 'yes'),
	(2, '(,)', 'Oslo', 'cold', 'no'),
	(2, '(,)', 'Rome', 'none', 'no'),
	(2, '(,)', 'Bergen', 'none', 'yes'),
	(2, '(,)', 'Rome', 'cold', 'no'),
	(2, '(,)', 'Oslo', 'cold', 'yes'),
	(2, '(,)', 'Rome', 'flu', 'no'),
	(2, '(,)', 'Oslo', 'cold', 'no'),
	(2, '(,)', 'Milan', 'flu', 'yes'),
	(2, '(,)', 'Bergen', 'flu', 'no'),
	(2, '(,)', 'Milan', 'flu', 'yes'),
	(2, '(,)', 'Rome', 'cold', 'no'),
	(2, '(,)', 'Rome', 'none', 'yes'),
	(2, '(,)', 'Oslo', 'none', 'no'),
	(2, '(,)', 'Bergen', 'none', 'no'),
	(2, '(,)', 'Oslo', 'cold', 'no'),
	(2, '(,)', 'Oslo', 'cold', 'no'),
	(2, '(,)', 'Rome', 'flu', 'yes'),
	(2, '(,)', 'Bergen', 'none', 'no'),
	(2, '(,)', 'Bergen', 'flu', 'no'),
	(2, '(,)', 'Oslo', 'flu', 'no'),
	(2, '(,)', 'Rome', 'cold', 'yes'),
	(2, '(,)', 'Milan', 'none', 'no'),
	(2, '(,)', 'Oslo', 'flu', 'no'),
	(2, '(,)', 'Bergen', 'none', 'no'),
	(2, '(,)', 'Oslo', 'none', 'no'),
	(2, '(,)', 'Bergen', 'cold', 'no'),
	(2, '(,)', 'Oslo', 'cold', 'yes'),
	(2, '(,)', 'Milan', 'none', 'yes'),
	(2, '(,)', 'Rome', 'cold', 'no'),
	(2, '(,)', 'Milan', 'flu', 'no'),
	(2, '(,)', 'Milan', 'cold', 'no'),
	(2, '(,)', 'Rome', 'flu', 'yes'),
	(2, '(,)', 'Milan', 'cold', 'no'),
	(2, '(,)', 'Milan', 'cold', 'no'),
	(2, '(,)', 'Milan', 'none', 'yes'),
	(2, '(,)', 'Bergen', 'flu', 'no'),
	(2, '(,)', 'Rome', 'flu', 'yes'),
	(2, '(,)', 'Oslo', 'none', 'yes'),
	(2, '(,)', 'Rome', 'flu', 'no'),
	(2, '(,)', 'Rome', 'none', 'no'),
	(2, '(,)', 'Rome', 'cold', 'yes'),
	(2, '(,)', 'Oslo', 'cold', 'yes'),
	(2, '(,)', 'Bergen', 'cold', 'no'),
	(2, '(,)', 'Milan', 'cold', 'yes'),
	(2, '(,)', 'Rome', 'cold', 'no'),
	(2, '(,)', 'Bergen', 'cold', 'no'),
	(2, '(,)', 'Rome', 'flu', 'yes'),
	(2, '(,)', 'Rome', 'flu', 'no'),
	(2, '(,)', 'Oslo', 'none', 'no'),
	(2, '(,)', 'Milan', 'none', 'no'),
	(2, '(,)', 'Oslo', 'flu', 'yes'),
	(2, '(,)', 'Oslo', 'flu', 'yes'),
	(2, '(,)', 'Rome', 'cold', 'yes'),
	(2, '(,)', 'Milan', 'cold', 'no'),
	(2, '(,)', 'Milan', 'flu', 'no'),
	(2, '(,)', 'Oslo', 'cold', 'no'),
	(2, '(,)', 'Rome', 'flu', 'no'),
	(2, '(,)', 'Oslo', 'cold', 'no'),
	(2, '(,)', 'Rome', 'none', 'yes'),
	(2, '(,)', 'Oslo', 'flu', 'no'),
	(2, '(,)', 'Bergen', 'none', 'no'),
	(2, '(,)', 'Bergen', 'cold', 'yes'),
	(2, '(,)', 'Milan', 'flu', 'no'),
	(2, '(,)', 'Bergen', 'cold', 'no'),
	(2, '(,)', 'Oslo', 'flu', 'yes'),
	(2, '(,)', 'Milan', 'none', 'yes'),
	(2, '(,)', 'Bergen', 'flu', 'no'),
	(2, '(,)', 'Rome', 'cold', 'no'),
	(2, '(,)', 'Oslo', 'cold', 'no'),
	(2, '(,)', 'Oslo', 'none', 'yes'),
	(2, '(,)', 'Milan', 'none', 'no'),
	(2, '(,)', 'Bergen', 'cold', 'yes'),
	(2, '(,)', 'Oslo', 'cold', 'no'),
	(2, '(,)', 'Bergen', 'flu', 'no'),
	(2, '(,)', 'Milan', 'cold', 'yes'),
	(2, '(,)', 'Oslo', 'cold', 'no'),
	(2, '(,)', 'Oslo', 'none', 'no'),
	(2, '(,)', 'Oslo', 'flu', 'no'),
	(2, '(,)', 'Oslo', 'flu', 'no'),
	(2, '(,)', 'Oslo', 'cold', 'no'),
	(2, '(,)', 'Oslo', 'none', 'yes'),
	(2, '(,)', 'Rome', 'flu', 'no'),
	(2, '(,)', 'Bergen', 'flu', 'yes'),
	(2, '(,)', 'Bergen', 'cold', 'no'),
	(2, '(,)', 'Rome', 'none', 'no'),
	(2, '(,)', 'Oslo', 'cold', 'no'),
	(2, '(,)', 'Rome', 'none', 'no'),
	(2, '(,)', 'Bergen', 'none', 'no'),
	(2, '(,)', 'Oslo', 'cold', 'yes'),
	(2, '(,)', 'Rome', 'none', 'no'),
	(2, '(,)', 'Rome', 'none', 'yes'),
	(2, '(,)', 'Rome', 'none', 'no'),
	(2, '(,)', 'Oslo', 'cold', 'no'),
	(2, '(,)', 'Milan', 'cold', 'no'),
	(2, '(,)', 'Bergen', 'flu', 'no'),
	(2, '(,)', 'Bergen', 'cold', 'no'),
	(2, '(,)', 'Rome', 'flu', 'yes'),
	(2, '(,)', 'Rome', 'none', 'yes'),
	(2, '(,)', 'Bergen', 'none', 'no'),
	(2, '(,)', 'Milan', 'cold', 'no'),
	(2, '(,)', 'Milan', 'none', 'no'),
	(2, '(,)', 'Oslo', 'none', 'no'),
	(2, '(,)', 'Oslo', 'none', 'yes'),
	(2, '(,)', 'Milan', 'flu', 'no'),
	(2, '(,)', 'Milan', 'none', 'no'),
	(2, '(,)', 'Bergen', 'cold', 'yes'),
	(2, '(,)', 'Oslo', 'none', 'no'),
	(2, '(,)', 'Bergen', 'none', 'yes'),
	(2, '(,)', 'Oslo', 'flu', 'no'),
	(2, '(,)', 'Milan', 'flu', 'yes'),
	(2, '(,)', 'Milan', 'flu', 'no'),
	(2, '(,)', 'Rome', 'flu', 'yes'),
	(2, '(,)', 'Rome', 'flu', 'no'),
	(2, '(,)', 'Bergen', 'flu', 'yes');
INSERT INTO plain.steps_v0 VALUES
	(1, '{1,2,3}', '{city,city,city}', '{Europe,Norway,Italy}', '{"{\"Italy\",\"Norway\"}","{\"Bergen\",\"Oslo\"}","{\"Milan\",\"Rome\"}"}', '{130,68,62}', '{0.003353370199268957,0.005508842698532579,0.0010409616374621455}', '{34.01588089330025,16,0.010080645161290314}', '{9.858248886123761e-05,0.0003443026686582862,0.10326339443624492}', '{"{\"62\",\"0.3548387096774194\"}","{\"30\",\"0.3548387096774194\"}","{\"30\",\"0.375\"}"}', '{NULL,NULL,NULL}', '{NULL,NULL,NULL}'),
	(2, '{1,2,3}', '{city,city,city}', '{Europe,Norway,Italy}', '{"{\"Italy\",\"Norway\"}","{\"Bergen\",\"Oslo\"}","{\"Milan\",\"Rome\"}"}', '{130,68,62}', '{0.003353370199268957,0.005508842698532579,0.0010409616374621455}', '{34.01588089330025,16,0.010080645161290314}', '{9.858248886123761e-05,0.0003443026686582862,0.10326339443624492}', '{"{\"62\",\"0.3548387096774194\"}","{\"30\",\"0.3548387096774194\"}","{\"30\",\"0.375\"}"}', '{NULL,NULL,NULL}', '{NULL,NULL,NULL}');
INSERT INTO plain.taxonomy_v0 VALUES
	(1, 'age', '{"(,)","(,22)","[22,)"}', '{NULL,"(,)","(,)"}', '{NULL,NULL,22}', '{NULL,22,NULL}', '{0,1,1}', '{t,f,f}'),
	(1, 'city', '{Europe,Italy,Milan,Rome,Norway,Bergen,Oslo}', '{NULL,Europe,Italy,Italy,Europe,Norway,Norway}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL}', '{0,1,2,2,1,2,2}', '{f,f,t,t,f,t,t}'),
	(2, 'age', '{"(,)"}', '{NULL}', '{NULL}', '{NULL}', '{0}', '{t}'),
	(2, 'city', '{Europe,Italy,Milan,Rome,Norway,Bergen,Oslo}', '{NULL,Europe,Italy,Italy,Europe,Norway,Norway}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL}', '{0,1,2,2,1,2,2}', '{f,f,t,t,f,t,t}');
INSERT INTO plain.values_v0 VALUES
	(1, 'illness', '{-539409077166545028,-2440192939613147878,1067009285796817413}'),
	(1, 'stays', '{8819893535867277529,4617405270025061070}');
INSERT INTO src.cities VALUES
	('Europe', NULL),
	('Italy', 'Europe'),
	('Norway', 'Europe'),
	('Rome', 'Italy'),
	('Milan', 'Italy'),
	('Oslo', 'Norway'),
	('Bergen', 'Norway');
INSERT INTO src.people VALUES
	(1, 21, 'Oslo', '47901', 0, 'none', 'yes'),
	(2, 22, 'Bergen', '47900', 1, 'cold', 'no'),
	(3, 23, 'Milan', '47901', 1, 'flu', 'no'),
	(4, 24, 'Rome', '47900', 2, 'none', 'no'),
	(5, 25, 'Oslo', '47901', 2, 'cold', 'yes'),
	(6, 26, 'Bergen', '47900', 3, 'flu', 'yes'),
	(7, 27, 'Milan', '47901', 3, 'none', 'no'),
	(8, 28, 'Rome', '47900', 4, 'cold', 'no'),
	(9, 29, 'Oslo', '47901', 4, 'flu', 'no'),
	(10, 30, 'Bergen', '47900', 5, 'none', 'yes'),
	(11, 31, 'Milan', '47901', 5, 'cold', 'yes'),
	(12, 32, 'Rome', '47900', 6, 'flu', 'no'),
	(13, 33, 'Oslo', '47901', 6, 'none', 'no'),
	(14, 34, 'Bergen', '47900', 7, 'cold', 'no'),
	(15, 35, 'Milan', '47901', 7, 'flu', 'yes'),
	(16, 36, 'Rome', '47900', 8, 'none', 'yes'),
	(17, 37, 'Oslo', '47901', 8, 'cold', 'no'),
	(18, 38, 'Bergen', '47900', 9, 'flu', 'no'),
	(19, 39, 'Milan', '47901', 9, 'none', 'no'),
	(20, 40, 'Rome', '47900', 10, 'cold', 'yes'),
	(21, 41, 'Oslo', '47901', 10, 'flu', 'yes'),
	(22, 42, 'Bergen', '47900', 11, 'none', 'no'),
	(23, 43, 'Milan', '47901', 11, 'cold', 'no'),
	(24, 44, 'Rome', '47900', 12, 'flu', 'no'),
	(25, 45, 'Oslo', '47901', 12, 'none', 'yes'),
	(26, 46, 'Bergen', '47900', 13, 'cold', 'yes'),
	(27, 47, 'Milan', '47901', 13, 'flu', 'no'),
	(28, 48, 'Rome', '47900', 14, 'none', 'no'),
	(29, 49, 'Oslo', '47901', 14, 'cold', 'no'),
	(30, 50, 'Bergen', '47900', 15, 'flu', 'yes'),
	(31, 51, 'Milan', '47901', 15, 'none', 'yes'),
	(32, 52, 'Rome', '47900', 16, 'cold', 'no'),
	(33, 53, 'Oslo', '47901', 16, 'flu', 'no'),
	(34, 54, 'Bergen', '47900', 17, 'none', 'no'),
	(35, 55, 'Milan', '47901', 17, 'cold', 'yes'),
	(36, 56, 'Rome', '47900', 18, 'flu', 'yes'),
	(37, 57, 'Oslo', '47901', 18, 'none', 'no'),
	(38, 58, 'Bergen', '47900', 19, 'cold', 'no'),
	(39, 59, 'Milan', '47901', 19, 'flu', 'no'),
	(40, 20, 'Rome', '47900', 20, 'none', 'yes'),
	(41, 21, 'Oslo', '47901', 20, 'cold', 'yes'),
	(42, 22, 'Bergen', '47900', 21, 'flu', 'no'),
	(43, 23, 'Milan', '47901', 21, 'none', 'no'),
	(44, 24, 'Rome', '47900', 22, 'cold', 'no'),
	(45, 25, 'Oslo', '47901', 22, 'flu', 'yes'),
	(46, 26, 'Bergen', '47900', 23, 'none', 'yes'),
	(47, 27, 'Milan', '47901', 23, 'cold', 'no'),
	(48, 28, 'Rome', '47900', 24, 'flu', 'no'),
	(49, 29, 'Oslo', '47901', 24, 'none', 'no'),
	(50, 30, 'Bergen', '47900', 25, 'cold', 'yes'),
	(51, 31, 'Milan', '47901', 25, 'flu', 'yes'),
	(52, 32, 'Rome', '47900', 26, 'none', 'no'),
	(53, 33, 'Oslo', '47901', 26, 'cold', 'no'),
	(54, 34, 'Bergen', '47900', 27, 'flu', 'no'),
	(55, 35, 'Milan', '47901', 27, 'none', 'yes'),
	(56, 36, 'Rome', '47900', 28, 'cold', 'yes'),
	(57, 37, 'Oslo', '47901', 28, 'flu', 'no'),
	(58, 38, 'Bergen', '47900', 29, 'none', 'no'),
	(59, 39, 'Milan', '47901', 29, 'cold', 'no'),
	(60, 40, 'Rome', '47900', 30, 'flu', 'yes'),
	(61, 41, 'Oslo', '47901', 30, 'none', 'yes'),
	(62, 42, 'Bergen', '47900', 31, 'cold', 'no'),
	(63, 43, 'Milan', '47901', 31, 'flu', 'no'),
	(64, 44, 'Rome', '47900', 32, 'none', 'no'),
	(65, 45, 'Oslo', '47901', 32, 'cold', 'yes'),
	(66, 46, 'Bergen', '47900', 33, 'flu', 'yes'),
	(67, 47, 'Milan', '47901', 33, 'none', 'no'),
	(68, 48, 'Rome', '47900', 34, 'cold', 'no'),
	(69, 49, 'Oslo', '47901', 34, 'flu', 'no'),
	(70, 50, 'Bergen', '47900', 35, 'none', 'yes'),
	(71, 51, 'Milan', '47901', 35, 'cold', 'yes'),
	(72, 52, 'Rome', '47900', 36, 'flu', 'no'),
	(73, 53, 'Oslo', '47901', 36, 'none', 'no'),
	(74, 54, 'Bergen', '47900', 37, 'cold', 'no'),
	(75, 55, 'Milan', '47901', 37, 'flu', 'yes'),
	(76, 56, 'Rome', '47900', 38, 'none', 'yes'),
	(77, 57, 'Oslo', '47901', 38, 'cold', 'no'),
	(78, 58, 'Bergen', '47900', 39, 'flu', 'no'),
	(79, 59, 'Milan', '47901', 39, 'none', 'no'),
	(80, 20, 'Rome', '47900', 40, 'cold', 'yes'),
	(81, 21, 'Oslo', '47901', 40, 'flu', 'yes'),
	(82, 22, 'Bergen', '47900', 41, 'none', 'no'),
	(83, 23, 'Milan', '47901', 41, 'cold', 'no'),
	(84, 24, 'Rome', '47900', 42, 'flu', 'no'),
	(85, 25, 'Oslo', '47901', 42, 'none', 'yes'),
	(86, 26, 'Bergen', '47900', 43, 'cold', 'yes'),
	(87, 27, 'Milan', '47901', 43, 'flu', 'no'),
	(88, 28, 'Rome', '47900', 44, 'none', 'no'),
	(89, 29, 'Oslo', '47901', 44, 'cold', 'no'),
	(90, 30, 'Bergen', '47900', 45, 'flu', 'yes'),
	(91, 31, 'Milan', '47901', 45, 'none', 'yes'),
	(92, 32, 'Rome', '47900', 46, 'cold', 'no'),
	(93, 33, 'Oslo', '47901', 46, 'flu', 'no'),
	(94, 34, 'Bergen', '47900', 47, 'none', 'no'),
	(95, 35, 'Milan', '47901', 47, 'cold', 'yes'),
	(96, 36, 'Rome', '47900', 48, 'flu', 'yes'),
	(97, 37, 'Oslo', '47901', 48, 'none', 'no'),
	(98, 38, 'Bergen', '47900', 49, 'cold', 'no'),
	(99, 39, 'Milan', '47901', 49, 'flu', 'no'),
	(100, 40, 'Rome', '47900', 50, 'none', 'yes'),
	(101, 41, 'Oslo', '47901', 50, 'cold', 'yes'),
	(102, 42, 'Bergen', '47900', 51, 'flu', 'no'),
	(103, 43, 'Milan', '47901', 51, 'none', 'no'),
	(104, 44, 'Rome', '47900', 52, 'cold', 'no'),
	(105, 45, 'Oslo', '47901', 52, 'flu', 'yes'),
	(106, 46, 'Bergen', '47900', 53, 'none', 'yes'),
	(107, 47, 'Milan', '47901', 53, 'cold', 'no'),
	(108, 48, 'Rome', '47900', 54, 'flu', 'no'),
	(109, 49, 'Oslo', '47901', 54, 'none', 'no'),
	(110, 50, 'Bergen', '47900', 55, 'cold', 'yes'),
	(111, 51, 'Milan', '47901', 55, 'flu', 'yes'),
	(112, 52, 'Rome', '47900', 56, 'none', 'no'),
	(113, 53, 'Oslo', '47901', 56, 'cold', 'no'),
	(114, 54, 'Bergen', '47900', 57, 'flu', 'no'),
	(115, 55, 'Milan', '47901', 57, 'none', 'yes'),
	(116, 56, 'Rome', '47900', 58, 'cold', 'yes'),
	(117, 57, 'Oslo', '47901', 58, 'flu', 'no'),
	(118, 58, 'Bergen', '47900', 59, 'none', 'no'),
	(119, 59, 'Milan', '47901', 59, 'cold', 'no'),
	(120, 20, 'Rome', '47900', 60, 'flu', 'yes'),
	(301, 51, 'Oslo', '99145', 301, 'cold', 'no'),
	(302, 52, 'Oslo', '99145', 302, 'cold', 'no'),
	(303, 53, 'Oslo', '99145', 303, 'cold', 'no'),
	(304, 54, 'Oslo', '99145', 304, 'cold', 'no'),
	(305, 55, 'Oslo', '99145', 305, 'cold', 'no'),
	(306, 56, 'Oslo', '99145', 306, 'cold', 'no'),
	(202, 97, 'Rome', '99123', 202, 'flu', 'yes'),
	(307, 57, 'Oslo', '99145', 307, 'cold', 'no'),
	(308, 58, 'Oslo', '99145', 308, 'cold', 'no'),
	(201, 97, 'Rome', '99123', 201, 'flu', 'yes');
INSERT INTO templates.cuts_v0 VALUES
	(1, 1, 'city', '{Bergen,Milan,Oslo,Rome}', '{NULL,NULL,NULL,NULL}', '{NULL,NULL,NULL,NULL}', '{30,30,38,32}'),
	(1, 2, 'zip', '{*}', '{NULL}', '{NULL}', '{130}');
INSERT INTO templates.manifest VALUES
	(1, '2026-11-23 17:43:46.97871+00', 'src.people', '{"keep": [], "scan": {"how": "rows", "reason": "it is small, or was never analyzed"}, "verb": "pda_anonymize", "view": "people", "class": "stays", "score": "tdr", "split": "optimal", "trace": 1, "format": 2, "weaker": [], "columns": [{"name": "city", "type": "text", "lower": null, "nulls": false, "upper": null, "masked": "suppression", "non_uniform_entropy": 0.0}, {"name": "zip", "type": "text", "lower": null, "nulls": false, "upper": null, "masked": "suppression", "non_uniform_entropy": 1.0}], "masking": [], "privacy": [{"k_anonymity": {"k": 3, "quasi_identifier": ["city", "zip"]}}, {"confidence_bound": {"sensitive": "illness", "max_confidence": 0.9, "sensitive_values": null, "inference_channel": ["city", "zip"]}}], "recoding": "global", "withheld": 0, "withhold": 0.0, "endpoints": "rounded", "intervals": "label", "max_steps": null, "suppressed": "*", "steps_dropped": 0, "source_columns": [{"name": "city", "type": "text COLLATE pg_catalog.\"default\""}, {"name": "zip", "type": "text COLLATE pg_catalog.\"default\""}, {"name": "illness", "type": "text COLLATE pg_catalog.\"default\""}, {"name": "stays", "type": "text COLLATE pg_catalog.\"default\""}], "class_information": 0.0070028308137189965}', 130, '[{"holds": true, "model": {"k_anonymity": {"k": 3, "quasi_identifier": ["city", "zip"]}}, "achieved": 30.0, "required": 3.0}, {"holds": true, "model": {"confidence_bound": {"sensitive": "illness", "max_confidence": 0.9, "sensitive_values": null, "inference_channel": ["city", "zip"]}}, "achieved": 0.47368421052631576, "required": 0.9}]', '0.2.0', true);
INSERT INTO templates.people_v1 VALUES
	(1, 'Milan', '*', 'cold', 'yes'),
	(1, 'Milan', '*', 'cold', 'no'),
	(1, 'Bergen', '*', 'flu', 'yes'),
	(1, 'Milan', '*', 'flu', 'no'),
	(1, 'Oslo', '*', 'flu', 'yes'),
	(1, 'Rome', '*', 'none', 'no'),
	(1, 'Rome', '*', 'none', 'no'),
	(1, 'Rome', '*', 'flu', 'yes'),
	(1, 'Rome', '*', 'cold', 'no'),
	(1, 'Bergen', '*', 'cold', 'yes'),
	(1, 'Rome', '*', 'flu', 'yes'),
	(1, 'Milan', '*', 'flu', 'no'),
	(1, 'Oslo', '*', 'none', 'yes'),
	(1, 'Rome', '*', 'cold', 'no'),
	(1, 'Rome', '*', 'flu', 'no'),
	(1, 'Rome', '*', 'none', 'no'),
	(1, 'Milan', '*', 'flu', 'no'),
	(1, 'Rome', '*', 'flu', 'yes'),
	(1, 'Rome', '*', 'cold', 'no'),
	(1, 'Oslo', '*', 'cold', 'no'),
	(1, 'Bergen', '*', 'none', 'yes'),
	(1, 'Milan', '*', 'flu', 'no'),
	(1, 'Rome', '*', 'flu', 'yes'),
	(1, 'Bergen', '*', 'flu', 'yes'),
	(1, 'Milan', '*', 'none', 'yes'),
	(1, 'Rome', '*', 'cold', 'no'),
	(1, 'Oslo', '*', 'none', 'no'),
	(1, 'Milan', '*', 'none', 'yes'),
	(1, 'Oslo', '*', 'flu', 'no'),
	(1, 'Oslo', '*', 'flu', 'yes'),
	(1, 'Oslo', '*', 'flu', 'yes'),
	(1, 'Oslo', '*', 'none', 'no'),
	(1, 'Rome', '*', 'none', 'no'),
	(1, 'Milan', '*', 'cold', 'yes'),
	(1, 'Oslo', '*', 'cold', 'no'),
	(1, 'Milan', '*', 'cold', 'no'),
	(1, 'Oslo', '*', 'flu', 'no'),
	(1, 'Oslo', '*', 'cold', 'no'),
	(1, 'Bergen', '*', 'none', 'yes'),
	(1, 'Oslo', '*', 'cold', 'no'),
	(1, 'Milan', '*', 'none', 'no'),
	(1, 'Oslo', '*', 'none', 'yes'),
	(1, 'Oslo', '*', 'flu', 'no'),
	(1, 'Milan', '*', 'cold', 'yes'),
	(1, 'Milan', '*', 'cold', 'no'),
	(1, 'Bergen', '*', 'flu', 'no'),
	(1, 'Milan', '*', 'none', 'yes'),
	(1, 'Bergen', '*', 'none', 'no'),
	(1, 'Rome', '*', 'cold', 'no'),
	(1, 'Bergen', '*', 'flu', 'yes'),
	(1, 'Milan', '*', 'flu', 'yes'),
	(1, 'Bergen', '*', 'none', 'no'),
	(1, 'Oslo', '*', 'none', 'yes'),
	(1, 'Rome', '*', 'none', 'yes'),
	(1, 'Oslo', '*', 'flu', 'no'),
	(1, 'Milan', '*', 'flu', 'no'),
	(1, 'Oslo', '*', 'cold', 'no'),
	(1, 'Rome', '*', 'none', 'yes'),
	(1, 'Rome', '*', 'flu', 'no'),
	(1, 'Milan', '*', 'flu', 'yes'),
	(1, 'Milan', '*', 'none', 'no'),
	(1, 'Rome', '*', 'flu', 'yes'),
	(1, 'Bergen', '*', 'cold', 'yes'),
	(1, 'Rome', '*', 'flu', 'yes'),
	(1, 'Oslo', '*', 'cold', 'no'),
	(1, 'Bergen', '*', 'cold', 'no'),
	(1, 'Bergen', '*', 'cold', 'no'),
	(1, 'Oslo', '*', 'cold', 'yes'),
	(1, 'Milan', '*', 'cold', 'yes'),
	(1, 'Rome', '*', 'flu', 'no'),
	(1, 'Bergen', '*', 'none', 'no'),
	(1, 'Milan', '*', 'cold', 'no'),
	(1, 'Oslo', '*', 'cold', 'no'),
	(1, 'Milan', '*', 'none', 'no'),
	(1, 'Bergen', '*', 'flu', 'yes'),
	(1, 'Bergen', '*', 'cold', 'no'),
	(1, 'Rome', '*', 'cold', 'no'),
	(1, 'Oslo', '*', 'flu', 'no'),
	(1, 'Rome', '*', 'none', 'no'),
	(1, 'Rome', '*', 'flu', 'no'),
	(1, 'Oslo', '*', 'none', 'yes'),
	(1, 'Oslo', '*', 'cold', 'no'),
	(1, 'Oslo', '*', 'cold', 'no'),
	(1, 'Oslo', '*', 'none', 'no'),
	(1, 'Rome', '*', 'none', 'yes'),
	(1, 'Bergen', '*', 'cold', 'yes'),
	(1, 'Oslo', '*', 'cold', 'no'),
	(1, 'Milan', '*', 'none', 'no'),
	(1, 'Milan', '*', 'cold', 'no'),
	(1, 'Bergen', '*', 'flu', 'no'),
	(1, 'Oslo', '*', 'cold', 'no'),
	(1, 'Milan', '*', 'flu', 'yes'),
	(1, 'Bergen', '*', 'flu', 'no'),
	(1, 'Rome', '*', 'cold', 'yes'),
	(1, 'Rome', '*', 'flu', 'no'),
	(1, 'Bergen', '*', 'flu', 'no'),
	(1, 'Oslo', '*', 'flu', 'no'),
	(1, 'Milan', '*', 'cold', 'no'),
	(1, 'Bergen', '*', 'cold', 'no'),
	(1, 'Oslo', '*', 'cold', 'yes'),
	(1, 'Rome', '*', 'cold', 'yes'),
	(1, 'Bergen', '*', 'none', 'no'),
	(1, 'Oslo', '*', 'none', 'no'),
	(1, 'Oslo', '*', 'cold', 'yes'),
	(1, 'Bergen', '*', 'cold', 'no'),
	(1, 'Bergen', '*', 'none', 'no'),
	(1, 'Bergen', '*', 'none', 'yes'),
	(1, 'Bergen', '*', 'flu', 'no'),
	(1, 'Rome', '*', 'none', 'no'),
	(1, 'Rome', '*', 'flu', 'no'),
	(1, 'Oslo', '*', 'cold', 'no'),
	(1, 'Oslo', '*', 'cold', 'no'),
	(1, 'Oslo', '*', 'none', 'no'),
	(1, 'Bergen', '*', 'flu', 'no'),
	(1, 'Milan', '*', 'flu', 'yes'),
	(1, 'Oslo', '*', 'flu', 'yes'),
	(1, 'Milan', '*', 'none', 'no'),
	(1, 'Rome', '*', 'cold', 'yes'),
	(1, 'Milan', '*', 'flu', 'no'),
	(1, 'Oslo', '*', 'cold', 'yes'),
	(1, 'Bergen', '*', 'cold', 'no'),
	(1, 'Rome', '*', 'cold', 'yes'),
	(1, 'Bergen', '*', 'none', 'no'),
	(1, 'Milan', '*', 'none', 'yes'),
	(1, 'Oslo', '*', 'none', 'no'),
	(1, 'Milan', '*', 'none', 'no'),
	(1, 'Rome', '*', 'none', 'yes'),
	(1, 'Bergen', '*', 'none', 'yes'),
	(1, 'Oslo', '*', 'cold', 'no'),
	(1, 'Bergen', '*', 'cold', 'yes');
INSERT INTO templates.steps_v0 VALUES
	(1, '{1,2,3,4}', '{city,city,city,city}', '{*,*,*,*}', '{"{\"Oslo\",\"*\"}","{\"Rome\",\"*\"}","{\"Bergen\",\"*\"}","{\"Milan\",\"*\"}"}', '{130,92,60,30}', '{0.006061280414448089,0.0009468760548873023,0,0}', '{23.036899313501145,1.508605072463768,0.5,0}', '{0.000252165653123303,0.00037745122390163633,0,0}', '{"{\"38\",\"0.47368421052631576\"}","{\"32\",\"0.47368421052631576\"}","{\"30\",\"0.47368421052631576\"}","{\"30\",\"0.47368421052631576\"}"}', '{NULL,NULL,NULL,NULL}', '{NULL,NULL,NULL,NULL}');
INSERT INTO templates.taxonomy_v0 VALUES
	(1, 'city', '{*,Bergen,Milan,Oslo,Rome}', '{NULL,*,*,*,*}', '{NULL,NULL,NULL,NULL,NULL}', '{NULL,NULL,NULL,NULL,NULL}', '{0,1,1,1,1}', '{f,t,t,t,t}'),
	(1, 'zip', '{*,47900,47901,99123,99145}', '{NULL,*,*,*,*}', '{NULL,NULL,NULL,NULL,NULL}', '{NULL,NULL,NULL,NULL,NULL}', '{0,1,1,1,1}', '{t,f,f,f,f}');
INSERT INTO templates.values_v0 VALUES
	(1, 'illness', '{-539409077166545028,-2440192939613147878,1067009285796817413}'),
	(1, 'stays', '{8819893535867277529,4617405270025061070}');
INSERT INTO values_held.cuts_v0 VALUES
	(1, 1, 'zip', '{47900,47901,99145}', '{NULL,NULL,NULL}', '{NULL,NULL,NULL}', '{60,60,8}');
INSERT INTO values_held.manifest VALUES
	(1, '2026-11-23 17:43:47.015967+00', 'src.people', '{"keep": ["illness"], "scan": {"how": "rows", "reason": "it is small, or was never analyzed"}, "verb": "tds_anonymize", "view": "people", "class": null, "score": "tds", "split": "optimal", "trace": 1, "format": 2, "weaker": [], "columns": [{"name": "zip", "type": "text", "lower": null, "nulls": false, "upper": null, "masked": "suppression", "non_uniform_entropy": 0.0}], "masking": [{"by_suppression": {"column_name": "zip"}}], "privacy": [{"k_anonymity": {"k": 5, "quasi_identifier": ["zip"]}}], "recoding": "global", "withheld": 2, "withhold": 0.05, "endpoints": "rounded", "intervals": "label", "max_steps": null, "suppressed": "*", "steps_dropped": 0, "source_columns": [{"name": "zip", "type": "text COLLATE pg_catalog.\"default\""}, {"name": "illness", "type": "text COLLATE pg_catalog.\"default\""}], "class_information": null}', 128, '[{"holds": true, "model": {"k_anonymity": {"k": 5, "quasi_identifier": ["zip"]}}, "achieved": 8.0, "required": 5.0}]', '0.2.0', true);
INSERT INTO values_held.people_v1 VALUES
	(1, '47901', 'flu'),
	(1, '47901', 'flu'),
	(1, '47900', 'cold'),
	(1, '47900', 'none'),
	(1, '47900', 'none'),
	(1, '47900', 'flu'),
	(1, '47901', 'none'),
	(1, '47901', 'flu'),
	(1, '47900', 'cold'),
	(1, '47900', 'flu'),
	(1, '47901', 'cold'),
	(1, '47901', 'none'),
	(1, '47901', 'cold'),
	(1, '47901', 'cold'),
	(1, '47901', 'flu'),
	(1, '47900', 'cold'),
	(1, '47901', 'none'),
	(1, '47901', 'none'),
	(1, '47901', 'flu'),
	(1, '47901', 'cold'),
	(1, '47900', 'flu'),
	(1, '47901', 'cold'),
	(1, '47900', 'cold'),
	(1, '47901', 'none'),
	(1, '47901', 'flu'),
	(1, '47900', 'flu'),
	(1, '47901', 'cold'),
	(1, '47901', 'flu'),
	(1, '47900', 'flu'),
	(1, '47901', 'none'),
	(1, '47900', 'cold'),
	(1, '47900', 'flu'),
	(1, '47900', 'flu'),
	(1, '47900', 'none'),
	(1, '47900', 'cold'),
	(1, '47901', 'flu'),
	(1, '47901', 'cold'),
	(1, '47900', 'none'),
	(1, '47901', 'flu'),
	(1, '47901', 'cold'),
	(1, '47901', 'none'),
	(1, '47901', 'cold'),
	(1, '47900', 'cold'),
	(1, '47901', 'flu'),
	(1, '47900', 'flu'),
	(1, '47900', 'cold'),
	(1, '47901', 'cold'),
	(1, '47900', 'none'),
	(1, '47901', 'none'),
	(1, '99145', 'cold'),
	(1, '47901', 'flu'),
	(1, '47900', 'flu'),
	(1, '47900', 'flu'),
	(1, '47900', 'cold'),
	(1, '99145', 'cold'),
	(1, '99145', 'cold'),
	(1, '47901', 'cold'),
	(1, '99145', 'cold'),
	(1, '47900', 'cold'),
	(1, '47900', 'none'),
	(1, '47900', 'flu'),
	(1, '47900', 'none'),
	(1, '47901', 'none'),
	(1, '47900', 'none'),
	(1, '47900', 'flu'),
	(1, '47900', 'flu'),
	(1, '47900', 'none'),
	(1, '47900', 'none'),
	(1, '47901', 'cold'),
	(1, '47900', 'none'),
	(1, '47900', 'none'),
	(1, '47900', 'flu'),
	(1, '47900', 'cold'),
	(1, '47900', 'cold'),
	(1, '47900', 'none'),
	(1, '47901', 'flu'),
	(1, '99145', 'cold'),
	(1, '47900', 'none'),
	(1, '47901', 'none'),
	(1, '47900', 'cold'),
	(1, '47900', 'flu'),
	(1, '47901', 'flu'),
	(1, '47901', 'cold'),
	(1, '47901', 'flu'),
	(1, '47901', 'flu'),
	(1, '47900', 'none'),
	(1, '47900', 'cold'),
	(1, '47901', 'none'),
	(1, '47901', 'none'),
	(1, '47901', 'none'),
	(1, '47901', 'flu'),
	(1, '47901', 'flu'),
	(1, '47900', 'none'),
	(1, '47900', 'flu'),
	(1, '47901', 'none'),
	(1, '47901', 'flu'),
	(1, '99145', 'cold'),
	(1, '47900', 'none'),
	(1, '47900', 'cold'),
	(1, '47901', 'cold'),
	(1, '47900', 'cold'),
	(1, '47901', 'none'),
	(1, '47901', 'none'),
	(1, '47901', 'cold'),
	(1, '47901', 'none'),
	(1, '47901', 'cold'),
	(1, '47901', 'none'),
	(1, '47901', 'flu'),
	(1, '47900', 'cold'),
	(1, '99145', 'cold'),
	(1, '47900', 'flu'),
	(1, '99145', 'cold'),
	(1, '47900', 'none'),
	(1, '47901', 'cold'),
	(1, '47901', 'flu'),
	(1, '47901', 'none'),
	(1, '47900', 'none'),
	(1, '47901', 'cold'),
	(1, '47901', 'none'),
	(1, '47900', 'cold'),
	(1, '47901', 'cold'),
	(1, '47900', 'cold'),
	(1, '47900', 'flu'),
	(1, '47900', 'none'),
	(1, '47900', 'flu'),
	(1, '47901', 'cold'),
	(1, '47900', 'flu'),
	(1, '47900', 'cold');
INSERT INTO values_held.steps_v0 VALUES
	(1, '{1,2,3}', '{zip,zip,zip}', '{*,*,*}', '{"{\"47900\",\"*\"}","{\"47901\",\"*\"}","{\"99145\",\"*\"}"}', '{130,70,10}', '{0.46153846153846156,0.8571428571428571,0.8}', '{70,50,2}', '{0.006593406593406593,0.01714285714285714,0.30000000000000004}', '{"{\"60\"}","{\"10\"}","{\"8\"}"}', '{NULL,NULL,NULL}', '{NULL,NULL,NULL}');
INSERT INTO values_held.taxonomy_v0 VALUES
	(1, 'zip', '{*,47900,47901,99123,99145}', '{NULL,*,*,*,*}', '{NULL,NULL,NULL,NULL,NULL}', '{NULL,NULL,NULL,NULL,NULL}', '{0,1,1,1,1}', '{t,t,t,f,t}');
INSERT INTO values_held.values_v0 VALUES
	(1, 'illness', '{-539409077166545028,-2440192939613147878,1067009285796817413}');
INSERT INTO values_held.withheld_v0 VALUES
	(1, '{"{\"zip\":\"99123\"}"}');
ALTER TABLE ONLY clusters.manifest
    ADD CONSTRAINT manifest_current_version_key UNIQUE (current, version);
ALTER TABLE ONLY clusters.manifest
    ADD CONSTRAINT manifest_pkey PRIMARY KEY (version);
ALTER TABLE ONLY groups.manifest
    ADD CONSTRAINT manifest_current_version_key UNIQUE (current, version);
ALTER TABLE ONLY groups.manifest
    ADD CONSTRAINT manifest_pkey PRIMARY KEY (version);
ALTER TABLE ONLY labels_held.manifest
    ADD CONSTRAINT manifest_current_version_key UNIQUE (current, version);
ALTER TABLE ONLY labels_held.manifest
    ADD CONSTRAINT manifest_pkey PRIMARY KEY (version);
ALTER TABLE ONLY leaves_held.manifest
    ADD CONSTRAINT manifest_current_version_key UNIQUE (current, version);
ALTER TABLE ONLY leaves_held.manifest
    ADD CONSTRAINT manifest_pkey PRIMARY KEY (version);
ALTER TABLE ONLY persons.manifest
    ADD CONSTRAINT manifest_current_version_key UNIQUE (current, version);
ALTER TABLE ONLY persons.manifest
    ADD CONSTRAINT manifest_pkey PRIMARY KEY (version);
ALTER TABLE ONLY plain.manifest
    ADD CONSTRAINT manifest_current_version_key UNIQUE (current, version);
ALTER TABLE ONLY plain.manifest
    ADD CONSTRAINT manifest_pkey PRIMARY KEY (version);
ALTER TABLE ONLY templates.manifest
    ADD CONSTRAINT manifest_current_version_key UNIQUE (current, version);
ALTER TABLE ONLY templates.manifest
    ADD CONSTRAINT manifest_pkey PRIMARY KEY (version);
ALTER TABLE ONLY values_held.manifest
    ADD CONSTRAINT manifest_current_version_key UNIQUE (current, version);
ALTER TABLE ONLY values_held.manifest
    ADD CONSTRAINT manifest_pkey PRIMARY KEY (version);
CREATE SCHEMA bounds;
COMMENT ON SCHEMA bounds IS 'release of src.visits: k_anonymity';
CREATE TABLE bounds.manifest (
    version integer NOT NULL,
    created_at timestamp with time zone,
    source text,
    parameters jsonb,
    rows bigint,
    achieved jsonb,
    extension_version text,
    current boolean
)
WITH (autovacuum_vacuum_cost_delay='0');
COMMENT ON TABLE bounds.manifest IS 'what the release knows of its versions; the owner''s';
CREATE TABLE bounds.visits_v0 (
    version integer NOT NULL,
    day text,
    ip text,
    age text,
    age_lo integer,
    age_hi integer,
    illness text
)
PARTITION BY LIST (version);
COMMENT ON TABLE bounds.visits_v0 IS 'the rows of all versions, which are its partitions; the owner''s';
CREATE VIEW bounds.about WITH (security_barrier='true') AS
 SELECT ( SELECT ((n.nspname)::text COLLATE "default") AS nspname
           FROM (pg_class c
             JOIN pg_namespace n ON ((n.oid = c.relnamespace)))
          WHERE (c.oid = a.tableoid)) AS release,
    a.version,
    a.created_at,
    a.rows,
    ((a.parameters ->> 'withheld'::text))::bigint AS withheld,
    (a.parameters -> 'privacy'::text) AS privacy,
    (a.parameters ->> 'class'::text) AS class,
    ARRAY( SELECT (c.mask ->> 'name'::text)
           FROM jsonb_array_elements((a.parameters -> 'columns'::text)) WITH ORDINALITY c(mask, place)
          ORDER BY c.place) AS masked,
    (a.parameters ->> 'suppressed'::text) AS suppressed,
    a.extension_version
   FROM ONLY bounds.manifest a
  WHERE (a.version = ( SELECT m.version
           FROM ( SELECT manifest.version,
                    manifest.rows
                   FROM ONLY bounds.manifest
                  ORDER BY manifest.current DESC, manifest.version DESC
                 OFFSET 0) m
          WHERE ((m.rows = 0) OR ( SELECT true
                   FROM bounds.visits_v0 r
                  WHERE (r.version = m.version)
                 LIMIT 1))
         LIMIT 1))
 OFFSET 0;
COMMENT ON VIEW bounds.about IS 'the release''s current version: when it was made, of how much, and what it keeps';
CREATE TABLE bounds.cuts_v0 (
    version integer,
    "position" integer,
    attribute text,
    nodes text[],
    lowers text[],
    uppers text[],
    records bigint[]
);
COMMENT ON TABLE bounds.cuts_v0 IS 'what the release knows of its versions; the owner''s';
CREATE VIEW bounds.cut WITH (security_barrier='true') AS
 SELECT t.version,
    t.attribute,
    n.node,
    n.lower,
    n.upper,
    n.records
   FROM ONLY bounds.cuts_v0 t,
    LATERAL UNNEST(t.nodes, t.lowers, t.uppers, t.records) WITH ORDINALITY n(node, lower, upper, records, place)
  WHERE (t.version = ( SELECT m.version
           FROM ( SELECT manifest.version,
                    manifest.rows
                   FROM ONLY bounds.manifest
                  ORDER BY manifest.current DESC, manifest.version DESC
                 OFFSET 0) m
          WHERE ((m.rows = 0) OR ( SELECT true
                   FROM bounds.visits_v0 r
                  WHERE (r.version = m.version)
                 LIMIT 1))
         LIMIT 1))
  ORDER BY t."position", n.place
 OFFSET 0;
COMMENT ON VIEW bounds.cut IS 'what the masked columns of the release show, and how many rows each value has';
CREATE VIEW bounds.cuts AS
 SELECT t.version,
    t.attribute,
    n.node,
    n.lower,
    n.upper,
    n.records
   FROM ONLY bounds.cuts_v0 t,
    LATERAL UNNEST(t.nodes, t.lowers, t.uppers, t.records) WITH ORDINALITY n(node, lower, upper, records, place)
  ORDER BY t.version, t."position", n.place;
COMMENT ON VIEW bounds.cuts IS 'the cuts of all versions; the owner''s';
CREATE TABLE bounds.steps_v0 (
    version integer,
    steps integer[],
    attributes text[],
    nodes text[],
    children text[],
    records bigint[],
    info_gains double precision[],
    privacy_losses double precision[],
    scores double precision[],
    achieved text[],
    groups text[],
    splits text[]
);
COMMENT ON TABLE bounds.steps_v0 IS 'what the release knows of its versions; the owner''s';
CREATE VIEW bounds.steps AS
 SELECT t.version,
    s.step,
    s.attribute,
    s.node,
    (s.children)::text[] AS children,
    s.records,
    s.info_gain,
    s.privacy_loss,
    s.score,
    (s.achieved)::double precision[] AS achieved
   FROM ONLY bounds.steps_v0 t,
    LATERAL UNNEST(t.steps, t.attributes, t.nodes, t.children, t.records, t.info_gains, t.privacy_losses, t.scores, t.achieved, t.groups) s(step, attribute, node, children, records, info_gain, privacy_loss, score, achieved, refined);
COMMENT ON VIEW bounds.steps IS 'the refinements that the search performed, of all versions; the owner''s';
CREATE TABLE bounds.taxonomy_v0 (
    version integer,
    attribute text,
    nodes text[],
    parents text[],
    lowers text[],
    uppers text[],
    depths integer[],
    in_cut boolean[]
);
COMMENT ON TABLE bounds.taxonomy_v0 IS 'what the release knows of its versions; the owner''s';
CREATE VIEW bounds.taxonomy AS
 SELECT t.version,
    t.attribute,
    n.node,
    n.parent,
    n.lower,
    n.upper,
    n.depth,
    n.in_cut
   FROM ONLY bounds.taxonomy_v0 t,
    LATERAL UNNEST(t.nodes, t.parents, t.lowers, t.uppers, t.depths, t.in_cut) n(node, parent, lower, upper, depth, in_cut);
COMMENT ON VIEW bounds.taxonomy IS 'the trees that the masked columns were generalized along, of all versions; the owner''s';
CREATE TABLE bounds.values_v0 (
    version integer,
    attribute text,
    hashes bigint[]
);
COMMENT ON TABLE bounds.values_v0 IS 'what the release knows of its versions; the owner''s';
CREATE VIEW bounds.visits AS
 SELECT
        CASE
            WHEN (visits_v0.version = ( SELECT m.version
               FROM ( SELECT manifest.version,
                        manifest.rows
                       FROM ONLY bounds.manifest
                      ORDER BY manifest.current DESC, manifest.version DESC
                     OFFSET 0) m
              WHERE ((m.rows = 0) OR ( SELECT true
                       FROM bounds.visits_v0 r
                      WHERE (r.version = m.version)
                     LIMIT 1))
             LIMIT 1)) THEN visits_v0.day
            ELSE (NULL::bounds.visits_v0).day
        END AS day,
        CASE
            WHEN (visits_v0.version = ( SELECT m.version
               FROM ( SELECT manifest.version,
                        manifest.rows
                       FROM ONLY bounds.manifest
                      ORDER BY manifest.current DESC, manifest.version DESC
                     OFFSET 0) m
              WHERE ((m.rows = 0) OR ( SELECT true
                       FROM bounds.visits_v0 r
                      WHERE (r.version = m.version)
                     LIMIT 1))
             LIMIT 1)) THEN visits_v0.ip
            ELSE (NULL::bounds.visits_v0).ip
        END AS ip,
        CASE
            WHEN (visits_v0.version = ( SELECT m.version
               FROM ( SELECT manifest.version,
                        manifest.rows
                       FROM ONLY bounds.manifest
                      ORDER BY manifest.current DESC, manifest.version DESC
                     OFFSET 0) m
              WHERE ((m.rows = 0) OR ( SELECT true
                       FROM bounds.visits_v0 r
                      WHERE (r.version = m.version)
                     LIMIT 1))
             LIMIT 1)) THEN visits_v0.age
            ELSE (NULL::bounds.visits_v0).age
        END AS age,
        CASE
            WHEN (visits_v0.version = ( SELECT m.version
               FROM ( SELECT manifest.version,
                        manifest.rows
                       FROM ONLY bounds.manifest
                      ORDER BY manifest.current DESC, manifest.version DESC
                     OFFSET 0) m
              WHERE ((m.rows = 0) OR ( SELECT true
                       FROM bounds.visits_v0 r
                      WHERE (r.version = m.version)
                     LIMIT 1))
             LIMIT 1)) THEN visits_v0.age_lo
            ELSE (NULL::bounds.visits_v0).age_lo
        END AS age_lo,
        CASE
            WHEN (visits_v0.version = ( SELECT m.version
               FROM ( SELECT manifest.version,
                        manifest.rows
                       FROM ONLY bounds.manifest
                      ORDER BY manifest.current DESC, manifest.version DESC
                     OFFSET 0) m
              WHERE ((m.rows = 0) OR ( SELECT true
                       FROM bounds.visits_v0 r
                      WHERE (r.version = m.version)
                     LIMIT 1))
             LIMIT 1)) THEN visits_v0.age_hi
            ELSE (NULL::bounds.visits_v0).age_hi
        END AS age_hi,
        CASE
            WHEN (visits_v0.version = ( SELECT m.version
               FROM ( SELECT manifest.version,
                        manifest.rows
                       FROM ONLY bounds.manifest
                      ORDER BY manifest.current DESC, manifest.version DESC
                     OFFSET 0) m
              WHERE ((m.rows = 0) OR ( SELECT true
                       FROM bounds.visits_v0 r
                      WHERE (r.version = m.version)
                     LIMIT 1))
             LIMIT 1)) THEN visits_v0.illness
            ELSE (NULL::bounds.visits_v0).illness
        END AS illness
   FROM bounds.visits_v0
  WHERE (visits_v0.version = ( SELECT m.version
           FROM ( SELECT manifest.version,
                    manifest.rows
                   FROM ONLY bounds.manifest
                  ORDER BY manifest.current DESC, manifest.version DESC
                 OFFSET 0) m
          WHERE ((m.rows = 0) OR ( SELECT true
                   FROM bounds.visits_v0 r
                  WHERE (r.version = m.version)
                 LIMIT 1))
         LIMIT 1));
COMMENT ON VIEW bounds.visits IS 'src.visits, released by pg_topdown: k_anonymity';
COMMENT ON COLUMN bounds.visits.day IS 'generalized along a taxonomy';
COMMENT ON COLUMN bounds.visits.ip IS 'generalized along a taxonomy';
COMMENT ON COLUMN bounds.visits.age IS 'generalized to intervals';
COMMENT ON COLUMN bounds.visits.illness IS 'as it is in the source';
CREATE TABLE bounds.visits_v1 (
    version integer NOT NULL,
    day text,
    ip text,
    age text,
    age_lo integer,
    age_hi integer,
    illness text,
    CONSTRAINT visits_v1_version_check CHECK ((version = 1))
);
CREATE TABLE bounds.withheld_v0 (
    version integer,
    combinations text[]
);
COMMENT ON TABLE bounds.withheld_v0 IS 'what the release knows of its versions; the owner''s';
CREATE VIEW bounds.withheld AS
 SELECT t.version,
    (c.combination)::jsonb AS combination
   FROM ONLY bounds.withheld_v0 t,
    LATERAL unnest(t.combinations) WITH ORDINALITY c(combination, place)
  ORDER BY t.version, c.place;
COMMENT ON VIEW bounds.withheld IS 'the source values whose rows are withheld, and since which version; the owner''s';
CREATE TABLE src.visits (
    day date,
    ip inet,
    age integer,
    illness text
);
ALTER TABLE ONLY bounds.visits_v0 ATTACH PARTITION bounds.visits_v1 FOR VALUES IN (1);
INSERT INTO bounds.cuts_v0 VALUES
	(1, 1, 'day', '{2024-Q1}', '{NULL}', '{NULL}', '{120}'),
	(1, 2, 'ip', '{10.0.0.0/8}', '{NULL}', '{NULL}', '{120}'),
	(1, 3, 'age', '{"(,23)","[23,27)","[27,31)","[31,35)","[35,38)","[38,42)","[42,46)","[46,50)","[50,53)","[53,57)","[57,61)","[61,65)","[65,68)","[68,72)","[72,76)","[76,)"}', '{NULL,23,27,31,35,38,42,46,50,53,57,61,65,68,72,76}', '{23,27,31,35,38,42,46,50,53,57,61,65,68,72,76,NULL}', '{6,8,8,8,6,8,8,8,6,8,8,8,6,8,8,8}');
INSERT INTO bounds.manifest VALUES
	(1, '2026-11-26 12:53:43.061627+00', 'src.visits', '{"keep": ["illness"], "scan": {"how": "rows", "reason": "equal values of column \"ip\" (type inet) need not look alike"}, "verb": "tds_anonymize", "view": "visits", "class": null, "score": "tds", "split": "optimal", "trace": 1, "format": 2, "weaker": [], "columns": [{"name": "day", "type": "date", "lower": null, "nulls": false, "upper": null, "masked": "taxonomy", "non_uniform_entropy": 1.0}, {"name": "ip", "type": "inet", "lower": null, "nulls": false, "upper": null, "masked": "taxonomy", "non_uniform_entropy": 1.0}, {"name": "age", "type": "integer", "lower": "20", "nulls": false, "upper": "79", "masked": "intervals", "non_uniform_entropy": 0.3245349594877245}], "masking": [{"by_calendar": {"units": ["year", "quarter", "month", "day"], "column_name": "day"}}, {"by_network": {"lengths": null, "column_name": "ip"}}], "privacy": [{"k_anonymity": {"k": 5, "quasi_identifier": ["day", "ip", "age"]}}], "recoding": "global", "withheld": 0, "withhold": 0.0, "endpoints": "rounded", "intervals": "bounds", "max_steps": null, "suppressed": "*", "steps_dropped": 0, "source_columns": [{"name": "day", "type": "date"}, {"name": "ip", "type": "inet"}, {"name": "age", "type": "integer"}, {"name": "illness", "type": "text COLLATE pg_catalog.\"default\""}], "class_information": null}', 120, '[{"holds": true, "model": {"k_anonymity": {"k": 5, "quasi_identifier": ["day", "ip", "age"]}}, "achieved": 6.0, "required": 5.0}]', '0.2.0', true);
INSERT INTO bounds.steps_v0 VALUES
	(1, '{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18}', '{age,age,age,age,age,age,age,age,age,age,age,age,age,age,age,day,day,ip}', '{"(,)","(,50)","[50,)","(,35)","[35,50)","[50,65)","[65,)","[27,35)","[42,50)","[57,65)","[72,)","(,27)","[35,42)","[50,57)","[65,72)",*,2024,*}', '{"{\"(,50)\",\"[50,)\"}","{\"(,35)\",\"[35,50)\"}","{\"[50,65)\",\"[65,)\"}","{\"(,27)\",\"[27,35)\"}","{\"[35,42)\",\"[42,50)\"}","{\"[50,57)\",\"[57,65)\"}","{\"[65,72)\",\"[72,)\"}","{\"[27,31)\",\"[31,35)\"}","{\"[42,46)\",\"[46,50)\"}","{\"[57,61)\",\"[61,65)\"}","{\"[72,76)\",\"[76,)\"}","{\"(,23)\",\"[23,27)\"}","{\"[35,38)\",\"[38,42)\"}","{\"[50,53)\",\"[53,57)\"}","{\"[65,68)\",\"[68,72)\"}","{\"2024\"}","{\"2024-Q1\"}","{\"10.0.0.0/8\"}"}', '{120,60,60,30,30,30,30,16,16,16,16,14,14,14,14,120,120,120}', '{0.5,0.2542372881355932,0.24576271186440682,0.12655367231638417,0.12655367231638417,0.12655367231638417,0.11864406779661017,0.06779661016949153,0.06779661016949153,0.06779661016949153,0.059322033898305086,0.05811138014527845,0.05811138014527845,0.05811138014527845,0.05811138014527845,0,0,0}', '{60,30,0,16,0,0,0,6,0,0,0,2,0,0,0,0,0,0}', '{0.008333333333333333,0.00847457627118644,0.24576271186440682,0.007909604519774011,0.12655367231638417,0.12655367231638417,0.11864406779661017,0.011299435028248588,0.06779661016949153,0.06779661016949153,0.059322033898305086,0.029055690072639227,0.05811138014527845,0.05811138014527845,0.05811138014527845,0,0,0}', '{"{\"60\"}","{\"30\"}","{\"30\"}","{\"14\"}","{\"14\"}","{\"14\"}","{\"14\"}","{\"8\"}","{\"8\"}","{\"8\"}","{\"8\"}","{\"6\"}","{\"6\"}","{\"6\"}","{\"6\"}","{\"6\"}","{\"6\"}","{\"6\"}"}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}');
INSERT INTO bounds.taxonomy_v0 VALUES
	(1, 'day', '{*,2024,2024-Q1,2024-01,2024-01-01,2024-01-02,2024-01-03,2024-01-04,2024-01-05,2024-01-06,2024-01-07,2024-01-08,2024-01-09,2024-01-10,2024-01-11,2024-01-12,2024-01-13,2024-01-14,2024-01-15,2024-01-16,2024-01-17,2024-01-18,2024-01-19,2024-01-20,2024-01-21,2024-01-22,2024-01-23,2024-01-24,2024-01-25,2024-01-26,2024-01-27,2024-01-28,2024-01-29,2024-01-30,2024-01-31,2024-02,2024-02-01,2024-02-02,2024-02-03,2024-02-04,2024-02-05,2024-02-06,2024-02-07,2024-02-08,2024-02-09,2024-02-10,2024-02-11,2024-02-12,2024-02-13,2024-02-14,2024-02-15,2024-02-16,2024-02-17,2024-02-18,2024-02-19,2024-02-20,2024-02-21,2024-02-22,2024-02-23,2024-02-24,2024-02-25,2024-02-26,2024-02-27,2024-02-28,2024-02-29}', '{NULL,*,2024,2024-Q1,2024-01,2024-01,2024-01,2024-01,2024-01,2024-01,2024-01,2024-01,2024-01,2024-01,2024-01,2024-01,2024-01,2024-01,2024-01,2024-01,2024-01,2024-01,2024-01,2024-01,2024-01,2024-01,2024-01,2024-01,2024-01,2024-01,2024-01,2024-01,2024-01,2024-01,2024-01,2024-Q1,2024-02,2024-02,2024-02,2024-02,2024-02,2024-02,2024-02,2024-02,2024-02,2024-02,2024-02,2024-02,2024-02,2024-02,2024-02,2024-02,2024-02,2024-02,2024-02,2024-02,2024-02,2024-02,2024-02,2024-02,2024-02,2024-02,2024-02,2024-02,2024-02}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}', '{0,1,2,3,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,3,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4}', '{f,f,t,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f}'),
	(1, 'ip', '{*,10.0.0.0/8,10.0.0.0/16,10.0.0.0/24,10.0.0.0,10.0.0.3,10.0.0.6,10.1.0.0/16,10.1.0.0/24,10.1.0.1,10.1.0.4,10.1.0.7,10.2.0.0/16,10.2.0.0/24,10.2.0.2,10.2.0.5,10.2.0.8}', '{NULL,*,10.0.0.0/8,10.0.0.0/16,10.0.0.0/24,10.0.0.0/24,10.0.0.0/24,10.0.0.0/8,10.1.0.0/16,10.1.0.0/24,10.1.0.0/24,10.1.0.0/24,10.0.0.0/8,10.2.0.0/16,10.2.0.0/24,10.2.0.0/24,10.2.0.0/24}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}', '{NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}', '{0,1,2,3,4,4,4,2,3,4,4,4,2,3,4,4,4}', '{f,t,f,f,f,f,f,f,f,f,f,f,f,f,f,f,f}'),
	(1, 'age', '{"(,)","(,50)","(,35)","(,27)","(,23)","(,21)","[21,23)","[23,27)","[23,25)","[25,27)","[27,35)","[27,31)","[27,29)","[29,31)","[31,35)","[31,33)","[33,35)","[35,50)","[35,42)","[35,38)","[35,36)","[36,38)","[38,42)","[38,40)","[40,42)","[42,50)","[42,46)","[42,44)","[44,46)","[46,50)","[46,48)","[48,50)","[50,)","[50,65)","[50,57)","[50,53)","[50,51)","[51,53)","[53,57)","[53,55)","[55,57)","[57,65)","[57,61)","[57,59)","[59,61)","[61,65)","[61,63)","[63,65)","[65,)","[65,72)","[65,68)","[65,66)","[66,68)","[68,72)","[68,70)","[70,72)","[72,)","[72,76)","[72,74)","[74,76)","[76,)","[76,78)","[78,)"}', '{NULL,"(,)","(,50)","(,35)","(,27)","(,23)","(,23)","(,27)","[23,27)","[23,27)","(,35)","[27,35)","[27,31)","[27,31)","[27,35)","[31,35)","[31,35)","(,50)","[35,50)","[35,42)","[35,38)","[35,38)","[35,42)","[38,42)","[38,42)","[35,50)","[42,50)","[42,46)","[42,46)","[42,50)","[46,50)","[46,50)","(,)","[50,)","[50,65)","[50,57)","[50,53)","[50,53)","[50,57)","[53,57)","[53,57)","[50,65)","[57,65)","[57,61)","[57,61)","[57,65)","[61,65)","[61,65)","[50,)","[65,)","[65,72)","[65,68)","[65,68)","[65,72)","[68,72)","[68,72)","[65,)","[72,)","[72,76)","[72,76)","[72,)","[76,)","[76,)"}', '{NULL,NULL,NULL,NULL,NULL,NULL,21,23,23,25,27,27,27,29,31,31,33,35,35,35,35,36,38,38,40,42,42,42,44,46,46,48,50,50,50,50,50,51,53,53,55,57,57,57,59,61,61,63,65,65,65,65,66,68,68,70,72,72,72,74,76,76,78}', '{NULL,50,35,27,23,21,23,27,25,27,35,31,29,31,35,33,35,50,42,38,36,38,42,40,42,50,46,44,46,50,48,50,NULL,65,57,53,51,53,57,55,57,65,61,59,61,65,63,65,NULL,72,68,66,68,72,70,72,NULL,76,74,76,NULL,78,NULL}', '{0,1,2,3,4,5,5,4,5,5,3,4,5,5,4,5,5,2,3,4,5,5,4,5,5,3,4,5,5,4,5,5,1,2,3,4,5,5,4,5,5,3,4,5,5,4,5,5,2,3,4,5,5,4,5,5,3,4,5,5,4,5,5}', '{f,f,f,f,t,f,f,t,f,f,f,t,f,f,t,f,f,f,f,t,f,f,t,f,f,f,t,f,f,t,f,f,f,f,f,t,f,f,t,f,f,f,t,f,f,t,f,f,f,f,t,f,f,t,f,f,f,t,f,f,t,f,f}');
INSERT INTO bounds.values_v0 VALUES
	(1, 'illness', '{-2440192939613147878,-539409077166545028,1067009285796817413}');
INSERT INTO bounds.visits_v1 VALUES
	(1, '2024-Q1', '10.0.0.0/8', '[23,27)', 23, 27, 'flu'),
	(1, '2024-Q1', '10.0.0.0/8', '[27,31)', 27, 31, 'flu'),
	(1, '2024-Q1', '10.0.0.0/8', '[57,61)', 57, 61, 'flu'),
	(1, '2024-Q1', '10.0.0.0/8', '[68,72)', 68, 72, 'flu'),
	(1, '2024-Q1', '10.0.0.0/8', '[57,61)', 57, 61, 'none'),
	(1, '2024-Q1', '10.0.0.0/8', '[53,57)', 53, 57, 'cold'),
	(1, '2024-Q1', '10.0.0.0/8', '(,23)', NULL, 23, 'flu'),
	(1, '2024-Q1', '10.0.0.0/8', '[65,68)', 65, 68, 'cold'),
	(1, '2024-Q1', '10.0.0.0/8', '[50,53)', 50, 53, 'cold'),
	(1, '2024-Q1', '10.0.0.0/8', '[23,27)', 23, 27, 'cold'),
	(1, '2024-Q1', '10.0.0.0/8', '[57,61)', 57, 61, 'none'),
	(1, '2024-Q1', '10.0.0.0/8', '[68,72)', 68, 72, 'flu'),
	(1, '2024-Q1', '10.0.0.0/8', '[31,35)', 31, 35, 'cold'),
	(1, '2024-Q1', '10.0.0.0/8', '[46,50)', 46, 50, 'flu'),
	(1, '2024-Q1', '10.0.0.0/8', '[27,31)', 27, 31, 'flu'),
	(1, '2024-Q1', '10.0.0.0/8', '[53,57)', 53, 57, 'flu'),
	(1, '2024-Q1', '10.0.0.0/8', '[57,61)', 57, 61, 'cold'),
	(1, '2024-Q1', '10.0.0.0/8', '[72,76)', 72, 76, 'none'),
	(1, '2024-Q1', '10.0.0.0/8', '[27,31)', 27, 31, 'none'),
	(1, '2024-Q1', '10.0.0.0/8', '[72,76)', 72, 76, 'cold'),
	(1, '2024-Q1', '10.0.0.0/8', '[68,72)', 68, 72, 'flu'),
	(1, '2024-Q1', '10.0.0.0/8', '[35,38)', 35, 38, 'none'),
	(1, '2024-Q1', '10.0.0.0/8', '[72,76)', 72, 76, 'none'),
	(1, '2024-Q1', '10.0.0.0/8', '[31,35)', 31, 35, 'cold'),
	(1, '2024-Q1', '10.0.0.0/8', '[53,57)', 53, 57, 'cold'),
	(1, '2024-Q1', '10.0.0.0/8', '[31,35)', 31, 35, 'none'),
	(1, '2024-Q1', '10.0.0.0/8', '[27,31)', 27, 31, 'none'),
	(1, '2024-Q1', '10.0.0.0/8', '[53,57)', 53, 57, 'none'),
	(1, '2024-Q1', '10.0.0.0/8', '[31,35)', 31, 35, 'none'),
	(1, '2024-Q1', '10.0.0.0/8', '[46,50)', 46, 50, 'cold'),
	(1, '2024-Q1', '10.0.0.0/8', '[23,27)', 23, 27, 'flu'),
	(1, '2024-Q1', '10.0.0.0/8', '[38,42)', 38, 42, 'flu'),
	(1, '2024-Q1', '10.0.0.0/8', '[31,35)', 31, 35, 'cold'),
	(1, '2024-Q1', '10.0.0.0/8', '[27,31)', 27, 31, 'none'),
	(1, '2024-Q1', '10.0.0.0/8', '[76,)', 76, NULL, 'none'),
	(1, '2024-Q1', '10.0.0.0/8', '[38,42)', 38, 42, 'flu'),
	(1, '2024-Q1', '10.0.0.0/8', '[46,50)', 46, 50, 'cold'),
	(1, '2024-Q1', '10.0.0.0/8', '[68,72)', 68, 72, 'cold'),
	(1, '2024-Q1', '10.0.0.0/8', '[61,65)', 61, 65, 'none'),
	(1, '2024-Q1', '10.0.0.0/8', '[35,38)', 35, 38, 'cold'),
	(1, '2024-Q1', '10.0.0.0/8', '[72,76)', 72, 76, 'none'),
	(1, '2024-Q1', '10.0.0.0/8', '[38,42)', 38, 42, 'flu'),
	(1, '2024-Q1', '10.0.0.0/8', '[42,46)', 42, 46, 'cold'),
	(1, '2024-Q1', '10.0.0.0/8', '[23,27)', 23, 27, 'cold'),
	(1, '2024-Q1', '10.0.0.0/8', '[42,46)', 42, 46, 'none'),
	(1, '2024-Q1', '10.0.0.0/8', '[65,68)', 65, 68, 'cold'),
	(1, '2024-Q1', '10.0.0.0/8', '[46,50)', 46, 50, 'cold'),
	(1, '2024-Q1', '10.0.0.0/8', '[65,68)', 65, 68, 'flu'),
	(1, '2024-Q1', '10.0.0.0/8', '[38,42)', 38, 42, 'none'),
	(1, '2024-Q1', '10.0.0.0/8', '[76,)', 76, NULL, 'cold'),
	(1, '2024-Q1', '10.0.0.0/8', '[46,50)', 46, 50, 'flu'),
	(1, '2024-Q1', '10.0.0.0/8', '[61,65)', 61, 65, 'cold'),
	(1, '2024-Q1', '10.0.0.0/8', '[46,50)', 46, 50, 'none'),
	(1, '2024-Q1', '10.0.0.0/8', '[35,38)', 35, 38, 'cold'),
	(1, '2024-Q1', '10.0.0.0/8', '[42,46)', 42, 46, 'flu'),
	(1, '2024-Q1', '10.0.0.0/8', '[46,50)', 46, 50, 'none'),
	(1, '2024-Q1', '10.0.0.0/8', '[23,27)', 23, 27, 'flu'),
	(1, '2024-Q1', '10.0.0.0/8', '[68,72)', 68, 72, 'none'),
	(1, '2024-Q1', '10.0.0.0/8', '(,23)', NULL, 23, 'flu'),
	(1, '2024-Q1', '10.0.0.0/8', '[27,31)', 27, 31, 'none'),
	(1, '2024-Q1', '10.0.0.0/8', '[61,65)', 61, 65, 'flu'),
	(1, '2024-Q1', '10.0.0.0/8', '[53,57)', 53, 57, 'none'),
	(1, '2024-Q1', '10.0.0.0/8', '(,23)', NULL, 23, 'cold'),
	(1, '2024-Q1', '10.0.0.0/8', '[72,76)', 72, 76, 'flu'),
	(1, '2024-Q1', '10.0.0.0/8', '[31,35)', 31, 35, 'flu'),
	(1, '2024-Q1', '10.0.0.0/8', '[42,46)', 42, 46, 'none'),
	(1, '2024-Q1', '10.0.0.0/8', '(,23)', NULL, 23, 'cold'),
	(1, '2024-Q1', '10.0.0.0/8', '(,23)', NULL, 23, 'none'),
	(1, '2024-Q1', '10.0.0.0/8', '[76,)', 76, NULL, 'cold'),
	(1, '2024-Q1', '10.0.0.0/8', '[65,68)', 65, 68, 'flu'),
	(1, '2024-Q1', '10.0.0.0/8', '[61,65)', 61, 65, 'none'),
	(1, '2024-Q1', '10.0.0.0/8', '[42,46)', 42, 46, 'flu'),
	(1, '2024-Q1', '10.0.0.0/8', '[27,31)', 27, 31, 'cold'),
	(1, '2024-Q1', '10.0.0.0/8', '[35,38)', 35, 38, 'none'),
	(1, '2024-Q1', '10.0.0.0/8', '[38,42)', 38, 42, 'cold'),
	(1, '2024-Q1', '10.0.0.0/8', '[72,76)', 72, 76, 'cold'),
	(1, '2024-Q1', '10.0.0.0/8', '[68,72)', 68, 72, 'flu'),
	(1, '2024-Q1', '10.0.0.0/8', '[76,)', 76, NULL, 'cold'),
	(1, '2024-Q1', '10.0.0.0/8', '[35,38)', 35, 38, 'flu'),
	(1, '2024-Q1', '10.0.0.0/8', '[50,53)', 50, 53, 'cold'),
	(1, '2024-Q1', '10.0.0.0/8', '[38,42)', 38, 42, 'none'),
	(1, '2024-Q1', '10.0.0.0/8', '[53,57)', 53, 57, 'flu'),
	(1, '2024-Q1', '10.0.0.0/8', '[61,65)', 61, 65, 'flu'),
	(1, '2024-Q1', '10.0.0.0/8', '[27,31)', 27, 31, 'cold'),
	(1, '2024-Q1', '10.0.0.0/8', '[68,72)', 68, 72, 'cold'),
	(1, '2024-Q1', '10.0.0.0/8', '[53,57)', 53, 57, 'flu'),
	(1, '2024-Q1', '10.0.0.0/8', '[38,42)', 38, 42, 'cold'),
	(1, '2024-Q1', '10.0.0.0/8', '[42,46)', 42, 46, 'none'),
	(1, '2024-Q1', '10.0.0.0/8', '[31,35)', 31, 35, 'flu'),
	(1, '2024-Q1', '10.0.0.0/8', '[65,68)', 65, 68, 'none'),
	(1, '2024-Q1', '10.0.0.0/8', '[23,27)', 23, 27, 'none'),
	(1, '2024-Q1', '10.0.0.0/8', '[72,76)', 72, 76, 'none'),
	(1, '2024-Q1', '10.0.0.0/8', '[50,53)', 50, 53, 'none'),
	(1, '2024-Q1', '10.0.0.0/8', '[46,50)', 46, 50, 'cold'),
	(1, '2024-Q1', '10.0.0.0/8', '[50,53)', 50, 53, 'none'),
	(1, '2024-Q1', '10.0.0.0/8', '[76,)', 76, NULL, 'none'),
	(1, '2024-Q1', '10.0.0.0/8', '[31,35)', 31, 35, 'cold'),
	(1, '2024-Q1', '10.0.0.0/8', '[23,27)', 23, 27, 'flu'),
	(1, '2024-Q1', '10.0.0.0/8', '[68,72)', 68, 72, 'none'),
	(1, '2024-Q1', '10.0.0.0/8', '[61,65)', 61, 65, 'cold'),
	(1, '2024-Q1', '10.0.0.0/8', '[23,27)', 23, 27, 'none'),
	(1, '2024-Q1', '10.0.0.0/8', '[35,38)', 35, 38, 'flu'),
	(1, '2024-Q1', '10.0.0.0/8', '[72,76)', 72, 76, 'flu'),
	(1, '2024-Q1', '10.0.0.0/8', '[76,)', 76, NULL, 'flu'),
	(1, '2024-Q1', '10.0.0.0/8', '[42,46)', 42, 46, 'cold'),
	(1, '2024-Q1', '10.0.0.0/8', '[53,57)', 53, 57, 'flu'),
	(1, '2024-Q1', '10.0.0.0/8', '[61,65)', 61, 65, 'cold'),
	(1, '2024-Q1', '10.0.0.0/8', '[57,61)', 57, 61, 'none'),
	(1, '2024-Q1', '10.0.0.0/8', '[57,61)', 57, 61, 'none'),
	(1, '2024-Q1', '10.0.0.0/8', '[57,61)', 57, 61, 'cold'),
	(1, '2024-Q1', '10.0.0.0/8', '[38,42)', 38, 42, 'flu'),
	(1, '2024-Q1', '10.0.0.0/8', '[76,)', 76, NULL, 'cold'),
	(1, '2024-Q1', '10.0.0.0/8', '[50,53)', 50, 53, 'flu'),
	(1, '2024-Q1', '10.0.0.0/8', '[76,)', 76, NULL, 'flu'),
	(1, '2024-Q1', '10.0.0.0/8', '[57,61)', 57, 61, 'flu'),
	(1, '2024-Q1', '10.0.0.0/8', '(,23)', NULL, 23, 'none'),
	(1, '2024-Q1', '10.0.0.0/8', '[42,46)', 42, 46, 'none'),
	(1, '2024-Q1', '10.0.0.0/8', '[61,65)', 61, 65, 'cold'),
	(1, '2024-Q1', '10.0.0.0/8', '[65,68)', 65, 68, 'none'),
	(1, '2024-Q1', '10.0.0.0/8', '[50,53)', 50, 53, 'flu');
INSERT INTO src.visits VALUES
	('2024-01-08', '10.1.0.1', 31, 'cold'),
	('2024-01-15', '10.2.0.2', 42, 'none'),
	('2024-01-22', '10.0.0.3', 53, 'flu'),
	('2024-01-29', '10.1.0.4', 64, 'cold'),
	('2024-02-05', '10.2.0.5', 75, 'none'),
	('2024-02-12', '10.0.0.6', 26, 'flu'),
	('2024-02-19', '10.1.0.7', 37, 'cold'),
	('2024-02-26', '10.2.0.8', 48, 'none'),
	('2024-01-04', '10.0.0.0', 59, 'flu'),
	('2024-01-11', '10.1.0.1', 70, 'cold'),
	('2024-01-18', '10.2.0.2', 21, 'none'),
	('2024-01-25', '10.0.0.3', 32, 'flu'),
	('2024-02-01', '10.1.0.4', 43, 'cold'),
	('2024-02-08', '10.2.0.5', 54, 'none'),
	('2024-02-15', '10.0.0.6', 65, 'flu'),
	('2024-02-22', '10.1.0.7', 76, 'cold'),
	('2024-02-29', '10.2.0.8', 27, 'none'),
	('2024-01-07', '10.0.0.0', 38, 'flu'),
	('2024-01-14', '10.1.0.1', 49, 'cold'),
	('2024-01-21', '10.2.0.2', 60, 'none'),
	('2024-01-28', '10.0.0.3', 71, 'flu'),
	('2024-02-04', '10.1.0.4', 22, 'cold'),
	('2024-02-11', '10.2.0.5', 33, 'none'),
	('2024-02-18', '10.0.0.6', 44, 'flu'),
	('2024-02-25', '10.1.0.7', 55, 'cold'),
	('2024-01-03', '10.2.0.8', 66, 'none'),
	('2024-01-10', '10.0.0.0', 77, 'flu'),
	('2024-01-17', '10.1.0.1', 28, 'cold'),
	('2024-01-24', '10.2.0.2', 39, 'none'),
	('2024-01-31', '10.0.0.3', 50, 'flu'),
	('2024-02-07', '10.1.0.4', 61, 'cold'),
	('2024-02-14', '10.2.0.5', 72, 'none'),
	('2024-02-21', '10.0.0.6', 23, 'flu'),
	('2024-02-28', '10.1.0.7', 34, 'cold'),
	('2024-01-06', '10.2.0.8', 45, 'none'),
	('2024-01-13', '10.0.0.0', 56, 'flu'),
	('2024-01-20', '10.1.0.1', 67, 'cold'),
	('2024-01-27', '10.2.0.2', 78, 'none'),
	('2024-02-03', '10.0.0.3', 29, 'flu'),
	('2024-02-10', '10.1.0.4', 40, 'cold'),
	('2024-02-17', '10.2.0.5', 51, 'none'),
	('2024-02-24', '10.0.0.6', 62, 'flu'),
	('2024-01-02', '10.1.0.7', 73, 'cold'),
	('2024-01-09', '10.2.0.8', 24, 'none'),
	('2024-01-16', '10.0.0.0', 35, 'flu'),
	('2024-01-23', '10.1.0.1', 46, 'cold'),
	('2024-01-30', '10.2.0.2', 57, 'none'),
	('2024-02-06', '10.0.0.3', 68, 'flu'),
	('2024-02-13', '10.1.0.4', 79, 'cold'),
	('2024-02-20', '10.2.0.5', 30, 'none'),
	('2024-02-27', '10.0.0.6', 41, 'flu'),
	('2024-01-05', '10.1.0.7', 52, 'cold'),
	('2024-01-12', '10.2.0.8', 63, 'none'),
	('2024-01-19', '10.0.0.0', 74, 'flu'),
	('2024-01-26', '10.1.0.1', 25, 'cold'),
	('2024-02-02', '10.2.0.2', 36, 'none'),
	('2024-02-09', '10.0.0.3', 47, 'flu'),
	('2024-02-16', '10.1.0.4', 58, 'cold'),
	('2024-02-23', '10.2.0.5', 69, 'none'),
	('2024-01-01', '10.0.0.6', 20, 'flu'),
	('2024-01-08', '10.1.0.7', 31, 'cold'),
	('2024-01-15', '10.2.0.8', 42, 'none'),
	('2024-01-22', '10.0.0.0', 53, 'flu'),
	('2024-01-29', '10.1.0.1', 64, 'cold'),
	('2024-02-05', '10.2.0.2', 75, 'none'),
	('2024-02-12', '10.0.0.3', 26, 'flu'),
	('2024-02-19', '10.1.0.4', 37, 'cold'),
	('2024-02-26', '10.2.0.5', 48, 'none'),
	('2024-01-04', '10.0.0.6', 59, 'flu'),
	('2024-01-11', '10.1.0.7', 70, 'cold'),
	('2024-01-18', '10.2.0.8', 21, 'none'),
	('2024-01-25', '10.0.0.0', 32, 'flu'),
	('2024-02-01', '10.1.0.1', 43, 'cold'),
	('2024-02-08', '10.2.0.2', 54, 'none'),
	('2024-02-15', '10.0.0.3', 65, 'flu'),
	('2024-02-22', '10.1.0.4', 76, 'cold'),
	('2024-02-29', '10.2.0.5', 27, 'none'),
	('2024-01-07', '10.0.0.6', 38, 'flu'),
	('2024-01-14', '10.1.0.7', 49, 'cold'),
	('2024-01-21', '10.2.0.8', 60, 'none'),
	('2024-01-28', '10.0.0.0', 71, 'flu'),
	('2024-02-04', '10.1.0.1', 22, 'cold'),
	('2024-02-11', '10.2.0.2', 33, 'none'),
	('2024-02-18', '10.0.0.3', 44, 'flu'),
	('2024-02-25', '10.1.0.4', 55, 'cold'),
	('2024-01-03', '10.2.0.5', 66, 'none'),
	('2024-01-10', '10.0.0.6', 77, 'flu'),
	('2024-01-17', '10.1.0.7', 28, 'cold'),
	('2024-01-24', '10.2.0.8', 39, 'none'),
	('2024-01-31', '10.0.0.0', 50, 'flu'),
	('2024-02-07', '10.1.0.1', 61, 'cold'),
	('2024-02-14', '10.2.0.2', 72, 'none'),
	('2024-02-21', '10.0.0.3', 23, 'flu'),
	('2024-02-28', '10.1.0.4', 34, 'cold'),
	('2024-01-06', '10.2.0.5', 45, 'none'),
	('2024-01-13', '10.0.0.6', 56, 'flu'),
	('2024-01-20', '10.1.0.7', 67, 'cold'),
	('2024-01-27', '10.2.0.8', 78, 'none'),
	('2024-02-03', '10.0.0.0', 29, 'flu'),
	('2024-02-10', '10.1.0.1', 40, 'cold'),
	('2024-02-17', '10.2.0.2', 51, 'none'),
	('2024-02-24', '10.0.0.3', 62, 'flu'),
	('2024-01-02', '10.1.0.4', 73, 'cold'),
	('2024-01-09', '10.2.0.5', 24, 'none'),
	('2024-01-16', '10.0.0.6', 35, 'flu'),
	('2024-01-23', '10.1.0.7', 46, 'cold'),
	('2024-01-30', '10.2.0.8', 57, 'none'),
	('2024-02-06', '10.0.0.0', 68, 'flu'),
	('2024-02-13', '10.1.0.1', 79, 'cold'),
	('2024-02-20', '10.2.0.2', 30, 'none'),
	('2024-02-27', '10.0.0.3', 41, 'flu'),
	('2024-01-05', '10.1.0.4', 52, 'cold'),
	('2024-01-12', '10.2.0.5', 63, 'none'),
	('2024-01-19', '10.0.0.6', 74, 'flu'),
	('2024-01-26', '10.1.0.7', 25, 'cold'),
	('2024-02-02', '10.2.0.8', 36, 'none'),
	('2024-02-09', '10.0.0.0', 47, 'flu'),
	('2024-02-16', '10.1.0.1', 58, 'cold'),
	('2024-02-23', '10.2.0.2', 69, 'none'),
	('2024-01-01', '10.0.0.3', 20, 'flu');
ALTER TABLE ONLY bounds.manifest
    ADD CONSTRAINT manifest_current_version_key UNIQUE (current, version);
ALTER TABLE ONLY bounds.manifest
    ADD CONSTRAINT manifest_pkey PRIMARY KEY (version);
