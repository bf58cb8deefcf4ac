-- Counts of two versions of the same rows, subtracted, tell of no few rows: what a version counted together, the next one does.
CREATE SCHEMA cov;
SET search_path TO cov, public;
SET client_min_messages TO notice;
SET pg_topdown.kept = 'warn';
CREATE TABLE before (attribute text, node text, lower text, upper text, records bigint);
CREATE FUNCTION new_ends(attribute text) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN
  RETURN (SELECT count(*) FROM (SELECT c.lower FROM r.counts c WHERE c.attribute = new_ends.attribute
                                EXCEPT SELECT b.lower FROM cov.before b WHERE b.attribute = new_ends.attribute) e);
END $$;
-- A stricter model, and the same rows: intervals end where some ended before.
CREATE TABLE people AS SELECT 20 + i % 40 AS age, (ARRAY['a', 'b'])[1 + i % 2] AS sex FROM generate_series(0, 119) i;
SELECT tds_anonymize('people', 'r', k_anonymity('{age}', 5), max_steps => 0, counts => true) -> 'version' AS version;
INSERT INTO before SELECT attribute, node, lower, upper, records FROM r.counts;
SELECT release_alter('r', privacy => k_anonymity('{age}', 7)) -> 'version' AS version;
SELECT min(records), count(*), new_ends('age') FROM r.counts;
-- Rows that came: neither does a count become finer, nor where it has few rows by now.
TRUNCATE before;
INSERT INTO before SELECT attribute, node, lower, upper, records FROM r.counts;
INSERT INTO people SELECT 20, 'a' FROM generate_series(1, 40);
DELETE FROM people WHERE age IN (32, 33, 34, 35) AND sex = 'b';
SELECT release_refresh('r') -> 'version' AS version;
SELECT min(records), count(*), new_ends('age') FROM r.counts;
SELECT release_refresh('r', mode => 'search') -> 'unchanged' AS unchanged;
SELECT min(records), count(*), new_ends('age') FROM r.counts;
SELECT release_drop('r');
-- Days that are appended.
CREATE TABLE days AS SELECT date '2026-01-01' + i AS admitted FROM generate_series(1, 18) i;
SELECT tds_anonymize('days', 'r', k_anonymity('{admitted}', 10), max_steps => 0, counts => true) -> 'version' AS version;
INSERT INTO days SELECT date '2026-01-01' + i FROM generate_series(19, 28) i;
SELECT release_refresh('r') -> 'version' AS version;
SELECT node, records FROM r.counts;
SELECT release_drop('r');
-- A value that is moved in its taxonomy.
CREATE TABLE tax (child text, parent text);
INSERT INTO tax VALUES ('N1', 'Any'), ('N2', 'Any'), ('asthma', 'N1'), ('flu', 'N1'), ('hiv', 'N1'), ('cold', 'N2'), ('gout', 'N2');
CREATE TABLE ill AS SELECT x.c AS ill FROM (VALUES ('asthma', 4), ('flu', 4), ('hiv', 2), ('cold', 20), ('gout', 20)) x (c, n), generate_series(1, n);
SELECT tds_anonymize('ill', 'r', k_anonymity('{ill}', 5), masking => by_taxonomy('ill', 'tax'), max_steps => 0, counts => true) -> 'version' AS version;
SELECT node, records FROM r.counts;
UPDATE tax SET parent = 'N2' WHERE child = 'hiv';
SELECT release_refresh('r') -> 'version' AS version;
SELECT node, records FROM r.counts;
SELECT release_drop('r');
-- A rare value that becomes frequent, a frequent one that becomes rare, a new one, and NULLs.
CREATE TABLE towns AS SELECT x.t AS town FROM (VALUES ('a', 9), ('b', 8), ('c', 3), ('d', 3), (NULL, 2)) x (t, n), generate_series(1, n);
SELECT tds_anonymize('towns', 'r', k_anonymity('{town}', 5), max_steps => 0, counts => true) -> 'version' AS version;
SELECT node, records FROM r.counts;
INSERT INTO towns SELECT x.t FROM (VALUES ('c', 9), ('e', 7), ('f', 2)) x (t, n), generate_series(1, n);
DELETE FROM towns WHERE ctid = ANY (ARRAY(SELECT ctid FROM towns WHERE town = 'b' LIMIT 6));
SELECT release_refresh('r') -> 'version' AS version;
SELECT node, records FROM r.counts;
SELECT release_drop('r');
-- NULLs among numbers, which are enough by themselves only now.
CREATE TABLE numbers AS SELECT nullif(i % 21, 20) AS n FROM generate_series(0, 62) i;
SELECT tds_anonymize('numbers', 'r', k_anonymity('{n}', 6), max_steps => 0, counts => true) -> 'version' AS version;
SELECT node, records FROM r.counts;
INSERT INTO numbers SELECT NULL FROM generate_series(1, 20);
SELECT release_refresh('r') -> 'version' AS version;
SELECT node, records FROM r.counts;
SELECT release_drop('r');
-- The first NULLs: counts and cut of then are those of the numbers.
CREATE TABLE first_null AS SELECT a FROM generate_series(1, 20) a, generate_series(1, 6) g WHERE a <> 5 OR g = 1;
SELECT tds_anonymize('first_null', 'r', k_anonymity('{a}', 5), masking => by_intervals('a', step => '3'), max_steps => 0, counts => true) -> 'version' AS version;
INSERT INTO first_null SELECT NULL FROM generate_series(1, 6);
SELECT release_alter('r', masking => by_intervals('a', step => '5'), max_steps => 100, counts => false) -> 'version' AS version;
SELECT release_drop('r');
DELETE FROM first_null WHERE a IS NULL;
SELECT tds_anonymize('first_null', 'r', k_anonymity('{a}', 5), masking => by_intervals('a', step => '3'), max_steps => 0, counts => true) -> 'version' AS version;
INSERT INTO first_null SELECT NULL FROM generate_series(1, 6);
SELECT release_alter('r', masking => by_intervals('a', step => '1')) -> 'version' AS version;
SELECT node, records FROM r.counts;
SELECT release_drop('r');
-- Of clusters, whose values are counted under names of several, or as all else.
CREATE TABLE clusters AS SELECT x.b FROM (VALUES ('a', 3), ('b', 3), ('c', 2), ('d', 4), ('e', 9)) x (b, n), generate_series(1, n);
SELECT kmember_anonymize('clusters', 'r', '{b}', 3, counts => true, masking => by_suppression('b')) -> 'version' AS version;
SELECT node, records FROM r.counts;
SELECT tds_anonymize('clusters', 'r', k_anonymity('{b}', 3), masking => by_suppression('b'), counts => true) -> 'version' AS version;
SELECT node, records FROM r.counts;
SELECT release_drop('r');
TRUNCATE clusters;
INSERT INTO clusters SELECT x.b FROM (VALUES ('a', 2), ('b', 6), ('c', 4), ('d', 6), ('e', 2), ('f', 6), ('g', 1), ('h', 6)) x (b, n), generate_series(1, n);
SELECT kmember_anonymize('clusters', 'r', '{b}', 4, counts => true, masking => by_suppression('b')) -> 'version' AS version;
SELECT node, records FROM r.counts;
SELECT tds_anonymize('clusters', 'r', k_anonymity('{b}', 2), masking => by_suppression('b'), counts => true, max_steps => 0, allow_weaker => true) -> 'version' AS version;
SELECT node, records FROM r.counts;
SELECT release_drop('r');
-- Rows that came are in no count of then: those that stayed are compared alone, also where nobody knows which these are.
CREATE TABLE stay AS SELECT a, 2025 AS year, a * 10 + g AS more FROM generate_series(1, 20) a, generate_series(1, 6) g WHERE a <> 5 OR g = 1;
SELECT tds_anonymize('stay', 'r', k_anonymity('{a}', 5), masking => by_intervals('a', step => '3'), max_steps => 0, counts => true, keep => '{year}') -> 'version' AS version;
INSERT INTO stay SELECT v, 2026, g FROM unnest(ARRAY[5, 7]) v, generate_series(1, 6) g;
SELECT release_alter('r', masking => by_intervals('a', step => '5'), max_steps => 100, counts => false) -> 'version' AS version;
SELECT a, year, count(*) FROM r.stay WHERE a IN ('(,5)', '[5,10)') GROUP BY 1, 2 ORDER BY 1, 2;
SELECT release_drop('r');
DELETE FROM stay WHERE year = 2026;
SELECT tds_anonymize('stay', 'r', k_anonymity('{a}', 5), masking => by_intervals('a', step => '3'), max_steps => 0, counts => true) -> 'version' AS version;
INSERT INTO stay SELECT v, 2026, g FROM unnest(ARRAY[5, 7]) v, generate_series(1, 6) g;
SELECT release_alter('r', masking => by_intervals('a', step => '5'), max_steps => 100, privacy => k_anonymity('{a}', 3, person => 'more'), allow_weaker => true) -> 'version' AS version;
SELECT count(*) FROM r.counts;
SELECT release_drop('r');
-- The last interval may have both its end and NULLs.
CREATE TABLE closed AS SELECT v AS a FROM (VALUES (10, 12), (60, 12), (95, 3), (99, 6), (NULL, 1)) x (v, n), generate_series(1, n);
SELECT tds_anonymize('closed', 'r', k_anonymity('{a}', 5), counts => true, max_steps => 0, masking => by_intervals('a', '0', '99')) -> 'version' AS version;
SELECT node, records FROM r.counts;
SELECT release_alter('r', masking => by_intervals('a', '0', '99', breakpoints => '{50,96}')) -> 'version' AS version;
SELECT node, records FROM r.counts;
SELECT release_drop('r');
-- A leaf that is all of a part tells of the others: 10 rows of A, and 7 of x.
CREATE TABLE leaves AS SELECT v AS b FROM (VALUES ('x', 7), ('y', 1), ('z', 2), ('u', 4), ('v', 4)) x (v, n), generate_series(1, n);
CREATE TABLE moved (child text, parent text);
INSERT INTO moved VALUES ('A', 'Any'), ('B', 'Any'), ('x', 'A'), ('y', 'A'), ('z', 'A'), ('u', 'B'), ('v', 'B');
SELECT tds_anonymize('leaves', 'r', k_anonymity('{b}', 5), counts => true, max_steps => 0, masking => by_taxonomy('b', 'moved')) -> 'version' AS version;
TRUNCATE moved;
INSERT INTO moved VALUES ('X', 'Any'), ('Q', 'Any'), ('R', 'Any'), ('x', 'X'), ('y', 'Q'), ('u', 'Q'), ('z', 'R'), ('v', 'R');
SELECT release_alter('r', max_steps => 100) -> 'version' AS version;
SELECT node, records FROM r.counts;
SELECT release_drop('r');
-- So may groups of the next version.
CREATE TABLE wide AS SELECT v AS a, w AS b FROM (VALUES (15, 'p', 6), (25, 'p', 6), (35, 'p', 6), (15, 'q', 1), (25, 'q', 9), (35, 'q', 9), (15, 'r', 2), (25, 'r', 2), (35, 'r', 6)) x (v, w, n), generate_series(1, n);
SELECT tds_anonymize('wide', 'r', k_anonymity('{a,b}', 5), counts => true, max_steps => 0, masking => ARRAY[by_intervals('a', breakpoints => '{20,30}'), weighted(by_suppression('b'), 100)]) -> 'version' AS version;
SELECT release_alter('r', recoding => 'local', max_steps => 100) -> 'version' AS version;
SELECT release_drop('r');
-- What is left of a column beside its counts, NULLs among it, is one count.
CREATE TABLE rest AS SELECT v AS a FROM (VALUES (0, 3), (1, 5), (2, 1), (3, 3), (4, 6), (5, 5), (8, 3), (12, 3), (NULL, 1)) x (v, n), generate_series(1, n);
SELECT tds_anonymize('rest', 'r', k_anonymity('{a}', 2), counts => true, max_steps => 0, masking => by_intervals('a')) -> 'version' AS version;
SELECT release_alter('r', max_steps => 100, masking => by_intervals('a', '0', '60', step => '2')) -> 'version' AS version;
SELECT node, records FROM r.counts;
INSERT INTO rest SELECT NULL FROM generate_series(1, 4);
SELECT release_alter('r', max_steps => 100, masking => by_intervals('a', '0', '60', step => '3')) -> 'version' AS version;
SELECT node, records FROM r.counts;
SELECT release_drop('r');
-- A column that is counted as before, and what is shown of another one, where rows came.
CREATE TABLE both_columns AS SELECT a, b, 2025 AS y FROM (VALUES (5, 'u', 10), (15, 'v', 10), (5, 'v', 1)) x (a, b, n), generate_series(1, n);
SELECT tds_anonymize('both_columns', 'r', k_anonymity('{a,b}', 5), counts => true, max_steps => 0, keep => '{y}', masking => ARRAY[by_intervals('a', breakpoints => '{10}'), weighted(by_suppression('b'), 9)]) -> 'version' AS version;
INSERT INTO both_columns SELECT 5, 'v', 2026 FROM generate_series(1, 6);
SELECT release_alter('r', max_steps => 2) -> 'version' AS version;
SELECT attribute, node, records FROM r.counts;
SELECT release_drop('r');
-- Of the rows that are in both a part may be few, and then where it lies is told.
CREATE TABLE few_stay AS SELECT v AS a, 2025 AS y FROM (VALUES (1, 5), (3, 5), (5, 1), (9, 5)) x(v, n), generate_series(1, n);
SELECT tds_anonymize('few_stay', 'r', k_anonymity('{a}', 5), counts => true, max_steps => 0, keep => '{y}', masking => by_intervals('a', breakpoints => '{3,6}')) -> 'version' AS version;
INSERT INTO few_stay SELECT 7, 2026 FROM generate_series(1, 6);
SELECT release_alter('r', max_steps => 9, masking => by_intervals('a', breakpoints => '{4,8}')) -> 'version' AS version;
SELECT count(*) FROM r.counts;
SELECT release_drop('r');
-- By groups, too.
CREATE TABLE pairs AS SELECT i % 23 AS a, i % 7 AS b FROM generate_series(1, 400) i;
SELECT tds_anonymize('pairs', 'r', k_anonymity('{a,b}', 10), recoding => 'local', counts => true) -> 'version' AS version;
TRUNCATE before;
INSERT INTO before SELECT attribute, node, lower, upper, records FROM r.counts;
SELECT release_alter('r', privacy => k_anonymity('{a,b}', 14)) -> 'version' AS version;
SELECT attribute, min(records), count(*), new_ends(attribute) FROM r.counts GROUP BY attribute ORDER BY attribute;
SELECT release_drop('r');
-- Another kind of masking cannot be compared, and a cut that ends elsewhere is told of.
SELECT tds_anonymize('pairs', 'r', k_anonymity('{a}', 10), max_steps => 0, counts => true) -> 'version' AS version;
SELECT release_alter('r', masking => by_suppression('a'), allow_weaker => true) -> 'version' AS version;
SELECT count(*) FROM r.counts;
SELECT release_drop('r');
SELECT tds_anonymize('pairs', 'r', k_anonymity('{a}', 18), masking => by_intervals('a', step => '4'), max_steps => 0, counts => true) -> 'version' AS version;
SELECT node, records FROM r.counts;
SELECT release_alter('r', masking => by_intervals('a', breakpoints => '{11}'), max_steps => 1, allow_weaker => true) -> 'version' AS version;
SELECT a, count(*) FROM r.pairs GROUP BY a ORDER BY a;
SELECT node, records FROM r.counts;
SELECT release_drop('r');
-- Counts of a column, and what the next version shows of another one of the same fact: 2 rows of age 50 were born in 1975.
CREATE TABLE births AS SELECT a AS age, 2026 - a - CASE WHEN j <= 2 AND a % 5 = 0 THEN 1 ELSE 0 END AS year
  FROM generate_series(20, 59) a, generate_series(1, 12) j;
