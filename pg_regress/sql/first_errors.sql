-- What a first user gets wrong, and the line that the HINT gives to type instead.
CREATE SCHEMA first;
SET search_path TO first, public;
CREATE TABLE people AS SELECT 20 + i % 40 AS age, (20 + i % 40)::text AS age_text, (ARRAY['9th', 'Bachelor', 'Master'])[1 + i % 3] AS education, date '2000-01-01' + i % 40 AS born, (ARRAY['F', 'M'])[1 + i % 2] AS sex FROM generate_series(1, 120) i;
CREATE TABLE schools (child text, parent text);
INSERT INTO schools VALUES ('9th', 'Any'), ('Bachelors', 'Any'), ('Masters', 'Any');

-- columns: a slip of the pen
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['agee', 'Sex'], 5));
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['age', 'zip'], 5), class => 'eduction');
SELECT privacy_check('people', k_anonymity(ARRAY['ages'], 5));
-- a taxonomy with a typo: the nearest labels; one that is far from all has none
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['education'], 5), masking => by_taxonomy('education', 'schools'));
UPDATE people SET education = 'none at all' WHERE education = 'Bachelor';
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['education'], 5), masking => by_taxonomy_tree('education', '{"Any": ["9th", "Master", "Bachelor"]}'));
-- arguments the other way round
SELECT taxonomy_check('people', 'schools', 'education');
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['age'], 5), masking => by_intervals('age', '120', '0'));
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['age'], 5), masking => by_intervals('age', '30', '30'));
-- bounds of the wrong form
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['age'], 5), masking => by_intervals('age', 'zero', '120'));
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['born'], 5), masking => by_intervals('born', '0', '120'));
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['age'], 5), masking => by_intervals('age', breakpoints => ARRAY['18 years']));
-- numbers that are kept as text
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['age_text'], 5), masking => by_intervals('age_text', '0', '120'));
-- a k that no table can have
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['age', 'sex'], 500));
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['age', 'sex'], 45, person => 'born'));
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['education', 'age'], 60), masking => coarsest(by_taxonomy_tree('education', '{"Any": ["9th", "Master", "none at all"]}'), 1));
-- no class, no model
SELECT tds_anonymize('people', 'r', '{}');

-- somebody else's release of that name: whom to ask, what to type
CREATE ROLE first_owner;
CREATE ROLE "first other";
GRANT USAGE ON SCHEMA first TO first_owner, "first other";
GRANT SELECT ON people TO first_owner, "first other";
GRANT EXECUTE ON FUNCTION tds_anonymize, release_drop, release_refresh TO first_owner, "first other";
DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO first_owner, "first other"', current_database()); END $$;
SET ROLE first_owner;
SELECT tds_anonymize('people', 'first_r', k_anonymity(ARRAY['age', 'sex'], 5)) ->> 'version' AS version;
RESET ROLE;
SET ROLE "first other";
SELECT tds_anonymize('people', 'first_r', k_anonymity(ARRAY['age', 'sex'], 5));
SELECT release_refresh('first_r');
SELECT release_drop('first_r');
SELECT release_measures('first_r');
SELECT release_verify('first_r');
-- one's own schema that is no release stays as it is, and nobody is told to drop it
CREATE SCHEMA "first data";
CREATE TABLE "first data".mine AS SELECT 1 AS a;
SELECT release_drop('first data');
SELECT release_refresh('first data');
SELECT tds_anonymize('people', 'first data', k_anonymity(ARRAY['age', 'sex'], 5));
SELECT release_drop('nothing there');
TABLE "first data".mine;
RESET ROLE;
-- nor are they where something else is in a release
SET ROLE first_owner;
CREATE TABLE first_r.notes (a int);
SELECT release_drop('first_r');
DROP TABLE first_r.notes;
SELECT release_drop('first_r');
RESET ROLE;

-- a view whose function names a table, or a function, without its schema
CREATE FUNCTION plus(a int) RETURNS int LANGUAGE sql AS 'SELECT a + (SELECT count(*)::int FROM schools)';
CREATE FUNCTION plus_plus(a int) RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN plus(a); END';
CREATE VIEW seen AS SELECT first.plus(age) AS age, sex FROM people;
CREATE VIEW seen_again AS SELECT first.plus_plus(age) AS age, sex FROM people;
SELECT tds_anonymize('seen', 'r', k_anonymity(ARRAY['age'], 5));
SELECT tds_anonymize('seen_again', 'r', k_anonymity(ARRAY['age'], 5));
SELECT privacy_check('seen', k_anonymity(ARRAY['age'], 5));
ALTER FUNCTION plus SET search_path = first, pg_catalog;
ALTER FUNCTION plus_plus SET search_path = first, pg_catalog;
SELECT achieved FROM privacy_check('seen_again', k_anonymity(ARRAY['age'], 3));
-- another error of a view's keeps the HINT that it has
CREATE FUNCTION fails(a int) RETURNS int LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'no' USING HINT = 'as it is'; END$$;
CREATE VIEW failing AS SELECT first.fails(age) AS age FROM people;
SELECT tds_anonymize('failing', 'r', k_anonymity(ARRAY['age'], 5));
-- and afterwards nothing is told any more
SELECT nowhere(1);
SELECT nspname FROM pg_namespace WHERE nspname IN ('r', 'r_private');

DROP SCHEMA first, "first data" CASCADE;
DROP OWNED BY first_owner, "first other";
DROP ROLE first_owner, "first other";
