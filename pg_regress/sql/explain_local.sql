-- release_explain of local recoding: in how many of the groups that are released as a node what keeps these from being refined there, and
-- how near the nearest is; counted again with plain SQL.
CREATE SCHEMA explaining;
SET search_path TO explaining, public;

CREATE TABLE t (id int, age int, city text, code text, income text);
INSERT INTO t SELECT i, 18 + i * 7 % 50, CASE WHEN i <= 3 THEN 'Hamlet' WHEN i % 2 = 0 THEN 'Rome' ELSE 'Oslo' END,
  CASE WHEN i % 5 = 0 THEN 'a' WHEN i % 9 = 0 THEN 'b' WHEN i % 31 = 0 THEN 'c' ELSE 'd' END,
  CASE WHEN i * 7 % 50 > 20 AND i % 5 < 3 OR i % 2 = 0 THEN 'high' ELSE 'low' END FROM generate_series(1, 400) i;
\set trees 'by_taxonomy_tree(''city'', ''{"any": ["Rome", "Oslo", "Hamlet"]}'')'

-- The groups that are released as a node, and the parts of each that a refinement of the column would make: below or above the point, the
-- value or another, or each value. Of each group the smallest part, the parts below k and all, and the rows in those below k; and whether there
-- is anything to tell apart.
CREATE FUNCTION parts(k int, attribute text, node text, reason text) RETURNS TABLE (smallest bigint, below bigint, all_of_it bigint, rows numeric, mixed boolean) LANGUAGE plpgsql AS $$
DECLARE part text := CASE WHEN reason ~ 'split at' THEN format('s.%I >= %L::int', attribute, substring(reason, 'split at (\S+)'))
  WHEN reason ~ 'disclosed it' THEN format('s.%I = %L', attribute, substring(reason, 'with "(.*?)"')) ELSE format('s.%I', attribute) END;
