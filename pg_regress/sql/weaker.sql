-- A further version that protects less than the current one is refused, and says in what; unless it is asked for, and then the manifest
-- says so. What is as strict, or stricter, passes.
SET client_min_messages TO notice;
CREATE SCHEMA weak;
SET search_path TO weak, public;
CREATE TABLE people AS SELECT 'c' || i % 2 AS city, 'z' || i % 4 AS zip, 'a' || i % 4 AS age, 'i' || (i / 4) % 5 AS illness, 'w' || (i / 4) % 4 AS ward FROM generate_series(1, 400) i;
-- what becomes of a version with these models after one with those; nothing is left of either
CREATE FUNCTION after(before privacy_model[], next privacy_model[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE detail text; said text;
BEGIN
  PERFORM tds_anonymize('weak.people', 'r', before, keep => ARRAY(SELECT c FROM unnest('{city,zip,age,illness,ward}'::text[]) c WHERE NOT before::text ~ ('\m' || c || '\M')));
  PERFORM tds_anonymize('weak.people', 'r', next, keep => ARRAY(SELECT c FROM unnest('{city,zip,age,illness,ward}'::text[]) c WHERE NOT next::text ~ ('\m' || c || '\M')));
  EXECUTE 'SELECT parameters ->> ''weaker'' FROM r_private.manifest WHERE current AND version = 2' INTO said;
  RAISE EXCEPTION USING ERRCODE = 'P0099', MESSAGE = coalesce(said, 'no version');
EXCEPTION WHEN SQLSTATE 'P0099' THEN RETURN sqlerrm;
  WHEN OTHERS THEN GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL; RETURN sqlstate || ' ' || sqlerrm || ': ' || detail;
END $$;
-- the same, refused and then allowed
CREATE FUNCTION after_and_allowed(before privacy_model[], next privacy_model[], OUT after text, OUT allowed text) LANGUAGE plpgsql AS $$
DECLARE detail text; kept text[] := ARRAY(SELECT c FROM unnest('{city,zip,age,illness,ward}'::text[]) c WHERE NOT next::text ~ ('\m' || c || '\M'));
BEGIN
  PERFORM tds_anonymize('weak.people', 'r', before, keep => ARRAY(SELECT c FROM unnest('{city,zip,age,illness,ward}'::text[]) c WHERE NOT before::text ~ ('\m' || c || '\M')));
  BEGIN
    PERFORM tds_anonymize('weak.people', 'r', next, keep => kept);
    after := 'a version';
  EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL; after := sqlstate || ' ' || sqlerrm || ': ' || detail;
  END;
  PERFORM tds_anonymize('weak.people', 'r', next, keep => kept, allow_weaker => true);
  EXECUTE 'SELECT coalesce(parameters ->> ''weaker'', ''no weaker'') FROM r_private.manifest WHERE current AND version = 2' INTO allowed;
  RAISE EXCEPTION USING ERRCODE = 'P0099';
EXCEPTION WHEN SQLSTATE 'P0099' THEN RETURN;
  WHEN OTHERS THEN GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL; allowed := sqlstate || ' ' || sqlerrm || ': ' || detail;
END $$;
CREATE TABLE cases (n serial, what text, before privacy_model[], next privacy_model[]);
INSERT INTO cases (what, before, next) VALUES
  ('a smaller k', ARRAY[k_anonymity('{city,zip}', 10)], ARRAY[k_anonymity('{city,zip}', 9)]),
  ('a model gone', ARRAY[k_anonymity('{city,zip}', 10), l_diversity('{city,zip}', 'illness', 2)], ARRAY[k_anonymity('{city,zip}', 10)]),
  ('another kind of model', ARRAY[k_anonymity('{city,zip}', 10)], ARRAY[l_diversity('{city,zip}', 'illness', 2)]),
  ('two models for one of fewer columns each', ARRAY[k_anonymity('{city,zip}', 10)], ARRAY[k_anonymity('{city}', 10), k_anonymity('{zip}', 10)]),
  ('fewer columns', ARRAY[k_anonymity('{city,zip}', 10)], ARRAY[k_anonymity('{zip}', 10)]),
  ('other columns', ARRAY[k_anonymity('{city,zip}', 10)], ARRAY[k_anonymity('{city,ward}', 10)]),
  ('a larger confidence', ARRAY[confidence_bound('{city}', 'illness', NULL, 0.5)], ARRAY[confidence_bound('{city}', 'illness', NULL, 0.6)]),
  ('fewer sensitive values', ARRAY[confidence_bound('{city}', 'illness', '{i0,i1}', 0.5)], ARRAY[confidence_bound('{city}', 'illness', '{i1}', 0.5)]),
  ('some sensitive values instead of all', ARRAY[confidence_bound('{city}', 'illness', NULL, 0.5)], ARRAY[confidence_bound('{city}', 'illness', '{i0,i1,i2,i3,i4}', 0.5)]),
  ('another sensitive column', ARRAY[confidence_bound('{city}', 'illness', NULL, 0.5)], ARRAY[confidence_bound('{city}', 'ward', NULL, 0.5)]),
  ('a shorter channel', ARRAY[confidence_bound('{city,zip}', 'illness', NULL, 0.5)], ARRAY[confidence_bound('{city}', 'illness', NULL, 0.5), k_anonymity('{zip}', 2)]),
  ('a smaller l', ARRAY[l_diversity('{city}', 'illness', 3)], ARRAY[l_diversity('{city}', 'illness', 2)]),
  ('a smaller l of entropy', ARRAY[l_diversity('{city}', 'illness', 3.5, 'entropy')], ARRAY[l_diversity('{city}', 'illness', 3.4, 'entropy')]),
  ('another kind of diversity', ARRAY[l_diversity('{city}', 'illness', 3, 'entropy')], ARRAY[l_diversity('{city}', 'illness', 3)]),
  ('a larger c', ARRAY[l_diversity('{city}', 'illness', 2, 'recursive', 2)], ARRAY[l_diversity('{city}', 'illness', 2, 'recursive', 3)]),
  ('a smaller l and a smaller c', ARRAY[l_diversity('{city}', 'illness', 3, 'recursive', 3)], ARRAY[l_diversity('{city}', 'illness', 2, 'recursive', 2)]),
  ('a larger t', ARRAY[t_closeness('{city}', 'illness', 0.2)], ARRAY[t_closeness('{city}', 'illness', 0.3)]),
  ('another distance', ARRAY[t_closeness('{city}', 'illness', 0.2, 'ordered')], ARRAY[t_closeness('{city}', 'illness', 0.2)]),
  ('a larger beta', ARRAY[beta_likeness('{city}', 'illness', 1)], ARRAY[beta_likeness('{city}', 'illness', 2)]),
  ('a masked column is kept', ARRAY[k_anonymity('{city,zip}', 10), k_anonymity('{age}', 5)], ARRAY[k_anonymity('{city,zip}', 10)]),
  ('a masked column is sensitive', ARRAY[k_anonymity('{city,zip}', 10)], ARRAY[k_anonymity('{city}', 10), l_diversity('{city}', 'zip', 2)]),
  ('everything at once', ARRAY[k_anonymity('{city,zip}', 10), t_closeness('{age}', 'illness', 0.2)], ARRAY[k_anonymity('{city}', 2)]);
-- each is refused; allowed it is made, and said
CREATE TABLE tried AS SELECT n, what, t.* FROM (SELECT * FROM cases ORDER BY n) c, after_and_allowed(before, next) t;
SELECT what, after FROM tried ORDER BY n;
SELECT what, allowed FROM tried ORDER BY n;
-- the other way round is no weakening, where nothing but a number or a set differs
SELECT what, after(next, before) FROM cases WHERE what ~ '^(a smaller k|a larger|fewer|some|a smaller l$|a smaller l of|a model gone|a masked column is kept)' ORDER BY n;
-- as strict: the same, in another order, with columns or models more, with larger k and l and smaller bounds
SELECT what, after(before, next) FROM (VALUES
  (1, 'the same', ARRAY[k_anonymity('{city,zip}', 10), l_diversity('{city}', 'illness', 2)], ARRAY[k_anonymity('{city,zip}', 10), l_diversity('{city}', 'illness', 2)]),
  (2, 'another order', ARRAY[k_anonymity('{city,zip}', 10), l_diversity('{city}', 'illness', 2)], ARRAY[l_diversity('{city}', 'illness', 2), k_anonymity('{zip,city}', 10)]),
  (3, 'more columns', ARRAY[k_anonymity('{city}', 10), l_diversity('{city}', 'illness', 2)], ARRAY[k_anonymity('{age,city,zip}', 10), l_diversity('{city,zip}', 'illness', 2)]),
  (4, 'one model for two', ARRAY[k_anonymity('{city}', 10), k_anonymity('{zip}', 7)], ARRAY[k_anonymity('{city,zip}', 10)]),
  (5, 'a model more', ARRAY[k_anonymity('{city}', 10)], ARRAY[k_anonymity('{city}', 10), beta_likeness('{city}', 'illness', 1)]),
  (6, 'all sensitive values instead of some', ARRAY[confidence_bound('{city}', 'illness', '{i0}', 0.5)], ARRAY[confidence_bound('{city,zip}', 'illness', NULL, 0.4)]),
  (7, 'a column masked as well', ARRAY[k_anonymity('{city}', 10), l_diversity('{city}', 'illness', 2)], ARRAY[k_anonymity('{city,illness}', 10), l_diversity('{city}', 'illness', 2)])) c (n, what, before, next) ORDER BY n;
-- a second time it is no weakening any more; it is with what is current that a version is compared
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity('{city}', 10)], keep => '{zip}') -> 'version' AS version;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity('{city}', 9)], keep => '{zip}', allow_weaker => true) -> 'version' AS version;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity('{city}', 9)], keep => '{zip}') -> 'version' AS version;
SELECT version, parameters -> 'weaker' AS weaker FROM r_private.manifest ORDER BY 1;
-- and of all verbs
SELECT kmember_anonymize('people', 'r', '{city}', 8, keep => '{zip}');
SELECT kmember_anonymize('people', 'r', '{city}', 8, keep => '{zip}', allow_weaker => true) -> 'version' AS version;
SELECT kmember_anonymize('people', 'r', '{city}', 9, keep => '{zip}') -> 'version' AS version;
SELECT pda_anonymize('people', 'r', ARRAY[confidence_bound('{city}', 'zip', NULL, 0.9)], NULL);
SELECT pda_anonymize('people', 'r', ARRAY[confidence_bound('{city}', 'zip', NULL, 0.9)], NULL, allow_weaker => true) -> 'version' AS version;
SELECT pda_anonymize('people', 'r', ARRAY[confidence_bound('{city}', 'zip', NULL, 0.95)], NULL);
-- NULL is neither yes nor no; on a first version there is nothing to be weaker than
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity('{city}', 10)], keep => '{zip}', allow_weaker => NULL);
SELECT release_drop('r');
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity('{city}', 10)], keep => '{zip}', allow_weaker => true) -> 'version' AS version;
SELECT parameters -> 'weaker' AS weaker FROM r_private.manifest;
-- nothing is left of what was refused, and the release is as it was
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity('{city}', 1)], keep => '{zip}');
SELECT count(*) AS versions FROM r_private.manifest;
SELECT relname FROM pg_class WHERE relnamespace = 'r_private'::regnamespace AND relname ~ '^rows_v' ORDER BY 1;
SELECT release_drop('r');
DROP SCHEMA weak CASCADE;
