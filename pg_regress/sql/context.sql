-- The CONTEXT of an error, which function failed in which statement, is told as PostgreSQL tells it: of an error that passes through a verb, of one
-- that was caught and raised again, and once of what called the verb.
SET client_min_messages TO notice;
CREATE SCHEMA ctx; SET search_path TO ctx, public;
CREATE TABLE people AS SELECT i AS id, 20 + i % 7 AS age, (ARRAY['F', 'M'])[1 + i % 2] AS sex FROM generate_series(1, 400) i;
CREATE TABLE broken AS SELECT 7 AS id;
CREATE FUNCTION checked(id int, age int) RETURNS int LANGUAGE plpgsql AS $$
  BEGIN
    IF EXISTS (SELECT FROM ctx.broken b WHERE b.id = checked.id) THEN RAISE 'row % is broken', id; END IF;
    RETURN age;
  END $$;
CREATE VIEW seen AS SELECT checked(id, age) AS age, sex FROM people;
CREATE FUNCTION calls(statement text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN EXECUTE statement; END $$;
SELECT tds_anonymize('seen', 'ctx_r', ARRAY[k_anonymity(ARRAY['age', 'sex'], 5)]);
SELECT * FROM privacy_check('seen', ARRAY[k_anonymity(ARRAY['age', 'sex'], 5)]);
SELECT calls($$SELECT count(*) FROM tds_steps('seen', ARRAY[k_anonymity(ARRAY['age', 'sex'], 5)])$$);
-- A refresh catches what fails while it reads, and raises it.
UPDATE broken SET id = 0;
SELECT FROM tds_anonymize('seen', 'ctx_r', ARRAY[k_anonymity(ARRAY['age', 'sex'], 5)]);
UPDATE broken SET id = 7;
SELECT release_refresh(public.again('ctx_r'));
SELECT calls($$SELECT release_refresh(public.again('ctx_r'))$$);
-- What fails for another reason has none of it.
SELECT release_refresh(public.again('ctx_none'));
SELECT calls($$SELECT release_refresh(public.again('ctx_none'))$$);
-- An error that somebody catches leaves nothing behind.
DO $$
  DECLARE told text;
  BEGIN
    FOR i IN 1..3 LOOP
      BEGIN PERFORM release_refresh(public.again('ctx_r'));
      EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS told = PG_EXCEPTION_CONTEXT;
      END;
    END LOOP;
    RAISE WARNING '% lines', array_length(string_to_array(told, E'\n'), 1);
  END $$;
CALL release_refresh_all();
SELECT release, version, failed_at IS NOT NULL AS failed, error FROM releases() WHERE release = 'ctx_r';
-- A SQLSTATE of somebody's own stays.
CREATE FUNCTION own(id int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE 'row % is odd', id USING ERRCODE = 'P0009'; END $$;
CREATE VIEW odd AS SELECT own(id) AS id, sex FROM people;
SELECT tds_anonymize('odd', 'ctx_odd', k_anonymity('{id,sex}', 5));
DROP SCHEMA ctx_r, ctx_r_private CASCADE; DROP SCHEMA ctx CASCADE;
