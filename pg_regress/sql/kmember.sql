-- kmember_anonymize: small clusterings by hand, what a release holds, warnings, versions, privacy, bad input.
-- IL of a cluster is its rows times the sum of its columns' losses: width by the data's width, size by the root's size, 1 for *.
CREATE SCHEMA km;
SET search_path TO km, public;
CREATE TABLE t (a int);
INSERT INTO t VALUES (11), (0), (12), (2), (10), (1);
-- the ends of a cluster's intervals are values of the data: it warns
SELECT result - 'seconds' AS result, (SELECT array_agg(key ORDER BY key) FROM jsonb_object_keys(result -> 'seconds') key) AS seconds FROM kmember_anonymize('t', 'r', ARRAY['a'], 3, endpoints => 'values') result;

\echo Two ends
-- the seed 0 takes 1, then 2; the farthest from 0 is 12, which takes 11 and 10
SELECT a, count(*) FROM r.t GROUP BY a ORDER BY a;
SELECT version, attribute, node, lower, upper, records FROM r.cut ORDER BY node;
CREATE FUNCTION cluster(relation text, k int, quasi_identifier text[] DEFAULT '{a}', masking masking[] DEFAULT '{}') RETURNS TABLE (rows text, attribute text, node text, lower text, upper text, records bigint)
LANGUAGE plpgsql AS
$$ -- the cut of a clustering, and what the view holds
BEGIN
  DROP SCHEMA IF EXISTS c, c_private CASCADE;
  PERFORM kmember_anonymize(relation, 'c', quasi_identifier, k, masking, endpoints => 'values');
  RETURN QUERY EXECUTE format('SELECT NULL::text, attribute, node, lower, upper, records FROM c.cut ORDER BY attribute, node COLLATE "C"');
  RETURN QUERY EXECUTE format('SELECT v::text, NULL, NULL, NULL, NULL, count(*) FROM c.%I v GROUP BY 1 ORDER BY v::text COLLATE "C"', relation);
END $$;

\echo Leftovers
-- 0 1 6 9 10, k = 2: {0,1}, then {10,9}; 6 is left. In {0,1} it makes IL 2 * 1/10 to 3 * 6/10, by 1.6 more; in {9,10} 2 * 1/10 to 3 * 4/10, by 1.0
TRUNCATE t;
INSERT INTO t VALUES (6), (0), (10), (9), (1);
SELECT * FROM cluster('t', 2);
-- 3 instead of 6: by 3 * .3 - .2 = .7 or by 3 * .7 - .2 = 1.9
UPDATE t SET a = 3 WHERE a = 6;
SELECT * FROM cluster('t', 2);
-- where it is the last cluster that is left, and k = n
SELECT * FROM cluster('t', 5);
SELECT * FROM cluster('t', 3);
-- k = 1: everybody alone, as he is
SELECT * FROM cluster('t', 1);

\echo The first seed is the first record in value order, wherever it lies
-- 0 3 4 10, k = 2: 0 takes 3, the farthest is 10, which takes 4. (3 or 4 as a seed would take the other.)
TRUNCATE t;
INSERT INTO t VALUES (4), (3), (10), (0);
SELECT * FROM cluster('t', 2);
TRUNCATE t;
INSERT INTO t VALUES (3), (10), (0), (4);
SELECT * FROM cluster('t', 2);

\echo Equal records
-- 0 five times, 8 twice: {0,0}, the farthest {8,8}, then {0,0}, and the last 0 costs nothing with the zeros
TRUNCATE t;
INSERT INTO t SELECT 0 FROM generate_series(1, 5) UNION ALL SELECT 8 FROM generate_series(1, 2);
SELECT * FROM cluster('t', 2);
-- one value only
UPDATE t SET a = 7;
SELECT * FROM cluster('t', 2);

