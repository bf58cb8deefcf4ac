-- Clusters in batches: rows that stay are in their cluster, those that came are assigned to one that covers them.
CREATE SCHEMA clb;
SET search_path TO clb, public;
\pset null '~'
SET pg_topdown.keep_versions = 100;
CREATE TABLE tree (child text, parent text);
INSERT INTO tree VALUES ('Ulm', 'South'), ('Bonn', 'West'), ('Kiel', 'North'), ('Jena', 'East'), ('South', 'All'), ('West', 'All'), ('North', 'All'), ('East', 'All');
SELECT setseed(0.6);
CREATE FUNCTION person(id int) RETURNS TABLE (age int, town text, illness text, sex text) LANGUAGE sql VOLATILE AS $$
  SELECT CASE WHEN random() > 0.02 THEN 20 + (random() * random() * 60)::int END, (ARRAY['Ulm','Bonn','Kiel','Jena'])[1 + (random() * 3)::int],
    (ARRAY['flu','cold','none','gout'])[1 + (random() * 3)::int], CASE WHEN random() > 0.02 THEN (ARRAY['m','f'])[1 + id % 2] END $$;
CREATE TABLE people AS SELECT i AS id, p.* FROM generate_series(1, 3000) i, person(i) p;
-- some are alike
INSERT INTO people SELECT 5000 + i, 33, 'Ulm', 'flu', 'f' FROM generate_series(1, 150) i;
CREATE TABLE pool AS SELECT i AS id, p.* FROM generate_series(10001, 16000) i, person(i) p;
CREATE FUNCTION churn(rows int) RETURNS void LANGUAGE sql AS $$
  DELETE FROM people WHERE id IN (SELECT id FROM people ORDER BY hashint4(id * 7 + (SELECT count(*)::int FROM pool)) LIMIT rows);
  WITH taken AS (DELETE FROM pool WHERE id IN (SELECT id FROM pool ORDER BY id LIMIT rows) RETURNING *) INSERT INTO people SELECT * FROM taken $$;
