-- Threat: hidden rows. Row-level security hides rows from whoever looks; a count of the rest looks like one of the whole. Every
-- function that reads a table refuses, below views and functions too, unless pg_topdown.allow_row_security is on.
CREATE ROLE regress_hid_owner;
CREATE ROLE regress_hid_steward;
DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO regress_hid_steward', current_database()); END $$;
GRANT EXECUTE ON FUNCTION tds_anonymize, pda_anonymize, kmember_anonymize, release_drop TO regress_hid_steward;
CREATE SCHEMA hid AUTHORIZATION regress_hid_owner;
SET SESSION AUTHORIZATION regress_hid_owner;
GRANT USAGE ON SCHEMA hid TO regress_hid_steward;
CREATE TABLE hid.t (a int, child text, parent text, mine bool);
INSERT INTO hid.t SELECT i % 10, 'c' || i % 10, 'p', i % 2 = 0 FROM generate_series(1, 200) i;
ALTER TABLE hid.t ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON hid.t USING (mine);
CREATE FUNCTION hid.f() RETURNS SETOF hid.t LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY SELECT * FROM hid.t; END $$;
CREATE FUNCTION hid.dynamic() RETURNS SETOF hid.t LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY EXECUTE 'SELECT * FROM hid.t'; END $$;
CREATE FUNCTION hid.inlined() RETURNS SETOF hid.t LANGUAGE sql STABLE AS 'SELECT * FROM hid.t';
CREATE FUNCTION hid.scalar(int) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT count(*) FROM hid.t WHERE t.a = $1); END $$;
CREATE TABLE hid.open AS SELECT i % 10 AS a, 'c' || i % 10 AS child, 'p' AS parent, true AS mine FROM generate_series(1, 200) i;
CREATE TABLE hid.tree AS SELECT DISTINCT child, parent FROM hid.t;
CREATE VIEW hid.invoker WITH (security_invoker) AS SELECT * FROM hid.t;
CREATE VIEW hid.over_function AS SELECT * FROM hid.f();
CREATE VIEW hid.over_dynamic AS SELECT * FROM hid.dynamic();
CREATE VIEW hid.over_inlined AS SELECT * FROM hid.inlined();
CREATE VIEW hid.by_column AS SELECT a, child, parent, hid.scalar(a) > 5 AS mine FROM hid.open;
CREATE VIEW hid.by_lateral AS SELECT o.a, f.child, f.parent, f.mine FROM (SELECT DISTINCT a FROM hid.open) o, LATERAL (SELECT * FROM hid.f() f WHERE f.a = o.a) f;
GRANT SELECT ON ALL TABLES IN SCHEMA hid TO regress_hid_steward;
CREATE TABLE hid.tax_under (child text, parent text);
INSERT INTO hid.tax_under SELECT 'c' || i, 'p' FROM generate_series(0, 9) i;
ALTER TABLE hid.tax_under ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON hid.tax_under USING (child <> 'c9');
GRANT SELECT ON hid.tax_under TO regress_hid_steward;
RESET SESSION AUTHORIZATION;
CREATE FUNCTION public.hid_outcome(relation text, what text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE n bigint;
BEGIN
  EXECUTE 'SELECT count(*) FROM (' || replace(what, '{t}', quote_literal(relation)) || ') q' INTO n;
  RETURN 'done';
EXCEPTION WHEN OTHERS THEN RETURN sqlstate || ' ' || sqlerrm;
END $$;

SET SESSION AUTHORIZATION regress_hid_steward;
SELECT relation, what, hid_outcome(relation, what) FROM unnest('{hid.t,hid.invoker,hid.over_function,hid.over_dynamic,hid.over_inlined,hid.by_column,hid.by_lateral,hid.open}'::text[]) WITH ORDINALITY AS r (relation, i), unnest(ARRAY[
  'SELECT * FROM privacy_check({t}, ARRAY[k_anonymity(ARRAY[''a'',''mine''], 2)])',
  'SELECT * FROM privacy_check({t}, ARRAY[l_diversity(ARRAY[''a''], ''mine'', 1), t_closeness(ARRAY[''a''], ''mine'', 1), confidence_bound(ARRAY[''a''], ''mine'', ARRAY[''t''], 1)])',
  'SELECT * FROM privacy_inferences({t}, confidence_bound(ARRAY[''a''], ''mine'', NULL, 0.5))',
  'SELECT * FROM tds_steps({t}, ARRAY[k_anonymity(ARRAY[''a'',''mine''], 2)])',
  'SELECT tds_anonymize({t}, ''hid_r'', ARRAY[k_anonymity(ARRAY[''a''], 2)], keep => ARRAY[''mine''])',
  'SELECT pda_anonymize({t}, ''hid_p'', ARRAY[confidence_bound(ARRAY[''a''], ''mine'', NULL, 1)], NULL)',
  'SELECT kmember_anonymize({t}, ''hid_k'', ARRAY[''a'',''mine''], 2)',
  'SELECT * FROM taxonomy_build({t}, ''a'', ''iotf'')',
  'SELECT * FROM taxonomy_check({t}, ''hid.open'', ''child'')',
  'SELECT * FROM taxonomy_check(''hid.tree'', {t}, ''child'')',
  'SELECT * FROM taxonomy_from_levels({t})']) WITH ORDINALITY AS w (what, j) ORDER BY i, j;
-- a taxonomy under row-level security
SELECT hid_outcome('hid.open', 'SELECT * FROM tds_steps({t}, ARRAY[k_anonymity(ARRAY[''child''], 2)], masking => ARRAY[by_taxonomy(''child'', ''hid.tax_under'')])');
SELECT hid_outcome('hid.open', 'SELECT * FROM taxonomy_check(''hid.tax_under'', {t}, ''child'')');
-- whatever the session says of row_security
SET row_security TO off;
SELECT hid_outcome('hid.t', 'SELECT * FROM privacy_check({t}, ARRAY[k_anonymity(ARRAY[''a''], 2)])');
SELECT hid_outcome('hid.over_function', 'SELECT * FROM privacy_check({t}, ARRAY[k_anonymity(ARRAY[''a''], 2)])');
RESET row_security;
-- a refusal leaves nothing
SELECT release FROM releases() WHERE release LIKE 'hid%' ORDER BY 1;
SELECT release_drop(release) FROM releases() WHERE release LIKE 'hid%';
-- allowed: what the steward sees
SET pg_topdown.allow_row_security TO on;
SELECT achieved, groups FROM privacy_check('hid.t', ARRAY[k_anonymity(ARRAY['a'], 2)]);
SELECT achieved, groups FROM privacy_check('hid.over_function', ARRAY[k_anonymity(ARRAY['a'], 2)]);
SELECT achieved, groups FROM privacy_check('hid.over_inlined', ARRAY[k_anonymity(ARRAY['a'], 2)]);
SELECT count(*) FROM privacy_inferences('hid.t', confidence_bound(ARRAY['a'], 'mine', NULL, 0.5));
SELECT count(*) FROM taxonomy_build('hid.t', 'a', 'iotf');
SELECT tds_anonymize('hid.t', 'hid_r', ARRAY[k_anonymity(ARRAY['a'], 2)]) -> 'rows' AS rows;
SELECT release_drop('hid_r');
RESET pg_topdown.allow_row_security;
SHOW row_security;
-- the owner sees everything, and so does who bypasses
SET SESSION AUTHORIZATION regress_hid_owner;
SELECT achieved, groups FROM privacy_check('hid.t', ARRAY[k_anonymity(ARRAY['a'], 2)]);
SELECT achieved, groups FROM privacy_check('hid.over_function', ARRAY[k_anonymity(ARRAY['a'], 2)]);
RESET SESSION AUTHORIZATION;
ALTER ROLE regress_hid_steward BYPASSRLS;
SET SESSION AUTHORIZATION regress_hid_steward;
SELECT achieved, groups FROM privacy_check('hid.over_function', ARRAY[k_anonymity(ARRAY['a'], 2)]);
RESET SESSION AUTHORIZATION;
SELECT session_user, current_user, current_setting('row_security') AS row_security, current_setting('pg_topdown.allow_row_security') AS allowed;
DROP FUNCTION public.hid_outcome;
DROP OWNED BY regress_hid_owner, regress_hid_steward CASCADE;
DROP ROLE regress_hid_owner, regress_hid_steward;
SELECT nspname FROM pg_namespace WHERE nspname LIKE 'hid%';
