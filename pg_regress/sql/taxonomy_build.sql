-- taxonomy_build: each method by hand and against a plain PL/pgSQL reading of its description, options, types, labels,
-- use by the verbs, bad input.
CREATE SCHEMA build;
SET search_path TO build, public;
CREATE TABLE six (v int);
INSERT INTO six VALUES (15), (2), (8), (1), (NULL), (7), (4), (NULL);
-- the nodes end at values of the data: it warns
SELECT count(*) AS rows FROM taxonomy_build('six', 'v', 'iotf');
CREATE FUNCTION tree(source regclass, column_name text, method text, options jsonb DEFAULT '{}')
RETURNS TABLE (child text, parent text, lower text, upper text) LANGUAGE sql AS
$$ SELECT * FROM taxonomy_build(source, column_name, method, options) ORDER BY lower::numeric, upper::numeric DESC $$;
CREATE FUNCTION fill(relation regclass, VARIADIC counts int[]) RETURNS void LANGUAGE plpgsql AS
$$ -- value, how often, value, how often, ...
BEGIN
  EXECUTE format('TRUNCATE %s', relation);
  FOR i IN 1 .. array_length(counts, 1) BY 2 LOOP
    EXECUTE format('INSERT INTO %s SELECT %s FROM generate_series(1, %s)', relation, counts[i], counts[i + 1]);
  END LOOP;
END $$;

\echo IOTF
-- {1,2,4,7,8,15}, NULLs ignored. Unions 1,2,3,1,7: [1,2] and [7,8] first. Then [1,2]+4 makes 3, 4+[7,8] 4, [7,8]+15 8: [1,4].
-- Then [1,4]+[7,8] makes 7, [7,8]+15 8: [1,8]. Then all.
SELECT * FROM tree('six', 'v', 'iotf');
-- ties go by position: 0 1 2 3: [0,1]; then 2+3 makes 1 and [0,1]+2 makes 2: [2,3]; then all. 0 10 20: [0,10]
CREATE TABLE t (v int);
SELECT fill('t', 0, 1, 1, 1, 2, 1, 3, 1);
SELECT child, parent FROM tree('t', 'v', 'iotf');
SELECT fill('t', 0, 1, 10, 1, 20, 1);
SELECT child, parent FROM tree('t', 'v', 'iotf');

\echo OTF
-- 0 4 8 15, once each. IOTF: [0,4] (4, before 4+8 that makes 4 too); then [0,4]+8 makes 8, 8+15 makes 7: [8,15]; all.
-- OTF: [0,4] with its centre 2; then 8-2 = 6, 15-8 = 7: [0,8]; all.
SELECT fill('t', 0, 1, 4, 1, 8, 1, 15, 1);
SELECT child, parent FROM tree('t', 'v', 'iotf');
SELECT child, parent FROM tree('t', 'v', 'otf');
-- Counts matter to OTF alone. 2 (once), 8 (100 times), 13, 18 (once). IOTF: unions 6,5,5: [8,13]; 2+[8,13] makes 11, [8,13]+18 makes 10: [8,18].
-- OTF: distances 6,5,5: [8,13] with its centre (800+13)/101 = 8.05; 8.05-2 = 6.05, 18-8.05 = 9.95: [2,13].
SELECT fill('t', 2, 1, 8, 100, 13, 1, 18, 1);
SELECT child, parent FROM tree('t', 'v', 'iotf');
SELECT child, parent FROM tree('t', 'v', 'otf');
-- the same with 100 times 13: centre (8+1300)/101 = 12.95; to 2: 10.95, to 18: 5.05: [8,18]
SELECT fill('t', 2, 1, 8, 1, 13, 100, 18, 1);
SELECT child, parent FROM tree('t', 'v', 'otf');

