-- A new search over unchanged rows groups them in another way; who has read both versions intersects the groups. Counted, and told with the figures.
SET client_min_messages TO notice;
CREATE SCHEMA regroup;
SET search_path TO regroup, public;
CREATE TABLE t AS SELECT i AS id, 20 + i * 7 % 41 AS age, 'c' || i * 3 % 8 AS city, 'e' || i * 5 % 6 AS edu, 'o' || (hashint4(i) & 7) AS job, CASE WHEN i % 3 = 0 THEN 'y' ELSE 'n' END AS class
FROM generate_series(1, 600) i;
-- The same by plain SQL, by the id that is kept: the worst group that both versions' groups make, how many break k and l, and their rows.
CREATE FUNCTION together(columns text, k int, l int, OUT smallest int, OUT few_rows int, OUT of_few int, OUT fewest int, OUT few_values int, OUT of_values int) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('SELECT min(n), count(*) FILTER (WHERE n < %2$s), sum(n) FILTER (WHERE n < %2$s), min(d), count(*) FILTER (WHERE d < %3$s), sum(n) FILTER (WHERE d < %3$s)
    FROM (SELECT count(*) AS n, count(DISTINCT a.job) AS d FROM before a JOIN r.t b USING (id) GROUP BY (%1$s)) g',
    (SELECT string_agg(v || '.' || c, ', ') FROM unnest('{a,b}'::text[]) v, string_to_table(columns, ',') c), k, l)
  INTO smallest, few_rows, of_few, fewest, few_values, of_values;
