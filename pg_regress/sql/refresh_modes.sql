-- How a release is refreshed: by a replay, afresh where that would lose much, not at all where it loses too much; rows without a place.
SET client_min_messages TO notice;
CREATE SCHEMA modes;
SET search_path TO modes, public;
CREATE TABLE people AS SELECT 20 + i % 40 AS age, (ARRAY['9th', '10th', 'Bachelor', 'Master'])[1 + i / 7 % 4] AS edu, (ARRAY['f', 'm'])[1 + i / 3 % 2] AS sex
FROM generate_series(0, 1199) i;
CREATE TABLE tree (child text, parent text);
INSERT INTO tree VALUES ('School', 'Any'), ('University', 'Any'), ('9th', 'School'), ('10th', 'School'), ('Bachelor', 'University'), ('Master', 'University'), ('Never', 'Any');
CREATE FUNCTION made(recoding text) RETURNS text LANGUAGE sql AS $$
  SELECT tds_anonymize('people', recoding::name, k_anonymity('{age,edu,sex}', 20), recoding => recoding,
    masking => ARRAY[by_taxonomy('edu', 'tree'), by_intervals('age', '0', '120'), by_suppression('sex')]) ->> 'steps' $$;
CREATE FUNCTION lost(release name) RETURNS numeric LANGUAGE sql AS $$
  SELECT round(certainty_loss::numeric, 3) FROM release_drift(release) ORDER BY version DESC LIMIT 1 $$;
CREATE FUNCTION withheld_of(release name) RETURNS bigint LANGUAGE plpgsql AS $$ DECLARE withheld bigint; BEGIN
  EXECUTE format('SELECT withheld FROM %I.about', release) INTO withheld;
  RETURN withheld;
END $$;
-- whether the newest version is of a search of its own
CREATE FUNCTION searched(release name) RETURNS boolean LANGUAGE plpgsql AS $$ DECLARE searched boolean; BEGIN
  EXECUTE format('SELECT (parameters ->> ''trace'')::int = version FROM %I.manifest ORDER BY version DESC LIMIT 1', release || '_private') INTO searched;
  RETURN searched;
END $$;
SELECT r, made(r) > '0' AS has_steps, lost(r::name) FROM unnest('{global,local,clustered}'::text[]) r;

-- without anything new a replay is what it was, and auto is a replay
SELECT r, release_refresh(public.again(r::name), mode => 'auto') ->> 'mode' AS mode, lost(r::name) FROM unnest('{global,local,clustered}'::text[]) r;
SELECT release_refresh(public.again('global'), mode => 'search') ->> 'mode' AS mode;
SELECT count(public.again(release)) > 0 AS again FROM releases();
CALL release_refresh_all(mode => 'search');
SELECT release, version, failed_at IS NOT NULL AS failed, error, searched(release) FROM releases();
SELECT count(public.again(release)) > 0 AS again FROM releases();
CALL release_refresh_all('auto');
SELECT release, version, failed_at IS NOT NULL AS failed, error, searched(release) FROM releases();
SELECT count(public.again(release)) > 0 AS again FROM releases();
CALL release_refresh_all('again');
SELECT count(public.again(release)) > 0 AS again FROM releases();
CALL release_refresh_all(NULL);

-- one value that nobody held costs the groups that it is in, and no other: a child of the root, a value out of *, NULL
CREATE FUNCTION with_one(release name, age text, edu text, sex text, OUT lost numeric, OUT coarser text, OUT holds bool, OUT without numeric) LANGUAGE plpgsql AS $$
DECLARE added tid;
BEGIN
  EXECUTE format('INSERT INTO people VALUES (%s, %L, %L) RETURNING ctid', $2, $3, $4) INTO added;
  coarser := release_refresh($1) ->> 'coarser';
  lost := lost($1);
  SELECT bool_and(v.holds) INTO holds FROM release_verify($1) v;
  DELETE FROM people WHERE ctid = added;
  PERFORM release_refresh($1);
  without := lost($1);
