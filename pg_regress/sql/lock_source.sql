-- pg_topdown.lock_source: writers of a source are kept out while a version is read from it, if that is set; on plain tables it is not by
-- itself. (That others wait, and tables that Citus distributes: tests/tests/citus.rs.)
CREATE SCHEMA lck; SET search_path TO lck, public;
CREATE TABLE people AS SELECT 20 + i % 7 AS age, (ARRAY['F', 'M'])[1 + i % 2] AS sex FROM generate_series(1, 400) i;
CREATE TABLE parts (age int, sex text) PARTITION BY LIST (sex);
CREATE TABLE part_f PARTITION OF parts FOR VALUES IN ('F');
CREATE TABLE part_m PARTITION OF parts FOR VALUES IN ('M');
INSERT INTO parts SELECT * FROM people;
CREATE VIEW seen AS SELECT * FROM people;
CREATE MATERIALIZED VIEW kept AS SELECT * FROM people;
CREATE FOREIGN DATA WRAPPER lck_wrapper;
CREATE SERVER lck_server FOREIGN DATA WRAPPER lck_wrapper;
CREATE FOREIGN TABLE away (age int, sex text) SERVER lck_server;
-- What is locked while a view is read: once that is done nothing is.
CREATE FUNCTION held() RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(c.relname, ' ' ORDER BY c.relname COLLATE "C") FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
  WHERE pid = pg_backend_pid() AND c.relnamespace = 'lck'::regnamespace AND l.mode = 'ShareLock' $$;
CREATE VIEW of_people AS SELECT *, lck.held() FROM people;
CREATE VIEW of_parts AS SELECT *, lck.held() FROM parts;
CREATE VIEW of_seen AS SELECT *, lck.held() FROM seen;
CREATE FUNCTION locks(source text) RETURNS SETOF text LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM tds_anonymize(source::regclass, 'lck_x', ARRAY[k_anonymity(ARRAY['age', 'sex'], 5)], keep => ARRAY['held']);
    RETURN QUERY EXECUTE format('SELECT DISTINCT held FROM lck_x.%I', source);
    PERFORM release_drop('lck_x');
  END $$;
SELECT locks('of_people');
SHOW pg_topdown.lock_source;
SET pg_topdown.lock_source TO on;
SELECT locks('of_people');
SELECT locks('of_parts');
SELECT locks('of_seen');
-- What is read and not released is not locked.
CREATE FUNCTION is_free() RETURNS boolean LANGUAGE plpgsql AS $$
  BEGIN
    IF lck.held() IS NOT NULL THEN RAISE 'locked'; END IF;
    RETURN true;
  END $$;
CREATE VIEW free AS SELECT age, sex FROM people WHERE lck.is_free();
SELECT count(*) > 0 AS steps FROM tds_steps('free', ARRAY[k_anonymity(ARRAY['age', 'sex'], 5)]);
SELECT holds FROM privacy_check('free', ARRAY[k_anonymity(ARRAY['age', 'sex'], 5)]);
SELECT tds_anonymize('free', 'lck_r', ARRAY[k_anonymity(ARRAY['age', 'sex'], 5)]);
-- Not until the end of the transaction; a clustering and a refresh as well, and it is kept in the manifest.
BEGIN;
SELECT FROM kmember_anonymize('people', 'lck_k', ARRAY['age', 'sex'], 5);
SELECT parameters -> 'scan' AS scan FROM lck_k_private.manifest WHERE current;
SELECT FROM tds_anonymize('people', 'lck_r', ARRAY[k_anonymity(ARRAY['age', 'sex'], 5)]);
SELECT parameters #> '{scan,locked}' AS locked FROM lck_r_private.manifest WHERE current;
SELECT FROM release_refresh(public.again('lck_r'));
SELECT parameters #> '{scan,locked}' AS locked FROM lck_r_private.manifest WHERE current;
SELECT lck.held() AS held;
COMMIT;
SET pg_topdown.lock_source TO off;
SELECT FROM release_refresh(public.again('lck_r'));
SELECT parameters #> '{scan,locked}' AS locked FROM lck_r_private.manifest WHERE current;
SELECT locks('of_people');
SELECT release_drop('lck_r'), release_drop('lck_k');
-- What cannot be locked.
SET pg_topdown.lock_source TO on;
SELECT tds_anonymize('kept', 'lck_r', ARRAY[k_anonymity(ARRAY['age', 'sex'], 5)]);
SELECT tds_anonymize('away', 'lck_r', ARRAY[k_anonymity(ARRAY['age', 'sex'], 5)]);
-- Nor what is made of that.
CREATE VIEW over_kept AS SELECT age, sex FROM kept; CREATE VIEW over_away AS SELECT a.age, p.sex FROM away a JOIN people p USING (age);
CREATE VIEW above AS TABLE over_away;
SELECT tds_anonymize('over_kept', 'lck_r', ARRAY[k_anonymity(ARRAY['age', 'sex'], 5)]);
SELECT tds_anonymize('above', 'lck_r', ARRAY[k_anonymity(ARRAY['age', 'sex'], 5)]);
SELECT count(*) FROM pg_namespace WHERE nspname IN ('lck_r', 'lck_r_private');
SET pg_topdown.lock_source TO 'sometimes';
DROP FOREIGN DATA WRAPPER lck_wrapper CASCADE; DROP SCHEMA lck CASCADE;
