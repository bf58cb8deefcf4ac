-- Altering a release: what may be changed, what becomes weaker, whose release it is.
SET client_min_messages TO notice;
CREATE SCHEMA alt;
SET search_path TO alt, public;
CREATE TABLE people AS SELECT 'c' || i % 3 AS city, 20 + i % 40 AS age, 'j' || i % 4 AS job, CASE WHEN i % 7 = 0 THEN 'flu' ELSE 'none' END AS ill, (i % 40 > 20)::text AS class, 'n' || i % 2 AS note FROM generate_series(1, 1680) i;
CREATE FUNCTION asked(release text) RETURNS jsonb LANGUAGE plpgsql AS $$ DECLARE p jsonb; BEGIN
  EXECUTE format('SELECT parameters FROM %I.manifest WHERE current', release || '_private') INTO p; RETURN (SELECT jsonb_object_agg(key, value) FROM jsonb_each(p) WHERE key IN ('privacy', 'masking', 'score', 'max_steps', 'withhold', 'endpoints', 'weaker')); END $$;
SELECT tds_anonymize('people', 'rel', ARRAY[k_anonymity(ARRAY['city', 'age'], 20), confidence_bound(ARRAY['city', 'age'], 'ill', ARRAY['flu'], 0.6)], class => 'class', keep => ARRAY['note']) -> 'version' AS version;
SELECT asked('rel');
-- nothing to change: a search afresh
SELECT release_alter('rel') - 'seconds' - 'privacy' AS result;
-- each by itself
SELECT release_alter('rel', score => 'info_gain') -> 'version' AS version;
SELECT release_alter('rel', max_steps => 1) - 'seconds' - 'privacy' AS result;
SELECT release_alter('rel', endpoints => 'values') -> 'version' AS version;
SELECT release_alter('rel', masking => ARRAY[by_intervals('age', '0', '100'), by_suppression('city')]) -> 'version' AS version;
SELECT asked('rel');
SELECT node FROM rel.cut WHERE attribute = 'age';
SELECT release_alter('rel', withhold => 0.5);
SELECT release_alter('rel', withhold => 2);
SELECT release_alter('rel', score => 'best');
SELECT release_alter('rel', endpoints => 'best');
SELECT release_alter('rel', max_steps => -1);
SELECT release_alter('rel', masking => ARRAY[by_suppression('nowhere')]);
SELECT release_alter('rel', privacy => '{}');
SELECT release_alter('rel', allow_weaker => NULL);
SELECT release_alter('nowhere');
SELECT release_alter(NULL);
-- stricter is as good as asked for; weaker has to be asked for, by name
SELECT release_alter('rel', privacy => ARRAY[k_anonymity(ARRAY['city', 'age'], 25), confidence_bound(ARRAY['city', 'age'], 'ill', NULL, 0.95), confidence_bound(ARRAY['city', 'age'], 'ill', ARRAY['flu'], 0.5)]) -> 'version' AS version;
SELECT release_alter('rel', privacy => ARRAY[k_anonymity(ARRAY['city', 'age'], 24), confidence_bound(ARRAY['city', 'age'], 'ill', ARRAY['flu'], 0.7)]);
SELECT release_alter('rel', privacy => ARRAY[k_anonymity(ARRAY['city', 'age'], 24), confidence_bound(ARRAY['city', 'age'], 'ill', ARRAY['flu'], 0.7)], allow_weaker => true) -> 'version' AS version;
SELECT asked('rel');
-- a column that was kept may be masked from now on, not the other way about; names and types of the view stay
SELECT release_alter('rel', privacy => ARRAY[k_anonymity(ARRAY['city', 'age', 'note'], 24), confidence_bound(ARRAY['city', 'age'], 'ill', ARRAY['flu'], 0.7)]) -> 'version' AS version;
SELECT DISTINCT note FROM rel.people ORDER BY 1;
SELECT release_alter('rel', privacy => ARRAY[k_anonymity(ARRAY['city', 'age'], 24), confidence_bound(ARRAY['city', 'age'], 'ill', ARRAY['flu'], 0.7)]);
SELECT release_alter('rel', privacy => ARRAY[k_anonymity(ARRAY['city', 'age', 'job'], 24), confidence_bound(ARRAY['city', 'age'], 'ill', ARRAY['flu'], 0.7)]);
-- a sensitive column that comes to be masked is kept beside, hidden: the table of all versions gets the column where nobody reads it
SELECT tds_anonymize('people', 'hid', ARRAY[k_anonymity(ARRAY['city', 'job'], 20), l_diversity(ARRAY['city'], 'ill', 2)]) -> 'version' AS version;
SELECT release_alter('hid', privacy => ARRAY[k_anonymity(ARRAY['city', 'job', 'ill'], 10), l_diversity(ARRAY['city'], 'ill', 2)], allow_weaker => true) -> 'version' AS version;
SELECT attrelid::regclass, array_agg(attname ORDER BY attnum) FROM pg_attribute WHERE attrelid IN ('hid_private.rows_v0'::regclass, 'hid_private.rows_v1'::regclass, 'hid_private.rows_v2'::regclass, 'hid.people'::regclass) AND attnum > 0 GROUP BY 1 ORDER BY 1;
SELECT model ->> 0 AS x, required, achieved, holds FROM (SELECT to_jsonb(model::text) AS model, required, achieved, holds FROM release_verify('hid')) v;
SELECT count(*), count(hidden_1) FROM hid_private.rows_v2;
SELECT count(*), count(hidden_1) FROM hid_private.rows_v1;
SELECT release_refresh(public.again('hid')) -> 'version' AS version;
SELECT count(*), count(hidden_1) FROM hid_private.rows_v3;
-- a k-member release: its k alone
SELECT kmember_anonymize('people', 'clu', ARRAY['city', 'age'], 20) -> 'version' AS version;
SELECT release_alter('clu', privacy => ARRAY[k_anonymity(ARRAY['city', 'age'], 30)]) - 'seconds' AS result;
SELECT release_alter('clu', privacy => ARRAY[l_diversity(ARRAY['city', 'age'], 'ill', 2)]);
SELECT release_alter('clu', score => 'tdr', max_steps => 3);
SELECT release_alter('clu', privacy => ARRAY[k_anonymity(ARRAY['city', 'age'], 2)]);
-- maskings: those given replace those of the same columns, the others stay, and that is told
CREATE FUNCTION masked(release text) RETURNS TABLE (by text) LANGUAGE plpgsql AS $$ BEGIN
  RETURN QUERY EXECUTE format('SELECT m::text FROM %I_private.manifest, jsonb_array_elements(parameters -> ''masking'') m WHERE current', release); END $$;