\echo A taxonomy
-- N loses (2-1)/(4-1) = 1/3. The seed (a,0) with (b,1): 1/3 + 1/10; with (c,9) or (d,10): 1 + 9/10, 1 + 1. The farthest from (a,0) is (d,10), which takes (c,9)
CREATE TABLE places (place text, a int);
INSERT INTO places VALUES ('d', 10), ('b', 1), ('c', 9), ('a', 0);
CREATE TABLE tree (child text, parent text);
INSERT INTO tree VALUES ('a', 'N'), ('b', 'N'), ('c', 'S'), ('d', 'S'), ('N', 'all'), ('S', 'all');
SELECT * FROM cluster('places', 2, ARRAY['place', 'a'], ARRAY[by_taxonomy('place', 'tree')]);
SELECT node, parent, depth, in_cut FROM c_private.taxonomy WHERE attribute = 'place' ORDER BY depth, node;
SELECT node, parent, lower, upper, depth, in_cut FROM c_private.taxonomy WHERE attribute = 'a' ORDER BY node;
SELECT * FROM cluster('places', 4, ARRAY['place', 'a'], ARRAY[by_taxonomy('place', 'tree')]);
-- common values stay: (a,0) (a,10) (b,0) (b,10), k = 2: (a,0) with (b,0) loses 1/3, with (a,10) 1: so by the second column
UPDATE places SET (place, a) = (SELECT CASE WHEN place IN ('a', 'b') THEN 'a' ELSE 'b' END, CASE WHEN place IN ('a', 'c') THEN 0 ELSE 10 END);
SELECT * FROM cluster('places', 2, ARRAY['place', 'a'], ARRAY[by_taxonomy('place', 'tree')]);

\echo Suppression: the default of text
-- width 8: (blue,1) with (blue,3): 2/8; with (red,1): 1; with (red,9): 2
TRUNCATE places;
INSERT INTO places VALUES ('red', 9), ('blue', 3), ('red', 1), ('blue', 1);
SELECT * FROM cluster('places', 2, ARRAY['place', 'a']);
-- nothing in common is * at cost 1: (blue,1) with (green,1): 1; with the 9s: 2
UPDATE places SET place = v.new FROM (VALUES ('blue', 1, 'blue'), ('blue', 3, 'green'), ('red', 1, 'red'), ('red', 9, 'yellow')) v (old, n, new) WHERE (place, a) = (v.old, v.n);
UPDATE places SET a = CASE WHEN place IN ('blue', 'green') THEN 1 ELSE 9 END;
SELECT * FROM cluster('places', 2, ARRAY['place', 'a']);
-- numbers by suppression when asked
SELECT * FROM cluster('places', 3, ARRAY['a'], ARRAY[by_suppression('a')]);

\echo Dates, times, numerics
CREATE TABLE times (d date, ts timestamp, iv interval, n numeric, f float8);
INSERT INTO times VALUES ('2021-01-05', '2021-01-05 10:00', '5 days', 1.50, 1e10), ('2020-01-01', '2020-01-01', '1 day', 0.25, 0.1), ('2021-01-01', '2021-01-01', '4 days', 1.25, 9e9), ('2020-01-02', '2020-01-02', '30 hours', 0.5, 0.1);
SET datestyle TO 'SQL, DMY';
SELECT * FROM cluster('times', 2, ARRAY['d', 'ts', 'iv', 'n', 'f']);
RESET datestyle;
-- a domain is around the data and releases nothing: the intervals are the clusters' own
SELECT * FROM cluster('times', 2, ARRAY['n'], ARRAY[by_intervals('n', '0', '10')]);

\echo NULLs go with NULLs only
TRUNCATE t;
INSERT INTO t VALUES (3), (NULL), (1), (NULL), (3), (1);
SELECT * FROM cluster('t', 2);
TRUNCATE t;
INSERT INTO t VALUES (2), (NULL), (1);
SELECT * FROM cluster('t', 3);
-- by suppression NULL is a value: {a,a}; b, the next of those that are not a, takes the third a before a NULL
TRUNCATE places;
INSERT INTO places VALUES (NULL, 1), ('a', 1), (NULL, 2), ('b', 1), ('a', NULL), ('a', NULL);
SELECT * FROM cluster('places', 2, ARRAY['place']);
-- with a number: (a,1) with (b,1): 1/3, with (a,NULL) or (NULL,1): 1. The farthest from (a,1) is (NULL,2) at 2, which takes (NULL,1) at 1; (a,NULL) twice
SELECT * FROM cluster('places', 2, ARRAY['place', 'a'], ARRAY[by_taxonomy('place', 'tree')]);
SELECT node, parent, depth, in_cut FROM c_private.taxonomy WHERE attribute = 'place' ORDER BY depth, node;
UPDATE places SET place = NULL, a = NULL;
SELECT * FROM cluster('places', 2, ARRAY['place', 'a']);

