-- Threats: below the cut, definitions, statistics. What a recipient can read shows nothing that is not published:
-- no trace, no taxonomy, no manifest, no version table, no earlier version, nothing in the view's text, in comments,
-- statistics or plans.
CREATE ROLE regress_cut_reader;
CREATE SCHEMA below;
SET search_path TO below, public;
CREATE TABLE people (city text, age int, salary int, income text);
INSERT INTO people SELECT 'c' || i % 2, 1000 + i % 4, 777000 + i, CASE WHEN i % 4 < 2 THEN 'low' ELSE 'high' END FROM generate_series(1, 400) i;
-- A value that stays suppressed, and one that stays below an interval's split
INSERT INTO people VALUES ('Rareville', 1500, 1, 'low'), ('Rareville', 1500, 2, 'high');
ANALYZE people;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 50)], class => 'income') ->> 'version' AS version;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 60)], class => 'income') ->> 'version' AS version;
SELECT release_grant('r', 'regress_cut_reader');
SET ROLE regress_cut_reader;
SET search_path TO public;
SELECT city, count(*) > 0 AS rows FROM r.people GROUP BY 1 ORDER BY 1;
SELECT DISTINCT version FROM r.cut;
SELECT count(*) FROM r_private.steps;
SELECT count(*) FROM r_private.taxonomy;
SELECT count(*) FROM r_private.manifest;
SELECT count(*) FROM r_private.rows_v2;
SELECT count(*) FROM below.people;
SELECT ctid FROM r.people;
SELECT count(*) FROM r_private.cuts;
SELECT count(*) FROM r_private.cuts_v0;
SELECT count(*) FROM r_private.rows_v0;
SELECT count(*) FROM r_private.rows_v1;
SELECT parameters FROM r_private.manifest;
-- what the release says of itself: what was asked for, and nothing that was found
SELECT to_jsonb(a) - 'created_at' AS about FROM r.about a;
-- a recount of what the reader can count
SELECT required, achieved = (SELECT min(n) FROM (SELECT count(*) AS n FROM r.people GROUP BY city, age) g) AS as_counted, holds FROM release_verify('r');
SELECT release_assert('r');
SELECT count(*) FROM release_measures('r');
SELECT count(*) FROM releases();
UPDATE r.people SET city = 'x';
DELETE FROM r.cut;
CREATE TABLE r.mine (x int);
-- the cut says no more than the rows: as many records of each node as published, no suppressed value
SELECT c.attribute, c.node, c.records - n.published AS difference
FROM r.cut c JOIN (SELECT 'city' AS attribute, city AS node, count(*) AS published FROM r.people GROUP BY 2
                   UNION ALL SELECT 'age', age, count(*) FROM r.people GROUP BY 2) n USING (attribute, node) ORDER BY 1, 2;
SELECT (SELECT count(*) FROM r.cut) - (SELECT count(DISTINCT city) + count(DISTINCT age) FROM r.people) AS nodes_without_rows;
SELECT count(*) FROM r.cut c WHERE c::text ~ 'Rareville|1500|1000|1003';
-- statistics: those of the raw table stay hidden, those of the version table too
SELECT schemaname, tablename, attname FROM pg_stats WHERE schemaname IN ('below', 'r', 'r_private');
SELECT count(*) FROM pg_stats WHERE schemaname NOT IN ('pg_catalog', 'information_schema') AND (most_common_vals::text ~ 'Rareville|1500' OR histogram_bounds::text ~ 'Rareville|1500');
-- plans: the view reads the manifest and tables of versions only, whatever the raw table is
CREATE FUNCTION pg_temp.plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF) ' || query LOOP RETURN NEXT trim(line); END LOOP;
END $$;
SELECT DISTINCT line FROM pg_temp.plan('SELECT city FROM r.people') line WHERE line ~ ' (Scan|on) |Filter|Cond|Output: people' ORDER BY 1;
SELECT DISTINCT line FROM pg_temp.plan('SELECT * FROM r.people WHERE age = ''1500''') line WHERE line ~ ' (Scan|on) |Filter|Cond|Output: people' ORDER BY 1;
-- a function that prints what it is given sees published rows only
CREATE FUNCTION pg_temp.peek(text) RETURNS bool LANGUAGE plpgsql COST 0.0000001 AS $$ BEGIN IF $1 ~ 'Rareville|1500' THEN RAISE WARNING 'seen %', $1; END IF; RETURN true; END $$;
SELECT count(*) > 0 AS rows FROM r.people WHERE pg_temp.peek(city) AND pg_temp.peek(age);
SELECT count(*) > 0 AS rows FROM r.cut WHERE pg_temp.peek(node) AND pg_temp.peek(lower) AND pg_temp.peek(upper);
SELECT count(*) > 0 AS rows FROM r.about a WHERE pg_temp.peek(a::text);
-- definitions: what can be read without any right
SELECT count(*) AS telling FROM (
  SELECT pg_get_viewdef(c.oid) AS text FROM pg_class c WHERE relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname IN ('r', 'r_private')) AND relkind = 'v'
  UNION ALL SELECT description FROM pg_description d JOIN pg_class c ON c.oid = d.objoid WHERE relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname IN ('r', 'r_private'))
  UNION ALL SELECT description FROM pg_description d JOIN pg_namespace n ON n.oid = d.objoid WHERE nspname IN ('r', 'r_private')
  UNION ALL SELECT pg_get_constraintdef(o.oid) || conname FROM pg_constraint o JOIN pg_namespace n ON n.oid = connamespace WHERE nspname IN ('r', 'r_private')
  UNION ALL SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef a JOIN pg_class c ON c.oid = adrelid WHERE relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname IN ('r', 'r_private'))
  UNION ALL SELECT relname FROM pg_class c WHERE relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname IN ('r', 'r_private')) AND relkind <> 'i'
  UNION ALL SELECT relname || reloptions::text FROM pg_class c WHERE relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname IN ('r', 'r_private'))
) d WHERE text ~* 'Rareville|1500|1001|1002|50|60|777|\mlow\M|high|below';
-- comments hold no number
SELECT count(*) > 0 AS comments, count(*) FILTER (WHERE description ~ '[0-9]') AS numbers FROM pg_description d JOIN pg_class c ON c.oid = d.objoid AND d.classoid = 'pg_class'::regclass
WHERE relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname IN ('r', 'r_private'));
-- the view refers to the manifest and the table of all versions, and nothing else
SELECT DISTINCT refobjid::regclass FROM pg_depend d JOIN pg_rewrite w ON w.oid = d.objid
WHERE d.classid = 'pg_rewrite'::regclass AND w.ev_class = 'r.people'::regclass AND refclassid = 'pg_class'::regclass AND refobjid <> ev_class ORDER BY 1;
RESET ROLE;
SET search_path TO below, public;
-- a release without a grant: not even its names can be used
SELECT tds_anonymize('people', 'r2', ARRAY[k_anonymity(ARRAY['city', 'age'], 50)]) ->> 'version' AS version;
SET ROLE regress_cut_reader;
SELECT count(*) FROM r2.people;
RESET ROLE;
DISCARD TEMP;
SELECT release_drop('r'), release_drop('r2');
DROP SCHEMA below CASCADE;
DROP ROLE regress_cut_reader;
