-- Privacy templates (confidence_bound): what cannot be asked, measures counted by hand, redundancy, sensitive columns that are also
-- masked, NULL and absent values; privacy_check and privacy_inferences on any table or view; several models in one search.
SET client_min_messages TO notice;
CREATE SCHEMA templates;
SET search_path TO templates, public;

-- A. What cannot be asked
SELECT confidence_bound(ARRAY['job', 'illness'], 'illness', ARRAY['flu'], 0.5);
SELECT '{"confidence_bound": {"inference_channel": ["illness"], "sensitive": "illness", "max_confidence": 0.5}}'::privacy_model;
SELECT confidence_bound(ARRAY['job'], 'illness', ARRAY['flu'], 1.01);
SELECT confidence_bound(ARRAY['job'], 'illness', ARRAY['flu'], -0.01);
SELECT confidence_bound(ARRAY['job'], 'illness', ARRAY['flu'], 'NaN');
SELECT confidence_bound(ARRAY['job'], 'illness', ARRAY['flu'], 'Infinity');
SELECT '{"confidence_bound": {"inference_channel": ["job"], "sensitive": "illness", "max_confidence": 50}}'::privacy_model;
SELECT confidence_bound('{}', 'illness', ARRAY['flu'], 0.5);
SELECT confidence_bound(ARRAY['job'], 'illness', '{}', 0.5);
SELECT confidence_bound(ARRAY['job', 'sex', 'job'], 'illness', ARRAY['flu'], 0.5);
SELECT confidence_bound(ARRAY['job'], 'illness', ARRAY['flu', 'cold', 'flu'], 0.5);
SELECT confidence_bound(ARRAY['job'], 'illness', ARRAY[NULL, 'cold', NULL], 0.5);
SELECT confidence_bound(NULL, 'illness', ARRAY['flu'], 0.5);
SELECT confidence_bound(ARRAY['job', NULL], 'illness', ARRAY['flu'], 0.5);
SELECT confidence_bound(ARRAY['job'], NULL, ARRAY['flu'], 0.5);
SELECT confidence_bound(ARRAY['job'], 'illness', ARRAY['flu'], NULL);
SELECT '{"confidence_bound": {"inference_channel": ["job"], "sensitive": "illness"}}'::privacy_model;
SELECT '{"confidence_bound": {"inference_channel": ["job"], "sensitive": "illness", "max_confidence": 0.5, "h": 1}}'::privacy_model;
-- The ends are bounds; NULL for all values and NULL as a value are two things; a constructor gives what its text form gives back.
SELECT m, m::text::privacy_model::text = m::text AS same
FROM unnest(ARRAY[confidence_bound(ARRAY['job'], 'illness', ARRAY['flu'], 0), confidence_bound(ARRAY['job'], 'illness', NULL, 1),
                  confidence_bound(ARRAY['job', 'sex'], 'illness', ARRAY[NULL, 'flu'], 1 / 3.0)]) WITH ORDINALITY u (m, i) ORDER BY i;

-- illness by (job, sex), by hand:
--   cook F:   flu 3, HIV 1              4     cook M:   flu 2, HIV 2, cold 2         6
--   doctor F: flu 1, cold 3             4     doctor M: cold 4, HIV 1, flu 1         6
-- cook 10: flu 5, HIV 3, cold 2; doctor 10: cold 7, flu 2, HIV 1; all 20: cold 9, flu 7, HIV 4
CREATE TABLE patient (job text, sex text, age int, illness text, insured text);
INSERT INTO patient SELECT job, sex, age, illness, insured
FROM (VALUES ('cook', 'F', 31, 'flu', 'yes', 2), ('cook', 'F', 34, 'flu', 'no', 1), ('cook', 'F', 38, 'HIV', 'no', 1),
             ('cook', 'M', 31, 'flu', 'yes', 2), ('cook', 'M', 45, 'HIV', 'no', 2), ('cook', 'M', 47, 'cold', 'yes', 2),
             ('doctor', 'F', 36, 'flu', 'yes', 1), ('doctor', 'F', 49, 'cold', 'yes', 3),
             ('doctor', 'M', 52, 'cold', 'no', 4), ('doctor', 'M', 55, 'HIV', 'yes', 1), ('doctor', 'M', 58, 'flu', 'no', 1)
     ) t (job, sex, age, illness, insured, n), generate_series(1, n);

SELECT pda_anonymize('patient', 'r', ARRAY[confidence_bound(ARRAY['job'], 'illness', ARRAY['flue'], 0.5)], 'insured');
SELECT pda_anonymize('patient', 'r', ARRAY[confidence_bound(ARRAY['job'], 'illness', ARRAY['flu', 'hiv', 'colt'], 0.5)], 'insured');
SELECT pda_anonymize('patient', 'r', ARRAY[confidence_bound(ARRAY['job'], 'illness', ARRAY['flu', NULL], 0.5)], 'insured');
SELECT tds_anonymize('patient', 'r', ARRAY[confidence_bound(ARRAY['job'], 'illness', ARRAY['cough'], 0.5)]);
SELECT tds_steps('patient', ARRAY[confidence_bound(ARRAY['job'], 'illness', ARRAY['cough'], 0.5)]);
SELECT pda_anonymize('patient', 'r', ARRAY[confidence_bound(ARRAY['job'], 'ilness', ARRAY['flu'], 0.5)], 'insured');
SELECT pda_anonymize('patient', 'r', ARRAY[confidence_bound(ARRAY['jobs', 'sex'], 'illness', ARRAY['flu'], 0.5)], 'insured');
SELECT pda_anonymize('patient', 'r', ARRAY[confidence_bound(ARRAY['job'], 'illness', ARRAY['flu'], 0.5)], 'insure');
SELECT pda_anonymize('patient', 'r', ARRAY[confidence_bound(ARRAY['job', 'insured'], 'illness', ARRAY['flu'], 0.5)], 'insured');
SELECT pda_anonymize('patient', 'r', ARRAY[confidence_bound(ARRAY['job'], 'illness', ARRAY['flu'], 0.5)], 'insured', keep => ARRAY['job']);
SELECT pda_anonymize('patient', 'r', ARRAY[confidence_bound(ARRAY['job'], 'illness', ARRAY['flu'], 0.5)], 'insured',
                     masking => ARRAY[by_suppression('illness')]);
