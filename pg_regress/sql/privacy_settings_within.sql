-- Threat: borrowed rights. A setting that a source's function, a trigger or a type changes while a verb runs ends with the verb, and the
-- session's own are as they were.
SET client_min_messages TO notice;
CREATE SCHEMA sw;
SET search_path TO sw, public;
CREATE TABLE people AS SELECT 'c' || i % 2 AS city, i % 4 AS age FROM generate_series(1, 40) i;
CREATE FUNCTION change(int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN
  PERFORM pg_catalog.set_config('sw.mine', 'changed', false), pg_catalog.set_config('search_path', 'evil', false), pg_catalog.set_config('work_mem', '77MB', false), pg_catalog.set_config('DateStyle', 'German', false);
  RETURN $1; END $$;
CREATE VIEW changing AS SELECT city, change(age) AS age FROM people;
SET work_mem TO '3MB';
SET DateStyle TO 'SQL, DMY';
SET sw.mine TO 'mine';
CREATE VIEW settings AS SELECT current_setting('sw.mine') AS mine, current_setting('search_path') AS path, current_setting('work_mem') AS memory, current_setting('DateStyle') AS style, current_setting('row_security') AS rls, current_user;
SELECT tds_anonymize('changing', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 5)]) ->> 'version' AS version;
SELECT * FROM sw.settings;
SELECT count(*) > 0 AS steps FROM tds_steps('changing', ARRAY[k_anonymity(ARRAY['city', 'age'], 5)]);
SELECT * FROM sw.settings;
SELECT holds FROM privacy_check('changing', ARRAY[k_anonymity(ARRAY['city', 'age'], 5)]);
SELECT * FROM sw.settings;
SELECT FROM kmember_anonymize('changing', 'k', ARRAY['city', 'age'], 5);
SELECT * FROM sw.settings;
SELECT count(*) > 0 AS nodes FROM taxonomy_build('changing', 'age', 'equal_width');
SELECT * FROM sw.settings;
-- after an error, too, caught or not
CREATE FUNCTION fail(int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM sw.change($1), 1 / ($1 - 3); RETURN $1; END $$;
CREATE VIEW failing AS SELECT city, fail(age) AS age FROM people;
SELECT tds_anonymize('failing', 'r2', ARRAY[k_anonymity(ARRAY['city', 'age'], 5)]);
SELECT * FROM sw.settings;
DO $$ BEGIN PERFORM tds_anonymize('failing', 'r2', ARRAY[k_anonymity(ARRAY['city', 'age'], 5)]); EXCEPTION WHEN division_by_zero THEN RAISE WARNING 'caught'; END $$;
SELECT * FROM sw.settings;
-- a trigger on the manifest
CREATE FUNCTION change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM sw.change(1); RETURN NEW; END $$;
CREATE TRIGGER change BEFORE INSERT ON r_private.manifest FOR EACH ROW EXECUTE FUNCTION change();
SELECT tds_anonymize('changing', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 6)]) ->> 'version' AS version;
SELECT * FROM sw.settings;
SELECT holds FROM release_verify('r');
SELECT count(*) > 0 AS measures FROM release_measures('r');
SELECT release_grant('r', 'public');
SELECT release_revoke('r', 'public');
SELECT count(*) FROM releases();
SELECT release_drop('r'), release_drop('k');
SELECT * FROM sw.settings;
DROP SCHEMA sw CASCADE;