\echo Han
-- ten values of 1,1,2,2,4,4,2,2,1,1 records: 10 > 4 nodes, so ceil(10/5) = 2 of 20/2 = 10: 0-4 are 1+1+2+2+4. 2 nodes are not more than 4: the root.
SELECT fill('t', 0, 1, 1, 1, 2, 2, 3, 2, 4, 4, 5, 4, 6, 2, 7, 2, 8, 1, 9, 1);
SELECT child, parent FROM tree('t', 'v', 'han');
-- four values are not more than 4: the root and its leaves; with threshold 3, ceil(4/5) = 1 node, which is the root
SELECT fill('t', 0, 1, 1, 1, 2, 1, 3, 1);
SELECT child, parent FROM tree('t', 'v', 'han');
SELECT child, parent FROM tree('t', 'v', 'han', '{"threshold": 3}');
-- threshold 1, fan_out 2, six values: 3 nodes of 2, then ceil(3/2) = 2 of 3: [0,3] closes with 4, [4,5] stays alone: its only child is itself
SELECT fill('t', 0, 1, 1, 1, 2, 1, 3, 1, 4, 1, 5, 1);
SELECT child, parent FROM tree('t', 'v', 'han', '{"threshold": 1, "fan_out": 2}');
-- a value with nearly all records closes its node alone: 5 nodes, fan_out 2: 3 of 104/3 = 34.7: 0 with 100, then 1-4 together with 4
SELECT fill('t', 0, 100, 1, 1, 2, 1, 3, 1, 4, 1);
SELECT child, parent FROM tree('t', 'v', 'han', '{"fan_out": 2}');

\echo Chu
-- P(C) RE(C) is 2/N times the sum of n n' |x-x'| over the pairs of C, by C's count.
-- 1 2 9 10: 1|2 9 10 = (7+8+1)/3 = 5.3, 1 2|9 10 = 1/2 + 1/2 = 1, 1 2 9|10 = 5.3: the gap; then each pair
SELECT fill('t', 1, 1, 2, 1, 9, 1, 10, 1);
SELECT child, parent FROM tree('t', 'v', 'chu');
-- from 3 values on only: the pairs stay whole
SELECT child, parent FROM tree('t', 'v', 'chu', '{"threshold": 3}');
-- counts decide. 0 4 7, once each: 0|4 7 = 3/2, 0 4|7 = 4/2. With 1, 9, 9 records: 0|4 7 = 81*3/18 = 13.5, 0 4|7 = 9*4/10 = 3.6
SELECT fill('t', 0, 1, 4, 1, 7, 1);
SELECT child, parent FROM tree('t', 'v', 'chu');
SELECT fill('t', 0, 1, 4, 9, 7, 9);
SELECT child, parent FROM tree('t', 'v', 'chu');
-- of equal cuts the lower: 0|1 2 = 0 1|2 = 1/2
SELECT fill('t', 0, 1, 1, 1, 2, 1);
SELECT child, parent FROM tree('t', 'v', 'chu');

\echo education_num of Adult, by hand (Han) and by the plain text of each algorithm
CREATE TABLE education (num int);
SELECT fill('education', 1, 72, 2, 222, 3, 449, 4, 823, 5, 676, 6, 1223, 7, 1619, 8, 577, 9, 14783, 10, 9899, 11, 1959, 12, 1507, 13, 7570, 14, 2514, 15, 785, 16, 544);
-- 16 > 4 nodes: ceil(16/5) = 4 of 45222/4 = 11305.5: 1-9 have 20444 (1-8 5661), 10 and 11 11858, 12-14 11591, 15 and 16 the rest. 4 are not more than 4.
SELECT child FROM tree('education', 'num', 'han') WHERE lower <> upper;
CREATE FUNCTION agglomerate(source regclass, v text, by_centre boolean) RETURNS SETOF text LANGUAGE plpgsql AS
$$ -- merges two neighbours at a time, searching all anew; says each node made
DECLARE best record;
BEGIN
  CREATE TEMP TABLE node (lo numeric, hi numeric, quantity numeric, centre numeric) ON COMMIT DROP;
  EXECUTE format('INSERT INTO node SELECT %1$I, %1$I, count(*), %1$I FROM %2$s WHERE %1$I IS NOT NULL GROUP BY %1$I', v, source);
  LOOP
    SELECT a.lo, b.hi, a.quantity + b.quantity AS quantity, (a.quantity * a.centre + b.quantity * b.centre) / (a.quantity + b.quantity) AS centre INTO best
      FROM node a JOIN node b ON b.lo = (SELECT min(c.lo) FROM node c WHERE c.lo > a.hi)
      ORDER BY CASE WHEN by_centre THEN b.centre - a.centre ELSE b.hi - a.lo END, a.lo LIMIT 1;
    EXIT WHEN NOT FOUND;
    DELETE FROM node WHERE lo BETWEEN best.lo AND best.hi;
    INSERT INTO node VALUES (best.lo, best.hi, best.quantity, best.centre);
    RETURN NEXT format('[%s,%s]', best.lo, best.hi);
  END LOOP;
  DROP TABLE node;
