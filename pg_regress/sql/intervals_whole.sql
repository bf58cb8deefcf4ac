-- Whole numbers and days: an interval of one value is called as that value, and intervals lose by how many values they span.
CREATE SCHEMA whole;
SET search_path TO whole, public;
SET DateStyle TO ISO;
SET check_function_bodies TO off;
CREATE TABLE t (year int, born date, flag int2, big int8, price numeric, score int);
INSERT INTO t SELECT y, date '2020-02-28' + y - 1995, y % 2, 9007199254740993 + y - 1995, y - 1995, NULLIF(y - 1995, 0)
FROM (VALUES (1995), (1996), (1997), (2004)) years (y), generate_series(1, 3);
CREATE TYPE lost AS (lost numeric, measured numeric);
-- What is lost, counted from the cut in plain SQL beside the measure: values spanned less one by those of the column
-- less one. An upper end belongs to an interval here where it is the lower one, too.
CREATE FUNCTION lost(attribute text, first int8, last int8) RETURNS lost AS $$
  SELECT round(sum(records * (LEAST(COALESCE(upper::int8 - CASE WHEN upper = lower THEN 0 ELSE 1 END, last), last)
                              - GREATEST(COALESCE(lower::int8, first), first))) / (last - first) / sum(records), 6),
         (SELECT round(value::numeric, 6) FROM release_measures('r') WHERE measure = 'ntil:' || $1)
  FROM r.cut c WHERE c.attribute = $1 AND node IS NOT NULL
$$ LANGUAGE sql;

-- only one value: called as it; `price` is numeric, and open ends hold more
SELECT tds_anonymize('t', 'r', ARRAY(SELECT k_anonymity(ARRAY[c], 3) FROM unnest('{year,born,flag,big,price}'::text[]) c), endpoints => 'values') ->> 'steps' AS steps;
SELECT attribute, node, lower, upper, records FROM r.cut;
SELECT DISTINCT year, born, flag, big, price FROM r.t ORDER BY year;
SELECT * FROM lost('year', 1995, 2004);
SELECT * FROM lost('flag', 0, 1);
SELECT round(value::numeric, 6) AS price FROM release_measures('r') WHERE measure = 'ntil:price';
-- a dry run for several k counts the same
SELECT round(t.certainty_loss::numeric, 6) AS dry, round(d.certainty_loss::numeric, 6) AS drift, round(m.value::numeric, 6) AS measured
FROM tds_tradeoff('t', ARRAY[3], ARRAY(SELECT k_anonymity(ARRAY[c], 3) FROM unnest('{year,born,flag,big,price}'::text[]) c), endpoints => 'values') t,
     release_drift('r') d, release_measures('r') m WHERE m.measure = 'normalized_certainty_penalty';
-- another table finds the values' places; a rewind and a refresh call them the same
CREATE TABLE other AS SELECT * FROM t;
CREATE SCHEMA applied;
SELECT release_apply('r', 'other', 'applied.other');
SELECT release_refresh(public.again('r')) -> 'coarser' AS coarser;
SELECT count(*) AS same FROM (SELECT year, born, flag, big FROM r.t EXCEPT ALL SELECT year, born, flag, big FROM applied.other) d;
SELECT bool_and(holds) AS holds FROM release_verify('r');
SELECT release_drop('r');

-- closed ends
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['flag'], 3), k_anonymity(ARRAY['year'], 3)], masking => ARRAY[by_intervals('flag', '0', '1'), by_intervals('year', '1990', '2004')], endpoints => 'values') ->> 'steps' AS steps;
SELECT attribute, node, lower, upper, records FROM r.cut;
SELECT * FROM lost('year', 1990, 2004);
SELECT * FROM lost('flag', 0, 1);
SELECT release_drop('r');

-- forms: as bounds, the label is the value; padded and as a range, a value is an interval as others are
SELECT tds_anonymize('t', 'r', k_anonymity(ARRAY['year'], 3), masking => by_intervals('year', '1990', '2004'), endpoints => 'values', intervals => 'bounds') ->> 'steps' AS steps;
SELECT DISTINCT year, year_lo, year_hi FROM r.t ORDER BY year_lo;
SELECT release_drop('r');
SELECT tds_anonymize('t', 'r', k_anonymity(ARRAY['year', 'flag'], 3), masking => ARRAY[by_intervals('year', '0', '2004'), by_intervals('flag', '0', '1')], endpoints => 'values', intervals => 'padded') ->> 'steps' AS steps;
SELECT DISTINCT year, flag FROM r.t ORDER BY year;
SELECT * FROM lost('year', 0, 2004);
SELECT release_drop('r');
SELECT tds_anonymize('t', 'r', k_anonymity(ARRAY['year', 'flag'], 3), masking => ARRAY[by_intervals('year', '0', '2004'), by_intervals('flag', '0', '1')], endpoints => 'values', intervals => 'range') ->> 'steps' AS steps;
SELECT DISTINCT year, flag FROM r.t ORDER BY year;
SELECT * FROM lost('year', 0, 2004);
SELECT * FROM lost('flag', 0, 1);
SELECT release_drop('r');

-- what NULLs may be called must not read like a value
SELECT tds_anonymize('t', 'r', k_anonymity(ARRAY['score'], 3), suppressed => '2');
SELECT tds_anonymize('t', 'r', k_anonymity(ARRAY['score'], 3), suppressed => '3', endpoints => 'values') ->> 'steps' AS steps;
SELECT score, count(*) FROM r.t GROUP BY 1 ORDER BY 1;
SELECT release_drop('r');

-- a group at a time, and clusters, which lose by the paper's width: from the least to the greatest value
SELECT tds_anonymize('t', 'r', k_anonymity(ARRAY['year', 'flag'], 3), recoding => 'local', endpoints => 'values') ->> 'steps' AS steps;
SELECT DISTINCT year, flag FROM r.t ORDER BY year;
SELECT * FROM lost('year', 1995, 2004);
SELECT release_drop('r');
SELECT kmember_anonymize('t', 'r', ARRAY['year'], 4) -> 'version' AS version;
SELECT node, lower, upper, records FROM r.cut;
SELECT round(value::numeric, 6) AS measured FROM release_measures('r') WHERE measure = 'ntil:year';
SELECT release_drop('r');
DROP SCHEMA whole, applied CASCADE;
