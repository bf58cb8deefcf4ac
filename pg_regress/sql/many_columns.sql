-- As many columns as a table may have: no statement of ours goes a level deeper with each.
DO $$ BEGIN EXECUTE (SELECT format('CREATE TABLE wide AS SELECT i %% 2 AS m, %s FROM generate_series(1, 20) i', string_agg(format('(i + %s) %% 2 AS c%s', c, c), ', ')) FROM generate_series(1, 1490) c); END $$;
SELECT tds_anonymize('wide', 'wide_r', k_anonymity('{m}', 5), keep => (SELECT array_agg('c' || c) FROM generate_series(1, 1490) c)) -> 'version' AS version;
CREATE TABLE exported AS SELECT s FROM release_export('wide_r') s;
SELECT count(*) FROM exported AS statements;
SELECT length(s) > 1490 AS has_rows, s ~ '^INSERT INTO wide_r.wide VALUES\n\(.*\),\n\(' AS begins FROM exported WHERE s ~ '^INSERT INTO wide_r.wide ';
SELECT support, matches, confidence, (SELECT count(*) FROM jsonb_object_keys(channel)) AS columns, channel -> 'c1' AS c1, channel -> 'c1400' AS c1400
  FROM privacy_inferences('wide', confidence_bound((SELECT array_agg('c' || c) FROM generate_series(1, 1400) c), 'm', NULL, 0.5)) ORDER BY channel;
SELECT count(*) FROM release_verify('wide_r');
SELECT release_drop('wide_r');
-- 100 and 101 arguments, and one
SELECT n, (SELECT array_agg((SELECT count(*) FROM jsonb_object_keys(channel))) FROM privacy_inferences('wide', confidence_bound((SELECT array_agg('c' || c) FROM generate_series(1, n) c), 'm', NULL, 0.5))) FROM unnest('{1,49,50,51,100,101}'::int[]) n;
DROP TABLE wide, exported;
-- The copy of rows with NULLs and quotes, and of no columns but one.
CREATE TABLE narrow AS SELECT CASE WHEN i % 2 = 0 THEN 'it''s, (a)' END AS a FROM generate_series(1, 20) i;
SELECT tds_anonymize('narrow', 'narrow_r', k_anonymity('{a}', 5)) -> 'version' AS version;
SELECT DISTINCT rtrim(line, ',;') AS line FROM release_export('narrow_r') s, regexp_split_to_table(s, '\n') line WHERE s ~ '^INSERT INTO narrow_r.narrow ' ORDER BY 1;
SELECT release_drop('narrow_r');
DROP TABLE narrow;
-- Ranges up to the greatest value that there is.
CREATE TABLE greatest_t AS SELECT 2147483647 - i % 8 AS a, 9223372036854775807 - i % 8 AS b, date '5874897-12-31' - i % 8 AS c, (32767 - i % 8)::int2 AS d, i % 2 AS class FROM generate_series(1, 800) i;
SELECT release, tds_anonymize('greatest_t', release, k_anonymity(ARRAY[attribute], 5), masking => by_intervals(attribute, lower, upper), intervals => 'range') -> 'version' AS version
FROM (VALUES ('greatest_a', 'a', '2147483640', '2147483647'), ('greatest_b', 'b', '9223372036854775800', '9223372036854775807'),
             ('greatest_c', 'c', '5874897-12-24', '5874897-12-31'), ('greatest_d', 'd', '32760', '32767')) v (release, attribute, lower, upper);
SELECT a, count(*) FROM greatest_a.greatest_t GROUP BY 1 ORDER BY 1 DESC LIMIT 2;
SELECT b, count(*) FROM greatest_b.greatest_t GROUP BY 1 ORDER BY 1 DESC LIMIT 2;
SELECT c, count(*) FROM greatest_c.greatest_t GROUP BY 1 ORDER BY 1 DESC LIMIT 2;
SELECT d, count(*) FROM greatest_d.greatest_t GROUP BY 1 ORDER BY 1 DESC LIMIT 2;
SELECT count(*) FROM greatest_a.cut c JOIN greatest_a.greatest_t t ON t.a::text = c.node;
SELECT release_drop(r) FROM unnest('{greatest_a,greatest_b,greatest_c,greatest_d}'::name[]) r;
DROP TABLE greatest_t;