SELECT pda_anonymize('patient', 'r', ARRAY[confidence_bound(ARRAY['job'], 'illness', ARRAY['flu'], 0.5)], 'insured', max_steps => -1);
SELECT pda_anonymize('patient', 'r', ARRAY[confidence_bound(ARRAY['job'], 'illness', ARRAY['flu'], 0.5)], 'insured', suppressed => 'cook');
-- duplicates, also with their sets in another order; another bound or another value makes another template
SELECT pda_anonymize('patient', 'r', ARRAY[confidence_bound(ARRAY['job'], 'illness', ARRAY['flu'], 0.5),
                                           confidence_bound(ARRAY['job'], 'illness', ARRAY['flu'], 0.5)], 'insured');
SELECT pda_anonymize('patient', 'r', ARRAY[confidence_bound(ARRAY['job', 'sex'], 'illness', ARRAY['flu', NULL], 0.5),
                                           confidence_bound(ARRAY['sex', 'job'], 'illness', ARRAY[NULL, 'flu'], 0.5)], 'insured');
SELECT pda_anonymize('patient', 'r', ARRAY[confidence_bound(ARRAY['job', 'sex'], 'illness', NULL, 0.5),
                                           confidence_bound(ARRAY['sex', 'job'], 'illness', NULL, 0.5)], 'insured');
SELECT pda_anonymize('patient', 'r', '{}', 'insured');
SELECT pda_anonymize('patient', 'r', NULL, 'insured');
SELECT pda_anonymize('patient', 'r', ARRAY[confidence_bound(ARRAY['job'], 'illness', ARRAY['flu'], 0.5), NULL], 'insured');
SELECT pda_anonymize(NULL, 'r', ARRAY[confidence_bound(ARRAY['job'], 'illness', ARRAY['flu'], 0.5)], 'insured');
SELECT pda_anonymize('patient', NULL, ARRAY[confidence_bound(ARRAY['job'], 'illness', ARRAY['flu'], 0.5)], 'insured');
SELECT pda_anonymize('patient', 'r', ARRAY[confidence_bound(ARRAY['job'], 'illness', ARRAY['flu'], 0.5)], 'insured', suppressed => NULL);
SELECT pda_anonymize('patient', 'r', ARRAY[confidence_bound(ARRAY['job'], 'illness', ARRAY['flu'], 0.5)], 'insured', masking => NULL);
-- looking before releasing
SELECT * FROM privacy_check('patient', '{}');
SELECT * FROM privacy_check('patient', NULL);
SELECT * FROM privacy_check(NULL, ARRAY[k_anonymity(ARRAY['job'], 2)]);
SELECT * FROM privacy_check('patient', ARRAY[k_anonymity(ARRAY['job'], 2), NULL]);
SELECT * FROM privacy_check('patient', ARRAY[confidence_bound(ARRAY['job'], 'ilness', ARRAY['flu'], 0.5)]);
SELECT * FROM privacy_check('patient', ARRAY[confidence_bound(ARRAY['jobs'], 'illness', ARRAY['flu'], 0.5)]);
CREATE SEQUENCE number;
SELECT * FROM privacy_check('number', ARRAY[k_anonymity(ARRAY['job'], 2)]);
SELECT * FROM privacy_inferences('number', confidence_bound(ARRAY['job'], 'illness', ARRAY['flu'], 0.5));
SELECT * FROM privacy_inferences('patient', k_anonymity(ARRAY['job'], 2));
SELECT * FROM privacy_inferences('patient', NULL);
SELECT * FROM privacy_inferences(NULL, confidence_bound(ARRAY['job'], 'illness', ARRAY['flu'], 0.5));
SELECT * FROM privacy_inferences('patient', confidence_bound(ARRAY['jobs'], 'illness', ARRAY['flu'], 0.5));
SELECT * FROM privacy_inferences('patient', confidence_bound(ARRAY['job'], 'illness', ARRAY['flu'], 0.5), 1.5);
SELECT * FROM privacy_inferences('patient', confidence_bound(ARRAY['job'], 'illness', ARRAY['flu'], 0.5), 'NaN');
SELECT * FROM privacy_inferences('patient', confidence_bound(ARRAY['job'], 'illness', ARRAY['flu'], 0.5), NULL);
-- Lemma 3.3: what the most suppressed table breaks, every table breaks. HIV is 4 of 20, cold 9 of 20.
SELECT pda_anonymize('patient', 'r', ARRAY[confidence_bound(ARRAY['job', 'sex'], 'illness', ARRAY['flu'], 0.5),
                                           confidence_bound(ARRAY['job'], 'illness', ARRAY['HIV'], 0.19)], 'insured');
