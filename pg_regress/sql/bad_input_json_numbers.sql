-- Taxonomies in JSON: numbers are labels with the text that JSON gave them, and trees that nest deeper than can be read back are refused.
CREATE SCHEMA jsn;
SET search_path TO jsn, public;
SELECT by_taxonomy_tree('n', '{"any": [0.10, 1E+2, -0, 123456789012345678901234567890.1234567890, true, "t"]}');
SELECT by_taxonomy_tree('n', '{"any": [1e400]}')::text = '{"by_taxonomy_tree":{"column_name":"n","taxonomy":{"any":["1' || repeat('0', 400) || '"]}}}' AS in_full;
-- through a table, a release and its second version
CREATE TABLE t (n numeric, class int);
INSERT INTO t SELECT (ARRAY[0.10, 123456789012345678901234567890.1234567890, 1e30, 7])[1 + i % 4], i % 4 / 2 FROM generate_series(1, 40) i;
SELECT DISTINCT n FROM t ORDER BY n;
SELECT tds_anonymize('t', 'jsn_r', ARRAY[k_anonymity(ARRAY['n'], 5)], 'class', ARRAY[by_taxonomy_tree('n', '{"any": {"small": [0.10, 7], "large": [123456789012345678901234567890.1234567890, 1e30]}}')]) -> 'version' AS version;
SELECT node, parent FROM jsn_r_private.taxonomy ORDER BY depth, node;
SELECT parameters #>> '{masking,0}' AS masking FROM jsn_r_private.manifest;
SELECT tds_anonymize('t', 'jsn_r', ARRAY[k_anonymity(ARRAY['n'], 5)], 'class', ARRAY[by_taxonomy_tree('n', '{"any": {"small": [0.10, 7], "large": [123456789012345678901234567890.1234567890, 1e30]}}')]) -> 'version' AS version;
SELECT attribute, node, records FROM jsn_r.cut ORDER BY node;
SELECT holds FROM release_verify('jsn_r');
SELECT release_drop('jsn_r');
-- numbers that another reader would write with an exponent, and long ones, are the same labels in every later version
CREATE TABLE small (x numeric, long text);
INSERT INTO small SELECT (ARRAY[0.000001, 0.000002, 340282366920938463463374607431768211456, 0.00001])[1 + i % 4], ('1e' || 500 + i % 40)::numeric FROM generate_series(1, 800) i;
SELECT tds_anonymize('small', 'jsn_s', k_anonymity('{x,long}', 5), masking => ARRAY[by_taxonomy_tree('x', '{"*": {"low": [0.000001, 0.000002], "high": [340282366920938463463374607431768211456, 0.00001]}}'), by_taxonomy_tree('long', (SELECT jsonb_build_object('*', jsonb_agg(DISTINCT long::numeric)) FROM small))]) -> 'version' AS version;
SELECT release_refresh('jsn_s', 'search') -> 'version' AS version;
SELECT release_alter('jsn_s', max_steps => 1) -> 'version' AS version;
SELECT holds FROM release_verify('jsn_s');
-- so is a number in the text of a masking
SELECT '{"by_taxonomy_tree":{"column_name":"x","taxonomy":{"*":[1e5,7,-0,1e999999999]}}}'::masking;
-- a release is dropped, whatever its manifest says
UPDATE jsn_s_private.manifest SET parameters = '{}';
SELECT release_drop('jsn_s');
SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'jsn\_s%';
-- 0.1 is another label than 0.10
SELECT count(*) FROM tds_steps('t', ARRAY[k_anonymity(ARRAY['n'], 5)], 'class', ARRAY[by_taxonomy_tree('n', '{"any": [0.1, 7, 123456789012345678901234567890.123456789, 1e30]}')]);
-- huge numbers in other arguments
SELECT taxonomy_build('t', 'n', 'han', '{"threshold": 1e400}');
SELECT taxonomy_build('t', 'n', 'breakpoints', '{"breakpoints": [[0.10, "1e400"]]}');
SELECT count(*) > 0 AS built FROM taxonomy_build('t', 'n', 'equal_width', '{"lower": 0, "upper": 999999999999999999999999999999.99}');
-- inferences over what JSON cannot hold, or only as a number of many digits
CREATE TABLE f (f4 float4, f8 float8, n numeric, s text);
INSERT INTO f VALUES ('NaN', 'Infinity', 'NaN', 'a'), ('-Infinity', 1e15, 123456789012345678901234567890.12, 'b'), (1e-45, 1e-10, 123456789012345678901234567890.13, 'a'), (0, -0.0, 0.10, 'b');
INSERT INTO f VALUES (0, 0, 0.1, 'b');
SELECT channel, sensitive_value, support, matches FROM privacy_inferences('f', confidence_bound(ARRAY['n'], 's', NULL, 1)) ORDER BY channel::text COLLATE "C";
SELECT channel, sensitive_value, support, matches FROM privacy_inferences('f', confidence_bound(ARRAY['f4'], 's', NULL, 1)) ORDER BY channel::text COLLATE "C";
SELECT channel, sensitive_value, support, matches FROM privacy_inferences('f', confidence_bound(ARRAY['f8'], 's', NULL, 1)) ORDER BY channel::text COLLATE "C";
-- a hundred levels work end to end; more are refused
CREATE FUNCTION deep(levels int) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE tree text := '["leaf"]';
BEGIN
  FOR i IN REVERSE levels - 1..1 LOOP
    tree := format('{"l%s": %s}', i, tree);
  END LOOP;
  RETURN tree::jsonb;