END $$;
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity('{age,city,edu}', 12), l_diversity('{age,city,edu}', 'job', 4)], keep => '{id}', recoding => 'local') -> 'version' AS version;
CREATE TABLE before AS TABLE r.t;
-- by groups: another score
SELECT release_alter('r', score => 'info_gain') -> 'version' AS version;
SELECT * FROM together('age,city,edu', 12, 4);
-- from groups to one cut
DROP TABLE before;
CREATE TABLE before AS TABLE r.t;
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity('{age,city,edu}', 12), l_diversity('{age,city,edu}', 'job', 4)], keep => '{id}') -> 'version' AS version;
SELECT * FROM together('age,city,edu', 12, 4);
-- by one cut: a model over some of the columns, another masking, rows that are withheld
DROP TABLE before;
CREATE TABLE before AS TABLE r.t;
SELECT release_alter('r', masking => ARRAY[by_prefix('city'), by_taxonomy_tree('edu', '{"any": {"low": ["e0", "e1", "e2"], "high": ["e3", "e4", "e5"]}}')], score => 'info_gain') -> 'version' AS version;
SELECT * FROM together('age,city,edu', 12, 4);
-- The same search groups them as before, and so does a replay; nothing is said.
SELECT release_refresh('r', 'search') -> 'version' AS version;
SELECT release_refresh(public.again('r')) -> 'version' AS version;
-- A clustering beside a search.
SELECT kmember_anonymize('t', 'r', '{age,city,edu}', 12, keep => '{id,job}', allow_weaker => true) -> 'version' AS version;
-- What follows clusters is compared with them, too.
SELECT release_refresh(public.again('r')) -> 'version' AS version;
SELECT tds_anonymize('t', 'r', k_anonymity('{age,city,edu}', 12), keep => '{id,job}', recoding => 'clustered') -> 'version' AS version;
SELECT release_refresh(public.again('r')) -> 'version' AS version;
SELECT release_refresh('r', 'search') -> 'version' AS version;
SELECT release_alter('r', recoding => 'local') -> 'version' AS version;
SELECT release_alter('r', masking => by_prefix('city')) -> 'version' AS version;
SELECT release_drop('r');
-- A column that the version before released as it is.
SELECT tds_anonymize('t', 'r', k_anonymity('{age,city}', 12), keep => '{id,job,edu}') -> 'version' AS version;
DROP TABLE before;
CREATE TABLE before AS TABLE r.t;
SELECT release_alter('r', privacy => k_anonymity('{age,city,edu}', 12)) -> 'version' AS version;
SELECT smallest, few_rows, of_few FROM together('age,city,edu', 12, 4);
SELECT release_drop('r');
-- Two kinds of * of the version before look alike, and make one group.
CREATE TABLE stars AS SELECT i AS id, CASE WHEN i > 6 AND i <> 13 THEN chr(64 + i) || 'x' END AS w, CASE WHEN i <= 12 THEN 'p' ELSE 'q' END AS n FROM generate_series(1, 15) i;
SELECT tds_anonymize('stars', 'r', k_anonymity('{w,n}', 3), masking => by_prefix('w'), recoding => 'local') -> 'version' AS version;
CREATE TABLE stars_before AS TABLE r.stars;
SELECT tds_anonymize('stars', 'r', k_anonymity('{w}', 5), masking => by_prefix('w'), keep => '{n}', max_steps => 0, allow_weaker => true) -> 'version' AS version;
SELECT w, count(*) FROM stars_before GROUP BY w;
SELECT release_drop('r');
-- A taxonomy whose relation holds another tree by now: what the version before released is told by the one that it kept, of a search and of a replay.
CREATE TABLE leaves AS SELECT 'v' || i % 8 AS v FROM generate_series(1, 80) i;
CREATE TABLE tax AS SELECT 'v' || i AS child, 'g' || i / 2 AS parent FROM generate_series(0, 7) i;
INSERT INTO tax SELECT 'g' || i, 'h' || i / 2 FROM generate_series(0, 3) i;
INSERT INTO tax VALUES ('h0', 'root'), ('h1', 'root');
SELECT tds_anonymize('leaves', 'r', k_anonymity('{v}', 25), masking => finest(weighted(by_taxonomy('v', 'tax'), 2), 3)) -> 'version' AS version;
UPDATE tax SET parent = CASE child WHEN 'g1' THEN 'h1' ELSE 'h0' END WHERE child IN ('g1', 'g2');
-- values that have come since have a place, too
INSERT INTO tax VALUES ('v8', 'g3'), ('g4', 'h0'), ('v9', 'g4');
INSERT INTO leaves SELECT 'v' || i % 2 + 8 FROM generate_series(1, 4) i;
SELECT release_refresh('r', 'search') -> 'version' AS version;
UPDATE tax SET parent = CASE child WHEN 'g1' THEN 'h0' ELSE 'h1' END WHERE child IN ('g1', 'g2');
SELECT release_refresh(public.again('r')) -> 'version' AS version;
SELECT release_refresh(public.again('r')) -> 'version' AS version;
-- the relation is gone: another masking is compared with the tree that was kept
DROP TABLE tax;
SELECT release_alter('r', masking => by_taxonomy_tree('v', '{"root": {"even": ["v0", "v2", "v4", "v6", "v8"], "odd": ["v1", "v3", "v5", "v7", "v9"]}}')) -> 'version' AS version;
SELECT release_drop('r');
-- One row beyond the bounds of before keeps nobody from comparing the others.
CREATE TABLE beyond AS SELECT abs(hashint4(i)) % 40 AS a, abs(hashint4(i + 77777)) % 30 AS b FROM generate_series(1, 600) i;
SELECT tds_anonymize('beyond', 'r', k_anonymity('{a,b}', 5), masking => by_intervals('a', lower => '0', upper => '40')) -> 'version' AS version;
INSERT INTO beyond VALUES (77, 1);
SELECT release_alter('r', masking => weighted(by_intervals('a'), .01)) -> 'version' AS version;
SELECT release_drop('r');
-- A row is gone, without which a step of the version before would break a model now: it was published.
CREATE TABLE lost AS SELECT i AS id, 'R' || i % 40 AS b, (i / 40) % 40 AS a FROM generate_series(1, 2000) i UNION ALL SELECT 3000 + i, 'L', i FROM generate_series(1, 25) i;
CREATE TABLE tax AS SELECT 'R' || i AS child, 'R' AS parent FROM generate_series(0, 39) i UNION ALL VALUES ('L', 'top'), ('R', 'top');
SELECT tds_anonymize('lost', 'r', k_anonymity('{b,a}', 25), masking => ARRAY[weighted(by_taxonomy('b', 'tax'), 100), by_intervals('a')], score => 'tds') -> 'version' AS version;
DELETE FROM lost WHERE id = 3001;
SELECT release_refresh('r', 'search') -> 'version' AS version;
SELECT release_drop('r');
-- A leaf takes values from another one; a replay performs a step that the version before left out, and leaves one out that that had.
CREATE TABLE texts AS SELECT CASE WHEN i % 4 < 2 THEN 1.0 ELSE 2.0 END + CASE WHEN i % 2 = 0 THEN 0.00 ELSE 0 END AS v FROM generate_series(1, 80) i;
CREATE TABLE of_texts (child text, parent text);
INSERT INTO of_texts VALUES ('1.0', 'g1'), ('2.0', 'g2'), ('3.0', 'g1'), ('4.0', 'g2'), ('g1', 'top'), ('g2', 'top');
SELECT tds_anonymize('texts', 'r', k_anonymity('{v}', 25), masking => by_taxonomy('v', 'of_texts')) -> 'version' AS version;
INSERT INTO of_texts VALUES ('1.00', 'g2'), ('2.00', 'g1');
SELECT release_refresh(public.again('r')) -> 'version' AS version;
SELECT release_drop('r');
CREATE TABLE swapped AS SELECT i AS id, i % 2 AS a, (i / 2) % 2 AS b FROM generate_series(0, 79) i;
SELECT tds_anonymize('swapped', 'r', k_anonymity('{a,b}', 10)) -> 'version' AS version;
DELETE FROM swapped WHERE a = 1 AND id >= 16;
SELECT release_refresh(public.again('r')) -> 'steps' AS steps;
INSERT INTO swapped SELECT 1000 + i, 1, 1 FROM generate_series(1, 30) i;
SELECT release_refresh(public.again('r')) -> 'steps' AS steps;
SELECT release_drop('r');
-- What keeps the versions from being compared is said: the label of suppressed values has become a value.
CREATE TABLE starred AS SELECT 'v' || i % 3 AS v, i % 7 AS n FROM generate_series(1, 200) i;
SELECT tds_anonymize('starred', 'r', k_anonymity('{v,n}', 5)) -> 'version' AS version;
INSERT INTO starred VALUES ('*', 3);
SELECT tds_anonymize('starred', 'r', k_anonymity('{v,n}', 5), suppressed => '?') -> 'version' AS version;
SELECT release_drop('r');
-- Values that were rewritten to equal ones of another text are those that they were: by suppression, by prefix, and by a taxonomy that knows the texts of now.
CREATE TABLE e AS SELECT i AS id, (i % 12)::numeric AS p, abs(hashint4(i)) % 40 AS n FROM generate_series(1, 1000) i;
CREATE FUNCTION rewritten(maskings text, masked_now text, rewrite text, OUT few int, OUT rows int, OUT of int) LANGUAGE plpgsql AS $$
BEGIN
  SET LOCAL client_min_messages TO error;
  PERFORM release_drop(release) FROM releases() WHERE release = 'q';
  DROP TABLE IF EXISTS before;
  UPDATE e SET p = trunc(p);
  EXECUTE format('SELECT tds_anonymize(''e'', ''q'', k_anonymity(''{p,n}'', 10), masking => ARRAY[weighted(%s, 100), by_intervals(''n'')], keep => ''{id}'')', maskings);
  CREATE TABLE before AS TABLE q.e;
  EXECUTE rewrite;
  SET LOCAL client_min_messages TO warning;
  EXECUTE format('SELECT release_alter(''q'', masking => weighted(%s, 0.001))', masked_now);
  SELECT count(*) FILTER (WHERE g.n < 10), sum(g.n) FILTER (WHERE g.n < 10), count(*) INTO few, rows, of
  FROM (SELECT count(*) AS n FROM before a JOIN q.e b USING (id) GROUP BY a.p, a.n, b.p, b.n) g;
