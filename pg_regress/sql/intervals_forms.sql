-- Forms of intervals: padded labels sort as values do, the cut joins the view in every form, and bounds bound.
CREATE SCHEMA forms;
SET search_path TO forms, public;
SET DateStyle TO ISO;
-- the text of a range of timestamptz is in the reader's own zone
SET TimeZone TO UTC;
CREATE TABLE t AS
SELECT i % 120 AS age, (i * 37 % 997) * 25 AS pay, (i % 50) / 8.0 AS share, ((i * 7 % 300) / 4.0)::float8 AS dose, date '1999-12-01' + i * 11 % 3000 AS since,
       timestamp '2020-01-01' + i * 13 % 400 * interval '90 minutes 1.5 seconds' AS seen, timestamptz '2020-01-01 00:00+00' + i % 90 * interval '1 hour' AS sent, time '08:00' + i % 60 * interval '10 minutes' AS at,
       nullif(i % 9, 4) AS code, (ARRAY['a', 'b', 'c'])[1 + (i / 40 + i % 7 / 5) % 3] AS class
FROM generate_series(1, 1200) i;
SELECT array_agg(attname::text ORDER BY attnum) AS columns FROM pg_attribute WHERE attrelid = 't'::regclass AND attnum BETWEEN 1 AND 9 \gset
SELECT array_agg(attname::text ORDER BY attnum) AS ranged FROM pg_attribute WHERE attrelid = 't'::regclass AND attnum BETWEEN 1 AND 9 AND attname <> 'at' \gset
CREATE FUNCTION models(columns text[]) RETURNS privacy_model[] LANGUAGE sql AS $$ SELECT array_agg(k_anonymity(ARRAY[c], 40)) FROM unnest(columns) c $$;
SELECT tds_anonymize('t', 'label', models(:'columns'), 'class', max_steps => 40) ->> 'steps' AS steps;
SELECT tds_anonymize('t', 'padded', models(:'columns'), 'class', max_steps => 40, intervals => 'padded') ->> 'steps' AS steps;
SELECT tds_anonymize('t', 'bounds', models(:'columns'), 'class', max_steps => 40, intervals => 'bounds') ->> 'steps' AS steps;
SELECT tds_anonymize('t', 'range', models(:'ranged'), 'class', max_steps => 40, intervals => 'range') ->> 'steps' AS steps;

-- padded labels: all of one width, and in the order of the cut, which is that of the values, by any collation
SELECT attribute, node, lower, upper, records FROM padded.cut WHERE attribute IN ('age', 'pay', 'share', 'since', 'seen', 'at', 'code');
SELECT attribute, count(DISTINCT length(node)) AS widths FROM padded.cut WHERE node IS NOT NULL GROUP BY attribute ORDER BY attribute;
CREATE TABLE placed AS SELECT *, row_number() OVER () AS n FROM padded.cut;
SELECT attribute, bool_and(c = n) AS by_bytes FROM (
  SELECT attribute, rank() OVER (PARTITION BY attribute ORDER BY n) AS n, rank() OVER (PARTITION BY attribute ORDER BY node COLLATE "C") AS c
  FROM placed WHERE node IS NOT NULL) s GROUP BY attribute ORDER BY attribute;
-- a split that was refused has no part in how wide they are
CREATE TABLE wide AS SELECT v, class FROM (VALUES (5, 'a', 50), (20, 'b', 40), (20, 'a', 5), (2000, 'a', 3)) w (v, class, n), generate_series(1, n);
SELECT tds_anonymize('wide', 'narrow', k_anonymity(ARRAY['v'], 10), 'class', intervals => 'padded') ->> 'steps' AS steps;
SELECT node, records FROM narrow.cut;
SELECT count(*) AS not_released FROM narrow_private.taxonomy WHERE NOT in_cut AND depth = 2;
-- the same nodes and rows as plain labels
SELECT count(*) AS nodes, count(*) FILTER (WHERE (l.lower, l.upper, l.records) IS DISTINCT FROM (p.lower, p.upper, p.records)) AS differ
FROM (SELECT *, row_number() OVER (PARTITION BY attribute ORDER BY lower IS NOT NULL, lower COLLATE "C", node IS NULL) AS n FROM label.cut) l
FULL JOIN (SELECT *, row_number() OVER (PARTITION BY attribute ORDER BY lower IS NOT NULL, lower COLLATE "C", node IS NULL) AS n FROM padded.cut) p USING (attribute, n);