SELECT tds_steps('patient', ARRAY[confidence_bound(ARRAY['job', 'sex'], 'illness', ARRAY['cold'], 0.25)]);
-- of several values, the one that breaks it (cold: 9/20 = 0.45) is named
DO $$
DECLARE
  detail text;
BEGIN
  PERFORM tds_steps('patient', ARRAY[confidence_bound(ARRAY['job'], 'illness', NULL, 0.4)]);
EXCEPTION WHEN object_not_in_prerequisite_state THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  RAISE NOTICE 'value: %, confidence: %, bound: %', detail ~ '\mcold\M', detail ~ '\m0\.45\M', detail ~ '\m0\.4\M';
END $$;
-- nothing was left behind
SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname NOT IN ('information_schema', 'public') ORDER BY 1;
SELECT relname FROM pg_class WHERE relnamespace = 'templates'::regnamespace ORDER BY 1;

-- B. Measures by hand (the counts above). flu: cook F 3/4; on job alone 5/10. HIV: cook M 2/6. All: cold among doctors F 3/4, M 4/6.
-- Above 0.5: flu cook F (4 rows); of every value also doctor F (4), doctor M (6). A value that is not there has confidence 0.
SELECT i, required, round(achieved::numeric, 4) AS achieved, holds, groups, violating_groups, violating_rows
FROM privacy_check('patient', ARRAY[
       confidence_bound(ARRAY['job', 'sex'], 'illness', ARRAY['flu'], 0.5), confidence_bound(ARRAY['sex', 'job'], 'illness', ARRAY['flu'], 0.75),
       confidence_bound(ARRAY['job'], 'illness', ARRAY['flu'], 0.5), confidence_bound(ARRAY['job', 'sex'], 'illness', ARRAY['HIV'], 0.3),
       confidence_bound(ARRAY['job', 'sex'], 'illness', ARRAY['HIV', 'flu'], 0.5), confidence_bound(ARRAY['job', 'sex'], 'illness', NULL, 0.5),
       confidence_bound(ARRAY['job'], 'illness', ARRAY['plague'], 0), confidence_bound(ARRAY['job'], 'illness', ARRAY[NULL]::text[], 0),
       k_anonymity(ARRAY['job', 'sex'], 5)]) WITH ORDINALITY c (model, required, achieved, holds, groups, violating_groups, violating_rows, i)
ORDER BY i;
SELECT model FROM privacy_check('patient', ARRAY[confidence_bound(ARRAY['sex', 'job'], 'illness', ARRAY['flu'], 0.75)]);
SELECT * FROM privacy_inferences('patient', confidence_bound(ARRAY['job', 'sex'], 'illness', ARRAY['flu', 'HIV'], 0.5))
ORDER BY confidence DESC, channel, sensitive_value;
-- above means above: 0.5 is not above 0.5, and the template's own bound has no say
SELECT * FROM privacy_inferences('patient', confidence_bound(ARRAY['job'], 'illness', ARRAY['flu'], 0.1), 0.2) ORDER BY confidence;
SELECT * FROM privacy_inferences('patient', confidence_bound(ARRAY['job'], 'illness', NULL, 0.1), 0.5) ORDER BY confidence;
SELECT count(*) FROM privacy_inferences('patient', confidence_bound(ARRAY['job'], 'illness', NULL, 0.1), min_confidence => 0.7);
SELECT count(*) FROM privacy_inferences('patient', confidence_bound(ARRAY['job'], 'illness', NULL, 0.1));
SELECT count(*) FROM privacy_inferences('patient', confidence_bound(ARRAY['job'], 'illness', ARRAY['plague'], 0.1));

-- NULL is a value, in the channel and as a sensitive one:  q = a: x 2, y 1;  b: x 1, NULL 2, z 1;  NULL: y 1, z 1
CREATE TABLE small (q text, s text);
INSERT INTO small VALUES ('a', 'x'), ('a', 'x'), ('a', 'y'), ('b', 'x'), ('b', NULL), ('b', NULL), ('b', 'z'), (NULL, 'y'), (NULL, 'z');
SELECT i, required, round(achieved::numeric, 4) AS achieved, holds, groups, violating_groups, violating_rows
FROM privacy_check('small', ARRAY[
       confidence_bound(ARRAY['q'], 's', ARRAY['x'], 0.6), confidence_bound(ARRAY['q'], 's', ARRAY['y'], 0.5),
       confidence_bound(ARRAY['q'], 's', ARRAY[NULL]::text[], 0.4), confidence_bound(ARRAY['q'], 's', ARRAY['z', NULL], 0.4),
       confidence_bound(ARRAY['q'], 's', NULL, 0.5), confidence_bound(ARRAY['q'], 's', ARRAY['NULL'], 0.5)])
     WITH ORDINALITY c (model, required, achieved, holds, groups, violating_groups, violating_rows, i) ORDER BY i;