CREATE FUNCTION lost(release text) RETURNS bigint LANGUAGE plpgsql AS $$ DECLARE balance bigint; BEGIN
  EXECUTE format('SELECT a.rows - (m.parameters #>> ''{held,lingering}'')::bigint + (m.parameters #>> ''{held,waiting}'')::bigint - s.n
    FROM %I.about a, %I_private.manifest m, (SELECT count(*) AS n FROM people) s WHERE m.current', release, release) INTO balance; RETURN balance; END $$;
-- every row lies in what is shown of it
CREATE FUNCTION outside(release text) RETURNS TABLE (rows bigint) LANGUAGE plpgsql AS $$ BEGIN
  RETURN QUERY EXECUTE format($q$ SELECT count(*) FROM (SELECT DISTINCT age, town, sex, hidden_1, hidden_2, hidden_3 FROM %I_private.rows_v0 WHERE version = (SELECT max(version) FROM %1$I_private.manifest)) v WHERE NOT (
    (v.sex IN ('*', v.hidden_3) OR (v.sex IS NULL AND v.hidden_3 IS NULL)) AND
    (v.town IN ('All', v.hidden_2) OR EXISTS (SELECT FROM tree t WHERE t.child = v.hidden_2 AND t.parent = v.town)) AND
    CASE WHEN v.age = '*' THEN true WHEN v.age IS NULL OR v.hidden_1 IS NULL THEN v.age IS NULL AND v.hidden_1 IS NULL
         WHEN v.age ~ '^[0-9]+$' THEN v.age = v.hidden_1::text
         ELSE (CASE WHEN right(v.age, 1) = ']' THEN v.hidden_1::numeric <@ v.age::numrange ELSE v.hidden_1 <@ v.age::int4range END) END) $q$, release); END $$;
SELECT kmember_anonymize('people', 'km', '{age,town,sex}', 5, masking => ARRAY[by_taxonomy('town', 'tree')], keep => '{illness}', changes => 'batched') - '{seconds,privacy,determines,kept_at_risk}'::text[] AS made;
SELECT tds_anonymize('people', 'cl', ARRAY[k_anonymity('{age,town,sex}', 6), l_diversity('{age,town,sex}', 'illness', 2)], masking => ARRAY[by_taxonomy('town', 'tree')], recoding => 'clustered', changes => 'batched') ->> 'rows' AS made;
SELECT tds_anonymize('people', 'sh', k_anonymity('{age,town,sex}', 5), masking => ARRAY[by_taxonomy('town', 'tree'), by_intervals('age', '0', '120')], recoding => 'clustered', show => '{town}', changes => 'batched') ->> 'rows' AS made;
-- clusters have room, and rows that are alike are in one
SELECT min(n) >= 80 AS large, count(*) > 10 AS several FROM (SELECT count(*) AS n FROM km.people GROUP BY age, town, sex) g;
SELECT min(n) >= 96 AS large, count(*) > 10 AS several FROM (SELECT count(*) AS n FROM cl.people GROUP BY age, town, sex) g;
SELECT max(n) AS clusters FROM (SELECT count(DISTINCT (age, town, sex)) AS n FROM km_private.rows_v1 GROUP BY row) r;
SELECT max(n) AS clusters FROM (SELECT count(DISTINCT (age, town, sex)) AS n FROM cl_private.rows_v1 GROUP BY row) r;
-- the same source makes no version, also where rows wait
SELECT churn(20);
SELECT (o ->> 'waiting')::int > 0 AS waits, o ->> 'version' AS version FROM release_refresh('km') o;
SELECT release_refresh('km') -> 'unchanged' AS unchanged;
-- a cluster covers the values at which it ends
CREATE TABLE at_ends AS SELECT max(hidden_1) AS age, min(hidden_2) AS town, min(hidden_3) AS sex FROM km_private.rows_v1 v WHERE v.age LIKE '%]' AND v.town <> 'All' AND v.sex <> '*'
  GROUP BY v.age, v.town, v.sex HAVING max(hidden_1)::text = rtrim(split_part(v.age, ',', 2), ']') ORDER BY 1 DESC, 2, 3 LIMIT 4;
INSERT INTO people SELECT 40000 + i, e.age, e.town, 'new', e.sex FROM at_ends e, generate_series(1, 12) i;
SELECT count(release_refresh('km')) AS refreshed;
SELECT count(*) > 0 AS some, bool_and(age <> '*') AS covered FROM km_private.rows_v3 WHERE illness = 'new';
CREATE TABLE seen (release text, part text, achieved bigint, too_few bigint, lost bigint, outside bigint, told bool);
CREATE FUNCTION rounds(rounds int, rows int, erase bool) RETURNS void LANGUAGE plpgsql AS $$ DECLARE release text; BEGIN
  FOR i IN 1..rounds LOOP
    PERFORM churn(rows);
    FOREACH release IN ARRAY '{km,cl,sh}'::text[] LOOP
      PERFORM release_refresh(release, erase => erase AND i % 3 = 0);
      INSERT INTO seen SELECT release, r.part, r.achieved, r.violating_rows, lost(release), o.rows,
          (SELECT bool_and(c.holds) FROM release_changes(release) c) AND (SELECT bool_and(c.holds) FROM release_changes(release, by => 'shown') c)
        FROM recounted(release, 'age, town, sex', 5) r, outside(release) o;
    END LOOP;
  END LOOP; END $$;
SELECT rounds(4, 200, true);
SELECT release, part, min(achieved) >= 5 AS enough, sum(too_few) AS too_few, sum(abs(lost)) AS lost, sum(outside) AS outside, bool_and(told) AS hold, count(*) > 1 AS often
FROM seen GROUP BY release, part ORDER BY release, part;
SELECT release, bool_and(holds) AS holds FROM (SELECT 'km' AS release, holds FROM release_verify('km') UNION ALL SELECT 'cl', holds FROM release_verify('cl') UNION ALL SELECT 'sh', holds FROM release_verify('sh')) v
GROUP BY release ORDER BY release;
-- no version shows what the first did not, but for rows that no cluster covers
SELECT age, town, sex FROM km_private.rows_v0 EXCEPT SELECT age, town, sex FROM km_private.rows_v1;
-- few of the rows wait, and what is shown is as specific as before
SELECT max(waiting) < 900 AS few_wait, max(lingering) < 900 AS few_stay, max(certainty_loss) - min(certainty_loss) < 0.05 AS as_specific FROM release_drift('km');
-- what no cluster covers goes together, and waits until it is enough; by one cut it shows that of its value
INSERT INTO people SELECT 20000 + i, 118, 'Ulm', (ARRAY['flu','cold'])[1 + i % 2], 'f' FROM generate_series(1, 4) i;
SELECT (release_refresh(release) ->> 'waiting')::int >= 4 AS waits FROM unnest('{km,cl,sh}'::text[]) release;
INSERT INTO people SELECT 20010 + i, 117, 'Ulm', (ARRAY['flu','cold'])[1 + i % 2], 'f' FROM generate_series(1, 4) i;
SELECT count(release_refresh(release)) AS refreshed FROM unnest('{km,cl,sh}'::text[]) release;
INSERT INTO people SELECT 20020 + i, 116, 'Ulm', (ARRAY['flu','cold'])[1 + i % 2], 'f' FROM generate_series(1, 8) i;
SELECT count(release_refresh(release)) AS refreshed FROM unnest('{km,cl,sh}'::text[]) release;
SELECT bool_and(age = '*') AS any, count(*) >= 5 AS enough FROM km_private.rows_v0 WHERE version = (SELECT max(version) FROM km_private.manifest) AND hidden_1 > 115;
SELECT bool_and(age = '*') AS any, count(*) >= 6 AS enough FROM cl_private.rows_v0 WHERE version = (SELECT max(version) FROM cl_private.manifest) AND hidden_1 > 115;
SELECT bool_and(town = 'Ulm') AS by_the_cut, count(*) >= 5 AS enough FROM sh_private.rows_v0 WHERE version = (SELECT max(version) FROM sh_private.manifest) AND hidden_1 > 115;
-- missing values go, and what was shown with them is shown as before
DELETE FROM people WHERE age IS NULL OR sex IS NULL;
SELECT count(release_refresh(release, erase => true)) AS refreshed FROM unnest('{km,cl,sh}'::text[]) release;
SELECT count(*) FILTER (WHERE hidden_1 IS NULL) AS missing, bool_or(age = '*') AS any, bool_or(age = '(,)') AS renamed FROM km_private.rows_v0 WHERE version = (SELECT max(version) FROM km_private.manifest);
SELECT bool_and(holds) AS holds FROM (SELECT unnest('{km,cl,sh}'::text[])) r (release), release_changes(release, by => 'shown');
-- a leaf that is new, and one that moves
INSERT INTO tree VALUES ('Trier', 'West');
INSERT INTO people SELECT 30000 + i, 40, 'Trier', 'none', 'm' FROM generate_series(1, 30) i;
SELECT count(release_refresh(release)) AS refreshed FROM unnest('{km,cl,sh}'::text[]) release;
SELECT count(*) FILTER (WHERE town NOT IN ('West', 'All', 'Trier')) AS elsewhere, count(*) >= 30 AS there FROM km_private.rows_v0 WHERE version = (SELECT max(version) FROM km_private.manifest) AND hidden_2 = 'Trier';
UPDATE tree SET parent = 'South' WHERE child = 'Kiel';
SELECT release_refresh('km');
UPDATE tree SET parent = 'North' WHERE child = 'Kiel';
-- not searched afresh; altered to batches and back, and from another source
SELECT release_refresh('km', 'search');
SELECT release_alter('km', privacy => ARRAY[k_anonymity('{age,town,sex}', 9)]);
SELECT release_alter('km', changes => 'any', allow_weaker => true) ->> 'version' IS NOT NULL AS left_batches;
SELECT min(n) < 80 AS small FROM (SELECT count(*) AS n FROM km.people GROUP BY age, town, sex) g;
SELECT release_alter('km', changes => 'batched') -> 'waiting' AS waiting;
SELECT min(n) >= 80 AS large FROM (SELECT count(*) AS n FROM km.people GROUP BY age, town, sex) g;
ALTER TABLE people RENAME TO persons;
SELECT release_alter('km', source => 'persons') -> 'steps' AS steps;
ALTER TABLE persons RENAME TO people;
SELECT release_rewind('cl', 1);
SELECT release_explain('cl');
-- fewer rows than room would take are one cluster
CREATE TABLE few AS SELECT * FROM people WHERE id % 50 = 0;
SELECT count(*) < 80 AS few FROM few;
SELECT kmember_anonymize('few', 'few', '{age,sex}', 5, changes => 'batched') ->> 'version' AS version;
SELECT count(*) AS clusters FROM (SELECT FROM few.few GROUP BY age, sex) g;
DELETE FROM few WHERE id IN (SELECT id FROM few ORDER BY id LIMIT 12);
SELECT o -> 'rows' = (SELECT to_jsonb(count(*)) FROM few) AS all_left, o -> 'lingering' AS lingering FROM release_refresh('few') o;
-- what no cluster covers is as specific as is asked at least, however specific a column may be at most; a value shown by one cut is shown as elsewhere
CREATE TABLE tall (child text, parent text);
INSERT INTO tall VALUES ('a1', 'A'), ('a2', 'A'), ('b1', 'B'), ('b2', 'B'), ('A', 'T'), ('B', 'T'), ('C', 'T'), ('n1', 'C'), ('n2', 'C');
CREATE TABLE two AS SELECT (ARRAY['a1','a2','b1','b2'])[1 + i % 4] AS t, (ARRAY['x','y'])[1 + i / 4 % 2] AS b FROM generate_series(1, 1000) i;
SELECT tds_anonymize('two', 'rc', k_anonymity('{t,b}', 5), masking => coarsest(by_taxonomy('t', 'tall'), 1), recoding => 'clustered', changes => 'batched') -> 'version' AS version;
SELECT tds_anonymize('two', 'rf', k_anonymity('{t,b}', 5), masking => finest(by_taxonomy('t', 'tall'), 2), recoding => 'clustered', changes => 'batched') -> 'version' AS version;
SELECT tds_anonymize('two', 'rs', k_anonymity('{t,b}', 5), masking => coarsest(by_suppression('b'), 1), recoding => 'clustered', changes => 'batched') -> 'version' AS version;
INSERT INTO two SELECT 'n1', (ARRAY['x','z'])[1 + i % 2] FROM generate_series(1, 300) i;
SELECT release_refresh(release) -> 'waiting' AS waiting FROM unnest('{rc,rf,rs}'::text[]) release;
INSERT INTO two SELECT 'n2', 'z' FROM generate_series(1, 60) i;
SELECT release_refresh(release) -> 'waiting' AS waiting FROM unnest('{rc,rf,rs}'::text[]) release;
SELECT t, b, count(*) FROM rc.two GROUP BY 1, 2 HAVING count(*) > 130 ORDER BY 1, 2;
SELECT t, b, count(*) FROM rf.two GROUP BY 1, 2 HAVING count(*) > 130 ORDER BY 1, 2;
SELECT t, b, count(*) FROM rs.two GROUP BY 1, 2 HAVING count(*) > 130 ORDER BY 1, 2;
CREATE TABLE sights AS SELECT i % 50 AS a, 'x' || i % 2 AS t FROM generate_series(1, 1000) i UNION ALL SELECT i % 50, 'r' || i FROM generate_series(1, 100) i;
SELECT tds_anonymize('sights', 'c', k_anonymity('{a,t}', 5), masking => by_suppression('t'), show => '{t}', recoding => 'clustered', changes => 'batched') -> 'version' AS version;
INSERT INTO sights SELECT 1000 + i, 'x1' FROM generate_series(1, 20) i;
SELECT release_refresh('c') -> 'waiting' AS waiting;
SELECT t, count(*) FROM c.sights GROUP BY 1 ORDER BY 1;
-- a single value is called as before; clusters that are gone make no column coarser; nothing is altered into a version of the same rows
CREATE TABLE one AS SELECT (i % 3) / 4.0 AS n FROM generate_series(1, 1200) i;
SELECT kmember_anonymize('one', 'o', '{n}', 5, masking => by_intervals('n'), changes => 'batched') -> 'version' AS version;
DELETE FROM one WHERE n = 0;
SELECT r -> 'version' AS version, r -> 'coarser' AS coarser FROM release_refresh('o') r;
SELECT DISTINCT n::numeric AS before FROM o_private.rows_v1 ORDER BY 1;
SELECT DISTINCT n::numeric AS now FROM o_private.rows_v2 ORDER BY 1;
SELECT release_alter('o');
-- a value of a shown column that is shown elsewhere is shown so in a row that comes, also where a cluster of `*` would cover it
CREATE TABLE cats AS SELECT cat, x FROM (SELECT 'a' AS cat, i % 10 AS x FROM generate_series(1, 300) i UNION ALL SELECT NULL, 10 + i % 10 FROM generate_series(1, 300) i UNION ALL SELECT 'r' || i, i FROM generate_series(1, 100) i) c;
SELECT tds_anonymize('cats', 'ca', k_anonymity('{cat,x}', 4), recoding => 'clustered', show => '{cat}', changes => 'batched') -> 'version' AS version;
INSERT INTO cats SELECT (ARRAY['a', NULL, 'new'])[1 + i % 3], 50 FROM generate_series(1, 30) i;
SELECT r -> 'version' AS version, r -> 'waiting' AS waiting FROM release_refresh('ca') r;
SELECT cat, count(*) FROM ca.cats GROUP BY 1 ORDER BY 1;
SELECT release_drop('ca');
-- an interval and a value that are called alike
CREATE TABLE alike AS SELECT CASE WHEN i <= 1000 THEN '[b,c]' ELSE (ARRAY['b','c'])[1 + i % 2] END AS t FROM generate_series(1, 1220) i;
SELECT kmember_anonymize('alike', 'al', '{t}', 10, masking => by_intervals('t'), endpoints => 'values', changes => 'batched');
DROP SCHEMA clb, km, km_private, cl, cl_private, sh, sh_private, few, few_private, rc, rc_private, rf, rf_private, rs, rs_private, c, c_private, o, o_private CASCADE;
