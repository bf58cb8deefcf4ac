-- Steps are followed by numbers: what is called otherwise by now, what has moved, and what somebody has changed.
SET client_min_messages TO notice;
CREATE SCHEMA tbn;
SET search_path TO tbn, public;
CREATE TABLE t AS SELECT CASE WHEN i % 5 > 0 THEN 'v' || i % 8 END AS v, i % 30 AS n FROM generate_series(1, 2000) i;
CREATE TABLE tax (child text, parent text);
INSERT INTO tax SELECT 'v' || i, 'g' || i / 2 FROM generate_series(0, 7) i;
INSERT INTO tax SELECT 'g' || i, 'h' || i / 2 FROM generate_series(0, 3) i;
INSERT INTO tax VALUES ('h0', 'root'), ('h1', 'root');
CREATE FUNCTION again() RETURNS TABLE (steps text, coarser jsonb) LANGUAGE sql AS $$
  SELECT r ->> 'steps', r -> 'coarser' FROM release_refresh(public.again('r')) r
$$;
-- by local recoding NULLs are told from a root that is called otherwise by now
SELECT tds_anonymize('t', 'r', k_anonymity('{v,n}', 20), masking => by_taxonomy('v', 'tax'), recoding => 'local') ->> 'steps' AS steps;
UPDATE tax SET parent = 'top' WHERE parent = 'root';
SELECT * FROM again();
-- a node has moved: what was refined to it is coarser
UPDATE tax SET parent = 'h1' WHERE child = 'g1';
SELECT coarser FROM again();
SELECT bool_and(holds) FROM release_verify('r');
SELECT release_drop('r');
-- a source that is made again, its columns in another order: as often as its steps are performed again
UPDATE tax SET parent = 'h0' WHERE child = 'g1';
CREATE VIEW s AS SELECT v, n, n % 3 AS m FROM t;
SELECT tds_anonymize('s', 'r', k_anonymity('{v,m,n}', 20), masking => coarsest(by_taxonomy('v', 'tax'), 1), recoding => 'local') ->> 'steps' AS steps;
DROP VIEW s, r.s;
CREATE VIEW s AS SELECT n % 3 AS m, n, v FROM t;
SELECT * FROM again();
SELECT * FROM again();
SELECT * FROM again();
DROP VIEW s, r.s;
CREATE VIEW s AS SELECT n, v, n % 3 AS m FROM t;
SELECT * FROM again();
SELECT * FROM again();
SELECT release_rewind('r', 1) ->> 'steps' AS steps;
SELECT release_drop('r');
-- numbers that somebody has changed
SELECT tds_anonymize('t', 'r', k_anonymity('{v,n}', 20), masking => by_taxonomy('v', 'tax')) ->> 'version' AS version;
CREATE TABLE refined AS SELECT * FROM r_private.refined_v0;
CREATE FUNCTION changed(change text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM r_private.refined_v0;
  INSERT INTO r_private.refined_v0 SELECT * FROM refined;
  EXECUTE 'UPDATE r_private.refined_v0 SET ' || change;
  PERFORM release_refresh(public.again('r'));
  RETURN 'made';
EXCEPTION WHEN OTHERS THEN
  RETURN sqlstate || ' ' || sqlerrm;
END $$;
SELECT change, changed(change) FROM unnest(ARRAY['nodes[1] = 1000', 'nodes[1] = -1', 'children[1] = ''{1,NULL}''', 'children[1] = ''{}''',  'steps[1] = 5', 'steps = NULL', 'from_steps[1] = 3, from_nodes[1] = 1', 'roots[2] = ''{1000,1000}''', 'version = version']) WITH ORDINALITY c (change, i) ORDER BY i;
SELECT changed('version = version');
TRUNCATE refined;
INSERT INTO refined SELECT * FROM r_private.refined_v0;
CREATE TABLE trees AS SELECT * FROM r_private.taxonomy_v0;
UPDATE r_private.taxonomy_v0 SET depths[2] = NULL;
SELECT * FROM again();
UPDATE r_private.taxonomy_v0 SET depths[2] = 1, in_cut[2] = NULL;
SELECT release_rewind('r', 0);
TRUNCATE r_private.taxonomy_v0;
INSERT INTO r_private.taxonomy_v0 SELECT * FROM trees;
-- without them, steps cannot be followed
DELETE FROM r_private.refined_v0;
SELECT * FROM again();
INSERT INTO r_private.refined_v0 SELECT * FROM refined;
-- the view that would tell of which types its columns were is gone
DROP VIEW r.t;
SELECT tds_anonymize('t', 'r', k_anonymity('{v,n}', 20), masking => by_taxonomy('v', 'tax'), intervals => 'bounds') ->> 'version' AS version;
DROP VIEW r.t;
SELECT tds_anonymize('t', 'r', k_anonymity('{v,n}', 20), masking => by_taxonomy('v', 'tax'), intervals => 'range') ->> 'version' AS version;
SELECT release_drop('r');
DROP SCHEMA tbn CASCADE;