SELECT * FROM privacy_inferences('small', confidence_bound(ARRAY['q'], 's', NULL, 1)) ORDER BY confidence DESC, channel, sensitive_value;
SELECT * FROM privacy_inferences('small', confidence_bound(ARRAY['q'], 's', ARRAY[NULL, 'x'], 1)) ORDER BY confidence DESC, channel;
-- on views, materialized and partitioned tables, and without rows
CREATE VIEW small_view AS SELECT s AS "What's up?", coalesce(q, '-') AS "Q" FROM small;
SELECT * FROM privacy_inferences('small_view', confidence_bound(ARRAY['Q'], 'What''s up?', ARRAY['x'], 1)) ORDER BY confidence DESC;
CREATE MATERIALIZED VIEW small_stored AS SELECT * FROM small;
CREATE TABLE small_parts (q text, s text) PARTITION BY LIST (q);
CREATE TABLE small_part_1 PARTITION OF small_parts FOR VALUES IN ('a');
CREATE TABLE small_part_2 PARTITION OF small_parts DEFAULT;
INSERT INTO small_parts SELECT * FROM small;
CREATE TABLE nothing (q text, s text);
SELECT relation, round(achieved::numeric, 4) AS achieved, holds, groups, violating_groups, violating_rows,
       (SELECT count(*) FROM privacy_inferences(relation::regclass, confidence_bound(ARRAY['q'], 's', ARRAY['x'], 1))) AS inferences
FROM unnest(ARRAY['small', 'small_stored', 'small_parts', 'small_part_1', 'nothing']) WITH ORDINALITY r (relation, i),
     LATERAL privacy_check(relation::regclass, ARRAY[confidence_bound(ARRAY['q'], 's', ARRAY['x'], 0.6)])
ORDER BY i;
-- no rows, nothing to infer
SELECT result - 'seconds' AS result FROM pda_anonymize('nothing', 'r', ARRAY[confidence_bound(ARRAY['q'], 's', NULL, 0.5)], NULL) result;
SELECT required, achieved, holds FROM release_verify('r');
SELECT release_drop('r');
SELECT pda_anonymize('nothing', 'r', ARRAY[confidence_bound(ARRAY['q'], 's', ARRAY['x'], 0.5)], NULL);
-- names that need quoting, and more columns than jsonb_build_object takes arguments
CREATE TABLE "Wide ""one""" ("c'o""l" text, "§ 1" text);
INSERT INTO "Wide ""one""" VALUES ('v', 'p'), ('v', 'r'), ('w', 'p');
DO $$ BEGIN
  EXECUTE (SELECT 'ALTER TABLE "Wide ""one""" ' || string_agg(format('ADD COLUMN %I int DEFAULT %s', 'c' || i, i % 3), ', ' ORDER BY i)
           FROM generate_series(1, 130) i);
END $$;
UPDATE "Wide ""one""" SET c130 = NULL WHERE "c'o""l" = 'w';
SELECT channel ->> 'c''o"l' AS "c'o""l", channel ->> 'c1' AS c1, channel -> 'c130' AS c130,
       (SELECT count(*) FROM jsonb_object_keys(channel)) AS keys, sensitive_value, support, matches, confidence
FROM privacy_inferences('"Wide ""one"""', confidence_bound('c''o"l'::text || ARRAY(SELECT 'c' || i FROM generate_series(1, 130) i), '§ 1', ARRAY['p'], 1))
ORDER BY confidence;
SELECT achieved, groups FROM privacy_check('"Wide ""one"""',
  ARRAY[confidence_bound('c''o"l'::text || ARRAY(SELECT 'c' || i FROM generate_series(1, 130) i), '§ 1', ARRAY['p'], 1)]);
-- A sensitive value is named by its text form, whatever the session's settings; equal values are one value.
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TABLE typed (q text, i int, n numeric, b bool, d date, c char(4), m mood);
INSERT INTO typed VALUES ('a', 1, 1.0, true, '2020-02-01', 'x', 'ok'), ('a', 1, 1.00, true, '2020-02-01', 'x', 'ok'),
                         ('a', 2, 2.5, false, '2021-02-01', 'y', 'sad'), ('a', 3, 2.5, false, '2021-02-01', 'y', 'happy');
SET DateStyle TO 'German';
SELECT sensitive, value, round(achieved::numeric, 2) AS achieved, matches
FROM (VALUES (1, 'i', '1'), (2, 'b', 'true'), (3, 'd', '2020-02-01'), (4, 'c', 'x'), (5, 'm', 'ok'), (6, 'n', '2.5'), (7, 'n', '1.0'), (8, 'n', '1.00')
     ) v (i, sensitive, value),
     LATERAL (SELECT confidence_bound(ARRAY['q'], sensitive, ARRAY[value], 0.5) AS template) t,
     LATERAL privacy_check('typed', ARRAY[template]) LEFT JOIN LATERAL privacy_inferences('typed', template) ON true
ORDER BY v.i;
RESET DateStyle;
-- 1.00 is all of q = a, whichever of the equal values' texts names it.
CREATE TABLE scaled (q text, n numeric);
INSERT INTO scaled VALUES ('b', 1.0), ('b', 2.5), ('b', 2.5), ('b', 2.5), ('a', 1.00), ('a', 1.00);
SELECT value, achieved, holds, groups, violating_groups, violating_rows
FROM unnest(ARRAY['1.0', '1.00']) value, LATERAL privacy_check('scaled', ARRAY[confidence_bound(ARRAY['q'], 'n', ARRAY[value], 0.5)]) ORDER BY 1;
-- Of every type: two values, 3 rows and 1, named by their text form, in privacy_check, privacy_inferences, a search and a release; and as a channel.
CREATE DOMAIN code AS char(3) CHECK (value <> 'zzz');
CREATE TYPE pair AS (a int, b text);
CREATE TABLE every_type (q text, c_int2 int2, c_int8 int8, c_float4 float4, c_float8 float8, c_numeric numeric(10,2), c_money money, c_bool bool, c_char char(4),
  c_one "char", c_varchar varchar(5), c_name name, c_text text, c_bytea bytea, c_date date, c_time time(0), c_timetz timetz, c_ts timestamp(3), c_tz timestamptz,
  c_interval interval, c_bit bit(3), c_varbit varbit, c_uuid uuid, c_inet inet, c_cidr cidr, c_mac macaddr, c_oid oid, c_xid xid, c_json json, c_jsonb jsonb, c_point point,
  c_range int4range, c_array int[], c_texts text[], c_enum mood, c_domain code, c_pair pair, c_tsvector tsvector);
