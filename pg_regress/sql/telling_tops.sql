-- The mean of a top tells its sum: of a top that is nearly one row's, or two rows', that row's value.
SET client_min_messages TO notice;
CREATE SCHEMA tops;
SET search_path TO tops, public;
CREATE FUNCTION of_tops(name text, k int, top numeric[]) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
  EXECUTE format('CREATE TABLE %I AS SELECT ''n'' || i %% 4 AS branch, 1000 - i %% 90 AS turnover FROM generate_series(1, 4320) i', name);
  EXECUTE format('INSERT INTO %I SELECT ''n0'', t FROM unnest($1) t', name) USING top;
  RETURN tds_anonymize(name::regclass, name::name, k_anonymity('{branch}', k), keep => '{turnover}', masking => top_coded('turnover')) -> 'kept_at_risk';
END $$;
-- One of 4,000,000.
CREATE TABLE firms AS SELECT 'n' || (i % 4) AS branch, CASE WHEN i = 77 THEN 4000000 ELSE 1000 + i % 90 * 10 END AS turnover FROM generate_series(1, 4000) i;
SELECT tds_anonymize('firms', 'r', k_anonymity('{branch}', 10), keep => '{turnover}', masking => top_coded('turnover')) -> 'kept_at_risk' AS kept_at_risk;
-- Somebody reckons: 4,000,000 but for a hundredth of a percent.
SELECT round(turnover * count(*) - 1880.0 * (count(*) - 1)) AS reckoned FROM r.firms GROUP BY turnover ORDER BY turnover DESC LIMIT 1;
-- A refresh says it again, and so does a bound that is named.
SELECT release_refresh(public.again('r')) -> 'kept_at_risk' AS kept_at_risk;
SELECT release_drop('r');
SELECT tds_anonymize('firms', 'r', k_anonymity('{branch}', 10), keep => '{turnover}', masking => top_coded('turnover', '1850')) -> 'kept_at_risk' AS kept_at_risk;
SELECT release_drop('r');
-- Not more than nine tenths of the sum, but of what lies above the least of the top.
SELECT of_tops('near', 10, ARRAY[1500, 1501, 1502, 1503, 1504, 1505, 1506, 1507, 1508, 3000]);
-- Two great ones: each of both knows the other's.
SELECT of_tops('two', 10, ARRAY[1500, 1501, 1502, 1503, 1504, 1505, 1506, 1507, 2600, 3000]);
-- A mean of whole numbers is rounded, and tells the sum of ten rows no closer than to ten.
SELECT of_tops('rounded', 10, ARRAY[1500, 1500, 1500, 1500, 1500, 1500, 1500, 1500, 1500, 1509]);
-- Two values, three rows of one.
SELECT of_tops('halves', 10, ARRAY[1500, 1500, 1500, 1500, 1500, 1500, 1500, 1600, 1600, 1600]);
-- Spread values tell nothing of one, and nothing is said.
SELECT of_tops('spread', 10, ARRAY[1500, 1510, 1520, 1530, 1540, 1550, 1560, 1570, 1580, 1590]);
-- Moments lie on a line as well; infinity is shown as the mean of the others and tells nothing.
CREATE TABLE moments AS SELECT i % 4 AS ward, CASE i WHEN 7 THEN date '2090-01-01' WHEN 8 THEN 'infinity' ELSE date '2020-01-01' + i % 50 END AS day FROM generate_series(1, 4000) i;
SELECT tds_anonymize('moments', 'r', k_anonymity('{ward}', 10), keep => '{day}', masking => top_coded('day')) -> 'kept_at_risk' AS kept_at_risk;
SELECT release_drop('r');
-- Means of a class and of a run: of two rows each knows the other's value, and of three where the third is small.
CREATE TABLE pairs AS SELECT i / 3 AS ward, (ARRAY[100, 90, 1])[1 + i % 3] AS pay FROM generate_series(0, 29) i;
SELECT tds_anonymize('pairs', 'r', k_anonymity('{ward,pay}', 3), masking => ARRAY[by_suppression('ward'), by_intervals('pay', '0', '1000', breakpoints => '{500}')], means => '{pay}') -> 'rows' AS rows;
SELECT release_drop('r');
SELECT tds_anonymize('pairs', 'r', k_anonymity('{ward}', 3), masking => ARRAY[by_suppression('ward'), microaggregated('pay', 3)], keep => '{pay}') -> 'rows' AS rows;
SELECT release_drop('r');
DROP SCHEMA tops CASCADE;
SELECT count(release_drop(release)) FROM releases() WHERE release IN ('near', 'two', 'rounded', 'halves', 'spread');
