-- Changes in batches: those who came and those who left change a release only with enough others of their group.
CREATE SCHEMA bat;
SET search_path TO bat, public;
\pset null '~'
SET pg_topdown.keep_versions = 100;
SELECT setseed(0.4);
CREATE TABLE people AS SELECT i AS id, 20 + (random() * 60)::int AS age, (ARRAY['Ulm','Bonn','Kiel','Jena'])[1 + (random() * 3)::int] AS town,
  (ARRAY['flu','cold','none','gout'])[1 + (random() * 3)::int] AS illness, 'z' || lpad((random() * 99)::int::text, 2, '0') AS zip FROM generate_series(1, 3000) i;
CREATE TABLE pool AS SELECT 10000 + i AS id, 20 + (random() * 60)::int AS age, (ARRAY['Ulm','Bonn','Kiel','Jena'])[1 + (random() * 3)::int] AS town,
  (ARRAY['flu','cold','none','gout'])[1 + (random() * 3)::int] AS illness, 'z' || lpad((random() * 99)::int::text, 2, '0') AS zip FROM generate_series(1, 4000) i;
CREATE FUNCTION churn(rows int) RETURNS void LANGUAGE sql AS $$
  DELETE FROM people WHERE id IN (SELECT id FROM people ORDER BY hashint4(id * 7 + (SELECT count(*)::int FROM pool)) LIMIT rows);
  WITH taken AS (DELETE FROM pool WHERE id IN (SELECT id FROM pool ORDER BY id LIMIT rows) RETURNING *) INSERT INTO people SELECT * FROM taken $$;
-- of each part, by plain SQL over the version tables, the smallest group and the rows in groups below k
CREATE FUNCTION parts(release text, masked text, k int) RETURNS TABLE (part text, smallest bigint, too_few bigint) LANGUAGE sql AS $$
  SELECT r.part, r.achieved, r.violating_rows FROM public.recounted(release, masked, k) r $$;