INSERT INTO every_type SELECT 'a', v.* FROM (VALUES
  (1::int2, 9007199254740993::int8, 0.1::float4, '-0'::float8, 2.50, '2.50'::money, true, 'ab'::char(4), 'c'::"char", 'abc'::varchar, 'abc'::name, 'a,"b', '\x00ff'::bytea, '2020-02-29'::date,
   '23:59:59'::time, '10:00+02'::timetz, '2020-02-29 12:00:00.5'::timestamp, '2020-02-29 12:00:00+02'::timestamptz, '1 mon 2 days'::interval, '101'::bit(3), '10101'::varbit,
   '00000000-0000-0000-0000-00000000000a'::uuid, '10.0.0.1'::inet, '10.0.0.0/8'::cidr, '08:00:2b:01:02:03'::macaddr, 7::oid, '7'::xid, '{"a": 1}'::json, '{"a": 1}'::jsonb,
   '(1,2)'::point, '[1,5)'::int4range, '{1,2}'::int[], '{"a,b",NULL}'::text[], 'ok'::mood, 'abc'::code, '(1,"x y")'::pair, 'a b'::tsvector),
  (2, 9007199254740992, 0.2, 1, 2.55, '2.55', false, 'a', 'd', 'abcd', 'abcd', 'a', '\x00', '2020-03-01', '23:59:58', '10:00+01', '2020-02-29 12:00:00.25', '2020-02-29 12:00:01+02', '1 mon 3 days',
   '100', '1010', '00000000-0000-0000-0000-00000000000b', '10.0.0.1/8', '10.0.0.0/9', '08:00:2b:01:02:04', 8, '8', '{"a":1}', '{"a": 2}', '(1,3)', '[1,6)', '{1}', '{"a,b"}', 'sad', 'abd',
   '(1,"x")', 'a')) v, generate_series(1, 5 - 2 * v.column1);
CREATE VIEW type_columns AS SELECT attname::text AS name FROM pg_attribute WHERE attrelid = 'every_type'::regclass AND attnum > 1 AND NOT attisdropped;
CREATE FUNCTION asked(name text, OUT checked float8, OUT inferences bigint, OUT searched bigint, OUT released jsonb, OUT groups bigint)
LANGUAGE plpgsql AS $$
DECLARE
  value text;
  template privacy_model;
BEGIN
  SET LOCAL TimeZone TO UTC;
  SET LOCAL DateStyle TO ISO;
  SET LOCAL IntervalStyle TO postgres;
  EXECUTE format('SELECT %I::text FROM every_type LIMIT 1', name) INTO value;
  template := confidence_bound(ARRAY['q'], name, ARRAY[value], 0.75);
  SELECT achieved INTO checked FROM privacy_check('every_type', ARRAY[template]);
  SELECT count(*) INTO inferences FROM privacy_inferences('every_type', template) i WHERE i.confidence = 0.75 AND i.sensitive_value = value;
  SELECT count(*) INTO searched FROM tds_steps('every_type', ARRAY[template]);
  released := tds_anonymize('every_type', 'r', ARRAY[template]) #> '{privacy,0,achieved}';
  PERFORM release_drop('r');
  SELECT c.groups INTO groups FROM privacy_check('every_type', ARRAY[confidence_bound(ARRAY[name], 'q', ARRAY['a'], 1)]) c;
EXCEPTION WHEN OTHERS THEN
  RAISE WARNING '%: % %', name, SQLSTATE, SQLERRM;
END $$;
SELECT checked, inferences, searched, released, groups, count(*) AS types, CASE WHEN count(*) < 10 THEN array_agg(name ORDER BY name) END AS names
FROM (SELECT name, asked(name) AS a FROM type_columns ORDER BY name) t, LATERAL (SELECT (a).*) x GROUP BY 1, 2, 3, 4, 5 ORDER BY 6 DESC;
-- The same asked of a search: 1.0 and 1.00 are 2 of 4.
SELECT count(*) FROM tds_steps('typed', ARRAY[confidence_bound(ARRAY['q'], 'n', ARRAY['1.0'], 0.5)]);
SELECT count(*) FROM tds_steps('typed', ARRAY[confidence_bound(ARRAY['q'], 'n', ARRAY['1.00'], 0.5)]);
SELECT count(*) FROM tds_steps('typed', ARRAY[confidence_bound(ARRAY['q'], 'n', ARRAY['1.0'], 0.4)]);

