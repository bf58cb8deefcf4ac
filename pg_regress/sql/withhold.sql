-- withhold: rows of groups that a refinement would leave below k (or l) are left out, within a share of the rows.
SET client_min_messages TO notice;
CREATE SCHEMA withholding;
SET search_path TO withholding, public;

-- Two cities of many rows, and a village of two.
CREATE TABLE t (id int, city text, sex text, income text);
INSERT INTO t SELECT i, CASE WHEN i <= 2 THEN 'Hamlet' WHEN i % 2 = 0 THEN 'Rome' ELSE 'Oslo' END, CASE WHEN i % 3 = 0 THEN 'F' ELSE 'M' END,
  CASE WHEN i % 2 = 0 THEN 'high' ELSE 'low' END FROM generate_series(1, 200) i;
CREATE TABLE cities (child text, parent text);
INSERT INTO cities VALUES ('any', NULL), ('Rome', 'any'), ('Oslo', 'any'), ('Hamlet', 'any');

-- Without, the village keeps the city from being told at all. With, its two rows go; the score is divided by 1 + 2/2.
SELECT step, attribute, node, children FROM tds_steps('t', k_anonymity('{city}', 5), 'income', by_taxonomy('city', 'cities'));
SELECT step, attribute, node, children, records, round(info_gain::numeric, 6) AS info_gain, privacy_loss, round(score::numeric, 6) AS score, achieved
FROM tds_steps('t', k_anonymity('{city}', 5), 'income', by_taxonomy('city', 'cities'), withhold => 0.01);
SELECT count(*) FROM tds_steps('t', k_anonymity('{city}', 5), 'income', by_taxonomy('city', 'cities'), withhold => 0.009);

SELECT tds_anonymize('t', 'rel', k_anonymity('{city}', 5), 'income', by_taxonomy('city', 'cities'), keep => '{id}', withhold => 0.01) - 'seconds' AS made;
-- They are not there: neither in the view, nor under another name, nor in the table behind it.
SELECT city, count(*), min(id) FROM rel.t GROUP BY 1 ORDER BY 1;
SELECT count(*) FROM rel_private.rows_v1;
SELECT node, records FROM rel.cut;
SELECT rows, withheld FROM rel.about;
SELECT * FROM rel_private.withheld;
SELECT parameters -> 'withheld' AS withheld, parameters -> 'withheld_by_class' AS by_class, rows FROM rel_private.manifest;
SELECT * FROM release_verify('rel');
SELECT version, rows, withheld FROM release_drift('rel');

-- What was withheld stays withheld: three more villagers would be known to be three of five.
INSERT INTO t SELECT 200 + i, 'Hamlet', 'M', 'low' FROM generate_series(1, 3) i;
SELECT release_refresh('rel');
SELECT release_alter('rel', withhold => 0.025) - 'seconds' - 'privacy' AS altered;
SELECT city, count(*) FROM rel.t GROUP BY 1 ORDER BY 1;
SELECT * FROM rel_private.withheld;
-- also where all of them together would be enough
INSERT INTO t SELECT 300 + i, 'Rome', 'M', 'low' FROM generate_series(1, 400) i;
SELECT release_refresh('rel', 'search') - 'seconds' - 'privacy' AS refreshed;
SELECT city, count(*) FROM rel.t GROUP BY 1 ORDER BY 1;
SELECT release_alter('rel', withhold => 0);
-- A rewind has the rows of the version before, and no others.
SELECT release_rewind('rel', 0) - 'seconds' - 'privacy' AS rewound;
SELECT city, count(*) FROM rel.t GROUP BY 1;
SELECT version, rows, withheld FROM release_drift('rel') ORDER BY 1;
SELECT release_drop('rel');

-- Values without a place, where a refresh may leave them out: they count, and stay out, too.
DELETE FROM t WHERE id > 200;
SELECT tds_anonymize('t', 'rel', k_anonymity('{city}', 5), 'income', by_taxonomy('city', 'cities'), withhold => 0.02) - 'seconds' - 'privacy' AS made;
INSERT INTO t VALUES (201, 'Atlantis', 'M', NULL);
SELECT release_refresh('rel');
SELECT release_refresh('rel', unknown => 'withhold') - 'seconds' - 'privacy' AS refreshed;
SELECT * FROM rel_private.withheld;
INSERT INTO cities VALUES ('Atlantis', 'any');
SELECT release_refresh('rel', 'search') - 'seconds' - 'privacy' AS refreshed;
INSERT INTO t SELECT 300 + i, 'Ys', 'M', 'low' FROM generate_series(1, 9) i;
SELECT release_refresh('rel', unknown => 'withhold');
SELECT release_drop('rel');