-- every row of the source is released or waits, every row released is in the source or lingers
CREATE FUNCTION lost(release text) RETURNS TABLE (released bigint, waiting bigint, lingering bigint, source bigint, balance bigint) LANGUAGE plpgsql AS $$ BEGIN
  RETURN QUERY EXECUTE format('SELECT a.rows, (m.parameters #>> ''{held,waiting}'')::bigint, (m.parameters #>> ''{held,lingering}'')::bigint, s.n,
    a.rows - (m.parameters #>> ''{held,lingering}'')::bigint + (m.parameters #>> ''{held,waiting}'')::bigint - s.n
    FROM %I.about a, %I_private.manifest m, (SELECT count(*) AS n FROM people) s WHERE m.current', release, release); END $$;
SELECT tds_anonymize('people', 'b', k_anonymity('{age,town,zip}', 20), score => 'conditional', masking => by_prefix('zip'), keep => '{illness}', changes => 'batched') - '{seconds,privacy,determines}'::text[] AS made;
SELECT count(*) AS groups FROM (SELECT FROM b.people GROUP BY age, town, zip) g;
SELECT attname FROM pg_attribute WHERE attrelid = 'b_private.rows_v1'::regclass AND attnum > 0 ORDER BY attnum;
-- a few rows wait, or stay
SELECT churn(30);
SELECT o - '{seconds,privacy,determines,kept_at_risk,oldest_waiting,oldest_lingering}'::text[] AS made, (o ->> 'oldest_waiting')::timestamptz = now() AS since_now FROM release_refresh('b') o;
SELECT part, achieved, holds, violating_rows FROM release_changes('b');
SELECT part, smallest >= 20 AS enough, too_few FROM parts('b', 'age, town, zip', 20);
SELECT * FROM lost('b');
-- until there are enough of them
CREATE TABLE seen (round int, part text, smallest bigint, too_few bigint, balance bigint, waiting bigint, lingering bigint);
DO $$ BEGIN
  FOR i IN 1..25 LOOP
    PERFORM churn(60);
    PERFORM release_refresh('b');
    INSERT INTO seen SELECT i, p.part, p.smallest, p.too_few, l.balance, l.waiting, l.lingering FROM parts('b', 'age, town, zip', 20) p, lost('b') l;
  END LOOP;
END $$;
SELECT part, min(smallest) AS smallest, sum(too_few) AS too_few, count(*) > 10 AS often, sum(abs(balance)) AS lost FROM seen GROUP BY part ORDER BY part;
SELECT max(waiting) < 700 AS few_wait, max(lingering) < 700 AS few_stay, max(waiting) > 100 AS some FROM seen;
SELECT count(DISTINCT n) AS numbers_of_steps FROM (SELECT version, count(*) AS n FROM b_private.steps GROUP BY version) s;
SELECT bool_and(holds) AS holds FROM release_verify('b');
-- the same source makes no version, though rows wait
SELECT release_refresh('b') -> 'unchanged' AS unchanged;
-- the same by local recoding, of counted rows, with other models
SELECT tds_anonymize('people', 'l', ARRAY[k_anonymity('{age,town}', 15), l_diversity('{age,town}', 'illness', 2)], recoding => 'local', changes => 'batched') ->> 'version' AS version;
SET pg_topdown.scan = counts;
SELECT tds_anonymize('people', 'c', ARRAY[k_anonymity('{age,town,zip}', 20), k_anonymity('{zip}', 40)], score => 'conditional', keep => '{illness}', means => '{age}', changes => 'batched') ->> 'version' AS version;
RESET pg_topdown.scan;
CREATE TABLE others AS TABLE seen WITH NO DATA;
DO $$ BEGIN
  FOR i IN 1..4 LOOP
    PERFORM churn(150);
    PERFORM release_refresh('l');
    INSERT INTO others SELECT i, p.part, p.smallest, p.too_few, l.balance FROM parts('l', 'age, town', 15) p, lost('l') l;
    PERFORM set_config('pg_topdown.scan', 'counts', true);
    PERFORM release_refresh('c');
    PERFORM set_config('pg_topdown.scan', 'auto', true);
    INSERT INTO others SELECT i, p.part, p.smallest, p.too_few, l.balance FROM parts('c', 'age, town, zip', 20) p, lost('c') l;
  END LOOP;
END $$;
SELECT part, min(smallest) >= 15 AS enough, sum(too_few) AS too_few, sum(abs(balance)) AS lost FROM others GROUP BY part ORDER BY part;
SELECT bool_and(holds) AS holds FROM unnest('{l,c}'::text[]) r, LATERAL release_changes(r) c;
SELECT bool_and(holds) AS holds FROM unnest('{l,c}'::text[]) r, LATERAL release_verify(r) c;
-- persons: as many of them, however many rows they have
CREATE TABLE visits AS SELECT i / 3 AS patient, 20 + i / 3 % 50 AS age, 'n' || i % 3 AS note FROM generate_series(1, 3000) i;
SELECT tds_anonymize('visits', 'p', k_anonymity('{age}', 10, person => 'patient'), score => 'conditional', keep => '{note}', changes => 'batched') ->> 'version' AS version;
DELETE FROM visits WHERE patient % 9 = 0 OR patient < 5;
INSERT INTO visits SELECT 5000 + i / 4, 20 + i / 4 % 50, 'n' || i % 3 FROM generate_series(1, 900) i;
INSERT INTO visits SELECT patient, age, 'x' FROM visits WHERE patient BETWEEN 100 AND 110;
SELECT (o ->> 'waiting')::int > 0 AS waits, (o ->> 'lingering')::int > 0 AS stays FROM release_refresh('p') o;
SELECT part, achieved >= 10 AS enough, holds FROM release_changes('p');
SELECT rows - (parameters #>> '{held,lingering}')::bigint + (parameters #>> '{held,waiting}')::bigint - (SELECT count(*) FROM visits) AS balance FROM p_private.manifest WHERE current;
-- enough have left, and as many wait elsewhere: the next refresh lets them go, though the source is the same
CREATE TABLE u AS SELECT i AS id, 30 AS age, CASE WHEN i <= 12 THEN 'Ulm' ELSE 'Bonn' END AS town FROM generate_series(1, 40) i;
SELECT tds_anonymize('u', 'u', k_anonymity('{age,town}', 10), score => 'conditional', changes => 'batched') ->> 'version' AS version;
DELETE FROM u WHERE id <= 10;
INSERT INTO u SELECT 100 + i, 31, 'Ulm' FROM generate_series(1, 10) i;
SELECT o -> 'rows' AS rows, o -> 'waiting' AS waiting, o -> 'lingering' AS lingering FROM release_refresh('u') o;
SELECT o -> 'rows' AS rows, o -> 'lingering' AS lingering, o -> 'unchanged' AS unchanged FROM release_refresh('u') o;
SELECT o -> 'rows' AS rows, o -> 'unchanged' AS unchanged FROM release_refresh('u') o;
-- most of a group have left: as many stay with the rest as make a group
CREATE TABLE e AS SELECT i AS id, CASE WHEN i <= 100 THEN 30 ELSE 60 END AS age, i % 4 AS ward FROM generate_series(1, 200) i;
SELECT tds_anonymize('e', 'e', k_anonymity('{age}', 50), masking => by_intervals('age', '0', '100'), keep => '{ward}', changes => 'batched') ->> 'version' AS version;
DELETE FROM e WHERE id <= 95;
CREATE VIEW held AS SELECT o -> 'rows' AS rows, o -> 'waiting' AS waiting, o -> 'lingering' AS lingering, o -> 'unchanged' AS unchanged FROM (VALUES (NULL::jsonb)) v (o);
CREATE FUNCTION held(o jsonb) RETURNS SETOF held LANGUAGE sql AS $$ SELECT o -> 'rows', o -> 'waiting', o -> 'lingering', o -> 'unchanged' $$;
SELECT * FROM held(release_refresh('e'));
SELECT part, achieved, holds FROM release_changes('e');
-- erased: what left goes at once, and the rest of its group waits
SELECT * FROM held(release_refresh('e', erase => true));
SELECT part, achieved, holds FROM release_changes('e');
SELECT * FROM held(release_refresh('e', erase => true));
-- one row goes, and as many with it as make a group; what came waits meanwhile, and both come together
DELETE FROM e WHERE id = 150;
INSERT INTO e SELECT 1000 + i, 60, 0 FROM generate_series(1, 60) i;
SELECT * FROM held(release_refresh('e', erase => true));
SELECT part, achieved, holds FROM release_changes('e');
SELECT * FROM held(release_refresh('e'));
SELECT part, achieved, holds FROM release_changes('e');
-- whose groups are too small to divide go as a whole
DELETE FROM e WHERE id BETWEEN 101 AND 130;
SELECT * FROM held(release_refresh('e', erase => true));
SELECT bool_and(holds) AS holds FROM release_changes('e');
SELECT bool_and(holds) AS holds FROM release_verify('e');
-- of counted rows, those that came and are equal to some that stay take none of these with them
CREATE TABLE w AS SELECT 30 + i % 2 AS age, i % 25 AS ward FROM generate_series(1, 200) i;
SET pg_topdown.scan = counts;
SELECT tds_anonymize('w', 'w', k_anonymity('{age}', 10), score => 'conditional', keep => '{ward}', changes => 'batched') ->> 'version' AS version;
DELETE FROM w WHERE ctid = (SELECT min(ctid) FROM w WHERE age = 30);
INSERT INTO w VALUES (31, 1);
SELECT * FROM held(release_refresh('w', erase => true));
RESET pg_topdown.scan;
SET client_min_messages TO notice;
-- what has no place waits for one, and that is told; leaving batches is told, too; the share of withheld rows is raised outside of them
CREATE TABLE placed AS SELECT i % 50 AS a, 'x' || i % 3 AS x FROM generate_series(1, 500) i;
SELECT tds_anonymize('placed', 'pl', k_anonymity('{a}', 5), class => 'x', masking => by_intervals('a', '0', '100'), changes => 'batched') -> 'rows' AS rows;
INSERT INTO placed SELECT 101, 'x1' FROM generate_series(1, 20);
SELECT * FROM held(release_refresh('pl'));
SELECT * FROM held(release_refresh('pl', unknown => 'withhold'));
DELETE FROM placed WHERE a = 101 AND ctid <> (SELECT min(ctid) FROM placed WHERE a = 101);
DELETE FROM placed WHERE ctid = (SELECT min(ctid) FROM placed);
SELECT * FROM held(release_refresh('pl', erase => true));
DELETE FROM placed WHERE a = 101;
SELECT release_alter('pl', changes => 'any', allow_weaker => true) -> 'rows' AS rows;
CREATE TABLE seldom AS SELECT i % 10 AS a, 's' || i % 2 AS s, 'v' || i % 3 AS x FROM generate_series(1, 200) i;
INSERT INTO seldom VALUES (50, 's1', 'v1');
SELECT tds_anonymize('seldom', 'ra', k_anonymity('{a,s}', 5), class => 'x', withhold => 0.005, changes => 'batched') -> 'withheld' AS withheld;
INSERT INTO seldom VALUES (50, 's1', 'v1');
SELECT release_refresh('ra');
SELECT release_alter('ra', withhold => 0.1, changes => 'any', allow_weaker => true) -> 'withheld' AS withheld;
SELECT release_alter('ra', changes => 'batched') -> 'withheld' AS withheld;
SELECT * FROM held(release_refresh('ra'));
SELECT release_drop(r) FROM unnest('{pl,ra}'::name[]) r \g /dev/null
RESET client_min_messages;
-- without memory to tell rows apart there is no release
CREATE TABLE much AS SELECT i % 50 AS a, i % 7 AS b FROM generate_series(1, 70000) i;
SET pg_topdown.max_memory = '4MB';
SELECT tds_anonymize('much', 'much', k_anonymity('{a,b}', 20), changes => 'batched');
SELECT tds_anonymize('much', 'much', k_anonymity('{a,b}', 20), score => 'conditional') -> 'rows' AS rows;
RESET pg_topdown.max_memory;
DELETE FROM much WHERE a = 7;
SELECT release_refresh('much') -> 'rows' AS rows;
-- erased again and again, with other models, counted, of persons
CREATE TABLE erased (round int, part text, smallest bigint, too_few bigint, balance bigint, lingering bigint);
DO $$ BEGIN
  FOR i IN 1..4 LOOP
    PERFORM churn(40);
    PERFORM release_refresh('l', erase => true);
    INSERT INTO erased SELECT i, p.part, p.smallest, p.too_few, l.balance, l.lingering FROM parts('l', 'age, town', 15) p, lost('l') l;
    PERFORM set_config('pg_topdown.scan', 'counts', true);
    PERFORM release_refresh('c', erase => true);
    PERFORM set_config('pg_topdown.scan', 'auto', true);
    INSERT INTO erased SELECT i, p.part, p.smallest, p.too_few, l.balance, l.lingering FROM parts('c', 'age, town, zip', 20) p, lost('c') l;
    DELETE FROM visits WHERE patient % 50 = i;
    PERFORM release_refresh('p', erase => true);
  END LOOP;
END $$;
SELECT part, min(smallest) >= 15 AS enough, sum(too_few) AS too_few, sum(abs(balance)) AS lost, sum(lingering) AS lingering FROM erased GROUP BY part ORDER BY part;
SELECT bool_and(holds) AS holds FROM unnest('{l,c,p}'::text[]) r, LATERAL release_changes(r) c;
SELECT bool_and(holds) AS holds FROM unnest('{l,c,p}'::text[]) r, LATERAL release_verify(r) c;
-- since when a row is held is not known if somebody has changed that: since now
UPDATE e_private.held_v0 SET rows = rows || NULL::bigint WHERE part = 'waiting';
DELETE FROM e WHERE id = 140;
SELECT * FROM held(release_refresh('e'));
-- the report draws the versions
SELECT release_report('l') ~ 'Rows that linger: [0-9]+ in version 1, 0 in version' AS drawn;
SELECT count(*) > 3 AS explained FROM release_explain('b');
-- more rows of new groups than of all others
INSERT INTO u SELECT 500 + i, 30, 'Kiel' FROM generate_series(1, 60) i;
SELECT o -> 'rows' AS rows, o -> 'waiting' AS waiting FROM release_refresh('u') o;
-- what a taxonomy has below a node stays there; new leaves are welcome
CREATE TABLE towns (child text, parent text);
INSERT INTO towns VALUES ('south', 'any'), ('north', 'any'), ('Ulm', 'south'), ('Jena', 'south'), ('Bonn', 'north'), ('Kiel', 'north');
CREATE TABLE t AS SELECT i AS id, CASE WHEN i <= 100 THEN 'Ulm' WHEN i = 101 THEN 'Jena' WHEN i <= 180 THEN 'Bonn' ELSE 'Kiel' END AS town FROM generate_series(1, 300) i;
SELECT tds_anonymize('t', 't', k_anonymity('{town}', 10), masking => by_taxonomy('town', 'bat.towns'), score => 'conditional', max_steps => 1, changes => 'batched') ->> 'version' AS version;
UPDATE towns SET parent = 'north' WHERE child = 'Jena';
SELECT release_refresh('t');
UPDATE towns SET parent = 'south' WHERE child = 'Jena';
-- nor does it get another root, or something below a leaf that rows hold, those that linger, too
INSERT INTO towns VALUES ('any', 'all');
SELECT release_refresh('t');
DELETE FROM towns WHERE parent = 'all';
INSERT INTO towns VALUES ('any', NULL), ('Narvik', 'north'), ('Ulm-Mitte', 'Ulm');
BEGIN;
DELETE FROM t WHERE town = 'Ulm' AND id > 2;
UPDATE t SET town = 'Ulm-Mitte' WHERE town = 'Ulm';
SELECT release_refresh('t');
ROLLBACK;
DELETE FROM towns WHERE parent = 'Ulm';
INSERT INTO t SELECT 1000 + i, 'Oulu' FROM generate_series(1, 12) i;
SELECT o -> 'waiting' AS waiting FROM release_refresh('t') o;
INSERT INTO towns VALUES ('Oulu', 'north');
-- (of the version before, too: so one refresh later)
SELECT o -> 'waiting' AS waiting FROM release_refresh('t') o;
SELECT o -> 'waiting' AS waiting, o -> 'rows' AS rows FROM release_refresh('t') o;
-- since when rows are held is told of those that were first
CREATE TABLE s AS SELECT i AS id, 'v' || i % 2 AS v FROM generate_series(1, 60) i;
SELECT tds_anonymize('s', 's', k_anonymity('{v}', 10), changes => 'batched') ->> 'version' AS version;
INSERT INTO s VALUES (61, 'v0'); DELETE FROM s WHERE id = 1;
SELECT release_refresh('s') -> 'version' AS version;
INSERT INTO s VALUES (62, 'v0'); DELETE FROM s WHERE id = 3;
SELECT o -> 'waiting' AS waiting, o -> 'lingering' AS lingering, (o ->> 'oldest_waiting')::timestamptz = m.created_at AS first_waited, (o ->> 'oldest_lingering')::timestamptz = m.created_at AS first_lingered
FROM release_refresh('s') o, s_private.manifest m WHERE m.version = 2;
SELECT oldest_waiting = (SELECT created_at FROM s_private.manifest WHERE version = 2) AS waited FROM release_drift('s') WHERE version = 3;
-- what is held back, version by version
SELECT bool_and(waiting >= 0 AND lingering >= 0) AS told, count(oldest_waiting) > 0 AS since, bool_and(oldest_waiting <= created_at) AS before FROM release_drift('l');
-- a value that was never there waits for others
INSERT INTO people SELECT 90000 + i, 30, 'Oulu', 'flu', 'x1' FROM generate_series(1, 25) i;
SELECT (o ->> 'waiting')::int > 0 AS waits, o -> 'coarser' AS coarser FROM release_refresh('b') o;
SELECT count(*) FILTER (WHERE town = 'Oulu') AS oulu, count(*) FILTER (WHERE zip ~ 'x') AS x FROM b.people;
-- rewound: the same rows, coarser; then on from there
SELECT release_rewind('b', 3) ->> 'steps' AS steps;
SELECT churn(100);
SELECT release_refresh('b') ->> 'steps' AS steps;
SELECT part, smallest >= 20 AS enough, too_few FROM parts('b', 'age, town, zip', 20);
SELECT balance FROM lost('b');
-- no new search, unless it is asked for
CREATE FUNCTION fails(call text) RETURNS TABLE (state text, message text, detail text, hint text) LANGUAGE plpgsql AS $$ BEGIN
  EXECUTE call; EXCEPTION WHEN others THEN GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT; RETURN NEXT; END $$;
SELECT release_refresh('b', 'search');
SELECT release_alter('b', max_steps => 3);
SELECT tds_anonymize('people', 'b', k_anonymity('{age,town,zip}', 20), keep => '{illness}', changes => 'batched');
SELECT release_alter('b', changes => 'any');
SELECT release_alter('b', changes => 'some');
SELECT tds_anonymize('people', 'k', t_closeness('{age}', 'illness', 0.4), changes => 'batched');
SELECT release_alter('b', changes => 'any', allow_weaker => true) ->> 'version' AS version;
SELECT (parameters -> 'held') IS NULL AS nothing_held, (SELECT count(*) FROM b_private.held_v0) AS rows_held FROM b_private.manifest WHERE current;
SELECT release_alter('b', changes => 'batched') ->> 'waiting' AS waiting;
SELECT churn(40);
SELECT (release_refresh('b') ->> 'waiting')::int > 0 AS waits;
SELECT part, smallest >= 20 AS enough, too_few FROM parts('b', 'age, town, zip', 20);
-- a source that was renamed: it goes on from there, in batches
ALTER TABLE people RENAME TO persons;
DELETE FROM persons WHERE id IN (SELECT id FROM persons ORDER BY id LIMIT 7);
SELECT state, hint FROM fails('SELECT release_refresh(''b'')');
SELECT o ->> 'version' IS NOT NULL AS goes_on, (o ->> 'lingering')::int > 0 AS lingers
  FROM release_alter('b', source => 'persons') o;
SELECT part, smallest >= 20 AS enough, too_few FROM parts('b', 'age, town, zip', 20);
SELECT state FROM fails('SELECT release_alter(''b'', source => ''persons'', max_steps => 3)');
ALTER TABLE persons RENAME TO people;
SELECT release_alter('b', source => 'people') ->> 'version' IS NOT NULL AS goes_on;
-- what is shown otherwise is another value, though it is equal
CREATE TABLE scales AS SELECT i::numeric AS nu FROM generate_series(1, 4) i, generate_series(1, 10);
SELECT tds_anonymize('scales', 'n', k_anonymity('{nu}', 2), masking => by_suppression('nu'), changes => 'batched') ->> 'version' AS version;
INSERT INTO scales VALUES (3), (3.0);
SELECT * FROM held(release_refresh('n'));
INSERT INTO scales VALUES (3), (3.0);
SELECT * FROM held(release_refresh('n'));
SELECT bool_and(holds) AS holds FROM release_changes('n');
-- a withheld row comes and goes at once: what recipients read does not follow it
CREATE TABLE rare AS SELECT 20 + i % 50 AS age, (ARRAY['x', 'y'])[1 + i % 2] AS code FROM generate_series(1, 1000) i;
INSERT INTO rare VALUES (33, 'rare');
SELECT tds_anonymize('rare', 'r', k_anonymity('{age,code}', 10), masking => by_suppression('code'), withhold => 0.01, changes => 'batched') ->> 'withheld' AS withheld;
CREATE TABLE told AS SELECT rows, withheld, regexp_replace(release_report('r', 'recipient'), ' as of [^:]*:', '') AS report FROM r.about;
DELETE FROM rare WHERE code = 'rare';
SELECT release_refresh('r') ->> 'withheld' AS withheld;
SELECT a.withheld, (a.rows, a.withheld) IS NOT DISTINCT FROM (t.rows, t.withheld) AS same, report ~ 'may be left out' AS may, release_report('r') ~ 'withheld' AS owners FROM r.about a, told t;
-- counts, errors that are told and means of kept columns would tell of single rows
SELECT tds_anonymize('people', 'x', k_anonymity('{age}', 5), tell_error => true, changes => 'batched');
SELECT tds_anonymize('people', 'x', k_anonymity('{age}', 5), counts => true, changes => 'batched');
SELECT tds_anonymize('people', 'x', k_anonymity('{age}', 5), keep => '{id}', masking => top_coded('id'), changes => 'batched');
SELECT tds_anonymize('people', 'x', k_anonymity('{age}', 5), keep => '{id}', masking => microaggregated('id', 5), changes => 'batched');
SELECT release_alter('r', counts => true, changes => 'batched', allow_weaker => true);
-- nothing can stay beside what goes
WITH gone AS (DELETE FROM u RETURNING 1) SELECT count(*) FROM gone;
SELECT release_refresh('u');
-- from the first version that is batched on
SELECT tds_anonymize('scales', 'later', k_anonymity('{nu}', 2), masking => by_suppression('nu')) ->> 'version' AS version;
SET client_min_messages TO notice;
SELECT release_alter('later', changes => 'batched') ->> 'version' AS version;
RESET client_min_messages;
SELECT obj_description('later.scales'::regclass);
SET client_min_messages TO notice;
SELECT tds_anonymize('scales', 'later_locally', k_anonymity('{nu}', 2), masking => by_suppression('nu'), recoding => 'local', changes => 'batched') ->> 'version' AS version;
RESET client_min_messages;
-- (of what makes less of kept values batches take rounded() alone)
CREATE TABLE counted AS SELECT nu, row_number() OVER () AS id FROM scales;
SELECT tds_anonymize('counted', 'later_kept', k_anonymity('{nu}', 2), masking => by_suppression('nu'), keep => '{id}', changes => 'batched') ->> 'version' AS version;
SELECT release_drop('later_kept');
-- its groups have room for parts: they are those of sixteen times the k
SELECT tds_anonymize('people', 'roomy', k_anonymity('{age,town,illness}', 5), recoding => 'local', changes => 'batched') ->> 'version' AS version;
SELECT tds_anonymize('people', 'large', k_anonymity('{age,town,illness}', 80), recoding => 'local') ->> 'version' AS version;
SELECT count(*) FROM (SELECT * FROM roomy.people EXCEPT ALL SELECT * FROM large.people) d;
SELECT min(n) >= 80 AS large, count(*) > 1 AS several FROM (SELECT count(*) AS n FROM roomy.people GROUP BY age, town, illness) g;
SELECT reason FROM release_explain('roomy') WHERE reason ~ 'batched' LIMIT 1;
SELECT count(*) FROM release_explain('roomy') WHERE reason ~ 'would keep every model';
SELECT release_drop('roomy'), release_drop('large');
-- so has what is left of a group, and what is missing
CREATE TABLE holes AS SELECT i AS id, CASE WHEN (hashint4(i) & 15) = 0 THEN NULL ELSE 20 + (hashint4(i + 7) & 31) END AS a, (hashint4(i + 99) & 31) AS b,
  (ARRAY['x','x','x','x','y','z'])[1 + (hashint4(i + 5) & 5)] AS c FROM generate_series(1, 1500) i;
SELECT tds_anonymize('holes', 'holes', k_anonymity('{a,b,c}', 5), masking => ARRAY[by_intervals('a', '0', '64'), by_intervals('b', '0', '64')], recoding => 'local', changes => 'batched') ->> 'version' AS version;
SELECT min(n) >= 80 AS large, count(*) > 5 AS several FROM (SELECT count(*) AS n FROM holes.holes GROUP BY a, b, c) g;
DELETE FROM holes WHERE id % 97 = 0;
SELECT o -> 'coarser' AS coarser, o -> 'lingering' AS lingering FROM release_refresh('holes') o;
SELECT steps_kept > 5 AS kept, steps_dropped FROM release_drift('holes') ORDER BY version DESC LIMIT 1;
SELECT release_drop('holes');
-- local recoding with models over different columns: all are kept by the groups over all columns, or refreshes would fail some day
SELECT setseed(0.1);
CREATE TABLE crowd AS SELECT i AS id, 20 + (random() * random() * 60)::int AS age, (ARRAY['Ulm','Bonn','Kiel','Jena'])[1 + (random() * random() * 4)::int] AS town,
  CASE WHEN random() < 0.3 THEN 'gout' ELSE 'none' END AS illness, (ARRAY['m','f'])[1 + (random() * random() * 2)::int] AS sex,
  'z' || lpad((random() * random() * 99)::int::text, 2, '0') AS zip, random() AS part FROM generate_series(1, 45000) i;
CREATE SCHEMA other;
CREATE TABLE other.people AS SELECT id, age, town, illness, sex, zip FROM crowd WHERE part < 0.2;
SELECT tds_anonymize('other.people', 'm', ARRAY[k_anonymity('{age,town,zip,sex}', 10), k_anonymity('{age,sex}', 60), confidence_bound('{sex,town}', 'illness', '{gout}', 0.5)],
  masking => by_prefix('zip'), recoding => 'local', changes => 'batched') ->> 'version' AS version;
CREATE TABLE differently AS SELECT 0 AS round, c.* FROM release_changes('m') c WITH NO DATA;
DO $$ BEGIN
  FOR i IN 1..5 LOOP
    DELETE FROM other.people WHERE random() < CASE i % 3 WHEN 0 THEN 0.4 WHEN 1 THEN 0.1 ELSE 0.001 END;
    INSERT INTO other.people SELECT id, age, town, illness, sex, zip FROM crowd WHERE random() < CASE i % 3 WHEN 0 THEN 0.004 WHEN 1 THEN 0.04 ELSE 0.02 END;
    PERFORM release_refresh('m', erase => i % 3 > 0);
    INSERT INTO differently SELECT i, c.* FROM release_changes('m') c;
  END LOOP;
END $$;
SELECT part, count(*) AS measured, bool_and(holds) AS hold, sum(violating_groups) AS broken FROM differently GROUP BY part ORDER BY part;
-- what somebody has done to a version's table is said, and nothing else is
SELECT max(version) AS v FROM release_drift('m') \gset
BEGIN;
UPDATE m_private.rows_v:v SET row = NULL WHERE ctid IN (SELECT ctid FROM m_private.rows_v:v LIMIT 1);
SELECT release_refresh('m');
ROLLBACK;
BEGIN;
ALTER TABLE m_private.rows_v0 DETACH PARTITION m_private.rows_v:v;
ALTER TABLE m_private.rows_v:v RENAME TO moved;
SELECT release_refresh('m');
CREATE VIEW m_private.rows_v:v AS SELECT * FROM m_private.moved;
SELECT release_refresh('m');
ROLLBACK;
DROP SCHEMA bat, other, s, s_private, b, b_private, l, l_private, c, c_private, p, p_private, u, u_private, t, t_private, e, e_private, w, w_private, much, much_private, m, m_private, n, n_private, r, r_private, later, later_private, later_locally, later_locally_private CASCADE;
