-- Threat: session settings, those that are easily forgotten: lc_monetary and array_nulls change what money and arrays look like
-- and how they are read; timezone_abbreviations, xmloption, transform_null_equals and quote_all_identifiers likewise.
CREATE SCHEMA slb;
SET search_path TO slb, public;
CREATE TABLE t (m money, a text[], x text, tz timestamptz, class int);
INSERT INTO t SELECT (i % 4 * 1000.5)::numeric::money, ARRAY['v' || i % 4, NULL], '<a/>' || i % 4, timestamptz '2020-01-01 12:00+00' + i % 4 * interval '1 hour', i % 4 / 2 FROM generate_series(1, 40) i;
CREATE FUNCTION labels() RETURNS text LANGUAGE plpgsql AS $$
DECLARE c text; s text; v text; m text;
BEGIN
  PERFORM public.tds_anonymize('slb.t', 'slb_r', ARRAY[public.k_anonymity(ARRAY['m', 'a', 'tz'], 5), public.confidence_bound(ARRAY['tz'], 'a', ARRAY['{v1,NULL}'], 1), public.confidence_bound(ARRAY['tz'], 'm', ARRAY['1000.50'], 1)], 'class', ARRAY[public.by_intervals('m', '0', '99999.99'), public.by_intervals('tz', '2020-01-01 EST', '2020-01-09 EST')]);
  SELECT string_agg(to_jsonb(cut)::text, ';' ORDER BY to_jsonb(cut)::text) INTO c FROM slb_r.cut;
  SELECT string_agg(step || node || children::text, ';' ORDER BY step) INTO s FROM slb_r_private.steps;
  SELECT string_agg(channel::text || sensitive_value, ';' ORDER BY channel::text) INTO v FROM public.privacy_inferences('slb.t', public.confidence_bound(ARRAY['m'], 'a', ARRAY['{v1,NULL}'], 1));
  RETURN c || s || coalesce(v, '');
EXCEPTION WHEN OTHERS THEN RETURN sqlstate || ' ' || sqlerrm;
END $$;
CREATE TABLE seen (setting text, labels text);
INSERT INTO seen SELECT 'plain', labels();
SELECT release_drop('slb_r');
SET lc_monetary TO 'C.UTF-8';
SET array_nulls TO off;
SET xmloption TO document;
SET transform_null_equals TO on;
SET quote_all_identifiers TO on;
SET timezone_abbreviations TO 'India';
SET TimeZone TO 'Asia/Kolkata';
INSERT INTO slb.seen SELECT 'all odd', slb.labels();
SHOW array_nulls;
SHOW lc_monetary;
SHOW quote_all_identifiers;
SELECT holds FROM release_verify('slb_r');
SELECT release_drop('slb_r');
RESET ALL;
SET search_path TO slb, public;
SELECT count(*) AS settings, count(DISTINCT labels) AS different_labels, bool_or(labels ~ '^[0-9A-Z]{5} ') AS failed FROM seen;
-- NULL within an array is read as such whatever the session says, and 'NULL' in quotes as a text
SET array_nulls TO off;
SELECT achieved FROM privacy_check('t', ARRAY[confidence_bound(ARRAY['tz'], 'a', ARRAY['{v1,NULL}'], 1)]);
SELECT achieved FROM privacy_check('t', ARRAY[confidence_bound(ARRAY['tz'], 'a', ARRAY['{v1,"NULL"}'], 1)]);
RESET array_nulls;
-- nor what a source that is a view sets while it is read
CREATE FUNCTION meddle() RETURNS bool LANGUAGE plpgsql AS $$ BEGIN
  PERFORM set_config('DateStyle', 'German', false), set_config('search_path', 'slb, pg_catalog', false), set_config('row_security', 'on', false), set_config('extra_float_digits', '-5', false);
  RETURN true;
END $$;
CREATE VIEW meddled AS SELECT date '2020-01-01' + i AS d, i / 3::float8 AS f FROM generate_series(1, 40) i WHERE meddle();
SELECT tds_anonymize('meddled', 'slb_m', ARRAY[k_anonymity('{d}', 10), k_anonymity('{f}', 10)], masking => ARRAY[by_suppression('f')]) -> 'rows' AS rows;
SELECT bool_and(node ~ '^.(2020-[0-9-]+)?,(2020-[0-9-]+)?.$') AS iso FROM slb_m.cut WHERE attribute = 'd';
SELECT max(length(node)) > 10 AS all_digits FROM slb_m_private.taxonomy WHERE attribute = 'f';
SELECT release_drop('slb_m');
SELECT current_setting('DateStyle') ~ 'German' AS left_behind;
DROP SCHEMA slb CASCADE;
SELECT nspname FROM pg_namespace WHERE nspname LIKE 'slb%';