-- C. A release, and what it keeps. By hand: sex tells more of insured than job does, so F goes first, then M: flu F 4/8, M 3/12.
-- Now no job can be disclosed: cook F is 3/4, and it is what doctor would leave.
SELECT result - 'seconds' AS result
FROM pda_anonymize('patient', 'r', ARRAY[confidence_bound(ARRAY['job', 'sex'], 'illness', ARRAY['flu'], 0.5)], 'insured') result;
SELECT job, sex, count(*) FILTER (WHERE illness = 'flu') AS flu, count(*) FROM r.patient GROUP BY 1, 2 ORDER BY 1, 2;
SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = 'r' AND table_name = 'patient' ORDER BY ordinal_position;
SELECT required, achieved, holds FROM release_verify('r');
-- on the release's own view, as on any table
SELECT round(achieved::numeric, 4) AS achieved, holds, groups FROM privacy_check('r.patient', ARRAY[confidence_bound(ARRAY['job', 'sex'], 'illness', NULL, 0.7)]);
-- Later the value may be rare or gone: confidence 0, no error; a first call would refuse it.
DELETE FROM patient WHERE illness = 'flu';
SELECT result -> 'version' AS version, result #> '{privacy,0,achieved}' AS achieved, result #> '{privacy,0,holds}' AS holds
FROM pda_anonymize('patient', 'r', ARRAY[confidence_bound(ARRAY['job', 'sex'], 'illness', ARRAY['flu'], 0.5)], 'insured') result;
SELECT required, achieved, holds FROM release_verify('r');
SELECT max(achieved[1]) AS achieved FROM r_private.steps WHERE version = 2;
SELECT pda_anonymize('patient', 'r2', ARRAY[confidence_bound(ARRAY['job', 'sex'], 'illness', ARRAY['flu'], 0.5)], 'insured');
SELECT release_drop('r');

-- NULL as a sensitive value, NULL in the channel: {a}, {b} and {NULL} can be disclosed while no group holds more than 1/2 NULLs.
SELECT result #> '{privacy,0,achieved}' AS achieved, result #> '{privacy,0,holds}' AS holds
FROM pda_anonymize('small', 'r', ARRAY[confidence_bound(ARRAY['q'], 's', ARRAY[NULL]::text[], 0.5)], NULL) result;
SELECT q, count(*), count(*) FILTER (WHERE s IS NULL) AS nulls FROM r.small GROUP BY 1 ORDER BY 1;
SELECT required, achieved, holds FROM release_verify('r');
SELECT release_drop('r');
SELECT pda_anonymize('small', 'r', ARRAY[confidence_bound(ARRAY['q'], 's', ARRAY[NULL]::text[], 0.2)], NULL);

-- D. Lemma 3.1: the same value, a wider channel and no larger bound make a template redundant: said, still measured and verified,
-- and one of the requirements on its column. Not redundant: a smaller bound, another value, a channel that is not inside.
CREATE TABLE customer (job text, country text, status text, class text);
INSERT INTO customer SELECT job, country, status, class
FROM (VALUES ('a', 'p', 's', 'y', 2), ('a', 'p', 't', 'n', 4), ('a', 'q', 's', 'y', 2), ('a', 'q', 't', 'y', 4), ('b', 'p', 's', 'n', 1),
             ('b', 'p', 't', 'n', 5), ('b', 'q', 's', 'y', 3), ('b', 'q', 't', 'n', 3)) t (job, country, status, class, n), generate_series(1, n);
SELECT pda_anonymize('customer', 'r', ARRAY[confidence_bound(ARRAY['job'], 'status', ARRAY['s'], 0.6),
                                            confidence_bound(ARRAY['country', 'job'], 'status', ARRAY['s'], 0.6),
                                            confidence_bound(ARRAY['country'], 'status', ARRAY['s'], 0.5),
                                            confidence_bound(ARRAY['country'], 'status', ARRAY['s', 't'], 0.9)], 'class') -> 'steps' AS steps;
-- By hand: s is 8 of 24; by job a 4/12, b 4/12; by country p 3/12, q 5/12; by both a p 2/6, a q 2/6, b p 1/6, b q 3/6; t by country p 9/12.
-- The classes are 11 y, 13 n; country tells more of them (p 2/10, q 9/3) than job (a 8/4, b 3/9) and is first. All can be disclosed.
SELECT step, attribute, children, achieved FROM r_private.steps ORDER BY step;
SELECT i, required, round(achieved::numeric, 4) AS achieved, holds FROM release_verify('r') WITH ORDINALITY v (model, required, achieved, holds, i) ORDER BY i;
SELECT jsonb_array_length(achieved) AS models FROM r_private.manifest;
SELECT release_drop('r');
-- privacy_loss is the mean over all requirements with the column, redundant ones and every sensitive value included:
-- Disclosing p makes s 3/12 and 5/12 of 8/24, t 9/12 and 7/12 of 16/24: 5/12 - 8/24 = 1/12 for s, 9/12 - 16/24 = 1/12 for t.
-- The first two means are 1/12; with k-anonymity (24 to 12 rows) as a third requirement it is (1/12 + 1/12 + 12) / 3 = 4.0556.
SELECT i, attribute, children, round(privacy_loss::numeric, 4) AS privacy_loss, achieved
FROM (VALUES (1, ARRAY[confidence_bound(ARRAY['country'], 'status', ARRAY['s'], 0.6), confidence_bound(ARRAY['country'], 'status', ARRAY['s'], 0.7)]),
             (2, ARRAY[confidence_bound(ARRAY['country'], 'status', ARRAY['s', 't'], 0.8)]),
             (3, ARRAY[confidence_bound(ARRAY['country'], 'status', NULL, 0.8), k_anonymity(ARRAY['country'], 2)])) v (i, models),
     LATERAL tds_steps('customer', models, 'class', max_steps => 1, score => 'tdr')