-- the cut joins the view in every form
CREATE FUNCTION joined(release name, columns text[]) RETURNS TABLE (attribute text, same boolean) LANGUAGE plpgsql AS $$
DECLARE c text;
BEGIN
  FOREACH c IN ARRAY columns LOOP
    attribute := c;
    EXECUTE format('SELECT NOT EXISTS (SELECT coalesce(node, ''NULL''), records FROM %2$I.cut WHERE attribute = %1$L AND records > 0 EXCEPT SELECT coalesce(%1$I::text, ''NULL''), count(*) FROM %2$I.t GROUP BY 1)
      AND (SELECT count(DISTINCT coalesce(%1$I::text, ''NULL'')) FROM %2$I.t) = (SELECT count(*) FROM %2$I.cut WHERE attribute = %1$L AND records > 0)', c, release) INTO same;
    RETURN NEXT;
  END LOOP;
END $$;
SELECT release, bool_and(same) AS same, count(*) AS columns FROM unnest('{label,padded,bounds}'::name[]) release, joined(release, :'columns') GROUP BY release ORDER BY release;
SELECT bool_and(same) AS same, count(*) AS columns FROM joined('range', :'ranged');
SELECT attribute, node, records FROM range.cut WHERE attribute IN ('age', 'share', 'since', 'code');
-- steps and the taxonomy keep the labels, in every form
SELECT p.attribute, p.node, p.children FROM padded_private.steps p JOIN range_private.steps r USING (step, attribute, node, children) WHERE step <= 3;
-- and measures are the same
SELECT count(*) AS measures, count(*) FILTER (WHERE abs(l.value - p.value) < 1e-9 IS NOT TRUE) AS padded, count(*) FILTER (WHERE abs(l.value - b.value) < 1e-9 IS NOT TRUE) AS bounds
FROM release_measures('label') l FULL JOIN release_measures('padded') p USING (measure) FULL JOIN release_measures('bounds') b USING (measure);
SELECT tds_anonymize('t', 'ranged_label', models(:'ranged'), 'class', max_steps => 40) ->> 'steps' AS steps;
SELECT count(*) AS measures, count(*) FILTER (WHERE abs(l.value - r.value) < 1e-9 IS NOT TRUE) AS range FROM release_measures('ranged_label') l FULL JOIN release_measures('range') r USING (measure);

-- bounds: every value x has lo <= x, and x < hi or hi is the domain's upper bound; where the domain has no bound, there is none
CREATE TABLE numbered AS SELECT row_number() OVER () AS id, * FROM t;
SELECT (tds_anonymize('numbered', 'bound', ARRAY[k_anonymity(ARRAY['age', 'pay', 'since'], 3), k_anonymity(ARRAY['dose', 'code', 'seen'], 3)], 'class', intervals => 'bounds', keep => ARRAY['id'],
  masking => ARRAY[by_intervals('age', '0', '119'), by_intervals('pay', '0', '24900'), by_intervals('dose', upper => '74.75'), by_intervals('since', '1999-01-01')]) -> 'steps')::int AS steps;
SELECT count(*) AS rows, count(*) FILTER (WHERE NOT (r.age_lo <= n.age AND (n.age < r.age_hi OR r.age_hi = 119) AND r.pay_lo <= n.pay AND (n.pay < r.pay_hi OR r.pay_hi = 24900)
    AND coalesce(r.dose_lo <= n.dose, true) AND (n.dose < r.dose_hi OR r.dose_hi = 74.75) AND r.since_lo <= n.since AND coalesce(n.since < r.since_hi, true)
    AND coalesce(r.seen_lo <= n.seen, true) AND coalesce(n.seen < r.seen_hi, true)
    AND (n.code IS NULL OR coalesce(r.code_lo <= n.code, true) AND coalesce(n.code < r.code_hi, true)))) AS outside
FROM bound.numbered r JOIN numbered n USING (id);
SELECT count(*) FILTER (WHERE age_lo IS NULL OR age_hi IS NULL OR pay_lo IS NULL OR pay_hi IS NULL OR dose_hi IS NULL OR since_lo IS NULL) AS missing, count(*) FILTER (WHERE code IS NULL AND (code_lo IS NOT NULL OR code_hi IS NOT NULL)) AS of_null FROM bound.numbered;

-- a padded release lives as others do: refreshed, rewound, applied
SELECT release_refresh(public.again('padded')) ->> 'version' AS version;
SELECT bool_and(same) AS same FROM joined('padded', :'columns');
SELECT release_rewind('padded', 5) ->> 'version' AS version;
SELECT bool_and(same) AS same FROM joined('padded', :'columns');
SELECT holds, count(*) FROM release_verify('padded') GROUP BY holds;
SELECT release_apply('padded', 't', 'forms.padded_rows');
SELECT count(*) AS differ FROM (SELECT age, pay, share, dose, since, seen, sent, at, code, count(*) FROM padded_rows GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9 EXCEPT SELECT age, pay, share, dose, since, seen, sent, at, code, count(*) FROM padded.t GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9) d;
SELECT release_rewind('padded', 0) ->> 'version' AS version;
SELECT DISTINCT age, code FROM padded.t;
SELECT release_apply('range', 't', 'forms.range_rows');
SELECT count(*) AS differ FROM (SELECT age, since, code, count(*) FROM range_rows GROUP BY 1, 2, 3 EXCEPT SELECT age, since, code, count(*) FROM range.t GROUP BY 1, 2, 3) d;

-- what does not sort as its text: an end below zero, an exponent, types that are no numbers, dates or times
CREATE TABLE odd AS SELECT i % 40 - 20 AS below, 1e18::float8 * (i % 40) AS large, make_interval(days => i % 40) AS span, 's' || i % 40 AS s, (ARRAY['a', 'b'])[1 + i % 40 / 20] AS class FROM generate_series(1, 400) i;
SELECT tds_anonymize('odd', 'r', k_anonymity(ARRAY['below'], 10), 'class', intervals => 'padded', masking => by_intervals('below', '-100', '100'));
SELECT tds_anonymize('odd', 'r', k_anonymity(ARRAY['large'], 10), 'class', intervals => 'padded', endpoints => 'values');
SELECT tds_anonymize('odd', 'r', k_anonymity(ARRAY['span'], 10), 'class', intervals => 'padded');
SELECT tds_anonymize('odd', 'r', k_anonymity(ARRAY['s'], 10), 'class', intervals => 'padded', masking => by_intervals('s'));
SELECT tds_anonymize('odd', 'r', k_anonymity(ARRAY['below'], 10), 'class', intervals => 'wide');
SELECT nspname FROM pg_namespace WHERE nspname IN ('r', 'r_private');

SELECT count(release_drop(release)) FROM unnest('{label,padded,bounds,range,ranged_label,bound,narrow}'::name[]) release;
DROP SCHEMA forms CASCADE;
