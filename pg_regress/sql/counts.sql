-- counts: how many rows the finest nodes of each masked column have, and no node with fewer than k.
SET client_min_messages TO notice;
CREATE SCHEMA counts;
SET search_path TO counts, public;
-- 40 rows. Towns, whatever the age: 12 a, 2 b, 6 c in the north; 3 d, 17 e in the south. Ages: ten each of 20, 21, 40 and 60, but one of 60 is NULL.
CREATE TABLE people AS
SELECT i AS nr, (ARRAY[20, 21, 40, 60])[1 + (i - 1) / 10] + CASE WHEN i = 40 THEN NULL ELSE 0 END AS age,
  CASE WHEN i * 7 % 40 < 12 THEN 'a' WHEN i * 7 % 40 < 14 THEN 'b' WHEN i * 7 % 40 < 20 THEN 'c' WHEN i * 7 % 40 < 23 THEN 'd' ELSE 'e' END AS town,
  CASE WHEN i % 10 = 0 THEN 'rare' || i % 3 WHEN i % 2 = 0 THEN 'even' ELSE 'odd' END AS kind, i % 4 AS ward, i / 4 AS person
FROM generate_series(1, 40) i;
CREATE TABLE towns (child text, parent text);
INSERT INTO towns VALUES ('a', 'north'), ('b', 'north'), ('c', 'north'), ('d', 'south'), ('e', 'south'), ('north', 'any'), ('south', 'any');
-- Whether the counts of each column add up to the rows of what they are within, by the cut, and are of k rows each.
CREATE FUNCTION sound(release text, k int) RETURNS TABLE (attribute text, counts bigint, enough boolean, within_cut boolean, shares numeric) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY EXECUTE format('SELECT c.attribute, count(*), bool_and(c.records >= %2$s),
      (SELECT bool_and(w.records = t.records) FROM (SELECT within, sum(records) AS records FROM %1$I.counts WHERE counts.attribute = c.attribute GROUP BY 1) w
         LEFT JOIN (SELECT node, records FROM %1$I.cut WHERE cut.attribute = c.attribute) t ON t.node IS NOT DISTINCT FROM w.within),
      round(sum(share)::numeric, 6) FROM %1$I.counts c GROUP BY 1 ORDER BY 1', release, k);
END $$;

-- At the most general: b goes with c or a, d with e; the rare kinds are together; NULL goes with the smallest.
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['age', 'town', 'kind'], 4), masking => by_taxonomy('town', 'towns'), keep => ARRAY['nr'], max_steps => 0, counts => true) -> 'version' AS version;
SELECT * FROM r.counts;
SELECT * FROM sound('r', 4);
SELECT recoding, means, counts FROM r.about;
SELECT attname, col_description(attrelid, attnum) AS comment FROM pg_attribute WHERE attrelid IN ('r.counts'::regclass, 'r.cut'::regclass, 'r.about'::regclass) AND attnum > 0 ORDER BY attrelid::regclass::text, attnum;
SELECT obj_description('r.counts'::regclass) AS comment;

-- Below a finer cut, whose nodes they are within; the view joins on what it shows.
SELECT release_alter('r', max_steps => 3) -> 'steps' AS steps;
SELECT * FROM r.counts;
SELECT * FROM sound('r', 4);
SELECT count(*) AS rows, bool_and(c.share IS NOT NULL) AS joined FROM r.people p LEFT JOIN r.counts c ON c.attribute = 'town' AND c.within = p.town;
-- Rewound they are within coarser nodes.
SELECT release_rewind('r', 1) -> 'version' AS version;
SELECT * FROM sound('r', 4);
SELECT attribute, within, node, records FROM r.counts WHERE attribute = 'town';
SELECT release_refresh(public.again('r')) -> 'version' AS version;
SELECT * FROM sound('r', 4);
-- Without them the view is empty, and they have to be asked for again.
SELECT release_alter('r', counts => false) -> 'version' AS version;
SELECT count(*) FROM r.counts;
SELECT counts FROM r.about;
SELECT release_alter('r', counts => true);
SELECT release_alter('r', counts => true, allow_weaker => true) -> 'version' AS version;
SELECT count(*) > 0 AS some FROM r.counts;