\echo What a release holds
CREATE TABLE people (id int, age int, city text, salary numeric, income text);
SELECT setseed(0.5);
INSERT INTO people SELECT i, 18 + 60 * random() * random(), 'c' || i % 4, i % 7 * 100, CASE WHEN i % 3 = 0 THEN 'high' ELSE 'low' END FROM generate_series(1, 1000) i;
SELECT result - 'seconds' AS result FROM kmember_anonymize('people', 'rel', ARRAY['age', 'city'], 7, keep => ARRAY['id', 'income'], endpoints => 'values') result;
SELECT a.attname, format_type(a.atttypid, a.atttypmod) AS type FROM pg_attribute a WHERE attrelid = 'rel.people'::regclass AND attnum > 0 ORDER BY attnum;
SELECT count(*) AS rows, count(DISTINCT id) AS people, min(groups.n) >= 7 AS k_holds FROM rel.people JOIN (SELECT age, city, count(*) AS n FROM rel.people GROUP BY 1, 2) groups USING (age, city);
-- everybody is in what is said of him
SELECT count(*) AS strangers FROM rel.people r JOIN people p USING (id)
WHERE r.income <> p.income OR r.city NOT IN (p.city, '*') OR NOT CASE WHEN r.age ~ '^\[' THEN p.age BETWEEN substring(r.age, '\[(\d+),')::int AND substring(r.age, ',(\d+)\]')::int ELSE p.age::text = r.age END;
-- the ends are values that somebody in the group has: nothing is wider than it must be
SELECT count(*) AS too_wide FROM (SELECT r.age, r.city, format('[%s,%s]', min(p.age), max(p.age)) AS seen, min(p.age) AS least, max(p.age) AS greatest FROM rel.people r JOIN people p USING (id) GROUP BY 1, 2) g
WHERE age <> CASE WHEN least = greatest THEN least::text ELSE seen END;
SELECT attribute, sum(records), count(*) = count(DISTINCT node) AS once, min(records) >= 7 AS k FROM rel.cut GROUP BY 1 ORDER BY 1;
SELECT count(*) AS differing FROM (SELECT age, count(*) FROM rel.people GROUP BY 1 EXCEPT SELECT node, records FROM rel.cut WHERE attribute = 'age') d;
SELECT count(*) AS differing FROM (SELECT city, count(*) FROM rel.people GROUP BY 1 EXCEPT SELECT node, records FROM rel.cut WHERE attribute = 'city') d;
SELECT count(*) AS differing FROM rel.cut WHERE attribute = 'age' AND node <> CASE WHEN lower = upper THEN lower ELSE format('[%s,%s]', lower, upper) END;
SELECT count(*) AS steps FROM rel_private.steps;
SELECT version, source, rows, achieved, parameters -> 'privacy' AS privacy, parameters -> 'keep' AS keep FROM rel_private.manifest;
SELECT required, achieved >= 7 AS holds_seen, holds FROM release_verify('rel');
-- nobody but the owner has anything, until he grants: then view and cut
CREATE ROLE regress_km;
SELECT release_grant('rel', 'regress_km');
SET ROLE regress_km;
SELECT count(*) FROM rel.people;
SELECT count(*) > 0 AS cut FROM rel.cut;
SELECT FROM rel_private.taxonomy;
SELECT FROM rel_private.manifest;
SELECT FROM rel_private.rows_v1;
RESET ROLE;

\echo A second version
DELETE FROM people WHERE id > 500;
SELECT result - 'seconds' AS result FROM kmember_anonymize('people', 'rel', ARRAY['age', 'city'], 50, keep => ARRAY['id', 'income'], endpoints => 'values') result;
SELECT count(*) AS rows FROM rel.people;
SELECT DISTINCT version FROM rel.cut;
SELECT required, achieved >= 50 AS holds_seen, holds FROM release_verify('rel');
SELECT version, rows FROM rel_private.manifest ORDER BY 1;
-- the same rows give the same clusters; a search may follow where the columns are the same
CREATE TABLE before AS SELECT id, age, city FROM rel.people;
SELECT result ->> 'version' AS version FROM kmember_anonymize('people', 'rel', ARRAY['age', 'city'], 50, keep => ARRAY['id', 'income'], endpoints => 'values') result;
SELECT count(*) AS differing FROM (SELECT age, city, count(*) FROM before GROUP BY 1, 2 EXCEPT SELECT age, city, count(*) FROM rel.people GROUP BY 1, 2) d;
SELECT result ->> 'version' AS version FROM tds_anonymize('people', 'rel', ARRAY[k_anonymity(ARRAY['age', 'city'], 50)], keep => ARRAY['id', 'income'], endpoints => 'values') result;
SELECT result ->> 'version' AS version FROM kmember_anonymize('people', 'rel', ARRAY['age', 'city'], 5, keep => ARRAY['id', 'income'], endpoints => 'values', allow_weaker => true) result;
SELECT kmember_anonymize('people', 'rel', ARRAY['age', 'city'], 5, keep => ARRAY['id'], endpoints => 'values');
SELECT kmember_anonymize('people', 'rel', ARRAY['age', 'city', 'salary'], 5, keep => ARRAY['id', 'income'], endpoints => 'values');
SELECT max(version) FROM rel_private.manifest;