END $$;
SELECT * FROM rewritten($$by_suppression('p')$$, $$by_suppression('p')$$, 'UPDATE e SET p = p * 1.0 WHERE id % 5 < 2');
SELECT * FROM rewritten($$by_prefix('p')$$, $$by_suppression('p')$$, 'UPDATE e SET p = p * 1.00');
SELECT * FROM rewritten($$by_taxonomy_tree('p', '{"any": {"low": ["0", "1", "2", "3", "4", "5"], "high": ["6", "7", "8", "9", "10", "11"]}}')$$,
  $$by_suppression('p')$$, 'UPDATE e SET p = p * 1.0 WHERE id % 5 < 2');
-- Where most rows have no group of the version before nothing is known of what both tell; however the rows are read.
CREATE TABLE gone AS SELECT 'a' || i / 500 AS p, CASE WHEN i < 500 THEN i % 40 ELSE 50 END AS n FROM generate_series(1, 999) i;
SELECT tds_anonymize('gone', 'r', k_anonymity('{p,n}', 20)) -> 'version' AS version;
UPDATE gone SET p = 'b' WHERE p = 'a0';
CREATE FUNCTION read_by(scan text) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('pg_topdown.scan', scan, true);
  RAISE EXCEPTION '%', release_alter('r', masking => by_intervals('n', breakpoints => '{3,7,45}')) -> 'steps';