END $$;
CREATE TABLE leaves AS SELECT 'leaf' AS v FROM generate_series(1, 10);
SELECT tds_anonymize('leaves', 'jsn_d', ARRAY[k_anonymity(ARRAY['v'], 5)], masking => ARRAY[by_taxonomy_tree('v', deep(100))]) -> 'version' AS version;
SELECT tds_anonymize('leaves', 'jsn_d', ARRAY[k_anonymity(ARRAY['v'], 5)], masking => ARRAY[by_taxonomy_tree('v', deep(100))]) -> 'version' AS version;
SELECT max(depth) FROM jsn_d_private.taxonomy;
SELECT holds FROM release_verify('jsn_d');
SELECT count(*) > 5 AS measures FROM release_measures('jsn_d');
SELECT release_drop('jsn_d');
SELECT by_taxonomy_tree('v', deep(101));
SELECT by_taxonomy_tree('v', deep(5000));
-- braces in labels are no levels
SELECT length(by_taxonomy_tree('v', jsonb_build_object(repeat('{[', 500) || '"\', ARRAY['leaf']))::text) > 1000 AS made;
-- as text: the same limit is the reader's
SELECT length(('{"by_taxonomy_tree":{"column_name":"v","taxonomy":' || deep(100)::text || '}}')::masking::text) > 500 AS read;
SELECT ('{"by_taxonomy_tree":{"column_name":"v","taxonomy":' || deep(3000)::text || '}}')::masking IS NULL;
SELECT repeat('[', 100000)::privacy_model;
SELECT ('{"k_anonymity": ' || repeat('[', 100000))::privacy_model;
-- a zero byte, which JSON can write and no text holds; a backslash before u0000 is none
SELECT '{"k_anonymity":{"quasi_identifier":["a\u0000x"],"k":2}}'::privacy_model;
SELECT '{"by_intervals":{"column_name":"a","lower":"0\u0000","upper":null}}'::masking;
SELECT '{"k_anonymity":{"quasi_identifier":["a\\u0000x"],"k":2}}'::privacy_model;
DROP SCHEMA jsn CASCADE;
SELECT nspname FROM pg_namespace WHERE nspname LIKE 'jsn%';