ORDER BY i;
-- two that imply each other: the first stays
SELECT count(*) FROM tds_steps('customer', ARRAY[confidence_bound(ARRAY['job'], 'status', ARRAY['s', 't'], 0.9), confidence_bound(ARRAY['job'], 'status', NULL, 0.9)]);
SELECT tds_anonymize('customer', 'r', ARRAY[confidence_bound(ARRAY['job'], 'status', ARRAY['s', 't'], 0.9),
                                            confidence_bound(ARRAY['job'], 'status', NULL, 0.9)]) -> 'privacy' -> 1 -> 'holds' AS holds;
SELECT release_drop('r');
-- none of these is redundant
SELECT tds_anonymize('customer', 'r', ARRAY[confidence_bound(ARRAY['job'], 'status', ARRAY['s'], 0.6), confidence_bound(ARRAY['job', 'country'], 'status', ARRAY['s'], 0.7),
    confidence_bound(ARRAY['job'], 'status', ARRAY['t'], 0.8), k_anonymity(ARRAY['job'], 2), confidence_bound(ARRAY['country'], 'status', ARRAY['s', 't'], 0.9)])
  -> 'version' AS version;
SELECT release_drop('r');

-- E. A sensitive column that another model masks: checked against its original values, which the version table keeps as
-- hidden columns; the view shows the masked ones. Here each column is the other template's secret.
CREATE TABLE visit (illness text, job text, town text, class text, illness_sensitive int);
INSERT INTO visit SELECT illness, job, town, class, 1
FROM (VALUES ('flu', 'cook', 'A', 'y', 4), ('flu', 'nurse', 'B', 'n', 3), ('cold', 'cook', 'B', 'n', 4), ('cold', 'nurse', 'A', 'y', 3),
             ('HIV', 'cook', 'A', 'n', 1), ('HIV', 'nurse', 'B', 'y', 1)) t (illness, job, town, class, n), generate_series(1, n);
SELECT ARRAY[confidence_bound(ARRAY['job', 'town'], 'illness', ARRAY['HIV'], 0.3), confidence_bound(ARRAY['illness'], 'job', ARRAY['nurse'], 0.5),
             k_anonymity(ARRAY['illness', 'town'], 3)] AS models \gset
CREATE ROLE regress_templates_reader;
SELECT result -> 'privacy' -> 0 -> 'holds' AS holds, result -> 'privacy' -> 1 -> 'holds' AS holds, result -> 'privacy' -> 2 -> 'holds' AS holds
FROM pda_anonymize('visit', 'r', :'models'::privacy_model[], 'class') result;
SELECT c.relname, array_agg(attname::text ORDER BY attnum) AS columns FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
WHERE c.relnamespace IN ('r'::regnamespace, 'r_private'::regnamespace) AND c.relname IN ('visit', 'rows_v1') AND attnum > 0 GROUP BY 1 ORDER BY 1;
SELECT count(*) FILTER (WHERE illness = 'HIV') AS hiv_shown, count(*) FILTER (WHERE hidden_1 = 'HIV') AS hiv_kept,
       count(*) FILTER (WHERE illness NOT IN ('*', hidden_1)) AS wrong FROM r_private.rows_v1;
-- The recount, once more by hand: on what is kept, not on what is shown.
SELECT max(c) AS hiv FROM (SELECT avg((hidden_1 = 'HIV')::int)::float8 AS c FROM r_private.rows_v1 GROUP BY job, town) g \gset
SELECT max(c) AS nurse FROM (SELECT avg((hidden_2 = 'nurse')::int)::float8 AS c FROM r_private.rows_v1 GROUP BY illness) g \gset
SELECT min(c) AS smallest FROM (SELECT count(*) AS c FROM r.visit GROUP BY illness, town) g \gset
SELECT i, required, holds, achieved = (ARRAY[:hiv, :nurse, :smallest])[i] AS as_by_hand
FROM release_verify('r') WITH ORDINALITY v (model, required, achieved, holds, i) ORDER BY i;
SELECT release_grant('r', 'regress_templates_reader');
SET ROLE regress_templates_reader;
SELECT count(*), count(DISTINCT illness) > 0 AS readable FROM r.visit;
SELECT hidden_1 FROM r.visit;
SELECT hidden_1 FROM r_private.rows_v1;
SELECT count(*) FROM r_private.taxonomy;
RESET ROLE;
SELECT pg_get_viewdef('r.visit'::regclass) ~ 'hidden' AS mentioned;
SELECT count(*) AS comments FROM pg_description WHERE description ~ 'HIV';
SELECT release_drop('r');
-- the name is taken
SELECT pda_anonymize('visit', 'r', :'models'::privacy_model[], 'class', keep => ARRAY['illness_sensitive']) ->> 'rows' AS rows;
SELECT release_drop('r');
DROP OWNED BY regress_templates_reader;
DROP ROLE regress_templates_reader;