END $$;
SELECT * FROM with_one('local', '30', 'Never', 'f');
SELECT * FROM with_one('local', '30', '9th', 'x');
SELECT * FROM with_one('local', '30', NULL, 'f');
SELECT * FROM with_one('local', 'NULL', '9th', 'f');
SELECT * FROM with_one('clustered', '30', 'Never', 'f');
-- what stands in for a group is found again by its steps: rewound, explained, and other rows put into it
INSERT INTO people VALUES (30, 'Never', 'f');
SELECT release_refresh(public.again('local')) ->> 'coarser' AS coarser;
SELECT attribute, node, children, records FROM local_private.steps WHERE version = (SELECT version FROM local.about) AND 'Any' = ANY (children) AND node = 'Any' ORDER BY step;
SELECT count(*) > 0 AS explained FROM release_explain('local');
SELECT release_apply('local', 'people', 'modes.applied') AS rows;
SELECT count(*) AS differing FROM (SELECT age, edu, sex FROM applied EXCEPT ALL SELECT age, edu, sex FROM local.people) d;
SELECT release_rewind('local', 3) -> 'steps' AS steps;
SELECT holds FROM release_verify('local');
SELECT release_refresh(public.again('local'), mode => 'search') ->> 'mode' AS mode;
DELETE FROM people WHERE edu = 'Never';

-- by global recoding it costs a column; auto searches then, in the same snapshot, and says both figures
SELECT release_refresh(public.again('global'), mode => 'search') ->> 'mode' AS mode, lost('global');
INSERT INTO people VALUES (30, '9th', 'x');
BEGIN;
SELECT release_refresh(public.again('global')) ->> 'mode' AS mode, lost('global');
ROLLBACK;
SELECT release_refresh(public.again('global'), mode => 'auto') ->> 'mode' AS mode, lost('global');
SELECT release_refresh(public.again('global'), mode => 'auto') ->> 'mode' AS mode, lost('global');

-- a version that loses more than it may is not made
SELECT version FROM global.about;
SELECT release_refresh(public.again('global'), max_loss => 0.001);
SELECT release_refresh(public.again('global'), mode => 'auto', max_loss => 0.001);
SELECT release_refresh(public.again('global'), mode => 'search', max_loss => 0.001);
SELECT version, (SELECT count(*) FROM pg_class WHERE relnamespace = 'global_private'::regnamespace AND relname LIKE 'rows\_v%' AND relkind = 'r') AS tables FROM global.about;
SELECT release_refresh(public.again('global'), max_loss => 1) ->> 'mode' AS mode;
SELECT release_refresh(public.again('global'), max_loss => certainty_loss) ->> 'mode' AS mode FROM release_drift('global') ORDER BY version DESC LIMIT 1;
SELECT release_refresh(public.again('global'), max_loss => 1.5);
SELECT release_refresh(public.again('global'), max_loss => -0.1);
SELECT release_refresh(public.again('global'), max_loss => 'NaN');
DELETE FROM people WHERE sex = 'x';

-- rows without a place may be left out whatever the recoding: one in a hundred, and those that were left out before count
SELECT kmember_anonymize('people', 'kmember', '{age,edu,sex}', 20, masking => by_taxonomy('edu', 'tree')) -> 'version' AS version;
INSERT INTO people SELECT 30 + i, 'Unheard', 'f' FROM generate_series(1, 12) i;
SELECT release_refresh(public.again('local'));
SELECT release_refresh(public.again('local'), unknown => 'withhold') - '{seconds,privacy,relation,steps,kept_at_risk,determines,withheld_by_class}'::text[] AS result;
SELECT release_refresh(public.again('clustered'), unknown => 'withhold') -> 'withheld' AS withheld;
SELECT release_refresh(public.again('kmember'), unknown => 'withhold') -> 'withheld' AS withheld;
-- by global recoding the release has a share of its own, which is none
SELECT release_refresh(public.again('global'), unknown => 'withhold');
-- the value gets a place: they stay withheld
INSERT INTO tree VALUES ('Unheard', 'School');
SELECT count(public.again(release)) > 0 AS again FROM releases();
CALL release_refresh_all();
SELECT release, version, failed_at IS NOT NULL AS failed, error, withheld_of(release) AS withheld FROM releases();
SELECT count(*) AS kept FROM local_private.withheld;
DELETE FROM tree WHERE child = 'Unheard';
-- one more is too many
INSERT INTO people VALUES (50, 'Unheard', 'm');
SELECT release_refresh(public.again('local'), unknown => 'withhold');
SELECT release_refresh(public.again('kmember'), unknown => 'withhold');