SELECT tds_anonymize('people', 'mas', k_anonymity(ARRAY['city', 'age', 'job'], 20), masking => ARRAY[by_taxonomy_tree('city', '{"any": {"low": ["c0", "c1"], "high": ["c2"]}}'), by_intervals('age', '0', '100')]) -> 'version' AS version;
SELECT attribute, node FROM mas.cut ORDER BY 1, lower::int, 2;
SELECT release_alter('mas', masking => by_intervals('age', '10', '90')) -> 'version' AS version;
SELECT masked('mas');
SELECT release_alter('mas', masking => by_prefix('job')) -> 'version' AS version;
SELECT masked('mas');
-- with nothing said of maskings nothing is told of them
SELECT release_alter('mas', score => 'tdr') -> 'version' AS version;
SELECT masked('mas');
-- one that is taken away: the column has the default of its type
SELECT release_alter('mas', unmask => ARRAY['age', 'job']) -> 'version' AS version;
SELECT masked('mas');
SELECT DISTINCT node ~ '^\(,' AS open FROM mas.cut WHERE attribute = 'age' AND lower IS NULL;
SELECT release_alter('mas', masking => by_prefix('city'), unmask => '{}') -> 'version' AS version;
SELECT release_alter('mas', masking => ARRAY[by_prefix('job'), by_intervals('age', '0', '100')], unmask => ARRAY['city']) -> 'version' AS version;
SELECT masked('mas');
-- what cannot be taken away
SELECT release_alter('mas', masking => by_prefix('job'), unmask => ARRAY['age', 'job', 'city', 'nowhere', 'age']);
SELECT release_alter('mas', unmask => ARRAY['city']);
SELECT release_alter('mas', unmask => ARRAY['age', NULL]);
SELECT release_alter('mas', masking => ARRAY[by_prefix('job'), by_suppression('job')]);
-- a column that is not masked any more has no masking; one that is given for it is a fault
SELECT release_alter('mas', privacy => ARRAY[k_anonymity(ARRAY['city', 'job'], 20)], masking => by_suppression('age'), allow_weaker => true);
CREATE TABLE two AS SELECT age, job, city FROM people;
SELECT tds_anonymize('two', 'fewer', ARRAY[k_anonymity(ARRAY['age', 'job'], 20), l_diversity(ARRAY['age'], 'city', 2)], masking => ARRAY[by_intervals('age', '0', '100'), by_prefix('job')]) -> 'version' AS version;
SELECT release_alter('fewer', privacy => ARRAY[k_anonymity(ARRAY['age', 'city'], 20), l_diversity(ARRAY['age'], 'job', 2)], masking => by_prefix('city'), allow_weaker => true) -> 'version' AS version;
SELECT masked('fewer');
-- a clustering's too
SELECT kmember_anonymize('people', 'mac', ARRAY['city', 'age'], 20, masking => ARRAY[by_taxonomy_tree('city', '{"any": {"low": ["c0", "c1"], "high": ["c2"]}}'), by_suppression('age')]) -> 'version' AS version;
SELECT release_alter('mac', unmask => ARRAY['age']) -> 'version' AS version;
SELECT masked('mac');
SELECT release_drop(release) FROM releases() WHERE release IN ('mas', 'mac', 'fewer');
-- another source: with the columns that were read, of the same types
CREATE SCHEMA elsewhere;
CREATE TABLE elsewhere.persons AS TABLE people;
SELECT release_alter('rel', source => 'elsewhere.persons') -> 'relation' AS relation;
SELECT source FROM releases() WHERE release = 'rel';
SELECT release_refresh(public.again('rel')) -> 'version' AS version;
CREATE VIEW elsewhere.other AS SELECT city, age::bigint, ill, class FROM people;
SELECT release_alter('rel', source => 'elsewhere.other');
SELECT release_alter('rel', source => 'pg_class_oid_index');
SELECT release_alter('rel', source => 0);
-- everything else that a first call takes, each by itself; a class may become another or none
CREATE FUNCTION asked_more(release text) RETURNS jsonb LANGUAGE plpgsql AS $$ DECLARE p jsonb; BEGIN
  EXECUTE format('SELECT parameters FROM %I.manifest WHERE current', release || '_private') INTO p; RETURN (SELECT jsonb_object_agg(key, value) FROM jsonb_each(p) WHERE key IN ('class', 'keep', 'split', 'recoding', 'intervals', 'suppressed')); END $$;
