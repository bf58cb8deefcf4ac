-- k-map: who is released may be any of k rows of a population. What cannot be asked, counted by hand, recounted by what is published,
-- and through a release's life.
CREATE SCHEMA mapping;
SET search_path TO mapping, public;

-- A. What cannot be asked
CREATE TABLE small (a int, b text, s text);
CREATE TABLE others (a int, b text, c int);
CREATE SEQUENCE counter;
SELECT k_map('{}', 2, 'others');
SELECT k_map('{a,a}', 2, 'others');
SELECT k_map('{a}', 0, 'others');
SELECT k_map('{a}', NULL, 'others');
SELECT k_map('{a}', 2, NULL);
SELECT tds_anonymize('small', 'none', k_map('{a,s}', 2, 'others'));
SELECT tds_anonymize('small', 'none', k_map('{a}', 2, 'counter'));
CREATE VIEW texts AS SELECT a::text AS a, b FROM others;
SELECT tds_anonymize('small', 'none', k_map('{a}', 2, 'texts'));
SELECT privacy_check('small', k_map('{a}', 2, 'texts'));
SELECT tds_anonymize('small', 'none', k_map('{a,b}', 2, 'others'), recoding => 'clustered');
SELECT tds_anonymize('small', 'none', ARRAY[k_map('{a}', 2, 'others'), k_anonymity('{a,b}', 1)], recoding => 'local');
SELECT tds_anonymize('small', 'none', ARRAY[k_map('{a,b}', 2, 'others'), k_anonymity('{a,b}', 1, 's')], recoding => 'local');
SELECT tds_anonymize('small', 'none', k_map('{a,b}', 2, 'others'), changes => 'batched');
SELECT tds_anonymize('small', 'none', k_map('{a,b}', 2, 'others'), withhold => 0.1);
SELECT m, m::text::privacy_model::text = m::text AS same FROM (VALUES (k_map('{a,b}', 5, 'others'))) v (m);

-- B. By hand. (1, x) is two of the others, (1, y) none, (2, NULL) one; (3, x) is no row's.
INSERT INTO small VALUES (1, 'x', 'r'), (1, 'x', 's'), (1, 'y', 't'), (2, NULL, 'u');
INSERT INTO others VALUES (1, 'x', 1), (1, 'x', 2), (2, NULL, 3), (3, 'x', 4), (NULL, 'x', 5);
SELECT model::text::jsonb -> 'k_map' ->> 'quasi_identifier' AS by, required, achieved, holds, groups, violating_groups, violating_rows
FROM privacy_check('small', ARRAY[k_map('{a,b}', 1, 'others'), k_map('{a}', 2, 'others'), k_map('{b}', 1, 'others')]);
-- the same table is a k-anonymity
SELECT achieved, groups FROM privacy_check('small', ARRAY[k_map('{a,b}', 1, 'small'), k_anonymity('{a,b}', 1)]);
CREATE TABLE empty (LIKE small);
SELECT required, achieved, holds, groups FROM privacy_check('empty', k_map('{a,b}', 2, 'others'));

-- C. A sample of a register: every masking, and what is published recounted by the register.
CREATE TABLE register AS
SELECT i AS id, 20 + i * 7 % 61 AS age, (ARRAY['north', 'east', 'south', 'west'])[1 + i * i % 4] AS region, lpad((i * 13 % 900)::text, 3, '0') AS zip,
       (ARRAY['a', 'b', 'c'])[1 + i % 3] AS kind, CASE WHEN i % 7 < 3 THEN 'flu' ELSE 'cold' END AS disease
FROM generate_series(1, 2000) i;
CREATE TABLE sample AS SELECT age, region, zip, kind, disease FROM register WHERE id % 10 = 4;
CREATE TABLE regions (child text, parent text);
INSERT INTO regions VALUES ('all', NULL), ('cold', 'all'), ('warm', 'all'), ('north', 'cold'), ('east', 'cold'), ('south', 'warm'), ('west', 'warm');
SELECT r ->> 'rows' AS rows, r -> 'privacy' -> 0 -> 'required' AS required, r -> 'privacy' -> 0 -> 'holds' AS holds
FROM tds_anonymize('sample', 'mapped', k_map('{age,region,zip,kind}', 5, 'register'),
                   masking => ARRAY[by_taxonomy('region', 'regions'), by_prefix('zip'), by_suppression('kind')]) r;
