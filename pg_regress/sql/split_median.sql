-- split => 'median': of the valid points the one that divides the interval's rows most evenly, whatever it gains.
CREATE SCHEMA split_median;
SET search_path TO split_median, public;
-- Most amounts are small, a few are large.
CREATE TABLE costs AS SELECT (i % 100 + CASE WHEN i % 20 = 0 THEN i ELSE 0 END)::numeric AS amount, i % 2 AS side, i % 100 < 50 AS low FROM generate_series(1, 1000) i;

-- By certainty loss the tail is cut off; at the median the rows are halved.
SELECT split, s.children, s.records, s.achieved FROM unnest('{optimal,valid,median}'::text[]) split,
  LATERAL tds_steps('costs', k_anonymity('{amount}', 20), split => split, max_steps => 1, endpoints => 'values') s ORDER BY 1;
-- The same in plain SQL: the most even of the valid points, of equals the one that gains most, the lowest of these.
WITH points AS (SELECT DISTINCT amount AS point FROM costs), ends AS (SELECT min(amount) AS least, max(amount) AS greatest, count(*) AS n FROM costs),
     halves AS (SELECT point, count(*) FILTER (WHERE amount < point) AS below, count(*) FILTER (WHERE amount >= point) AS above FROM points, costs GROUP BY 1)
SELECT point, below, above FROM halves, ends WHERE LEAST(below, above) >= 20
ORDER BY LEAST(below, above) DESC, (below * (point - least) + above * (greatest - point)) / (n * (greatest - least)), point LIMIT 1;
-- With a class, too.
SELECT split, s.children FROM unnest('{valid,median}'::text[]) split,
  LATERAL tds_steps('costs', k_anonymity('{amount}', 20), 'low', split => split, max_steps => 1, endpoints => 'values') s ORDER BY 1;
-- Where the most even point is not valid the next one is taken: below 3 all rows have one s.
CREATE TABLE uneven AS SELECT v, CASE WHEN v < 3 OR i = 1 THEN 'a' ELSE 'b' END AS s FROM generate_series(1, 5) v, generate_series(1, 4) i;
SELECT s.children FROM tds_steps('uneven', k_anonymity('{v}', 4), split => 'median', max_steps => 1) s;
SELECT s.children FROM tds_steps('uneven', l_diversity('{v}', 's', 2), split => 'median', max_steps => 1) s;
-- Where none is valid the interval stays as it is.
SELECT s.children FROM tds_steps('uneven', k_anonymity('{v}', 12), split => 'median', max_steps => 1) s;
-- Of two equally even splits the one that gains more: 8 alone with 10, not with 1; 3 with 1.
CREATE TABLE even (v numeric);
INSERT INTO even VALUES (1), (8), (10);
SELECT s.children FROM tds_steps('even', k_anonymity('{v}', 1), split => 'median', max_steps => 1, endpoints => 'values') s;
UPDATE even SET v = 3 WHERE v = 8;
SELECT s.children FROM tds_steps('even', k_anonymity('{v}', 1), split => 'median', max_steps => 1, endpoints => 'values') s;

-- Rows withheld, several k, a group at a time.
SELECT k, steps, groups, smallest_group, round(certainty_loss::numeric, 4) AS lost, withheld FROM tds_tradeoff('costs', '{5,50}', k_anonymity('{amount,side}', 5), split => 'median');
SELECT s.step, s.attribute, s.children FROM tds_steps('costs', k_anonymity('{amount,side}', 30), split => 'median', withhold => 0.02, max_steps => 4) s;
SELECT recoding, s.step, s.attribute, s.children FROM unnest('{global,local}'::text[]) recoding,
  LATERAL tds_steps('costs', k_anonymity('{amount,side}', 100), split => 'median', recoding => recoding) s ORDER BY 1, 2;

-- A release keeps it.
SELECT tds_anonymize('costs', 'rel', k_anonymity('{amount}', 100), split => 'median') ->> 'steps' AS steps;
SELECT bool_and(holds) FROM release_verify('rel');
SELECT node, records FROM rel.cut;
SELECT release_refresh(public.again('rel')) ->> 'steps' AS replayed, release_refresh('rel', 'search') ->> 'steps' AS searched;
SELECT release_rewind('rel', 1) ->> 'steps' AS rewound;
SELECT release_alter('rel', split => 'valid') ->> 'steps' AS valid;
SELECT release_alter('rel', split => 'median', recoding => 'local') ->> 'steps' AS local;
SELECT reason FROM release_explain('rel');
SELECT version, parameters ->> 'split' AS split, parameters ->> 'recoding' AS recoding FROM rel_private.manifest ORDER BY 1;
SELECT release_drop('rel');
SELECT tds_steps('costs', k_anonymity('{amount}', 20), split => 'middle');
DROP SCHEMA split_median CASCADE;
