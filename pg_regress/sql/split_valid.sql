-- split => 'valid': an interval is split at the best of the points at which the models still hold.
CREATE SCHEMA split_valid;
SET search_path TO split_valid, public;

-- The class changes at 13, below which there are three rows: too few for k = 5.
CREATE TABLE t AS
SELECT age, CASE WHEN age < 13 OR age > 17 AND n = 1 THEN 'yes' ELSE 'no' END AS class
FROM generate_series(10, 19) age, LATERAL generate_series(1, CASE WHEN age < 13 THEN 1 ELSE 4 END) n;
SELECT class, count(*) FROM t GROUP BY 1 ORDER BY 1;

-- The papers': the best split is invalid, and age stays as it is.
SELECT step, attribute, node, children, achieved FROM tds_steps('t', ARRAY[k_anonymity('{age}', 5)], 'class', ARRAY[by_intervals('age', '10', '19')]);
SELECT step, attribute, node, children, records, round(info_gain::numeric, 6) AS info_gain, achieved
FROM tds_steps('t', ARRAY[k_anonymity('{age}', 5)], 'class', ARRAY[by_intervals('age', '10', '19')], split => 'valid');

-- The first of them in plain SQL: of all valid splits the one that gains most, the lowest of equals.
WITH points AS (SELECT DISTINCT age AS point FROM t),
     halves AS (SELECT point, age >= point AS upper, class, count(*) AS n FROM points, t GROUP BY 1, 2, 3),
     sizes AS (SELECT point, upper, sum(n) AS n FROM halves GROUP BY 1, 2),
     unknown AS (SELECT h.point, sum(-h.n * log(2, h.n / s.n)) / (SELECT count(*) FROM t) AS bits FROM halves h JOIN sizes s USING (point, upper) GROUP BY 1)
SELECT point, round((SELECT bits FROM unknown WHERE point = 10) - bits, 6) AS gain, min(n) AS smallest, min(n) >= 5 AS valid
FROM unknown JOIN sizes USING (point) WHERE point > 10 GROUP BY point, bits ORDER BY valid DESC, gain DESC, point;

-- A point that becomes invalid while another column is refined is left for the next best: alone age is split at 4, but on one side
-- only three rows are below that.
CREATE TABLE sides AS
SELECT age, side, CASE WHEN side = 0 AND age >= 4 THEN 'yes' ELSE 'no' END AS class
FROM generate_series(1, 8) age, generate_series(0, 1) side, LATERAL generate_series(1, CASE WHEN side = 0 THEN 4 WHEN age < 4 THEN 1 ELSE 8 END) n;
SELECT step, attribute, node, children, achieved FROM tds_steps('sides', ARRAY[k_anonymity('{age}', 5)], 'class', split => 'valid', max_steps => 1);
SELECT step, attribute, node, children, achieved
FROM tds_steps('sides', ARRAY[k_anonymity('{age,side}', 5)], 'class', split => 'valid', score => 'info_gain', max_steps => 2);
SELECT step, attribute, node, children, achieved FROM tds_steps('sides', ARRAY[k_anonymity('{age,side}', 5)], 'class', score => 'info_gain');

-- Without a class, with other models, with NULLs, and with the other scores.
SELECT step, attribute, node, children, achieved FROM tds_steps('t', ARRAY[k_anonymity('{age}', 9)], masking => ARRAY[by_intervals('age', '10', '19')], split => 'valid');
SELECT step, attribute, node, children, ARRAY(SELECT round(a::numeric, 6) FROM unnest(achieved) a) AS achieved
FROM tds_steps('t', ARRAY[confidence_bound('{age}', 'class', '{yes}', 0.5), l_diversity('{age}', 'class', 2)], 'class', ARRAY[by_intervals('age', '10', '19')],
               split => 'valid', score => 'conditional');
CREATE VIEW with_nulls AS SELECT nullif(age, 15) AS age, class FROM t;
SELECT step, attribute, node, children, achieved FROM tds_steps('with_nulls', ARRAY[k_anonymity('{age}', 4)], 'class', split => 'valid', score => 'info_gain');

-- A release keeps it: what is published holds, and the next versions are made the same way.
SELECT tds_anonymize('t', 'rel', ARRAY[k_anonymity('{age}', 5)], 'class', ARRAY[by_intervals('age', '10', '19')], split => 'valid') - 'seconds' AS made;
SELECT * FROM release_verify('rel');
SELECT age, count(*) FROM rel.t GROUP BY 1 ORDER BY 1;
SELECT attribute, node, parent, in_cut FROM rel_private.taxonomy ORDER BY depth, node;
SELECT release_refresh(public.again('rel')) ->> 'steps' AS replayed;
SELECT release_refresh('rel', 'search') ->> 'steps' AS searched;
SELECT release_rewind('rel', 1) ->> 'steps' AS rewound;
SELECT release_alter('rel', max_steps => 2) ->> 'steps' AS altered;
SELECT version, parameters ->> 'split' AS split FROM rel_private.manifest ORDER BY 1;
SELECT release_drop('rel');

DROP SCHEMA split_valid CASCADE;