SELECT tds_anonymize('births', 'r', k_anonymity('{age,year}', 5), counts => true, max_steps => 0) -> 'version' AS version;
BEGIN;
SELECT release_alter('r', counts => false, masking => ARRAY[by_intervals('age', step => '7'), weighted(by_intervals('year'), 10)], max_steps => 100) -> 'version' AS version;
ROLLBACK;
SELECT release_alter('r', masking => weighted(by_intervals('year'), 10), max_steps => 100) -> 'version' AS version;
SELECT count(*) FROM r.counts;
SELECT release_drop('r');
-- And what it shows of two columns together.
CREATE TABLE joint AS SELECT a, g FROM (VALUES (1, 'A', 1), (1, 'B', 3), (2, 'A', 2), (2, 'B', 3), (3, 'A', 2), (3, 'B', 2), (4, 'A', 2), (4, 'B', 2),
  (7, 'A', 2), (7, 'B', 1), (9, 'B', 2), (10, 'B', 3)) x (a, g, n), generate_series(1, n);
SELECT tds_anonymize('joint', 'r', k_anonymity('{a,g}', 2), masking => ARRAY[by_intervals('a'), by_suppression('g')], counts => true, max_steps => 1) -> 'version' AS version;
SELECT release_alter('r', counts => false, max_steps => 100) -> 'version' AS version;
SELECT release_drop('r');
-- A model that lets a column have no counts does not hide that its cut tells beside those of before.
CREATE TABLE templates AS SELECT a AS age, chr(97 + j % 2) AS c, (ARRAY['h', 'i', 'j'])[1 + a % 3] AS s FROM generate_series(20, 59) a, generate_series(1, 2) j;
SELECT tds_anonymize('templates', 'r', ARRAY[k_anonymity('{age,c}', 5), l_diversity('{c}', 's', 1)], counts => true, max_steps => 0) -> 'version' AS version;
SELECT release_alter('r', privacy => ARRAY[k_anonymity('{age,c}', 5), confidence_bound('{age}', 's', NULL, .9)],
  masking => by_intervals('age', step => '7'), max_steps => 100, allow_weaker => true) -> 'version' AS version;