EXCEPTION WHEN raise_exception THEN RETURN sqlerrm;
END $$;
SELECT read_by('rows') AS rows, read_by('counts') AS counts;
INSERT INTO gone VALUES ('b', 1), ('b', 2);
SELECT read_by('rows') AS rows;
SELECT read_by('counts') AS counts;
SELECT release_drop('r');
-- A rule that shows how codes begin leaves something out of one of two equal values, and not of the other.
CREATE TABLE codes AS SELECT (CASE WHEN i <= 6 THEN '1' WHEN i <= 8 THEN '1.0' ELSE '3.5' END)::numeric AS p FROM generate_series(1, 14) i;
SELECT tds_anonymize('codes', 'r', k_anonymity('{p}', 2), masking => by_prefix('p', '{1}')) -> 'version' AS version;
SELECT p, count(*) FROM r.codes GROUP BY p ORDER BY p;
SELECT release_alter('r', privacy => k_anonymity('{p}', 6)) -> 'version' AS version;
SELECT release_drop('r');
SELECT release_drop('q');
-- By groups, rows whose value is shown no more go with the rest, and what divides that divides them.
CREATE TABLE rare AS SELECT i AS id, CASE WHEN i IN (1, 2, 3) OR i BETWEEN 11 AND 15 OR i BETWEEN 31 AND 50 THEN 20 ELSE 60 END AS n,
  CASE WHEN i <= 6 THEN 'x' WHEN i BETWEEN 11 AND 20 THEN 'y' ELSE 'r' || i END AS v, i <= 20 OR i BETWEEN 31 AND 33 AS c
FROM generate_series(1, 70) i WHERE i NOT BETWEEN 7 AND 10 AND i NOT BETWEEN 21 AND 30;
SELECT tds_anonymize('rare', 'q', k_anonymity('{n,v}', 5), class => 'c', recoding => 'local',
  masking => ARRAY[by_suppression('v'), by_intervals('n', '0', '120')]) -> 'version' AS version;
DELETE FROM rare WHERE id IN (1, 4);
SELECT release_refresh('q') -> 'steps' AS steps;
SELECT release_drop('q');
DROP SCHEMA regroup CASCADE;
