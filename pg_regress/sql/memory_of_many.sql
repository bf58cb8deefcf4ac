-- What a call over many releases, or many versions, holds of one is free before the next.
SET client_min_messages TO error;
CREATE SCHEMA many;
SET search_path TO many, public;
CREATE TABLE t AS SELECT 'v' || i || '_' || i % 20 AS a FROM generate_series(1, 250) i;
CREATE SEQUENCE first;
CREATE SEQUENCE last;
-- How much is in PostgreSQL's contexts as the source of a release is read.
CREATE FUNCTION note() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE bytes bigint := (SELECT sum(used_bytes) FROM pg_backend_memory_contexts);
BEGIN
  PERFORM setval('many.first', bytes) FROM many.first WHERE NOT is_called;
  PERFORM setval('many.last', bytes);
  RETURN true;
END $$;
CREATE VIEW noted AS SELECT a FROM t WHERE (SELECT note());
CREATE FUNCTION release(name text, k int) RETURNS text LANGUAGE sql AS $$
  SELECT tds_anonymize('noted', name, k_anonymity('{a}', k), max_steps => 0, masking => by_taxonomy_tree('a', jsonb_build_object('any',
    (SELECT jsonb_object_agg('p' || g, (SELECT jsonb_agg('v' || g || '_' || h) FROM generate_series(0, 19) h)) FROM generate_series(1, 250) g)))) ->> 'version' $$;
SELECT release('r' || i, 2) FROM generate_series(1, 4) i;
-- what a session keeps of its first call is not looked at
CALL release_refresh_all();
CREATE VIEW grown AS SELECT last.last_value - first.last_value < (SELECT length(parameters::text) FROM r1_private.manifest) AS by_less_than_a_tree FROM first, last;
ALTER SEQUENCE first RESTART;
CALL release_refresh_all();
SELECT * FROM grown;
-- the same where each fails: a value is not in the trees
INSERT INTO t VALUES ('new');
ALTER SEQUENCE first RESTART;
CALL release_refresh_all();
SELECT * FROM grown;
DROP VIEW grown;
DELETE FROM t WHERE a = 'new';
SELECT release('r1', k) FROM generate_series(3, 6) k;
SET pg_topdown.max_memory TO '3MB';
SELECT count(*) FROM release_drift('r1');
SET pg_topdown.max_memory TO '1MB';
SELECT count(*) FROM release_drift('r1');
RESET pg_topdown.max_memory;
SELECT count(*) AS gone FROM releases() r, release_drop(r.release) d;
DROP SCHEMA many CASCADE;