\echo Privacy
-- a kept column that is unique, and the ends of the intervals: both are said
SELECT result ->> 'version' AS version FROM kmember_anonymize('people', 'warned', ARRAY['age', 'city'], 5, keep => ARRAY['id'], endpoints => 'values') result;
SELECT result ->> 'version' AS version FROM kmember_anonymize('people', 'warned2', ARRAY['city'], 5, keep => ARRAY['income'], endpoints => 'values') result;
-- rows lie in no order that tells of the source's, nor of their clusters'
SELECT abs(corr(id, place)) < 0.3 AS not_by_id, abs(corr(substring(age, '\d+')::int, place)) < 0.3 AS not_by_cluster
FROM (SELECT id, age, row_number() OVER (ORDER BY ctid) AS place FROM warned_private.rows_v1) p;
SELECT count(*) FILTER (WHERE same) < 50 AS clusters_not_together FROM (SELECT (age, city) = lag((age, city)) OVER (ORDER BY ctid) AS same FROM warned_private.rows_v1) p;
-- rows are frozen: no reader sees an empty version
SELECT count(DISTINCT xmin::text) <= 1 AS one_transaction FROM warned_private.rows_v1;
-- as a role without rights on the source
GRANT USAGE ON SCHEMA km TO regress_km;
GRANT CREATE ON DATABASE contrib_regression TO regress_km;
GRANT EXECUTE ON FUNCTION kmember_anonymize TO regress_km;
SET ROLE regress_km;
SELECT kmember_anonymize('people', 'mine', ARRAY['age'], 5, endpoints => 'values');
SELECT kmember_anonymize('people', 'rel', ARRAY['age', 'city'], 5, keep => ARRAY['id', 'income'], endpoints => 'values');
RESET ROLE;
SELECT has_function_privilege('public', oid, 'EXECUTE') AS public_may FROM pg_proc WHERE proname = 'kmember_anonymize';

