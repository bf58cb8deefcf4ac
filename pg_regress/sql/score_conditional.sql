-- score => 'conditional': what a refinement tells of the class given the rest of the release, in proportion to what is lost.
CREATE SCHEMA score_conditional;
SET search_path TO score_conditional, public;

-- Two columns that say the same of the class, and a third that says something else.
CREATE TABLE t AS
SELECT i, CASE WHEN i % 4 < 2 THEN 'low' ELSE 'high' END AS wage, CASE WHEN i % 4 < 2 THEN 'rent' ELSE 'own' END AS home,
       CASE WHEN i % 6 < 3 THEN 'south' ELSE 'north' END AS place,
       CASE WHEN i % 4 < 2 AND i % 6 < 3 OR i % 10 = 0 THEN 'yes' ELSE 'no' END AS class
FROM generate_series(1, 240) i;
CREATE FUNCTION trees() RETURNS masking[] LANGUAGE sql AS $$ SELECT ARRAY[by_taxonomy_tree('wage', '{"Any": ["low", "high"]}'),
  by_taxonomy_tree('home', '{"Any": ["rent", "own"]}'), by_taxonomy_tree('place', '{"Any": ["south", "north"]}')] $$;

-- By itself home tells as much as wage; given wage it tells nothing, and costs no group.
SELECT step, attribute, round(info_gain::numeric, 6) AS info_gain, privacy_loss, round(score::numeric, 6) AS score, achieved
FROM tds_steps('t', ARRAY[k_anonymity('{wage,home,place}', 10)], 'class', trees(), score => 'info_gain');
SELECT step, attribute, round(info_gain::numeric, 6) AS info_gain, privacy_loss, round(score::numeric, 6) AS score, achieved
FROM tds_steps('t', ARRAY[k_anonymity('{wage,home,place}', 10)], 'class', trees(), score => 'conditional');

-- The same scores in plain SQL: the fall of the entropy given the leaf, less that by chance, through 1 + ln(A/A_v).
CREATE FUNCTION told(leaf text[]) RETURNS TABLE (unknown numeric, leaves bigint, smallest bigint) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY EXECUTE format($q$
    WITH cells AS (SELECT (%1$s) AS leaf, class, count(*) AS n FROM t GROUP BY 1, 2),
         leaves AS (SELECT leaf, sum(n) AS n FROM cells GROUP BY 1)
    SELECT sum(-c.n * log(2, c.n / l.n)) / 240, (SELECT count(*) FROM leaves), (SELECT min(n)::bigint FROM leaves)
    FROM cells c JOIN leaves l USING (leaf)$q$, 'ARRAY[' || array_to_string(leaf || '{''''}', ', ') || ']');
END $$;
SELECT n, round((b.unknown - a.unknown - (a.leaves - b.leaves) / (2 * 240 * ln(2::numeric))) / (1 + ln(b.smallest::numeric / a.smallest)), 6) AS score
FROM (VALUES (1, ARRAY[]::text[], ARRAY['place']), (2, '{place}', '{wage,place}'), (3, '{wage,place}', '{wage,home,place}')) steps (n, before, after),
     told(before) b, told(after) a;

-- Where a refinement tells less than chance does it is not performed, whatever k is.
CREATE TABLE noise AS SELECT i % 2 AS a, i / 2 % 2 AS b, CASE WHEN i % 8 < 4 THEN 'yes' ELSE 'no' END AS class FROM generate_series(1, 80) i;
SELECT step, attribute, children FROM tds_steps('noise', ARRAY[k_anonymity('{a,b}', 2)], 'class', score => 'info_gain');
SELECT step, attribute, children FROM tds_steps('noise', ARRAY[k_anonymity('{a,b}', 2)], 'class', score => 'conditional');

-- Without a class: the fall of the mean certainty loss over all rows. Other models: in proportion, too.
SELECT step, attribute, children, round(info_gain::numeric, 6) AS info_gain, round(score::numeric, 6) AS score, achieved
FROM tds_steps('noise', ARRAY[k_anonymity('{a,b}', 2)], score => 'conditional');
SELECT step, attribute, round(score::numeric, 6) AS score, ARRAY(SELECT round(a::numeric, 6) FROM unnest(achieved) a) AS achieved
FROM tds_steps('t', ARRAY[confidence_bound('{wage,place}', 'class', '{yes}', 1), t_closeness('{wage,place}', 'class', 0.9),
                          l_diversity('{place}', 'class', 1.1, 'entropy'), beta_likeness('{place}', 'class', 3)], 'class',
               ARRAY[by_taxonomy_tree('wage', '{"Any": ["low", "high"]}'), by_taxonomy_tree('place', '{"Any": ["south", "north"]}')], score => 'conditional');

-- Suppressed columns; two quasi-identifiers, so that the leaves are those of no model.
SELECT step, attribute, children, round(info_gain::numeric, 6) AS info_gain, round(score::numeric, 6) AS score, achieved
FROM tds_steps('t', ARRAY[k_anonymity('{wage,place}', 10), k_anonymity('{home,place}', 10)], 'class', score => 'conditional');

-- Kept in the manifest: by a refresh, a rewind and an alteration of something else.
SELECT tds_anonymize('t', 'rel', ARRAY[k_anonymity('{wage,home,place}', 10)], 'class', trees(), score => 'conditional') - 'seconds' AS made;
SELECT release_refresh(public.again('rel')) ->> 'version' AS replayed;
SELECT release_refresh('rel', 'search') ->> 'version' AS searched;
SELECT release_rewind('rel', 1) ->> 'version' AS rewound;
SELECT release_alter('rel', max_steps => 2) ->> 'version' AS altered;
SELECT version, parameters ->> 'score' AS score FROM rel_private.manifest ORDER BY 1;
SELECT version, step, attribute, round(score::numeric, 6) AS score FROM rel_private.steps ORDER BY 1, 2;
SELECT release_alter('rel', score => 'tds') ->> 'version' AS altered;
SELECT parameters ->> 'score' AS score FROM rel_private.manifest WHERE current;
SELECT release_drop('rel');

DROP SCHEMA score_conditional CASCADE;
