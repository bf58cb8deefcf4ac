-- Threat: hostile text. Every text argument is tried with SQL in it; none is run, each is taken as the name or value it is.
SET client_min_messages TO notice;
CREATE SCHEMA inj;
SET search_path TO inj, public;
CREATE TABLE canary (x int);
INSERT INTO canary VALUES (1);
CREATE TABLE t (a text, b int, c text);
INSERT INTO t SELECT 'a' || i % 2, i % 4, 'k' FROM generate_series(1, 16) i;
CREATE TABLE payload AS SELECT v FROM unnest(ARRAY[
  '"; DROP TABLE inj.canary; --', '''; DROP TABLE inj.canary; --', 'a"; DROP TABLE inj.canary; --', 'a, (SELECT x FROM inj.canary)', 'a) ; DELETE FROM inj.canary; --',
  '$$; DROP TABLE inj.canary; $$', E'a\nFROM inj.canary; --', 'x''||(SELECT 1)||''', '\''; DROP TABLE inj.canary; --', '%I %s %L', '/* a', '{"k_anonymity": {}}', 'a::text', '*', '1=1']) v;
CREATE FUNCTION attempt(argument text, payload text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE k privacy_model := k_anonymity(ARRAY['a', 'b'], 2); outcome text := 'fine'; r record;
BEGIN
  CASE argument
    WHEN 'source' THEN PERFORM tds_anonymize(payload::regclass, 'inj_r', ARRAY[k]);
    WHEN 'release' THEN PERFORM tds_anonymize('t', payload, ARRAY[k]);
    WHEN 'quasi_identifier' THEN PERFORM tds_anonymize('t', 'inj_r', ARRAY[k_anonymity(ARRAY[payload], 2)]);
    WHEN 'class' THEN PERFORM tds_anonymize('t', 'inj_r', ARRAY[k], class => payload);
    WHEN 'keep' THEN PERFORM tds_anonymize('t', 'inj_r', ARRAY[k], keep => ARRAY[payload]);
    WHEN 'score' THEN PERFORM tds_anonymize('t', 'inj_r', ARRAY[k], score => payload);
    WHEN 'intervals' THEN PERFORM tds_anonymize('t', 'inj_r', ARRAY[k], intervals => payload);
    WHEN 'suppressed' THEN PERFORM tds_anonymize('t', 'inj_r', ARRAY[k], suppressed => payload, max_steps => 0);
    WHEN 'split' THEN PERFORM tds_anonymize('t', 'inj_r', ARRAY[k], split => payload);
    WHEN 'by_suppression' THEN PERFORM tds_anonymize('t', 'inj_r', ARRAY[k], masking => ARRAY[by_suppression(payload)]);
    WHEN 'by_intervals' THEN PERFORM tds_anonymize('t', 'inj_r', ARRAY[k], masking => ARRAY[by_intervals(payload)]);
    WHEN 'lower' THEN PERFORM tds_anonymize('t', 'inj_r', ARRAY[k], masking => ARRAY[by_intervals('b', lower => payload)]);
    WHEN 'upper' THEN PERFORM tds_anonymize('t', 'inj_r', ARRAY[k], masking => ARRAY[by_intervals('b', upper => payload)]);
    WHEN 'upper of text' THEN PERFORM tds_anonymize('t', 'inj_r', ARRAY[k], masking => ARRAY[by_intervals('a', upper => 'z' || payload)]);
    WHEN 'tree' THEN PERFORM tds_anonymize('t', 'inj_r', ARRAY[k], masking => ARRAY[by_taxonomy_tree('a', jsonb_build_object(payload, '["a0", "a1"]'::jsonb))]);
    WHEN 'taxonomy relation in JSON' THEN PERFORM tds_anonymize('t', 'inj_r', ARRAY[k], masking => ARRAY[jsonb_build_object('by_taxonomy', jsonb_build_object('column_name', 'a', 'taxonomy', payload))::text::masking]);
    WHEN 'privacy_model' THEN PERFORM tds_anonymize('t', 'inj_r', ARRAY[payload::privacy_model]);
    WHEN 'release_verify' THEN PERFORM release_verify(payload);
    WHEN 'release_drop' THEN PERFORM release_drop(payload);
    WHEN 'release_grant' THEN PERFORM release_grant(payload, 'public');
    WHEN 'grantee' THEN PERFORM release_grant('inj_s', payload);
    WHEN 'revokee' THEN PERFORM release_revoke('inj_s', payload);
    WHEN 'taxonomy_check' THEN PERFORM taxonomy_check('t', 't', payload);
    WHEN 'levels' THEN PERFORM taxonomy_from_levels(payload::regclass);
  END CASE;
  IF (SELECT count(*) FROM canary) <> 1 THEN RAISE WARNING '% came through %', payload, argument; END IF;
  -- everything is undone, and what was made is counted
  RAISE EXCEPTION USING ERRCODE = 'P0099', MESSAGE = (SELECT coalesce(string_agg(nspname, ', ' ORDER BY nspname), '') FROM pg_namespace WHERE nspname !~ '^(pg_|inj$|inj_[rs]$|inj_[rs]_private$)' AND nspname NOT IN ('public', 'information_schema', payload, payload || '_private'));
EXCEPTION WHEN SQLSTATE 'P0099' THEN RETURN 'taken as it is' || coalesce(', and made ' || nullif(sqlerrm, ''), '');
  WHEN OTHERS THEN RETURN sqlstate;
END $$;
SELECT tds_anonymize('t', 'inj_s', k_anonymity(ARRAY['a', 'b'], 2)) -> 'version' AS version;
SELECT argument, outcome, count(*)
FROM unnest(ARRAY['source', 'release', 'quasi_identifier', 'class', 'keep', 'score', 'intervals', 'suppressed', 'split', 'by_suppression', 'by_intervals', 'lower', 'upper', 'upper of text', 'tree',
                  'taxonomy relation in JSON', 'privacy_model', 'release_verify', 'release_drop', 'release_grant', 'grantee', 'revokee', 'taxonomy_check', 'levels']) argument,
     payload, LATERAL attempt(argument, v) outcome
GROUP BY 1, 2 ORDER BY 1, 2;
SELECT release_drop('inj_s');
SELECT count(*) FROM canary;
-- values and columns that are SQL are released as they are (see bad_input_names); a stored masking with SQL as its taxonomy is a name
SELECT tds_steps('t', ARRAY[k_anonymity(ARRAY['a'], 2)], masking => ARRAY['{"by_taxonomy": {"column_name": "a", "taxonomy": "(SELECT ''a0'' AS child, ''x'' AS parent) x"}}'::masking]);
SELECT tds_steps('t', ARRAY[k_anonymity(ARRAY['a'], 2)], masking => ARRAY['{"by_taxonomy": {"column_name": "a", "taxonomy": "inj.canary; DROP TABLE inj.canary"}}'::masking]);
-- nor is a number an OID
SELECT tds_steps('t', ARRAY[k_anonymity(ARRAY['a'], 2)], masking => ARRAY['{"by_taxonomy": {"column_name": "a", "taxonomy": "1259"}}'::masking]);
-- a manifest is not trusted: its source and its parameters may have been changed by its owner
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a', 'b'], 2)]) ->> 'version' AS version;
CREATE TABLE as_it_was AS SELECT parameters FROM r_private.manifest;
UPDATE r_private.manifest SET parameters = jsonb_set(jsonb_set(parameters, '{privacy,0,k_anonymity,quasi_identifier}', '["a\"; DROP TABLE inj.canary; --"]'),
  '{columns}', jsonb_build_array(jsonb_set(parameters -> 'columns' -> 0, '{name}', '"a\"; DROP TABLE inj.canary; --"')));
SELECT count(*) FROM release_verify('r');
UPDATE r_private.manifest SET parameters = jsonb_set(parameters, '{privacy}', '"x"');
SELECT count(*) FROM release_verify('r');
UPDATE r_private.manifest SET parameters = jsonb_set((SELECT parameters FROM as_it_was), '{columns}', '[]');
SELECT release_refresh('r', mode => 'search');
SELECT * FROM release_query_error('r', count => 5);
UPDATE r_private.manifest SET parameters = '{"privacy": "x"}';
SELECT count(*) FROM release_verify('r');
UPDATE r_private.manifest SET parameters = jsonb_set((SELECT parameters FROM as_it_was), '{view}', '"t\"; DROP TABLE inj.canary; --"');
SELECT count(*) FROM release_verify('r');
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a', 'b'], 2)]) -> 'relation' AS relation;
DROP VIEW r."t""; DROP TABLE inj.canary; --";
DELETE FROM r_private.manifest WHERE NOT current;
-- the source is a text that is compared, and no name that is looked up
UPDATE r_private.manifest SET parameters = (SELECT parameters FROM as_it_was), source = 'inj.t; DROP TABLE inj.canary';
SELECT holds FROM release_verify('r');
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a', 'b'], 2)]);
SELECT source FROM releases();
SELECT count(*) FROM canary;
-- nor is its version counted up, or down to, blindly
UPDATE r_private.manifest SET source = 'inj.t', version = 2147483647;
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a', 'b'], 2)]) ->> 'version' AS version;
SELECT release_drop('r');
SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname NOT IN ('information_schema', 'public') ORDER BY 1;
DROP SCHEMA inj CASCADE;