END $$;
CREATE FUNCTION relaxation(source regclass, v text, lo numeric, hi numeric) RETURNS numeric LANGUAGE plpgsql AS
$$ -- n RE(C), RE(C) = sum over pairs of values of p(x) p(y) |x - y|
DECLARE result numeric;
BEGIN
  EXECUTE format('WITH c AS (SELECT %1$I::numeric AS x, count(*) AS n FROM %2$s WHERE %1$I BETWEEN %3$s AND %4$s GROUP BY 1)
    SELECT sum(a.n * b.n * abs(a.x - b.x)) / (SELECT sum(n) FROM c) FROM c a, c b', v, source, lo, hi) INTO result;
  RETURN result;
END $$;
CREATE FUNCTION divide(source regclass, v text, lo numeric, hi numeric) RETURNS SETOF text LANGUAGE plpgsql AS
$$
DECLARE best record;
BEGIN
  IF lo = hi THEN RETURN; END IF;
  RETURN NEXT format('[%s,%s]', lo, hi);
  EXECUTE format('WITH c AS (SELECT DISTINCT %1$I::numeric AS x FROM %2$s WHERE %1$I BETWEEN %3$s AND %4$s), cut AS (SELECT x AS l, lead(x) OVER (ORDER BY x) AS r FROM c)
    SELECT l, r FROM cut WHERE r IS NOT NULL
    ORDER BY round(relaxation(%2$L, %1$L, %3$s, l) + relaxation(%2$L, %1$L, r, %4$s), 9), l LIMIT 1', v, source, lo, hi) INTO best;
  RETURN QUERY SELECT divide(source, v, lo, best.l);
  RETURN QUERY SELECT divide(source, v, best.r, hi);
END $$;
-- what only one of two says: nothing
CREATE FUNCTION differing(source regclass, v text) RETURNS TABLE (method text, node text) LANGUAGE plpgsql AS
$$
BEGIN
  CREATE TEMP TABLE expected ON COMMIT DROP AS
    SELECT 'iotf' AS m, agglomerate AS n FROM agglomerate(source, v, false) UNION ALL SELECT 'otf', agglomerate FROM agglomerate(source, v, true);
  EXECUTE format('INSERT INTO expected SELECT ''chu'', divide(%L, %L, min(%I), max(%I)) FROM %s', source, v, v, v, source);
  CREATE TEMP TABLE found ON COMMIT DROP AS
    SELECT m, child AS n FROM unnest(ARRAY['iotf', 'otf', 'chu']) m, taxonomy_build(source, v, m) b WHERE b.lower <> b.upper;
  RETURN QUERY (TABLE expected EXCEPT ALL TABLE found) UNION ALL (TABLE found EXCEPT ALL TABLE expected);
  DROP TABLE expected, found;
END $$;
SELECT * FROM differing('education', 'num');
SELECT * FROM differing('six', 'v');
-- random values and counts, ties and gaps included
CREATE FUNCTION random_tables(tables int) RETURNS TABLE (seed int, method text, node text) LANGUAGE plpgsql AS
$$
BEGIN
  FOR s IN 1 .. tables LOOP
    PERFORM setseed(s / 100.0);
    TRUNCATE t;
    INSERT INTO t SELECT round(60 * random() * random()) FROM generate_series(1, 40 + s) i;
    RETURN QUERY SELECT s, d.* FROM differing('t', 'v') d;
  END LOOP;
END $$;
SELECT * FROM random_tables(12);

\echo equal_width
-- 0 1 4 5 9 10: one level of two: [0,5) and [5,10]; two levels: below them [0,2.5) [2.5,5) [5,7.5) [7.5,10]; single values are themselves
SELECT fill('t', 0, 1, 1, 1, 4, 1, 5, 3, 9, 1, 10, 1);
SELECT child, parent FROM tree('t', 'v', 'equal_width', '{"levels": 1, "fan_out": 2}');
SELECT child, parent FROM tree('t', 'v', 'equal_width', '{"levels": 2, "fan_out": 2}');
-- a domain 0 to 20: [0,10) and [10,20], which holds 10 alone; the root has the domain
SELECT * FROM tree('t', 'v', 'equal_width', '{"levels": 1, "fan_out": 2, "lower": 0, "upper": 20}');
-- one end given: -10 to 10: [-10,0) is empty, [0,10] holds all
SELECT * FROM tree('t', 'v', 'equal_width', '{"levels": 1, "fan_out": 2, "lower": -10}');
-- one level of five of width 2: [0,2) [2,4) empty, [4,6) [6,8) empty, [8,10]
SELECT child, parent FROM tree('t', 'v', 'equal_width', '{"levels": 1, "fan_out": 5}');
SELECT count(*) > 6 AS without_options FROM tree('t', 'v', 'equal_width');
\echo equal_frequency
-- 1-8 once each: halves and quarters
SELECT fill('t', 1, 1, 2, 1, 3, 1, 4, 1, 5, 1, 6, 1, 7, 1, 8, 1);
SELECT child, parent FROM tree('t', 'v', 'equal_frequency', '{"levels": 2, "fan_out": 2}');
-- 1 three times, 2-4 once: 1 is half of the six
SELECT fill('t', 1, 3, 2, 1, 3, 1, 4, 1);
SELECT child, parent FROM tree('t', 'v', 'equal_frequency', '{"levels": 1, "fan_out": 2}');
SELECT count(*) > 3 AS without_options FROM tree('t', 'v', 'equal_frequency');
\echo breakpoints
-- an interval begins at each breakpoint; the lists in any order, as many as there are levels
SELECT fill('t', 10, 1, 19, 1, 20, 1, 39, 1, 40, 1, 59, 1, 60, 1, 70, 1);
SELECT child, parent FROM tree('t', 'v', 'breakpoints', '{"breakpoints": [[20, 40, 60], [40]]}');
CREATE TABLE t_tree AS SELECT * FROM tree('t', 'v', 'breakpoints', '{"breakpoints": [[20, 40, 60], [40]]}');
SELECT count(*) AS rows_that_differ FROM
  ((TABLE t_tree EXCEPT SELECT * FROM tree('t', 'v', 'breakpoints', '{"breakpoints": [["40"], ["60", 20, 40]]}')) UNION ALL
   (SELECT * FROM tree('t', 'v', 'breakpoints', '{"breakpoints": [["40"], ["60", 20, 40]]}') EXCEPT TABLE t_tree)) d;
-- breakpoints outside of the data cut nothing off; a level with one piece is its only child; given twice is given once
SELECT child, parent FROM tree('t', 'v', 'breakpoints', '{"breakpoints": [[0, 40, 100], [0, 100], []]}');
SELECT child, parent FROM tree('t', 'v', 'breakpoints', '{"breakpoints": [[40, 40, 40], [20, 40]]}') WHERE lower <> upper;

\echo Few values
-- one distinct value gives one row, whatever the method; it is a leaf, so both ends are the value
SELECT fill('t', 7, 5);
INSERT INTO t VALUES (NULL);
SELECT m, b.* FROM unnest(ARRAY['iotf', 'otf', 'han', 'chu', 'equal_width', 'equal_frequency']) m, taxonomy_build('t', 'v', m) b;
SELECT * FROM taxonomy_build('t', 'v', 'breakpoints', '{"breakpoints": [[7], [7, 9]]}');
SELECT * FROM taxonomy_build('t', 'v', 'iotf', '{"lower": 0, "upper": 10}');
-- two
SELECT fill('t', 7, 5, 9, 1);
SELECT m, b.* FROM unnest(ARRAY['iotf', 'otf', 'han', 'chu', 'equal_width', 'equal_frequency']) m, tree('t', 'v', m) b;
-- a domain is the root's alone
SELECT * FROM tree('six', 'v', 'iotf', '{"lower": 0, "upper": "99"}') WHERE lower <> upper;
SELECT * FROM tree('six', 'v', 'otf', '{"upper": 15}') WHERE parent IS NULL;
SELECT * FROM tree('six', 'v', 'chu', '{"lower": 1}') WHERE parent IS NULL;

\echo Types
CREATE TABLE types (i2 smallint, i4 int, i8 bigint, num numeric, f4 float4, f8 float8, d date, ts timestamp, tz timestamptz, tm time, iv interval, money money, dom information_schema.cardinal_number);
INSERT INTO types SELECT x, x, x * 1000000000000000, x / 4.0, x / 8.0, x * 1e300, '2020-02-28'::date + x, '2020-02-28'::timestamp + x * '12 hours'::interval,
  '2020-02-28 00:00+00'::timestamptz + x * '1 microsecond'::interval, '10:00'::time + x * '1 minute'::interval, x * '36 hours'::interval, x, x
  FROM unnest(ARRAY[1, 2, 4, 7, 8, 15, NULL]) x;
SET timezone TO 'America/New_York';
SET datestyle TO 'SQL, DMY';
SET intervalstyle TO 'iso_8601';
SELECT c, string_agg(child || ' < ' || coalesce(parent, '-'), '; ' ORDER BY n) FILTER (WHERE lower <> upper) AS inner_nodes, count(*) FILTER (WHERE lower = upper AND child = lower) AS leaves
FROM unnest(ARRAY['i2', 'i4', 'i8', 'num', 'f4', 'f8', 'd', 'ts', 'tz', 'tm', 'iv', 'money', 'dom']) c, taxonomy_build('types', c, 'iotf') WITH ORDINALITY b (child, parent, lower, upper, n) GROUP BY c ORDER BY c;
RESET timezone;
RESET datestyle;
RESET intervalstyle;
-- options of a domain in the column's own terms
SELECT * FROM taxonomy_build('types', 'd', 'breakpoints', '{"lower": "2020-01-01", "upper": "2020-12-31", "breakpoints": [["2020-03-05"]]}') WHERE lower <> upper ORDER BY lower, upper DESC;
SELECT * FROM taxonomy_build('types', 'iv', 'equal_width', '{"lower": "0", "upper": "32 days", "levels": 1, "fan_out": 2}') WHERE lower <> upper ORDER BY lower::interval, upper::interval DESC;
-- a view, a partitioned table, a quoted column
CREATE VIEW "A view" AS SELECT v AS "V ""1""" FROM six;
SELECT count(*) AS rows FROM taxonomy_build('"A view"', 'V "1"', 'chu');
CREATE TABLE parts (v int) PARTITION BY LIST (v);
CREATE TABLE parts_1 PARTITION OF parts DEFAULT;
INSERT INTO parts TABLE six;
SELECT count(*) AS rows FROM taxonomy_build('parts', 'v', 'chu');
-- numbers beyond what a float8 tells apart, and the ends of float8
CREATE TABLE far (n numeric, f float8);
INSERT INTO far VALUES (1, -1.7976931348623157e308), (1.00000000000000000001, 0), (1.00000000000000000002, 4.9e-324), (9, 1.7976931348623157e308);
SELECT m, c, count(*) FILTER (WHERE lower = upper) AS leaves, count(*) FILTER (WHERE parent IS NULL) AS roots, count(DISTINCT child) = count(*) AS distinct_labels
FROM unnest(ARRAY['iotf', 'otf', 'han', 'chu', 'equal_width', 'equal_frequency']) m, unnest(ARRAY['n', 'f']) c, taxonomy_build('far', c, m) GROUP BY m, c ORDER BY m, c;

\echo Labels contain their values, on random data
CREATE TABLE random (i int, num numeric, f float8, d date, ts timestamp, iv interval);
SELECT setseed(0.25);
INSERT INTO random SELECT 400 * random() * random() - 50, round((1000 * random() - 300)::numeric, 2), 1e6 * random() - 5e5, '2000-02-25'::date + (3000 * random() * random())::int,
  '1999-12-31'::timestamp + random() * '100 days'::interval, random() * '1000 hours'::interval FROM generate_series(1, 80);
CREATE FUNCTION faults(tree regclass, source regclass, column_name text, type text, given boolean) RETURNS text LANGUAGE plpgsql AS
$$ -- of a taxonomy: everything that must be so, said in SQL
DECLARE fault text;
BEGIN
  EXECUTE format($q$
    WITH RECURSIVE node AS (SELECT *, lower::%3$s AS l, upper::%3$s AS u FROM %1$s),
      value AS (SELECT DISTINCT %4$I AS v FROM %2$s WHERE %4$I IS NOT NULL),
      above AS (SELECT child AS leaf, child, parent FROM node n WHERE NOT EXISTS (SELECT FROM node m WHERE m.parent = n.child)
                UNION ALL SELECT leaf, n.child, n.parent FROM above a JOIN node n ON n.child = a.parent)
    SELECT concat_ws(', ',
      CASE WHEN (SELECT count(*) FROM node WHERE parent IS NULL) <> 1 THEN 'not one root' END,
      CASE WHEN (SELECT count(*) <> count(DISTINCT child) FROM node) THEN 'a label twice' END,
      CASE WHEN (SELECT count(*) FROM above WHERE parent IS NULL) <> (SELECT count(*) FROM value) THEN 'not a path from each value to the root' END,
      CASE WHEN EXISTS (SELECT v::text FROM value EXCEPT SELECT leaf FROM above) THEN 'a value without a leaf' END,
      CASE WHEN EXISTS (SELECT FROM above JOIN node USING (child) WHERE leaf::%3$s NOT BETWEEN l AND u) THEN 'a node without its value' END,
      CASE WHEN EXISTS (SELECT FROM node WHERE child <> CASE WHEN l = u THEN lower ELSE format('[%%s,%%s]', lower, upper) END AND NOT %5$L::bool) THEN 'a label without its ends' END,
      CASE WHEN EXISTS (SELECT FROM node, LATERAL (SELECT nullif(substr(split_part(child, ',', 1), 2), '')::%3$s AS a, nullif(rtrim(split_part(child, ',', 2), ')]'), '')::%3$s AS b) ends
        WHERE l <> u AND (a > l OR b < u OR b = u AND child LIKE '%%)')) THEN 'a label that does not hold its values' END,
      CASE WHEN EXISTS (SELECT FROM node JOIN (SELECT child, min(leaf::%3$s) AS least, max(leaf::%3$s) AS greatest FROM above GROUP BY child) a USING (child)
                        WHERE (l, u) IS DISTINCT FROM (least, greatest)) THEN 'an end that is no end' END,
      CASE WHEN EXISTS (SELECT FROM node a JOIN node b ON a.parent IS NOT DISTINCT FROM b.parent AND a.child <> b.child AND a.l <= b.u AND b.l <= a.u) THEN 'neighbours overlap' END,
      CASE WHEN EXISTS (SELECT FROM node WHERE parent IS NOT NULL GROUP BY parent HAVING count(*) = 1) THEN 'an only child' END)
    $q$, tree, source, type, column_name, given) INTO fault;
  RETURN fault;
END $$;
CREATE FUNCTION random_faults() RETURNS TABLE (column_name text, method text, fault text, problems bigint) LANGUAGE plpgsql AS
$$
DECLARE c record; m text; options jsonb;
BEGIN
  FOR c IN SELECT attname, format_type(atttypid, atttypmod) AS type FROM pg_attribute WHERE attrelid = 'random'::regclass AND attnum > 0 LOOP
    FOREACH m IN ARRAY ARRAY['iotf', 'otf', 'han', 'chu', 'equal_width', 'equal_frequency', 'breakpoints'] LOOP
      options := '{}';
      IF m = 'breakpoints' THEN
        EXECUTE format('SELECT jsonb_build_object(''breakpoints'', jsonb_build_array(jsonb_agg(%1$I::text), jsonb_agg(%1$I::text) FILTER (WHERE n <= 5)))
          FROM (SELECT %1$I, row_number() OVER () AS n FROM (SELECT DISTINCT %1$I FROM random) d LIMIT 20) d', c.attname) INTO options;
      END IF;
      CREATE TABLE random_tree AS SELECT * FROM taxonomy_build('random', c.attname, m, options);
      RETURN QUERY SELECT c.attname::text, m, faults('random_tree', 'random', c.attname, c.type, m IN ('equal_width', 'breakpoints')), (SELECT count(*) FROM taxonomy_check('random_tree', 'random', c.attname));
      DROP TABLE random_tree;
    END LOOP;
  END LOOP;
END $$;
SET datestyle TO ISO;
SET intervalstyle TO postgres;
SELECT method, count(*) AS trees, string_agg(DISTINCT fault, '; ') AS faults, sum(problems) AS problems FROM random_faults() GROUP BY method ORDER BY method;

\echo Equal values of different texts: one distinct value, and the tree holds every row
CREATE TABLE equals (n numeric, f float8, iv interval);
INSERT INTO equals VALUES (1.0, 0, '1 day'), (1.00, '-0', '24:00'), (2, 1, '2 days'), (2, 1, '48:00'), (5, 3, '30 days'), (5.000, 3, '1 month');
CREATE TABLE equal_n AS SELECT * FROM taxonomy_build('equals', 'n', 'iotf');
CREATE TABLE equal_f AS SELECT * FROM taxonomy_build('equals', 'f', 'iotf');
CREATE TABLE equal_iv AS SELECT * FROM taxonomy_build('equals', 'iv', 'iotf');
SELECT c, t.* FROM unnest(ARRAY['n', 'f', 'iv']) c, taxonomy_check(('equal_' || c)::regclass, 'equals', c) t ORDER BY 1, 2, 3;
SELECT result ->> 'rows' AS rows FROM tds_anonymize('equals', 'equal', ARRAY[k_anonymity(ARRAY['n', 'f', 'iv'], 2)], masking => ARRAY[by_taxonomy('n', 'equal_n'), by_taxonomy('f', 'equal_f'), by_taxonomy('iv', 'equal_iv')]) result;

\echo Use
-- 1 twice, 2 once, 4 three times, 7 three times, 8 twice, 15 three times; IOTF as above
CREATE TABLE people (age int, note text);
SELECT fill('t', 1, 2, 2, 1, 4, 3, 7, 3, 8, 2, 15, 3);
INSERT INTO people SELECT v, 'n' FROM t;
CREATE TABLE age_tree AS SELECT * FROM taxonomy_build('people', 'age', 'iotf');
SELECT * FROM taxonomy_check('age_tree', 'people', 'age');
-- k = 3: [1,8] 11 and 15 3; [1,4] 6 and [7,8] 5; [1,2] 3 and 4 3. Not 1 and 2, nor 7 and 8: 1 and 2 rows
SELECT result -> 'steps' AS steps FROM tds_anonymize('people', 'by_tds', ARRAY[k_anonymity(ARRAY['age'], 3)], masking => ARRAY[by_taxonomy('age', 'age_tree')]) result;
SELECT node, children FROM by_tds_private.steps ORDER BY step;
SELECT node, lower, upper, records FROM by_tds.cut ORDER BY lower::int;
SELECT node, parent, lower, upper, depth, in_cut FROM by_tds_private.taxonomy ORDER BY lower::int, upper::int DESC;
SELECT age, count(*) FROM by_tds.people GROUP BY 1 ORDER BY min(age COLLATE "C");
-- NTIL: sizes 1/14 for 3 rows of [1,2] and 5 of [7,8], of 14 rows: 8/196 = 0.0408
SELECT measure, round(value::numeric, 4) AS value FROM release_measures('by_tds') WHERE measure = 'ntil';
-- k-member: {1,1,2} is [1,2], the farthest from 1 are the 15s; whichever is next, the three 4s and the five 7s and 8s go together
SELECT result -> 'rows' AS rows FROM kmember_anonymize('people', 'by_kmember', ARRAY['age'], 3, ARRAY[by_taxonomy('age', 'age_tree')]) result;
SELECT node, lower, upper, records FROM by_kmember.cut ORDER BY lower::int;
SELECT node, parent, lower, upper, depth, in_cut FROM by_kmember_private.taxonomy ORDER BY lower::int, upper::int DESC;
SELECT measure, round(value::numeric, 4) AS value FROM release_measures('by_kmember') WHERE measure = 'ntil';
-- the root's domain arrives too: k = 14 leaves the root alone; what it loses is all
CREATE TABLE domain_tree AS SELECT * FROM taxonomy_build('people', 'age', 'chu', '{"lower": 0, "upper": 99}');
SELECT result -> 'steps' AS steps FROM tds_anonymize('people', 'by_domain', ARRAY[k_anonymity(ARRAY['age'], 14)], masking => ARRAY[by_taxonomy('age', 'domain_tree')]) result;
SELECT node, lower, upper, records FROM by_domain.cut;
SELECT measure, value FROM release_measures('by_domain') WHERE measure = 'ntil';
-- a value that came later has no place
INSERT INTO people VALUES (3, 'n');
SELECT tds_anonymize('people', 'by_tds', ARRAY[k_anonymity(ARRAY['age'], 3)], masking => ARRAY[by_taxonomy('age', 'age_tree')]);
DELETE FROM people WHERE age = 3;
-- dates: the tree's order is that of the dates
CREATE TABLE visits (d date);
INSERT INTO visits SELECT d FROM unnest(ARRAY['0044-03-15 BC', '0001-01-01', '0999-12-31', '2020-01-01', '12020-01-01']::date[]) d, generate_series(1, 2);
CREATE TABLE visit_tree AS SELECT * FROM taxonomy_build('visits', 'd', 'iotf');
SELECT child, parent FROM visit_tree ORDER BY lower::date, upper::date DESC;
SELECT * FROM taxonomy_check('visit_tree', 'visits', 'd');
SELECT result -> 'rows' AS rows FROM kmember_anonymize('visits', 'by_date', ARRAY['d'], 2, ARRAY[by_taxonomy('d', 'visit_tree')]) result;
SELECT node, records FROM by_date.cut ORDER BY lower::date;

DO $$ BEGIN EXECUTE (SELECT string_agg(format('DROP SCHEMA %I CASCADE', nspname), ';') FROM pg_namespace WHERE nspname IN ('equal', 'by_tds', 'by_kmember', 'by_domain', 'by_date', 'build', 'equal_private', 'by_tds_private', 'by_kmember_private', 'by_domain_private', 'by_date_private')); END $$;