-- what each row of the register would be shown as: by the ends of intervals, the tree, the first digits and the values
CREATE FUNCTION fewest(release text, source text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE least bigint;
BEGIN
  EXECUTE format($q$
    WITH RECURSIVE up (value, node) AS (SELECT child, child FROM regions UNION ALL SELECT up.value, t.parent FROM up JOIN regions t ON t.child = up.node WHERE t.parent IS NOT NULL),
         cut AS MATERIALIZED (SELECT attribute, node, lower::int, upper::int FROM %1$I.cut),
         shown AS MATERIALIZED (
           SELECT (SELECT c.node FROM cut c WHERE c.attribute = 'age' AND (c.lower IS NULL OR c.lower <= p.age) AND (c.upper IS NULL OR p.age < c.upper)) AS age,
                  (SELECT c.node FROM cut c JOIN up ON up.node = c.node WHERE c.attribute = 'region' AND up.value = p.region) AS region,
                  (SELECT c.node FROM cut c WHERE c.attribute = 'zip' AND (c.node = '*' OR p.zip LIKE replace(c.node, '*', '_'))) AS zip,
                  COALESCE((SELECT c.node FROM cut c WHERE c.attribute = 'kind' AND c.node = p.kind), '*') AS kind
           FROM %2$s p)
    SELECT min(COALESCE(m.n, 0)) FROM (SELECT DISTINCT age, region, zip, kind FROM %1$I.sample) g
    LEFT JOIN (SELECT age, region, zip, kind, count(*) AS n FROM shown GROUP BY age, region, zip, kind) m USING (age, region, zip, kind)$q$, release, source) INTO least;
  RETURN least;
END $$;
SELECT achieved >= 5 AS enough, achieved = fewest('mapped', 'register') AS as_counted, holds FROM release_verify('mapped');
-- finer than k-anonymity of the sample with the same k, which has groups of few rows
SELECT (SELECT count(*) FROM tds_steps('sample', k_map('{age,region}', 5, 'register'), masking => by_taxonomy('region', 'regions')))
     > (SELECT count(*) FROM tds_steps('sample', k_anonymity('{age,region}', 5), masking => by_taxonomy('region', 'regions'))) AS finer;
SELECT min(n) < 5 AS few FROM (SELECT count(*) AS n FROM mapped.sample GROUP BY age, region, zip, kind) g;
-- whose population is the sample itself asks for k-anonymity
SELECT count(*) FROM (SELECT step, attribute, node, children, privacy_loss, score, achieved FROM tds_steps('sample', k_map('{age,region,zip}', 5, 'sample'))
               EXCEPT SELECT step, attribute, node, children, privacy_loss, score, achieved FROM tds_steps('sample', k_anonymity('{age,region,zip}', 5))) differ;
-- read as rows or as counts
SET pg_topdown.scan = 'counts';
CREATE TEMP TABLE counted AS SELECT * FROM tds_steps('sample', k_map('{age,region,zip}', 5, 'register'));
RESET pg_topdown.scan;
SELECT count(*) FROM (SELECT * FROM counted EXCEPT SELECT * FROM tds_steps('sample', k_map('{age,region,zip}', 5, 'register'))) differ;
SELECT k, steps, groups FROM tds_tradeoff('sample', '{5,100}', k_map('{age,region}', 7, 'register')) ORDER BY k;

-- D. Through a release's life
SELECT release_refresh('mapped') ->> 'unchanged' AS unchanged;
-- a population that has grown, and one that has shrunk: what a step cannot keep any more is left out
INSERT INTO register SELECT id + 10000, age, region, zip, kind, disease FROM register WHERE id % 10 = 4;
SELECT r ->> 'version' AS version, r -> 'privacy' -> 0 -> 'holds' AS holds, r -> 'coarser' AS coarser FROM release_refresh('mapped') r;
SELECT achieved = fewest('mapped', 'register') AS as_counted FROM release_verify('mapped');
DELETE FROM register WHERE id % 3 > 0;
SELECT achieved >= 5 AS enough, holds FROM release_verify('mapped');
SELECT release_assert('mapped');
SELECT r ->> 'version' AS version, r -> 'privacy' -> 0 -> 'holds' AS holds, jsonb_array_length(r -> 'coarser') > 0 AS coarser FROM release_refresh('mapped') r;
SELECT achieved >= 5 AS enough, achieved = fewest('mapped', 'register') AS as_counted FROM release_verify('mapped');
SELECT count(*) > 0 AS told FROM release_explain('mapped') WHERE reason ~ 'k_map' AND required = 5 AND achieved < 5;
-- what comes and what leaves is of the source alone
SELECT count(*) AS nothing FROM release_changes('mapped');
SELECT r -> 'privacy' -> 0 -> 'holds' AS holds FROM release_rewind('mapped', 5) r;
SELECT achieved = fewest('mapped', 'register') AS as_counted FROM release_verify('mapped');
-- what the hierarchies do not know has no place: an error, as in the source, unless it may be left out
INSERT INTO register VALUES (1, 30, 'up', '001', 'a', 'flu');
SELECT release_refresh('mapped', mode => 'search');
SELECT r -> 'privacy' -> 0 -> 'holds' AS holds, r ->> 'withheld' AS withheld FROM release_refresh('mapped', unknown => 'withhold') r;
SELECT achieved = fewest('mapped', 'register') AS as_counted FROM release_verify('mapped');
-- the source has such a value, too
INSERT INTO sample VALUES (30, 'up', '001', 'a', 'flu');
SELECT r -> 'privacy' -> 0 -> 'holds' AS holds, r ->> 'withheld' AS withheld FROM release_refresh('mapped', unknown => 'withhold') r;
SELECT achieved = fewest('mapped', 'register') AS as_counted FROM release_verify('mapped');
DELETE FROM sample WHERE region = 'up';
DELETE FROM register WHERE region = 'up';
-- NULL is the NULL of rows, where these have any; else it matches nothing
INSERT INTO register SELECT 20000 + i, NULL, 'north', '001', 'a', 'flu' FROM generate_series(1, 50) i;
SELECT r -> 'privacy' -> 0 -> 'holds' AS holds FROM release_refresh('mapped', mode => 'search') r;
SELECT achieved = fewest('mapped', 'register') AS as_counted, (SELECT count(*) FROM mapped.sample WHERE age = '*') AS stars FROM release_verify('mapped');
-- asking for less, or of another population, is weaker
CREATE VIEW register_too AS SELECT * FROM register;
SELECT release_alter('mapped', privacy => k_map('{age,region,zip,kind}', 4, 'register'));
SELECT release_alter('mapped', privacy => k_map('{age,region,zip,kind}', 5, 'register_too'));
SELECT r -> 'privacy' -> 0 -> 'holds' AS holds, r -> 'privacy' -> 1 -> 'holds' AS too
FROM release_alter('mapped', privacy => ARRAY[k_map('{age,region,zip,kind}', 8, 'register'), k_map('{age,region}', 20, 'register_too')]) r;
SELECT bool_and(holds) AS holds, min(achieved) FILTER (WHERE required = 8) = fewest('mapped', 'register') AS as_counted FROM release_verify('mapped');
-- a population that is gone
SELECT r -> 'privacy' -> 0 -> 'holds' AS holds FROM release_alter('mapped', privacy => k_map('{age,region,zip,kind}', 8, 'register'), allow_weaker => true) r;
ALTER TABLE register RENAME TO away;
SELECT release_refresh('mapped');
SELECT * FROM release_verify('mapped');
ALTER TABLE away RENAME TO register;
SELECT holds FROM release_verify('mapped');

-- E. Local recoding: each row of the population is in one group, or in none
SELECT r ->> 'rows' AS rows, r -> 'privacy' -> 0 -> 'holds' AS holds, (r -> 'privacy' -> 0 ->> 'achieved')::float8 >= 5 AS enough
FROM tds_anonymize('sample', 'locally', k_map('{age,region,zip,kind}', 5, 'register'), recoding => 'local',
                   masking => ARRAY[by_taxonomy('region', 'regions'), by_prefix('zip'), by_suppression('kind')]) r;
SELECT r ->> 'rows' AS rows, r -> 'privacy' -> 0 -> 'holds' AS holds
FROM tds_anonymize('sample', 'split', k_map('{age,region}', 5, 'register'), recoding => 'local', masking => ARRAY[by_taxonomy('region', 'regions')]) r;
-- by intervals and the tree alone: what matches a released combination is what lies within it
WITH RECURSIVE up (value, node) AS (SELECT child, child FROM regions UNION ALL SELECT up.value, t.parent FROM up JOIN regions t ON t.child = up.node WHERE t.parent IS NOT NULL),
     combinations AS (SELECT DISTINCT s.age, s.region, a.lower::int AS lower, a.upper::int AS upper FROM split.sample s JOIN split.cut a ON a.attribute = 'age' AND a.node = s.age),
     matched AS (SELECT c.age, c.region, (SELECT count(*) FROM register p JOIN up ON up.value = p.region AND up.node = c.region
                                          WHERE (c.lower IS NULL OR c.lower <= p.age) AND (c.upper IS NULL OR p.age < c.upper)) AS n FROM combinations c)
SELECT min(n) >= (SELECT achieved FROM release_verify('split')) AS within, min(n) >= 5 AS enough FROM matched;
SELECT (SELECT count(*) FROM (SELECT DISTINCT age, region FROM split.sample) g) >= (SELECT groups FROM tds_tradeoff('sample', '{5}', k_anonymity('{age,region}', 5), masking => ARRAY[by_taxonomy('region', 'regions')], recoding => 'local')) AS finer;
SELECT release_refresh('split') ->> 'unchanged' AS unchanged;
DELETE FROM register WHERE id % 2 = 0;
SELECT r ->> 'version' AS version, r -> 'privacy' -> 0 -> 'holds' AS holds FROM release_refresh('split') r;
SELECT holds, achieved >= 5 AS enough FROM release_verify('split');
SELECT count(*) > 0 AS told FROM release_explain('split') WHERE reason ~ 'k_map';
SELECT r -> 'privacy' -> 0 -> 'holds' AS holds FROM release_rewind('split', 3) r;

-- F. Read with the rights of the release's owner, as its source is: what hides rows is refused
CREATE ROLE mapping_owner; CREATE ROLE mapping_reader;
GRANT USAGE ON SCHEMA mapping TO mapping_owner, mapping_reader;
GRANT CREATE ON DATABASE :"DBNAME" TO mapping_owner;
SELECT count(*) > 0 AS may FROM release_functions('mapping_owner') f;
GRANT SELECT ON sample TO mapping_owner;
SET ROLE mapping_owner;
SELECT tds_anonymize('sample', 'owned', k_map('{age,region}', 5, 'register'));
RESET ROLE;
GRANT SELECT (age, region) ON register TO mapping_owner;
SET ROLE mapping_owner;
SELECT r -> 'privacy' -> 0 -> 'holds' AS holds FROM tds_anonymize('sample', 'owned', k_map('{age,region}', 5, 'register')) r;
SELECT release_grant('owned', 'mapping_reader');
SET ROLE mapping_reader;
SELECT * FROM release_verify('owned');
RESET ROLE;
ALTER TABLE register ENABLE ROW LEVEL SECURITY;
CREATE POLICY older ON register USING (age > 30);
SET ROLE mapping_owner;
SELECT release_refresh('owned');
RESET ROLE;
ALTER TABLE register DISABLE ROW LEVEL SECURITY;

-- Nor has it counts by local recoding, where other models have.
SELECT tds_anonymize('sample', 'uncounted', k_anonymity('{age,region}', 5), recoding => 'local', counts => true) -> 'version' AS version;
SELECT count(*) > 0 AS counted FROM uncounted.counts;
SELECT release_alter('uncounted', privacy => k_map('{age,region}', 5, 'register'), allow_weaker => true) -> 'version' AS version;
SELECT count(*) AS counted FROM uncounted.counts;

-- A rewind recounts in a population that has lost rows meanwhile.
CREATE TABLE shrinks AS SELECT i % 7 AS age FROM generate_series(1, 700) i;
CREATE TABLE ages AS SELECT i % 7 AS age FROM generate_series(1, 70) i;
SELECT tds_anonymize('ages', 'aged', k_map('{age}', 20, 'shrinks')) ->> 'version' AS version;
DELETE FROM shrinks WHERE age > 0;
SELECT release_rewind('aged', 3);
-- A value of which a large group has rows of the population alone is not disclosed where the group needs these.
CREATE TABLE few_here AS SELECT 'g' || i AS v, 'r' || i AS x FROM generate_series(1, 500) i
  UNION ALL SELECT v, x FROM (VALUES ('c', 'x0', 700), ('h1', 'x0', 700), ('g1', 'x1', 7)) t (v, x, n), generate_series(1, n);
CREATE TABLE many_there AS TABLE few_here UNION ALL SELECT 'c', 'r' || i FROM generate_series(1, 200) i UNION ALL SELECT 'g1', 'x1' FROM generate_series(1, 650);
SELECT attribute, children FROM tds_steps('few_here', k_map('{v,x}', 600, 'many_there'), masking => ARRAY[weighted(by_suppression('x'), 1000), by_suppression('v')]) ORDER BY step;
SELECT tds_anonymize('few_here', 'there', k_map('{v,x}', 600, 'many_there'), masking => ARRAY[weighted(by_suppression('x'), 1000), by_suppression('v')]) ->> 'version' AS version;
SELECT release_refresh('there', 'replay') -> 'version' AS version;
-- G. What suits a table
CREATE TABLE everybody AS SELECT i AS id, i * 7 % 61 AS age, (ARRAY['n', 'e', 's', 'w'])[1 + i * i % 4] AS region, i * 13 % 900 AS code FROM generate_series(1, 4000) i;
CREATE TABLE part AS SELECT age, region, code FROM everybody WHERE id % 10 = 4;
SELECT count(*) > 2 AS ways, array_agg(DISTINCT recoding) AS recodings, bool_and(call ~ 'k_map\(.*everybody') AS runnable FROM release_suggest('part', k_map('{age,region,code}', 5, 'everybody'));
SELECT count(*) FROM (SELECT release_drop(release) FROM releases()) d;
REVOKE CREATE ON DATABASE :"DBNAME" FROM mapping_owner;
DROP SCHEMA mapping CASCADE;
DROP OWNED BY mapping_owner; DROP ROLE mapping_owner; DROP ROLE mapping_reader;