-- a new value beside a node that was divided into all its children: they are divided from it, and there are more parts than any node has children
CREATE TABLE branches (child text, parent text);
INSERT INTO branches VALUES ('f', 'all'), ('k', 'all'), ('r', 'k'), ('y', 'k');
CREATE TABLE beside AS SELECT CASE WHEN i <= 4 THEN 'y' ELSE 'r' END AS a FROM generate_series(1, 8) i;
SELECT tds_anonymize('beside', 'beside', k_anonymity('{a}', 3), masking => by_taxonomy('a', 'branches'), recoding => 'local') ->> 'steps' AS steps;
INSERT INTO beside VALUES ('f');
SELECT release_refresh('beside') ->> 'rows' AS rows;
SELECT a, count(*) FROM beside.beside GROUP BY a ORDER BY a COLLATE "C";
INSERT INTO beside VALUES ('f'), ('f');
SELECT release_refresh('beside') ->> 'rows' AS rows;
SELECT a, count(*) FROM beside.beside GROUP BY a ORDER BY a COLLATE "C";
SELECT bool_and(holds) AS holds FROM release_verify('beside');

-- many rows of a new value are a group that no step divides, and no column became coarser: what that costs is said, until a search is made
CREATE TABLE many AS SELECT i AS id, chr(97 + i % 3) AS a, lpad((i * 7 % 20)::text, 2, '0') AS d FROM generate_series(1, 800) i;
SELECT tds_anonymize('many', 'many', k_anonymity('{a,d}', 5), masking => by_prefix('d'), recoding => 'local') ->> 'steps' AS steps;
UPDATE many SET d = NULL WHERE id <= 100;
SELECT release_refresh('many') ->> 'coarser' AS coarser, lost('many');
SELECT release_refresh(public.again('many')) ->> 'mode' AS mode, lost('many');
UPDATE many SET d = NULL WHERE id <= 200;
SELECT release_refresh('many', mode => 'auto') ->> 'mode' AS mode, lost('many');
-- a search that would lose more than the steps is not what auto settles on, nor what max_loss is asked of
CREATE TABLE few AS SELECT i AS id, 20 + i * 7 % 50 AS age, chr(97 + i % 5) AS edu FROM generate_series(1, 100) i;
SELECT tds_anonymize('few', 'few', k_anonymity('{age,edu}', 5), masking => by_intervals('age', '0', '120'), recoding => 'local') ->> 'steps' AS steps, lost('few');
UPDATE few SET age = NULL WHERE id <= 5;
BEGIN;
SELECT release_refresh('few', mode => 'search') ->> 'mode' AS mode, lost('few');
ROLLBACK;
SELECT release_refresh('few', mode => 'search', max_loss => 0.2);
SELECT release_refresh('few', mode => 'auto', max_loss => 0.1);
SELECT release_refresh('few', mode => 'auto', max_loss => 0.2) ->> 'mode' AS mode, lost('few');
-- a taxonomy that has another root, or another level, makes a column coarser: that is said, whatever the recoding
CREATE TABLE levels (child text, parent text);
INSERT INTO levels VALUES ('south', 'any'), ('north', 'any'), ('Ulm', 'south'), ('Jena', 'south'), ('Bonn', 'north'), ('Kiel', 'north');
CREATE TABLE levels_before AS SELECT * FROM levels;
CREATE TABLE towns AS SELECT i AS id, (ARRAY['Ulm', 'Jena', 'Bonn', 'Kiel'])[1 + i % 4] AS town FROM generate_series(1, 100) i;
CREATE FUNCTION coarser(change text, masked masking DEFAULT by_taxonomy('town', 'levels'), k int DEFAULT 10) RETURNS TABLE (recoding text, coarser text, lost numeric) LANGUAGE plpgsql AS $$ BEGIN
  FOREACH recoding IN ARRAY '{global,local}'::text[] LOOP
    PERFORM tds_anonymize('towns', 'towns', k_anonymity('{town}', k), masking => masked, recoding => recoding);
    EXECUTE change;
    coarser := release_refresh(public.again('towns')) ->> 'coarser';
    lost := lost('towns');
    PERFORM release_drop('towns');
    DELETE FROM levels;
    INSERT INTO levels SELECT * FROM levels_before;
    RETURN NEXT;
  END LOOP;
