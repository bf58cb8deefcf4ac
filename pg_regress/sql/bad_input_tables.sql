-- Tables at the edge of what can be released: empty, one row, one value, too few rows, no class, many values, many columns.
CREATE SCHEMA edge;
SET search_path TO edge, public;
CREATE TABLE t (a text, n int, class text);

-- empty: like any k that is larger than the table
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a', 'n'], 5)], class => 'class');
SELECT tds_steps('t', ARRAY[k_anonymity(ARRAY['a', 'n'], 1)]);
SELECT tds_steps('t', ARRAY[k_anonymity(ARRAY['a'], 1), k_anonymity(ARRAY['n'], 1)]);
SELECT nspname FROM pg_namespace WHERE nspname IN ('r', 'r_private');

-- one row
INSERT INTO t VALUES ('x', 7, 'Y');
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a', 'n'], 2)]);
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a', 'n'], 1)]) - 'seconds';
SELECT * FROM r.t;
SELECT step, attribute, node, children, records, info_gain, privacy_loss, score, achieved FROM r_private.steps ORDER BY step;
SELECT release_drop('r');
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a', 'n'], 1)], class => 'class') ->> 'steps' AS steps;
SELECT * FROM r.t;
SELECT release_drop('r');

-- all rows equal: the value can be disclosed without a class, and separates nothing with one
INSERT INTO t SELECT 'x', 7, 'Y' FROM generate_series(1, 9);
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a', 'n'], 10)]) ->> 'steps' AS steps;
SELECT DISTINCT * FROM r.t;
SELECT attribute, node, records FROM r.cut ORDER BY 1;
SELECT release_drop('r');
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a', 'n'], 10)], class => 'class') ->> 'steps' AS steps;
SELECT DISTINCT * FROM r.t;
SELECT release_drop('r');
-- k larger than the table
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a', 'n'], 11)]);
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a', 'n'], 2147483647)]);
-- the class has one value: no refinement separates classes
INSERT INTO t SELECT 'y', 8, 'Y' FROM generate_series(1, 10);
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a', 'n'], 5)], class => 'class') ->> 'steps' AS steps;
SELECT DISTINCT * FROM r.t;
SELECT release_drop('r');
-- no class: every refinement counts
SELECT step, attribute, node, children, records, info_gain, privacy_loss, score, achieved
FROM tds_steps('t', ARRAY[k_anonymity(ARRAY['a', 'n'], 5)]) ORDER BY step;
-- stopped before the first step
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a', 'n'], 5)], max_steps => 0) ->> 'steps' AS steps;
SELECT DISTINCT * FROM r.t;
SELECT release_drop('r');

-- without a class the gain is the fall of the mean certainty loss: from 1 at ANY to 1/3 at A and B to 0
CREATE TABLE g (a text);
INSERT INTO g SELECT v FROM unnest(ARRAY['p', 'q', 'r', 's']) v, generate_series(1, 2);
SELECT step, node, children, records, round(info_gain::numeric, 4) AS info_gain, privacy_loss, round(score::numeric, 4) AS score, achieved
FROM tds_steps('g', ARRAY[k_anonymity(ARRAY['a'], 2)], masking => ARRAY[by_taxonomy_tree('a', '{"ANY": {"A": ["p", "q"], "B": ["r", "s"]}}')])
ORDER BY step;

-- 10,000 distinct values in a suppressed column: alone none of them can be disclosed, in pairs all can
CREATE TABLE many AS SELECT 'v' || i AS a FROM generate_series(1, 10000) i;
SELECT tds_anonymize('many', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)]) - 'seconds';
SELECT a, count(*) FROM r.many GROUP BY 1;
SELECT release_drop('r');
INSERT INTO many SELECT * FROM many;
SELECT tds_anonymize('many', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)]) - 'seconds' - 'privacy';
SELECT count(*), count(DISTINCT a), min(a), max(a) FROM r.many;
SELECT count(*), sum(records) FROM r.cut;
SELECT release_drop('r');

-- 100 columns in one quasi-identifier
\set ECHO none
SELECT format('CREATE TABLE wide AS SELECT %s FROM generate_series(0, 63) i',
              string_agg(format('%s AS c%s', CASE WHEN c % 2 = 0 THEN format('(i / %s %% 2)', 1 << (c % 6)) ELSE format('chr(97 + i / %s %% 2)', 1 << (c % 6)) END, c), ', '))
FROM generate_series(1, 100) c \gexec
\set ECHO all
SELECT array_agg('c' || c) AS names FROM generate_series(1, 100) c \gset
SELECT tds_anonymize('wide', 'r', ARRAY[k_anonymity(:'names', 4)]) -> 'privacy' -> 0 -> 'holds' AS holds;
SELECT count(*) AS columns FROM pg_attribute WHERE attrelid = 'r.wide'::regclass AND attnum > 0;
SELECT required, achieved >= 4 AS achieved, holds FROM release_verify('r');
SELECT release_drop('r');

SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname NOT IN ('information_schema', 'public') ORDER BY 1;
DROP SCHEMA edge CASCADE;