-- By one set of columns: rows that go for one set would be missing in the groups of the other.
CREATE TABLE two (a text, b text, class text);
INSERT INTO two SELECT 'x', 'p', CASE WHEN i % 2 = 0 THEN 'y' ELSE 'n' END FROM generate_series(1, 20) i;
INSERT INTO two SELECT 'z', 'p', 'y' FROM generate_series(1, 2) i;
INSERT INTO two SELECT 'z', 'q', 'n' FROM generate_series(1, 2) i;
INSERT INTO two SELECT 'x', 'q', 'y' FROM generate_series(1, 1) i;
SELECT tds_anonymize('two', 'rel', ARRAY[k_anonymity('{a}', 4), k_anonymity('{b}', 4)], withhold => 0.2);
SELECT tds_steps('two', ARRAY[k_anonymity('{a,b}', 4), l_diversity('{b}', 'class', 2)], withhold => 0.2);
-- Whatever the floor is: a release that keeps it may withhold rows when it is altered.
SET pg_topdown.min_k = 4;
SELECT tds_anonymize('two', 'rel', ARRAY[k_anonymity('{a}', 4), k_anonymity('{b}', 4)], withhold => 0.2);
SELECT tds_anonymize('two', 'rel', ARRAY[k_anonymity('{a}', 4), k_anonymity('{b}', 4)]) -> 'withheld' AS withheld;
SELECT release_alter('rel', withhold => 0.2) -> 'withheld' AS withheld;
SELECT release_drop('rel');
RESET pg_topdown.min_k;
-- A model that another implies is not another set.
SELECT step, attribute, node, children, achieved
FROM tds_steps('two', ARRAY[k_anonymity('{b}', 3), k_anonymity('{b,a}', 4)], 'class',
  ARRAY[by_taxonomy_tree('a', '{"A": ["x", "z"]}'), by_taxonomy_tree('b', '{"B": ["p", "q"]}')], withhold => 0.2);
SELECT tds_anonymize('two', 'rel', ARRAY[k_anonymity('{b}', 3), k_anonymity('{b,a}', 4)], 'class',
  ARRAY[by_taxonomy_tree('a', '{"A": ["x", "z"]}'), by_taxonomy_tree('b', '{"B": ["p", "q"]}')], withhold => 0.2) - 'seconds' AS made;
SELECT a, b, count(*) FROM rel.two GROUP BY 1, 2;
SELECT * FROM rel_private.withheld;
SELECT release_drop('rel');

DELETE FROM t WHERE city = 'Ys';
-- A value that no row would show is not disclosed; distinct values are counted as rows are.
SELECT step, attribute, node, children FROM tds_steps('t', k_anonymity('{city}', 5), 'income', withhold => 0.05);
SELECT step, attribute, node, children, achieved FROM tds_steps('t', l_diversity('{city}', 'sex', 2), 'income', by_taxonomy('city', 'cities'), withhold => 0.1);

-- Other models: which rows are left out would not be one set.
SELECT tds_steps('t', ARRAY[k_anonymity('{city}', 5), l_diversity('{city}', 'income', 1.2, 'entropy'), t_closeness('{city}', 'income', 0.5)], withhold => 0.1);

-- Not all rows: a release of none would tell nothing, and of no rows no model holds.
SELECT tds_anonymize('t', 'rel', k_anonymity('{city}', 100000), withhold => 1);
CREATE TABLE nothing AS SELECT * FROM t LIMIT 0;
SELECT tds_anonymize('nothing', 'rel', k_anonymity('{city}', 5), withhold => 0.5);
SELECT nspname FROM pg_namespace WHERE nspname IN ('rel', 'rel_private');

-- Nobody but the owner may see what was withheld.
SELECT tds_anonymize('t', 'rel', k_anonymity('{city}', 5), 'income', by_taxonomy('city', 'cities'), withhold => 0.1) - 'seconds' - 'privacy' AS made;
CREATE ROLE withholding_reader;
SELECT release_grant('rel', 'withholding_reader');
SET ROLE withholding_reader;
SELECT rows, withheld FROM rel.about;
SELECT * FROM rel_private.withheld;
SELECT * FROM rel_private.withheld_v0;
RESET ROLE;
SELECT release_drop('rel');
DROP ROLE withholding_reader;
DROP SCHEMA withholding CASCADE;