-- F. k-anonymity, two templates, l-diversity and t-closeness over a taxonomy, intervals and suppression, in one call
CREATE TABLE person (id int, town text, job text, age int, income text, illness text, class text);
INSERT INTO person SELECT i, (ARRAY['Bern', 'Basel', 'Linz', 'Graz'])[i % 4 + 1], (ARRAY['cook', 'nurse', 'clerk'])[i % 3 + 1], 20 + i * 7 % 41,
       (ARRAY['low', 'mid', 'high'])[(i * 5 + i / 7) % 3 + 1], (ARRAY['flu', 'cold', 'HIV', 'gout', 'flu'])[i * 3 % 5 + 1],
       CASE WHEN i * 7 % 41 > 20 OR i % 4 = 1 THEN 'y' ELSE 'n' END
FROM generate_series(1, 240) i;
SELECT ARRAY[k_anonymity(ARRAY['town', 'age'], 8), confidence_bound(ARRAY['town', 'job'], 'illness', ARRAY['HIV'], 0.4),
             confidence_bound(ARRAY['age', 'job'], 'income', ARRAY['high', 'low'], 0.7), l_diversity(ARRAY['town', 'job', 'age'], 'illness', 2, 'entropy'),
             t_closeness(ARRAY['age'], 'income', 0.35)] AS models,
       ARRAY[by_taxonomy_tree('town', '{"Europe": {"Switzerland": ["Bern", "Basel"], "Austria": ["Linz", "Graz"]}}'),
             by_intervals('age', '0', '100'), by_suppression('job')] AS maskings \gset
SELECT result -> 'rows' AS rows, (result -> 'steps')::int > 3 AS several_steps, jsonb_path_query_array(result, '$.privacy[*].holds') AS holds
FROM tds_anonymize('person', 'r', :'models'::privacy_model[], 'class', :'maskings'::masking[]) result;
SELECT count(DISTINCT attribute) AS refined, count(DISTINCT array_length(achieved, 1)) AS lengths, min(array_length(achieved, 1)) AS models FROM r_private.steps;
-- monotone: a measure never gets better
SELECT count(*) AS better FROM (
  SELECT achieved AS a, lag(achieved) OVER (ORDER BY step) AS b FROM r_private.steps) s
WHERE a[1] > b[1] OR a[2] < b[2] OR a[3] < b[3] OR a[4] > b[4] + 1e-9 OR a[5] < b[5] - 1e-9;
-- each model once more, from its definition
CREATE VIEW by_hand AS
SELECT ARRAY[
  (SELECT min(n) FROM (SELECT count(*) AS n FROM r.person GROUP BY town, age) g),
  (SELECT max(c) FROM (SELECT avg((illness = 'HIV')::int) AS c FROM r.person GROUP BY town, job) g),
  (SELECT max(greatest(h, l)) FROM (SELECT avg((income = 'high')::int) AS h, avg((income = 'low')::int) AS l FROM r.person GROUP BY age, job) g),
  (SELECT min(e) FROM (SELECT exp(-sum(p * ln(p))) AS e FROM (
     SELECT town, job, age, count(*)::float8 / sum(count(*)) OVER (PARTITION BY town, job, age)::float8 AS p FROM r.person GROUP BY town, job, age, illness) c
     GROUP BY town, job, age) g),
  (SELECT max(d) FROM (SELECT age, sum(abs(coalesce(share, 0) - whole)) / 2 AS d FROM (
     SELECT a.age, i.income, i.whole, (SELECT count(*) FROM r.person p WHERE p.age = a.age AND p.income = i.income)::float8 / a.n AS share
     FROM (SELECT age, count(*) AS n FROM r.person GROUP BY age) a,
          (SELECT income, count(*)::float8 / 240 AS whole FROM r.person GROUP BY income) i) c GROUP BY age) g)]::float8[] AS achieved;
SELECT i, v.required, v.holds, abs(v.achieved - b.achieved[i]) < 1e-9 AS as_by_hand, abs(v.achieved - s.achieved[i]) < 1e-9 AS as_in_steps,
       abs(v.achieved - c.achieved) < 1e-9 AS as_checked
FROM release_verify('r') WITH ORDINALITY v (model, required, achieved, holds, i), by_hand b,
     (SELECT achieved FROM r_private.steps ORDER BY step DESC LIMIT 1) s,
     LATERAL (SELECT c.achieved FROM privacy_check('r.person', ARRAY[v.model]) c) c
ORDER BY i;
SELECT array_agg(column_name::text ORDER BY ordinal_position) AS columns FROM information_schema.columns WHERE table_schema = 'r' AND table_name = 'person';
DROP VIEW by_hand;
SELECT release_drop('r');
-- pda_anonymize takes them too: a number is suppressed unless the masking says otherwise
SELECT jsonb_path_query_array(result, '$.privacy[*].holds') AS holds
FROM pda_anonymize('person', 'r', :'models'::privacy_model[], 'class', :'maskings'::masking[]) result;
SELECT attribute, bool_and(node ~ '^[[(]') AS intervals FROM r.cut GROUP BY 1 ORDER BY 1;
SELECT release_drop('r');
SELECT jsonb_path_query_array(result, '$.privacy[*].holds') AS holds
FROM pda_anonymize('person', 'r', ARRAY[confidence_bound(ARRAY['age', 'job'], 'income', ARRAY['high', 'low'], 0.7)], 'class') result;
SELECT attribute, bool_or(node ~ '^[[(]') AS intervals FROM r.cut GROUP BY 1 ORDER BY 1;
SELECT release_drop('r');

SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname NOT IN ('information_schema', 'public') ORDER BY 1;
DROP SCHEMA templates CASCADE;