\echo What lies nowhere on a line: a fault that is named, or a release that holds
CREATE TABLE nowhere (f float8);
INSERT INTO nowhere VALUES (1), (1.5), (2), ('NaN'), ('Infinity'), ('-Infinity');
CREATE FUNCTION holds(relation text, k int) RETURNS text LANGUAGE plpgsql AS
$$ -- its groups have k rows, and as many values lie in the intervals as there are
DECLARE found text;
BEGIN
  PERFORM cluster(relation, k, ARRAY['f']);
  EXECUTE format('SELECT bool_and(records >= %s) AND sum(records) = (SELECT count(*) FROM %I) AND bool_and(lower::float8 <= upper::float8)
    AND NOT EXISTS (SELECT FROM %2$I r WHERE NOT EXISTS (SELECT FROM c.cut WHERE f BETWEEN lower::float8 AND upper::float8)) FROM c.cut', k, relation) INTO found;
  RETURN found;
EXCEPTION WHEN data_exception OR invalid_parameter_value THEN RETURN 'true';
END $$;
SELECT holds('nowhere', 2), holds('nowhere', 3);
CREATE TABLE zoned (z timetz);
INSERT INTO zoned VALUES ('10:00+00'), ('11:00+00'), ('12:00+00'), ('23:00+00');
SELECT rows, node, lower, upper, records FROM cluster('zoned', 2, ARRAY['z']);
-- a width beyond float8
CREATE TABLE wide (f float8);
INSERT INTO wide VALUES (-1.7e308), (-1.6e308), (0), (1), (1.6e308), (1.7e308);
SELECT holds('wide', 2), holds('wide', 3);

\echo Bad input
SELECT kmember_anonymize('people', 'bad', ARRAY['age'], 501);
SELECT kmember_anonymize('people', 'bad', ARRAY['age'], 0);
SELECT kmember_anonymize('people', 'bad', ARRAY['age'], -3);
SELECT kmember_anonymize('people', 'bad', ARRAY['age'], 2147483647);
SELECT kmember_anonymize('people', 'bad', ARRAY['age'], NULL);
SELECT kmember_anonymize(NULL, 'bad', ARRAY['age'], 5);
SELECT kmember_anonymize('people', NULL, ARRAY['age'], 5);
SELECT kmember_anonymize('people', 'bad', NULL, 5);
SELECT kmember_anonymize('people', 'bad', ARRAY['age'], 5, NULL);
SELECT kmember_anonymize('people', 'bad', ARRAY['age'], 5, keep => NULL);
SELECT kmember_anonymize('people', 'bad', '{}', 5);
SELECT kmember_anonymize('people', 'bad', ARRAY['age', NULL], 5);
SELECT kmember_anonymize('people', 'bad', ARRAY['age', 'age'], 5);
SELECT kmember_anonymize('people', 'bad', ARRAY['aeg'], 5);
SELECT kmember_anonymize('people', 'bad', ARRAY['age'], 5, keep => ARRAY['aeg']);
SELECT kmember_anonymize('people', 'bad', ARRAY['age'], 5, keep => ARRAY['age']);
SELECT kmember_anonymize('people', 'bad', ARRAY['age'], 5, keep => ARRAY['id', 'id']);
-- a masking for a column that is no quasi-identifier, of an unknown column, twice, of a type that it is not for, of values that it lacks
SELECT kmember_anonymize('people', 'bad', ARRAY['age'], 5, ARRAY[by_suppression('city')]);
SELECT kmember_anonymize('people', 'bad', ARRAY['age'], 5, ARRAY[by_suppression('aeg')]);
SELECT kmember_anonymize('people', 'bad', ARRAY['age'], 5, ARRAY[by_suppression('age'), by_intervals('age')]);
SELECT kmember_anonymize('people', 'bad', ARRAY['age'], 5, ARRAY[NULL::masking]);
ALTER TABLE people ADD spot point, ADD note json;
SELECT kmember_anonymize('people', 'bad', ARRAY['spot'], 5, ARRAY[by_intervals('spot')]);
SELECT kmember_anonymize('people', 'bad', ARRAY['note'], 5, ARRAY[by_intervals('note')]);
SELECT kmember_anonymize('people', 'bad', ARRAY['city'], 5, ARRAY[by_taxonomy('city', 'tree')]);
SELECT kmember_anonymize('people', 'bad', ARRAY['age'], 5, ARRAY[by_intervals('age', '30', '99')]);
SELECT kmember_anonymize('people', 'bad', ARRAY['age'], 5, ARRAY[by_intervals('age', '99', '0')]);
SELECT kmember_anonymize('people', 'bad', ARRAY['age'], 5, ARRAY[by_taxonomy('age', 'people')]);
-- a value that looks like the suppressed ones
UPDATE people SET city = '*' WHERE id = 1;
SELECT kmember_anonymize('people', 'bad', ARRAY['city'], 5);
UPDATE people SET city = 'c1' WHERE id = 1;
-- schemas and names
SELECT kmember_anonymize('people', 'km', ARRAY['age'], 5);
CREATE TABLE about AS TABLE people;
SELECT kmember_anonymize('about', 'bad', ARRAY['age'], 5);
TRUNCATE about;
ALTER TABLE about RENAME TO nobody;
SELECT kmember_anonymize('nobody', 'bad', ARRAY['age'], 1);
-- nothing was left behind
SELECT nspname FROM pg_namespace WHERE nspname IN ('bad', 'bad_private');

-- Clusters with a NULL and clusters of any values are both `*`: one node of the cut, which joins the view.
CREATE TABLE alike (n int, s text);
INSERT INTO alike VALUES (1, 'a'), (1, 'b'), (1000, NULL), (1000, 'a');
SELECT kmember_anonymize('alike', 'alike_open', ARRAY['n', 's'], 2, ARRAY[by_prefix('s')]) ->> 'rows' AS rows;
SELECT node, records FROM alike_open.cut WHERE attribute = 's';
SELECT count(*) FROM alike_open.alike v JOIN alike_open.cut c ON c.attribute = 's' AND c.node = v.s;
SELECT release_drop('alike_open');
-- from the left: the wider interval before what it contains, NULL last
CREATE TABLE overlap AS SELECT * FROM (VALUES (3, 'x'), (40, 'y'), (4, 'x'), (1, 'x'), (1, 'y'), (NULL, 'z'), (NULL, 'z')) o (n, s);
SELECT kmember_anonymize('overlap', 'alike_open', ARRAY['n', 's'], 2) ->> 'rows' AS rows;
SELECT node, lower, upper, records FROM alike_open.cut WHERE attribute = 'n';
SELECT release_drop('alike_open');
DROP SCHEMA r, r_private, c, c_private, rel, rel_private, warned, warned_private, warned2, warned2_private, km CASCADE;
REVOKE CREATE ON DATABASE contrib_regression FROM regress_km;
DROP OWNED BY regress_km;
DROP ROLE regress_km;