SELECT release_drop('r');
-- Rules that go down to something else: a leaf of one version lies above leaves of the other.
CREATE TABLE seen AS SELECT x.d::date AS d FROM (VALUES ('2020-01-05', 2), ('2020-02-06', 6), ('2020-05-05', 1), ('2020-06-01', 6), ('2020-08-01', 6)) x (d, n), generate_series(1, n);
SELECT tds_anonymize('seen', 'r', k_anonymity('{d}', 3), masking => by_calendar('d', '{year,month}'), counts => true, max_steps => 0) -> 'version' AS version;
SELECT release_alter('r', masking => by_calendar('d', '{year,quarter}'), max_steps => 0) -> 'version' AS version;
SELECT count(*) FROM r.counts;
SELECT release_drop('r');
CREATE TABLE codes AS SELECT x.z FROM (VALUES ('121', 2), ('122', 6), ('131', 1), ('132', 6), ('141', 2), ('142', 1), ('143', 1), ('151', 2), ('152', 2), (NULL, 1)) x (z, n), generate_series(1, n);
SELECT tds_anonymize('codes', 'r', k_anonymity('{z}', 3), masking => by_prefix('z', '{2}'), counts => true, max_steps => 0) -> 'version' AS version;
SELECT release_alter('r', masking => by_suppression('z'), max_steps => 0) -> 'version' AS version;
SELECT count(*) FROM r.counts;
SELECT release_alter('r', masking => by_prefix('z', '{1,2}'), max_steps => 0) -> 'version' AS version;
SELECT count(*) FROM r.counts;
SELECT release_drop('r');
-- The same leaves by another masking: compared, and counted together as before.
SELECT tds_anonymize('codes', 'r', k_anonymity('{z}', 3), masking => by_suppression('z'), counts => true, max_steps => 0) -> 'version' AS version;
TRUNCATE before;
INSERT INTO before SELECT attribute, node, lower, upper, records FROM r.counts;
SELECT release_alter('r', masking => by_prefix('z'), max_steps => 0) -> 'version' AS version;
SELECT node, records FROM r.counts ORDER BY node;
SELECT release_drop('r');
-- NULLs that the view shows apart, too few for a count.
CREATE TABLE few AS SELECT a, CASE WHEN g = 2 THEN 'x' ELSE 'y' END AS b FROM generate_series(1, 20) a, generate_series(1, 2) g WHERE NOT (a = 5 AND g = 2);
INSERT INTO few VALUES (NULL, 'x'), (NULL, 'y'), (NULL, 'x');
SELECT tds_anonymize('few', 'r', ARRAY[k_anonymity('{a}', 2), k_anonymity('{b}', 5)], counts => true, max_steps => 0, masking => coarsest(by_intervals('a', step => '3'), 1)) -> 'version' AS version;
SELECT release_alter('r', max_steps => 100, masking => by_intervals('a', step => '5'), counts => false) -> 'version' AS version;
SELECT release_drop('r');
-- A value that is called as NULLs are among others.
CREATE TABLE nulls AS SELECT x.c FROM (VALUES ('a', 5), ('b', 6), ('NULL', 6), (NULL, 1)) x (c, n), generate_series(1, n);
SELECT tds_anonymize('nulls', 'r', k_anonymity('{c}', 3), masking => by_suppression('c'), counts => true, max_steps => 0) -> 'version' AS version;
SELECT count(*) FROM r.counts;
SELECT release_drop('r');
DROP SCHEMA cov CASCADE;