-- Groups that show overlapping nodes: no count tells of fewer than k rows of a group.
SELECT release_drop('r');
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['age', 'town', 'kind'], 4), masking => by_taxonomy('town', 'towns'), keep => ARRAY['nr'], recoding => 'local', counts => true) -> 'version' AS version;
SELECT attribute, within, node, records, round(share::numeric, 3) AS share FROM r.counts;
SELECT bool_and(records >= 4 AND within IS NULL) AS enough FROM r.counts;
SELECT col_description('r.people'::regclass, 2) AS comment;
SELECT release_rewind('r', 1) -> 'version' AS version;
SELECT count(*) FROM r.counts;
SELECT counts FROM r.about;
SELECT release_alter('r', recoding => 'clustered') -> 'version' AS version;
SELECT bool_and(records >= 4 AND within IS NULL) AS enough, count(*) > 3 AS some FROM r.counts;
SELECT recoding FROM r.about;
-- Names of several stand in their order, whichever of them is the rare one, and have the ends of all of them.
CREATE TABLE days AS SELECT date '2024-09-03' + d.day AS at, i FROM (VALUES (0, 9), (10, 40), (20, 21), (75, 21), (77, 40), (79, 9)) d(day, n), generate_series(1, d.n) i;
SELECT tds_anonymize('days', 'd', k_anonymity(ARRAY['at'], 15), masking => by_calendar('at'), counts => true) -> 'version' AS version;
SELECT within, node, lower, upper, records FROM d.counts;
SELECT release_drop('d');
SELECT release_drop('r');
SELECT kmember_anonymize('people', 'r', ARRAY['age', 'town'], 4, masking => by_taxonomy('town', 'towns'), counts => true) -> 'version' AS version;
SELECT bool_and(records >= 4 AND within IS NULL) AS enough, count(*) > 2 AS some FROM r.counts;
SELECT recoding FROM r.about;
SELECT release_drop('r');

-- Persons are counted, of whom each has four rows: ten rows of an age are three persons.
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['age', 'town'], 4, person => 'person'), masking => by_taxonomy('town', 'towns'), max_steps => 0, counts => true) -> 'version' AS version;
SELECT attribute, node, records FROM r.counts;
SELECT bool_and(persons >= 4) AS enough FROM (SELECT c.node, count(DISTINCT person) AS persons FROM r.counts c JOIN people p ON c.attribute = 'age' AND p.age >= COALESCE(c.lower::int, 0) AND p.age < COALESCE(c.upper::int, 1000)
  WHERE c.node <> '*' GROUP BY 1) g;
SELECT release_drop('r');

-- Rows that are withheld are counted nowhere, and values may be masked in any way.
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['age', 'town', 'kind', 'ward'], 4), masking => ARRAY[by_taxonomy('town', 'towns'), by_intervals('ward', breakpoints => ARRAY['2'])], intervals => 'range', withhold => 0.2, counts => true) -> 'withheld' > '0' AS withheld;
SELECT * FROM sound('r', 4);
SELECT node, lower, upper FROM r.counts WHERE attribute = 'ward';
SELECT release_drop('r');

-- Not of a column that a template is over.
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['age', 'town'], 4), confidence_bound(ARRAY['town'], 'kind', NULL, 0.9)], masking => by_taxonomy('town', 'towns'), counts => true) -> 'version' AS version;
SELECT DISTINCT attribute FROM r.counts;
SELECT release_drop('r');

