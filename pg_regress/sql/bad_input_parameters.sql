-- Bad parameters: SQLSTATE, message, DETAIL and HINT of each, and nothing left behind.
CREATE SCHEMA bad;
SET search_path TO bad, public;
CREATE TABLE t (a text, b int, c text, d text);
INSERT INTO t SELECT 'a' || i % 2, i % 4, 'c' || i % 2, 'd' || i FROM generate_series(1, 40) i;

-- the model
SELECT k_anonymity(ARRAY['a'], 0);
SELECT k_anonymity(ARRAY['a'], -5);
SELECT k_anonymity('{}', 2);
SELECT k_anonymity(ARRAY['a', 'b', 'a'], 2);
SELECT k_anonymity(NULL, 2);
SELECT k_anonymity(ARRAY['a'], NULL);
SELECT '{"k_anonymity": {"quasi_identifier": ["a"], "k": 0}}'::privacy_model;
SELECT '{"k_anonymity": {"quasi_identifier": ["a"], "k": 2, "l": 3}}'::privacy_model;
SELECT 'rubbish'::privacy_model;
SELECT 'rubbish'::masking;
SELECT '{"by_suppression": {}}'::masking;
SELECT by_suppression(NULL);
SELECT by_intervals(NULL);
SELECT by_taxonomy_tree(NULL, '{"ANY": []}');
SELECT by_taxonomy_tree('a', NULL);
SELECT by_taxonomy('a', NULL);
-- constructors give what their text form gives back
SELECT k_anonymity(ARRAY['a', 'b'], 2), k_anonymity(ARRAY['a', 'b'], 2)::text::privacy_model;
SELECT by_suppression('a'), by_intervals('b', lower => '0', upper => '9'), by_taxonomy_tree('a', '{"ANY": ["x"]}'), by_taxonomy('a', 't');

-- the call
SELECT tds_anonymize('t', 'r', '{}');
SELECT tds_anonymize('t', 'r', NULL);
SELECT tds_anonymize(NULL, 'r', ARRAY[k_anonymity(ARRAY['a'], 2)]);
SELECT tds_anonymize('t', NULL, ARRAY[k_anonymity(ARRAY['a'], 2)]);
SELECT tds_anonymize('t', '', ARRAY[k_anonymity(ARRAY['a'], 2)]);
SELECT tds_anonymize('t', 'pg_mine', ARRAY[k_anonymity(ARRAY['a'], 2)]);
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a'], 2), k_anonymity(ARRAY['a'], 2)]);
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a', 'b'], 2), k_anonymity(ARRAY['b', 'a'], 2)]);
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)], score => 'best');
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)], score => 'TDS');
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)], split => 'worst');
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)], recoding => 'best');
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)], recoding => 'local', withhold => 0.5);
SELECT * FROM tds_steps('t', ARRAY[k_anonymity(ARRAY['a'], 2)], recoding => 'local', withhold => 0.5);
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)], recoding => NULL);
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)], intervals => 'open');
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)], max_steps => -1);
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)], withhold => -0.1);
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)], withhold => 'NaN');
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)], withhold => 1.5);
-- NULL where a value is needed, alone and in an array
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)], score => NULL);
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)], masking => NULL);
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)], keep => NULL);
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)], intervals => NULL);
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)], suppressed => NULL);
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)], split => NULL);
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)], withhold => NULL);
SELECT k_anonymity(ARRAY['a', NULL], 2);
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a'], 2), NULL]);
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)], masking => ARRAY[by_suppression('a'), NULL]);
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)], keep => ARRAY['d', NULL]);
-- several faults are named at once
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a', 'x'], 2)], score => 'best', keep => ARRAY['a', 'y'], class => 'z');
-- the dry run checks the same
SELECT tds_steps('t', ARRAY[k_anonymity(ARRAY['a'], 2)], score => 'best');
SELECT tds_steps('t', '{}');
SELECT tds_steps(NULL, ARRAY[k_anonymity(ARRAY['a'], 2)]);
-- the requirement cannot hold even for the most general table
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['a'], 41)]);
SELECT tds_steps('t', ARRAY[k_anonymity(ARRAY['b'], 2), k_anonymity(ARRAY['a'], 41)]);

-- nothing was left behind
SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname NOT IN ('information_schema', 'public') ORDER BY 1;
SELECT relname FROM pg_class WHERE relnamespace = 'bad'::regnamespace ORDER BY 1;
SELECT count(*) FROM releases();
DROP TABLE t;
DROP SCHEMA bad;

-- What a newer version may have stored.
-- every number is kept as it was given
SELECT count(*), count(*) FILTER (WHERE (m::text::jsonb #>> '{confidence_bound,max_confidence}')::float8 = a / b::float8 AND m::text::privacy_model::text = m::text) AS exact
FROM generate_series(1, 60) b, generate_series(1, b) a, confidence_bound('{x}', 's', NULL, a / b::float8) m;
CREATE CAST (bytea AS masking) WITHOUT FUNCTION;
SELECT convert_to('{"by_tomorrow": {}}', 'UTF8')::masking;
SELECT count(*) FROM tds_steps('pg_class', k_anonymity('{relkind}', 2), masking => ARRAY['\x00'::bytea::masking]);
DROP CAST (bytea AS masking);