END $$;
SELECT * FROM coarser($$INSERT INTO levels VALUES ('any', 'all')$$);
SELECT * FROM coarser($$INSERT INTO levels VALUES ('centre', 'south'); UPDATE levels SET parent = 'centre' WHERE child = 'Ulm'$$);
SELECT * FROM coarser($$INSERT INTO levels VALUES ('centre', 'any'); UPDATE levels SET parent = 'centre' WHERE child = 'south'$$);
SELECT * FROM coarser($$INSERT INTO levels VALUES ('centre', 'any')$$);
-- a level that is gone leaves everybody as before; one that is called otherwise is lost to its steps
SELECT * FROM coarser($$DELETE FROM levels WHERE parent = 'any'; UPDATE levels SET parent = 'any' WHERE parent <> 'any'$$);
SELECT * FROM coarser($$UPDATE levels SET child = 'southern' WHERE child = 'south'; UPDATE levels SET parent = 'southern' WHERE parent = 'south'$$);
-- also where the coarsest cut that is allowed follows the new levels; not where everybody is shown as before
SELECT * FROM coarser($$INSERT INTO levels VALUES ('all', NULL), ('any', 'all'), ('none', 'all')$$, coarsest(by_taxonomy('town', 'levels'), 1), 10);
SELECT * FROM coarser($$INSERT INTO levels VALUES ('all', NULL), ('any', 'all'), ('none', 'all')$$, coarsest(by_taxonomy('town', 'levels'), 1), 40);
SELECT * FROM coarser($$INSERT INTO levels VALUES ('any', NULL), ('Narvik', 'north')$$, coarsest(by_taxonomy('town', 'levels'), 1));
INSERT INTO levels_before VALUES ('Oulu', 'north');
INSERT INTO levels VALUES ('Oulu', 'north');
SELECT * FROM coarser($$UPDATE levels SET parent = 'south' WHERE child = 'Oulu'$$, coarsest(by_taxonomy('town', 'levels'), 1));
-- by local recoding a column is coarser, too, where what divided its groups before is left out: a step that breaks a model, or a level that is gone
CREATE TABLE beside_towns AS SELECT CASE WHEN i <= 100 THEN 'Ulm' ELSE 'Bonn' END AS town, i % 10 AS n FROM generate_series(1, 200) i;
SELECT tds_anonymize('beside_towns', 'towns', k_anonymity('{town,n}', 5), masking => weighted(by_taxonomy_tree('town', '{"any": ["Ulm", "Bonn"]}'), 100), recoding => 'local') -> 'steps' AS steps;
DELETE FROM beside_towns WHERE town = 'Ulm' AND ctid NOT IN (SELECT ctid FROM beside_towns WHERE town = 'Ulm' LIMIT 3);
SELECT release_refresh('towns') -> 'coarser' AS coarser;
-- and is not coarser once more while that stays left out
INSERT INTO beside_towns SELECT 'Bonn', i % 10 FROM generate_series(1, 10) i;
SELECT release_refresh('towns') -> 'coarser' AS coarser;
SELECT release_drop('towns');
CREATE TABLE numbered AS SELECT town, id / 4 % 10 AS n FROM towns, generate_series(1, 4);
DELETE FROM levels;
INSERT INTO levels SELECT * FROM levels_before;
SELECT tds_anonymize('numbered', 'towns', k_anonymity('{town,n}', 8), masking => coarsest(by_taxonomy('town', 'levels'), 1), recoding => 'local') -> 'steps' AS steps;
DELETE FROM levels WHERE child = 'south';
UPDATE levels SET parent = 'any' WHERE parent = 'south';
SELECT release_refresh('towns') -> 'coarser' AS coarser;
SELECT count(DISTINCT n) > 1 AS numbers FROM towns.numbered GROUP BY town = 'Ulm' ORDER BY 1;
-- what a taxonomy was read from is gone
ALTER TABLE levels RENAME TO no_levels;
SELECT release_refresh('towns');
SELECT release_drop('towns');
SELECT release_drop(r::name) FROM unnest('{global,local,clustered,kmember,beside,many,few}'::text[]) r;
DROP SCHEMA modes CASCADE;
