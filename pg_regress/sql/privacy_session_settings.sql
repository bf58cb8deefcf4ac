-- Threat: session settings. DateStyle, TimeZone, IntervalStyle, extra_float_digits, search_path and the like change labels
-- between psql and a scheduler. Labels, cuts and steps must not depend on them, and the session keeps its own.
CREATE SCHEMA settings;
SET search_path TO settings, public;
CREATE TABLE t (d date, ts timestamp, tz timestamptz, tm time, iv interval, f4 float4, f8 float8, n numeric, b bytea, bo bool, tztext timestamptz, iv_s interval, f8_s float8, class text);
INSERT INTO t
SELECT date '2020-01-30' + i % 4, timestamp '2020-02-01 13:00' + i % 4 * interval '1 day', timestamptz '2020-03-01 23:30+00' + i % 4 * interval '1 hour',
       time '12:00' + i % 4 * interval '1 min', i % 4 * interval '1 day 02:03:04' - interval '1 mon', i % 4 * 0.1 + 0.1, i % 4 * 0.1 + 0.1,
       i % 4 * 0.1, decode(lpad(to_hex(i % 4), 2, '0'), 'hex'), i % 2 = 0, timestamptz '2020-03-01 23:30+00' + i % 2 * interval '1 hour', i % 2 * interval '-1 day 02:00', i % 2 * 0.1::float8 + 0.2::float8, 'k' || i % 4 / 2
FROM generate_series(0, 15) i;
CREATE FUNCTION labels(release text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE r text; s text;
BEGIN
  PERFORM public.tds_anonymize('settings.t', release, ARRAY(SELECT public.k_anonymity(ARRAY[c], 4) FROM unnest('{d,ts,tz,tm,iv,f4,f8,n,b,bo,tztext,iv_s,f8_s}'::text[]) c),
                        'class', ARRAY(SELECT public.by_suppression(c) FROM unnest('{b,bo,tztext,iv_s,f8_s}'::text[]) c),
                        score => 'info_gain');
  EXECUTE format('SELECT string_agg(t::text, '';'' ORDER BY t::text) FROM %I.t', release) INTO r;
  EXECUTE format('SELECT string_agg(c::text, '';'' ORDER BY c::text) FROM %I.cut c', release) INTO s;
  r := r || s;
  EXECUTE format('SELECT string_agg(c::text, '';'' ORDER BY c::text) FROM %I_private.taxonomy c', release) INTO s;
  r := r || s;
  EXECUTE format('SELECT string_agg(c::text, '';'' ORDER BY c::text) FROM (SELECT step, attribute, node, children, records FROM %I_private.steps) c', release) INTO s;
  PERFORM public.release_drop(release);
  RETURN md5(r || s);
END $$;
CREATE TABLE seen AS SELECT 'as pg_regress sets them' AS setting, labels('r1') AS labels;
SET DateStyle TO 'SQL, DMY';
SET TimeZone TO 'Asia/Kathmandu';
SET IntervalStyle TO 'iso_8601';
SET extra_float_digits TO -15;
SET bytea_output TO 'escape';
SET search_path TO "$user", settings;
SHOW search_path;
INSERT INTO settings.seen SELECT 'all odd', settings.labels('r2');
-- nothing of the session has changed
SHOW DateStyle;
SHOW TimeZone;
SHOW IntervalStyle;
SHOW extra_float_digits;
SHOW bytea_output;
SHOW search_path;
-- nor after an error, caught or not
SELECT public.tds_anonymize('settings.t', 'r3', ARRAY[public.k_anonymity(ARRAY['d'], 400)]);
SHOW DateStyle;
SHOW search_path;
DO $$ BEGIN PERFORM public.tds_anonymize('settings.t', 'r3', ARRAY[public.k_anonymity(ARRAY['d'], 400)]); EXCEPTION WHEN object_not_in_prerequisite_state THEN NULL; END $$;
SHOW TimeZone;
SHOW search_path;
-- changed by SET LOCAL, which ends with its transaction
RESET ALL;
SET search_path TO settings, public;
BEGIN;
SET LOCAL DateStyle TO German;
SET LOCAL IntervalStyle TO sql_standard;
SET LOCAL TimeZone TO 'America/St_Johns';
INSERT INTO seen SELECT 'local', labels('r4');
SHOW DateStyle;
COMMIT;
SHOW DateStyle;
SELECT count(*) AS settings, count(DISTINCT labels) AS different_labels FROM seen;
-- the labels themselves
SELECT tds_anonymize('t', 'r', ARRAY(SELECT public.k_anonymity(ARRAY[c], 4) FROM unnest('{d,ts,tz,tm,iv,f4,f8,n,b,bo,tztext,iv_s,f8_s}'::text[]) c),
                     'class', ARRAY(SELECT public.by_suppression(c) FROM unnest('{b,bo,tztext,iv_s,f8_s}'::text[]) c),
                     score => 'info_gain') ->> 'rows' AS rows;
SELECT attribute, node, lower, upper, records FROM r.cut ORDER BY 1, 2;
SELECT release_drop('r');
-- bounds are read in the same settings
SET DateStyle TO 'SQL, DMY';
SELECT step, children FROM tds_steps('t', ARRAY[k_anonymity(ARRAY['d'], 4)], masking => ARRAY[by_intervals('d', '01/02/2020', '02/01/2021')]) ORDER BY 1 LIMIT 1;
RESET DateStyle;
DROP SCHEMA settings CASCADE;