SELECT tds_anonymize('people', 'all', k_anonymity(ARRAY['city', 'age'], 20), class => 'class', keep => ARRAY['note'], masking => by_intervals('age', '0', '100')) -> 'version' AS version;
SELECT release_alter('all', split => 'valid') -> 'version' AS version;
SELECT release_alter('all', recoding => 'local') -> 'version' AS version;
SELECT asked_more('all');
SELECT release_alter('all', intervals => 'padded', recoding => 'global') -> 'version' AS version;
SELECT release_alter('all', suppressed => '?', max_steps => 0) -> 'version' AS version;
SELECT DISTINCT city, age FROM "all".people;
SELECT release_alter('all', class => 'note', keep => ARRAY['class'], max_steps => 100) -> 'version' AS version;
SELECT asked_more('all');
SELECT release_alter('all', class => '', keep => ARRAY['class', 'note']) -> 'version' AS version;
SELECT asked_more('all');
SELECT release_refresh(public.again('all')) -> 'steps_dropped' AS dropped;
SELECT bool_and(holds) FROM release_verify('all');
-- the view has the columns that it had, and what cannot be is said, all of it at once
SELECT release_alter('all', keep => '{}');
SELECT release_alter('all', keep => ARRAY['class', 'note', 'age']);
SELECT release_alter('all', intervals => 'range');
SELECT release_alter('all', split => 'best', recoding => 'none', intervals => 'wide', class => 'nowhere', keep => ARRAY['neither']);
SELECT release_alter('all', keep => ARRAY['note', NULL]);
-- what a clustering and progressive disclosure have not
SELECT release_alter('clu', class => 'class', split => 'valid', suppressed => '?');
SELECT release_alter('clu', keep => ARRAY['note']) -> 'version' AS version;
SELECT pda_anonymize('people', 'pda', confidence_bound(ARRAY['city'], 'ill', ARRAY['flu'], 0.6), 'class') -> 'version' AS version;
SELECT release_alter('pda', recoding => 'local', split => 'median');
SELECT release_alter('pda', suppressed => '?') -> 'version' AS version;
SELECT asked_more('pda');
SELECT release_drop(release) FROM releases() WHERE release IN ('rel', 'hid', 'clu', 'all', 'pda');
DROP SCHEMA elsewhere CASCADE;
DROP SCHEMA alt CASCADE;
