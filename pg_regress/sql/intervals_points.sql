-- by_intervals with a step or breakpoints: only those points become ends, of every type and in every form; what cannot be.
CREATE SCHEMA points;
SET search_path TO points, public;
CREATE TABLE t AS SELECT i AS n, (i * 0.37)::numeric(10, 2) AS d, i * 0.37::float8 AS f, '2019-11-17'::date + i AS day, '2019-11-17 13:00'::timestamptz + i * '7 hours'::interval AS at,
  '00:00'::time + i * '5 minutes'::interval AS clock, chr(97 + i % 26) AS letter, (i % 50 < 19)::int AS c FROM generate_series(0, 199) i;
CREATE FUNCTION cut(by masking, k int DEFAULT 5) RETURNS TABLE (node text, lower text, upper text, records bigint) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM tds_anonymize('t', 'made', k_anonymity(ARRAY[by::text::jsonb #>> '{by_intervals,column_name}'], k), class => 'c', masking => by);
  RETURN QUERY SELECT c.node, c.lower, c.upper, c.records FROM made.cut c;
  PERFORM release_drop('made');
END $$;
SELECT * FROM cut(by_intervals('n', '-5', '250', step => '40'));
SELECT * FROM cut(by_intervals('n', step => '60'));
SELECT * FROM cut(by_intervals('n', breakpoints => '{150,50,-7,400}'));
SELECT * FROM cut(by_intervals('d', step => '12.5'), 20);
SELECT * FROM cut(by_intervals('f', '-0.1', step => '2e1'));
SELECT * FROM cut(by_intervals('f', breakpoints => '{3.3,33.3}'));
SELECT * FROM cut(by_intervals('day', step => '1 month'));
SELECT * FROM cut(by_intervals('day', '2018-10-31', step => '1 month'));
SELECT * FROM cut(by_intervals('day', step => '1 year'));
SELECT * FROM cut(by_intervals('day', step => '30 days'), 20);
SELECT * FROM cut(by_intervals('at', step => '7 days 12:00'), 20);
SELECT * FROM cut(by_intervals('at', '2019-11-01 06:00', step => '1 month'));
SELECT * FROM cut(by_intervals('clock', step => '3:00'), 20);
SELECT * FROM cut(by_intervals('letter', 'a', 'z', breakpoints => '{e,m,t}'));
-- a step so fine that every value may be split off: where the ends would be rounded they are points
SELECT count(*) AS nodes, max(length(lower)) AS digits FROM cut(by_intervals('n', step => '1'), 15);
SELECT count(*) AS nodes FROM cut(by_intervals('n'), 15);
-- whatever the data, no other end is shown
SELECT count(*) > 5 AS many, bool_and(lower IS NULL OR (lower::numeric + 4) % 7 = 0) AS points FROM cut(by_intervals('n', step => '7', lower => '-4'), 3);
-- in bounds and in ranges; rewound and refreshed: the points stay, whatever comes
SELECT tds_anonymize('t', 'rel', k_anonymity(ARRAY['n', 'day'], 15), class => 'c', intervals => 'range', masking => ARRAY[by_intervals('n', step => '25'), by_intervals('day', breakpoints => '{2020-01-01,2020-03-01}')]) -> 'rows' AS rows;
SELECT attribute, node FROM rel.cut;
SELECT n, count(*) FROM rel.t GROUP BY n ORDER BY n;
DELETE FROM t WHERE n BETWEEN 20 AND 60;
SELECT release_refresh(public.again('rel')) -> 'coarser' AS coarser;
SELECT attribute, node FROM rel.cut;
SELECT release_rewind('rel', 1) -> 'steps' AS steps;
SELECT attribute, node FROM rel.cut;
SELECT release_refresh('rel', mode => 'search') -> 'steps' AS steps;
SELECT attribute, node FROM rel.cut;
SELECT release_drop('rel');
-- infinite values, and what is no number, lie beyond all points
CREATE TABLE far AS SELECT v::float8 AS v, w::timestamp AS w, c FROM (VALUES ('-Infinity', '-infinity', 0), ('1', '2001-05-05', 1), ('2', '2002-05-05', 0), ('Infinity', 'infinity', 1), ('NaN', 'infinity', 0)) v (v, w, c);
SELECT node, children FROM tds_steps('far', k_anonymity(ARRAY['v'], 1), class => 'c', masking => by_intervals('v', step => '0.75'));
SELECT node, children FROM tds_steps('far', k_anonymity(ARRAY['w'], 1), class => 'c', masking => by_intervals('w', step => '1 year'));
SELECT node, children FROM tds_steps('far', k_anonymity(ARRAY['w'], 1), class => 'c', masking => by_intervals('w', breakpoints => '{2002-01-01,infinity}'));
-- no point is beyond what the type can hold: what ends there is split again at a refresh
CREATE TABLE outermost AS SELECT v, g % 2 AS other FROM unnest('{-infinity,4714-11-24 BC,2000-01-01,5874897-12-31,infinity}'::date[]) v, generate_series(1, 5) g;
SELECT tds_anonymize('outermost', 'rel', k_anonymity(ARRAY['v'], 5), masking => by_intervals('v', step => '1 month')) -> 'steps' AS steps;
SELECT node, records FROM rel.cut;
SELECT release_refresh(public.again('rel')) -> 'steps' AS steps;
SELECT release_drop('rel');

-- what cannot be
SELECT by_intervals('n', step => '1', breakpoints => '{1}');
SELECT by_intervals('n', breakpoints => '{}');
SELECT by_intervals('n', breakpoints => '{1,NULL}');
SELECT by_intervals('n', '1', '2'), by_intervals('n', step => '1'), by_intervals('n', breakpoints => '{1,2}');
SELECT * FROM cut(by_intervals('n', step => '0'));
SELECT * FROM cut(by_intervals('n', step => '-1'));
SELECT * FROM cut(by_intervals('n', step => '1.5'));
SELECT * FROM cut(by_intervals('d', step => 'NaN'));
SELECT * FROM cut(by_intervals('f', '-Infinity', step => '1'));
SELECT * FROM cut(by_intervals('day', step => '10'));
SELECT * FROM cut(by_intervals('day', step => '1 month 3 days'));
SELECT * FROM cut(by_intervals('day', '-infinity', step => '1 month'));
SELECT * FROM cut(by_intervals('clock', step => '1 month'));
SELECT * FROM cut(by_intervals('letter', step => '1'));
SELECT * FROM cut(by_intervals('n', breakpoints => '{1,x}'));
SELECT * FROM cut(by_intervals('d', breakpoints => '{1,1.0}'));
SELECT * FROM cut(by_intervals('n', '0', '300', breakpoints => '{100,301,-1}'));
SELECT kmember_anonymize('t', 'made', ARRAY['n'], 3, masking => by_intervals('n', step => '10'));
SELECT count(*) AS left_behind FROM pg_namespace WHERE nspname IN ('rel', 'rel_private', 'made', 'made_private');
DROP SCHEMA points CASCADE;
