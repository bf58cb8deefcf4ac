-- Columns and relations that are wrong: SQLSTATE, message, DETAIL and HINT of each, and nothing left behind.
CREATE SCHEMA bad;
SET search_path TO bad, public;
CREATE TABLE t (a text, b int, c text, d text);
INSERT INTO t SELECT 'a' || i % 2, i % 4, 'c' || i % 2, 'd' || i FROM generate_series(1, 40) i;
ALTER TABLE t ADD COLUMN gone int, ADD COLUMN "Case" text;
ALTER TABLE t DROP COLUMN gone;

-- unknown columns, by every argument that names one
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['x'], 2)]);
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)], class => 'x');
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)], masking => ARRAY[by_suppression('x')]);
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)], keep => ARRAY['x']);
-- columns are named as they are, not as SQL folds them; dropped and system columns are none
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['A'], 2)]);
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['case'], 2)]);
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['gone'], 2)]);
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['........pg.dropped.5........'], 2)]);
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['ctid'], 2)]);
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)], keep => ARRAY['ctid', 'xmin', 'tableoid']);
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)], class => 'tableoid');
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY[''], 2)]);
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['*'], 2)]);
-- masked and kept, masked and class, twice, masking that no model names
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a', 'b'], 2)], keep => ARRAY['d', 'b']);
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a', 'b'], 2)], class => 'b');
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)], keep => ARRAY['d', 'c', 'd']);
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)], masking => ARRAY[by_suppression('a'), by_suppression('a')]);
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['b'], 2)], masking => ARRAY[by_suppression('b'), by_intervals('b')]);
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)], masking => ARRAY[by_suppression('b')]);
SELECT tds_steps('t', ARRAY[k_anonymity(ARRAY['a'], 2)], masking => ARRAY[by_suppression('b')]);
-- the class may also be named in keep: it is released once
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)], class => 'c', keep => ARRAY['c']) ->> 'rows' AS rows;
SELECT attname FROM pg_attribute WHERE attrelid = 'r.t'::regclass AND attnum > 0 ORDER BY attnum;
SELECT release_drop('r');

-- bounds of intervals
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['b'], 2)], masking => ARRAY[by_intervals('b', '1', '9')]);
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['b'], 2)], masking => ARRAY[by_intervals('b', upper => '2')]);
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['b'], 2)], masking => ARRAY[by_intervals('b', '9', '0')]);
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['b'], 2)], masking => ARRAY[by_intervals('b', '3', '3')]);
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['b'], 2)], masking => ARRAY[by_intervals('b', 'low')]);
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['b'], 2)], masking => ARRAY[by_intervals('b', upper => '99999999999')]);
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['b'], 2)], masking => ARRAY[by_intervals('b', '')]);
CREATE TABLE unordered (p point, j json, x xid);
INSERT INTO unordered SELECT '(1,1)', '{}', '1' FROM generate_series(1, 4);
SELECT tds_anonymize('unordered', 'r', ARRAY[k_anonymity(ARRAY['p'], 2)], masking => ARRAY[by_intervals('p')]);
SELECT tds_anonymize('unordered', 'r', ARRAY[k_anonymity(ARRAY['j'], 2)], masking => ARRAY[by_intervals('j')]);
DROP TABLE unordered;

-- relations
SELECT tds_anonymize('nowhere', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)]);
SELECT tds_anonymize('bad.t.a', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)]);
SELECT tds_anonymize(4294967295::oid::regclass, 'r', ARRAY[k_anonymity(ARRAY['a'], 2)]);
CREATE INDEX i ON t (a);
CREATE SEQUENCE s;
CREATE TYPE composite AS (a text);
SELECT tds_anonymize('i', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)]);
SELECT tds_anonymize('s', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)]);
SELECT tds_anonymize('composite', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)]);
SELECT tds_steps('i', ARRAY[k_anonymity(ARRAY['a'], 2)]);
-- a release has views of its own: sources called like them need a view with another name; what its private schema has is free
CREATE VIEW cut AS SELECT * FROM t;
CREATE VIEW about AS SELECT * FROM t;
CREATE VIEW counts AS SELECT * FROM t;
CREATE VIEW manifest AS SELECT * FROM t;
CREATE VIEW rows_v1 AS SELECT * FROM t;
SELECT tds_anonymize('cut', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)]);
SELECT tds_anonymize('about', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)]);
SELECT tds_anonymize('counts', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)]);
SELECT tds_anonymize('manifest', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)]) ->> 'relation' AS relation;
SELECT release_drop('r');
SELECT tds_anonymize('rows_v1', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)]) ->> 'relation' AS relation;
SELECT count(*) FROM r.rows_v1;
SELECT release_drop('r');
-- a dry run publishes nothing, so it does not mind
SELECT count(*) > 0 AS steps FROM tds_steps('cut', ARRAY[k_anonymity(ARRAY['a'], 2)]);

-- names of columns that come to collide: b_lo beside intervals => 'bounds'
ALTER TABLE t ADD COLUMN b_lo int;
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['b'], 2)], keep => ARRAY['b_lo'], intervals => 'bounds');
-- intervals => 'range' where there is no range type
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)], masking => ARRAY[by_intervals('a')], intervals => 'range');

-- nothing was left behind
SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname NOT IN ('information_schema', 'public') ORDER BY 1;
SELECT count(*) FROM releases();
DROP SCHEMA bad CASCADE;