-- Who may read them, a copy of them, and what stands in their way.
CREATE ROLE counts_reader;
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['age', 'town'], 4)) -> 'version' AS version;
SELECT to_regclass('r.counts') IS NULL AS none;
SELECT release_grant('r', 'counts_reader');
SELECT release_alter('r', counts => true, allow_weaker => true) -> 'version' AS version;
SELECT has_table_privilege('counts_reader', 'r.counts', 'SELECT') AS may;
SELECT release_grant('r', 'counts_reader');
SELECT has_table_privilege('counts_reader', 'r.counts', 'SELECT') AS may;
SELECT count(*) AS statements FROM release_export('r') e WHERE e LIKE '%r.counts%';
SELECT release_revoke('r', 'counts_reader');
SELECT has_table_privilege('counts_reader', 'r.counts', 'SELECT') AS may;
SELECT release_drop('r');
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['age', 'town'], 4), view => 'counts', counts => true);
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['age', 'town'], 4), counts => NULL);
SELECT pda_anonymize('people', 'r', ARRAY[confidence_bound(ARRAY['town'], 'kind', NULL, 0.9)], class => 'ward') -> 'version' AS version;
SELECT release_alter('r', counts => true);
SELECT release_drop('r');
-- What the view shows of fewer rows than a model over another column asks for has no count.
CREATE TABLE rare AS SELECT CASE WHEN i <= 30 THEN 'rare' WHEN i <= 500 THEN 'b' ELSE 'c' END AS a, i % 2 AS b, CASE WHEN i > 3 THEN i % 50 END AS n FROM generate_series(1, 1000) i;
SELECT tds_anonymize('rare', 'r', ARRAY[k_anonymity('{a,b}', 10), k_anonymity('{b}', 50)], counts => true) -> 'version' AS version;
SELECT within, node, records, share FROM r.counts WHERE attribute = 'a' ORDER BY 1;
SELECT release_drop('r');
SELECT tds_anonymize('rare', 'r', k_anonymity('{a,n}', 30), masking => ARRAY[by_suppression('a'), by_intervals('n')], counts => true, recoding => 'clustered') -> 'version' AS version;
SELECT attribute, sum(records) FROM r.counts GROUP BY 1 ORDER BY 1;
SELECT release_drop('r');
-- After a rewind a refresh has counts again, though the source is the same.
SELECT tds_anonymize('rare', 'r', k_anonymity('{a,n}', 30), counts => true, recoding => 'local', means => '{n}') -> 'version' AS version;
SELECT count(*) > 0 AS counted FROM r.counts;
SELECT release_rewind('r', 1) -> 'version' AS version;
SELECT count(*) > 0 AS counted FROM r.counts;
SELECT release_refresh('r') -> 'unchanged' AS unchanged;
SELECT count(*) > 0 AS counted FROM r.counts;
SELECT release_refresh('r') -> 'unchanged' AS unchanged;
-- Two nodes that would be called alike: a network as a value beside what is left of that network, several values beside one that reads like them.
CREATE TABLE hosts AS SELECT (ARRAY['10.0.0.0/24', '10.0.0.5', '10.0.0.6', '10.0.0.7', '10.0.1.1']::inet[])[1 + (i > 9)::int + (i > 19)::int + (i > 21)::int + (i > 23)::int] AS host FROM generate_series(1, 40) i;
SELECT tds_anonymize('hosts', 'hosts_seen', k_anonymity('{host}', 4), masking => by_network('host', '{8,16,24,32}'), keep => '{}', max_steps => 0, counts => true) -> 'version' AS version;
SELECT attribute, node, records FROM hosts_seen.counts;
CREATE TABLE kinds AS SELECT CASE WHEN i < 10 THEN 'a or b' WHEN i < 13 THEN 'b' WHEN i < 20 THEN 'a' ELSE 'c' END AS kind, i % 2 AS x FROM generate_series(1, 40) i;
SELECT tds_anonymize('kinds', 'kinds_seen', k_anonymity('{kind,x}', 4), masking => ARRAY[by_suppression('kind'), by_suppression('x')], keep => '{}', counts => true, max_steps => 0) -> 'version' AS version;
SELECT attribute, node, records FROM kinds_seen.counts;
CREATE TABLE tree_kinds AS SELECT v AS kind FROM (VALUES ('A', 3), ('B', 7), ('A or B', 2), ('C', 20), ('D', 20)) v (v, n), generate_series(1, n) i;
SELECT tds_anonymize('tree_kinds', 'tree_seen', k_anonymity('{kind}', 5), masking => by_taxonomy_tree('kind', '{"Any":{"P":["A","B","D"],"Q":["A or B","C"]}}'), counts => true, max_steps => 0) -> 'version' AS version;
SELECT attribute, node, records FROM tree_seen.counts;
SELECT release_drop('hosts_seen');
SELECT release_drop('kinds_seen');
SELECT release_drop('tree_seen');
SELECT release_drop('r');
DROP ROLE counts_reader;
DROP SCHEMA counts CASCADE;