BEGIN
  RETURN QUERY EXECUTE format('SELECT min(n), count(*) FILTER (WHERE n < %1$s), count(*), coalesce(sum(n) FILTER (WHERE n < %1$s), 0), min(one) <> max(other)
    FROM (SELECT v.age, v.city, v.code, count(*) AS n, min(s.income) AS one, max(s.income) AS other FROM rel.t v JOIN t s USING (id) WHERE v.%2$I::text = %3$L GROUP BY v.age, v.city, v.code, %4$s) g
    GROUP BY age, city, code', k, attribute, node, part);
END $$;
-- Of each node: whether as many groups are told of as there are, whether what is said of the nearest holds of some group, and (but for an
-- interval, of whose groups each has a point of its own) whether no other is nearer.
CREATE FUNCTION recount(k int, of_class boolean DEFAULT true) RETURNS TABLE (nodes bigint, several bigint, other_groups bigint, breaks bigint, no_such_group bigint, nearer bigint) BEGIN ATOMIC
  SELECT count(*), count(*) FILTER (WHERE told.groups > 1), count(*) FILTER (WHERE told.groups IS DISTINCT FROM there.groups),
    count(*) FILTER (WHERE e.reason ~ 'would break k'), count(*) FILTER (WHERE e.reason ~ 'would break k' AND NOT nearest.said),
    count(*) FILTER (WHERE e.reason ~ 'would break k' AND e.reason !~ 'split at' AND nearest.fewest IS DISTINCT FROM nearest.told)
  FROM release_explain('rel') e,
    LATERAL (SELECT count(*) AS groups FROM parts(k, attribute, node, reason)) there,
    LATERAL (SELECT CASE WHEN e.reason !~ '^in ' THEN 1 ELSE coalesce(substring(e.reason, '^in all (\d+) groups'), substring(e.reason, '^in \d+ of (\d+) groups'))::int END AS groups) told,
    LATERAL (SELECT bool_or(p.smallest = e.achieved AND e.required = k AND e.reason LIKE format('%%%s row%s short in %s of %s part%s, %s row%%', k - p.smallest,
        CASE WHEN p.smallest < k - 1 THEN 's' END, p.below, p.all_of_it, CASE WHEN p.all_of_it > 1 THEN 's' END, p.rows)) AS said,
      min(p.rows) FILTER (WHERE p.below > 0 AND (mixed OR NOT of_class)) AS fewest, substring(e.reason, 'would break k[^;]*parts?, (\d+) row')::numeric AS told
      FROM parts(k, attribute, node, reason) p) nearest;
END;

SELECT tds_anonymize('t', 'rel', k_anonymity('{age,city,code}', 10), 'income', ARRAY[:trees], keep => '{id}', recoding => 'local') -> 'steps' AS steps;
SELECT * FROM release_explain('rel');
SELECT * FROM recount(10);
-- in the cut's order and words
SELECT count(*) AS nodes, count(*) FILTER (WHERE (a, n) IS DISTINCT FROM (attribute, node)) AS others FROM
  (SELECT row_number() OVER () AS i, attribute, node FROM rel.cut) c FULL JOIN
  (SELECT row_number() OVER () AS i, attribute AS a, node AS n FROM release_explain('rel')) e USING (i);

-- Somebody stopped it; another score; without a class; of other models.
SELECT tds_anonymize('t', 'rel', k_anonymity('{age,city,code}', 10), 'income', ARRAY[:trees], keep => '{id}', recoding => 'local', max_steps => 2) -> 'steps' AS steps;
SELECT attribute, node, reason FROM release_explain('rel');
SELECT * FROM recount(10);
SELECT release_drop('rel');
SELECT tds_anonymize('t', 'rel', k_anonymity('{age,city,code}', 10), NULL, ARRAY[:trees], keep => '{id}', recoding => 'local') -> 'steps' AS steps;
SELECT * FROM recount(10, false);
SELECT count(*) FROM release_explain('rel') WHERE reason ~ 'every model|tell';
SELECT release_drop('rel');
SELECT tds_anonymize('t', 'rel', k_anonymity('{age,city,code}', 5), 'income', ARRAY[:trees], keep => '{id}', recoding => 'local', score => 'conditional') -> 'steps' AS steps;
SELECT attribute, node, left(reason, 100) AS reason, achieved < 0 AS below, required FROM release_explain('rel') WHERE reason ~ 'tell' ORDER BY 1, 2 LIMIT 3;
SELECT * FROM recount(5);
SELECT release_rewind('rel', 1) -> 'steps' AS steps;
SELECT attribute, node, reason FROM release_explain('rel');
INSERT INTO t VALUES (0, 30, 'Oslo', 'd', 'low');
SELECT count(*) FROM release_explain('rel');
SELECT tds_anonymize('t', 'other', ARRAY[k_anonymity('{age,city}', 3), l_diversity('{city,code}', 'income', 1.5, 'entropy')], masking => ARRAY[:trees], recoding => 'local') -> 'steps' AS steps;
SELECT count(*), count(*) FILTER (WHERE reason ~ 'l_diversity') AS l FROM release_explain('other') WHERE reason ~ 'would break' AND CASE WHEN reason ~ 'k_anonymity' THEN required = 3 ELSE required = 1.5 END AND achieved < required;
SELECT count(*) FROM release_explain('other') WHERE reason ~ 'would break';
-- what stands over NULL and what is below it are shown alike, and are one node of the cut
CREATE TABLE days AS SELECT i AS id, CASE WHEN i % 4 = 0 AND i < 20 OR i = 1 THEN NULL ELSE date '2020-01-01' + i END AS day, CASE WHEN i % 2 = 0 THEN 'x' ELSE 'y' END AS a FROM generate_series(1, 20) i;
SELECT tds_anonymize('days', 'days_r', k_anonymity('{day,a}', 4), masking => ARRAY[finest(by_calendar('day'), 0)], recoding => 'local') -> 'steps' AS steps;
SELECT c.attribute, c.node, c.records, e.reason FROM days_r.cut c LEFT JOIN release_explain('days_r') e ON (e.attribute, coalesce(e.node, 'NULL')) = (c.attribute, coalesce(c.node, 'NULL')) ORDER BY 1, 2;
SELECT count(*) = (SELECT count(*) FROM days_r.cut) AS a_row_a_node FROM release_explain('days_r');
SELECT release_drop('days_r');
-- the value alone that the search would disclose: all at once would tell less
CREATE TABLE many AS SELECT i AS id, chr(97 + (i * 7919) % 13) AS a, (ARRAY['p', 'q', 'r', 'u'])[1 + (i * 104729 / 3) % 4] AS c FROM generate_series(1, 60) i;
SELECT tds_anonymize('many', 'many_r', k_anonymity('{a}', 2), 'c', score => 'conditional', recoding => 'local', keep => '{id}') -> 'steps' AS steps;
SELECT node, left(reason, 120) AS reason FROM release_explain('many_r');
SELECT release_drop('many_r');
-- it looks at what there is, and changes nothing
SELECT version FROM releases() WHERE release IN ('rel', 'other') ORDER BY release;

SELECT release_drop(release) FROM releases() WHERE release IN ('rel', 'other');
DROP SCHEMA explaining CASCADE;
