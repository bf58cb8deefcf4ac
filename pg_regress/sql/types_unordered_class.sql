-- Types without an order, as json and point, and of odd lengths: as the class, sensitive, kept and masked, up to the measures.
CREATE SCHEMA uno;
SET search_path TO uno, public;
-- a type whose values are terminated strings: only a superuser can make one
CREATE TYPE cstr;
CREATE FUNCTION cstr_in(cstring) RETURNS cstr LANGUAGE internal IMMUTABLE STRICT AS 'unknownin';
CREATE FUNCTION cstr_out(cstr) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'unknownout';
CREATE TYPE cstr (INPUT = cstr_in, OUTPUT = cstr_out, LIKE = unknown);
SELECT typlen, typbyval FROM pg_type WHERE oid = 'cstr'::regtype;
CREATE TABLE t (j json, p point, x json[], b box, c cstr, n int, a text);
INSERT INTO t SELECT format('{"a": %s}', i % 2)::json, point(i % 2, 1), ARRAY[format('[%s]', i % 2)::json], box(point(0, 0), point(i % 2, 1)), cstr_in(('c' || repeat('x', i % 2 * 100))::cstring), i % 4, 'a' || i % 4 FROM generate_series(1, 80) i;
INSERT INTO t VALUES (NULL, NULL, NULL, NULL, NULL, 0, 'a0'), (NULL, NULL, NULL, NULL, NULL, 1, 'a1');
SELECT array_agg(attname::text ORDER BY attnum) AS columns FROM pg_attribute WHERE attrelid = 't'::regclass AND attnum BETWEEN 1 AND 5 \gset
-- the class
SELECT c, (SELECT count(*) FROM tds_steps('t', ARRAY[k_anonymity(ARRAY['n', 'a'], 5)], c)) AS steps FROM unnest(:'columns'::text[]) c;
SELECT c, tds_anonymize('t', ('uno_' || c)::name, ARRAY[k_anonymity(ARRAY['n', 'a'], 5)], c) -> 'rows' AS rows FROM unnest(:'columns'::text[]) c;
SELECT c, (SELECT round(value::numeric, 4) FROM release_measures(('uno_' || c)::name) WHERE measure = 'class_kl_divergence') AS divergence, (SELECT bool_and(holds) FROM release_verify(('uno_' || c)::name)) AS holds FROM unnest(:'columns'::text[]) c;
SELECT c, tds_anonymize('t', ('uno_' || c)::name, ARRAY[k_anonymity(ARRAY['n', 'a'], 5)], c) -> 'version' AS version FROM unnest(:'columns'::text[]) c;
SELECT release_drop(('uno_' || c)::name) FROM unnest(:'columns'::text[]) c;
-- suppressed: values without an order have their places by their texts, whatever the order of the rows
CREATE TABLE forwards AS SELECT format('[%s]', i % 4)::json AS j FROM generate_series(0, 39) i ORDER BY i % 4;
CREATE TABLE backwards AS SELECT j FROM forwards ORDER BY j::text DESC;
SELECT (SELECT array_agg(children ORDER BY step) FROM tds_steps('forwards', ARRAY[k_anonymity('{j}', 10)])) AS forwards,
       (SELECT array_agg(children ORDER BY step) FROM tds_steps('backwards', ARRAY[k_anonymity('{j}', 10)])) AS backwards;
-- sensitive, with values and without
SELECT c, tds_anonymize('t', 'uno_s', ARRAY[confidence_bound(ARRAY['n'], c, NULL, 0.9), l_diversity(ARRAY['n'], c, 1), t_closeness(ARRAY['n'], c, 0.9)], 'a') -> 'rows' AS rows, release_drop('uno_s') FROM unnest(:'columns'::text[]) c;
SELECT c, (SELECT achieved FROM privacy_check('t', ARRAY[confidence_bound(ARRAY['n'], c, ARRAY[v], 0.9)])) AS confidence, (SELECT count(*) FROM tds_steps('t', ARRAY[confidence_bound(ARRAY['n'], c, ARRAY[v], 1)])) AS steps
FROM (VALUES ('j', '{"a": 1}'), ('p', '(1,1)'), ('x', '{[1]}'), ('b', '(1,1),(0,0)'), ('c', 'c')) v (c, v);
SELECT c, count(*) FROM unnest(:'columns'::text[]) c, privacy_inferences('t', confidence_bound(ARRAY[c], 'a', NULL, 1)) GROUP BY 1 ORDER BY 1;
SELECT c, count(*) FROM unnest(:'columns'::text[]) c, privacy_inferences('t', confidence_bound(ARRAY['n'], c, NULL, 1)) GROUP BY 1 ORDER BY 1;
SELECT count(*) FROM tds_steps('t', ARRAY[t_closeness(ARRAY['n'], 'p', 0.9, 'ordered')]);
-- masked and kept
SELECT tds_anonymize('t', 'uno_m', ARRAY(SELECT k_anonymity(ARRAY[c], 2) FROM unnest(:'columns'::text[]) c), 'n') -> 'rows' AS rows;
SELECT attribute, left(node, 20) AS node, records FROM uno_m.cut ORDER BY 1, 2, 3;
SELECT bool_and(holds) FROM release_verify('uno_m');
SELECT release_drop('uno_m');
SELECT tds_anonymize('t', 'uno_k', ARRAY[k_anonymity(ARRAY['n'], 5)], keep => :'columns'::text[]) -> 'rows' AS rows;
SELECT count(*) AS differing FROM (SELECT j::text, p::text, x::text, b::text, cstr_out(c)::text FROM t EXCEPT ALL SELECT j::text, p::text, x::text, b::text, cstr_out(c)::text FROM uno_k.t) d;
SELECT tds_anonymize('t', 'uno_k', ARRAY[k_anonymity(ARRAY['n'], 5)], keep => :'columns'::text[]) -> 'version' AS version;
SELECT release_drop('uno_k');
SELECT kmember_anonymize('t', 'uno_c', ARRAY['c', 'n', 'j', 'p'], 5, keep => ARRAY['x', 'b']) -> 'rows' AS rows;
SELECT release_drop('uno_c');
SELECT pda_anonymize('t', 'uno_p', ARRAY[confidence_bound(ARRAY['c', 'p'], 'j', NULL, 1)], 'x') -> 'rows' AS rows;
SELECT release_drop('uno_p');
-- taxonomies of such values
CREATE TABLE tax AS SELECT DISTINCT p::text AS child, 'any' AS parent FROM t WHERE p IS NOT NULL;
SELECT node, children FROM tds_steps('t', ARRAY[k_anonymity(ARRAY['p'], 2)], 'n', ARRAY[by_taxonomy('p', 'tax')]);
-- values of the same text are the same, however they are stored: here as in the recount
CREATE TABLE stored (q int, j json[]);
INSERT INTO stored SELECT i % 2, ARRAY['1'::json, '2'::json] FROM generate_series(1, 10) i;
INSERT INTO stored SELECT i % 2, ARRAY[NULL, '2'::json] FROM generate_series(1, 10) i;
UPDATE stored SET j[1] = '1' WHERE j[1] IS NULL;
SELECT count(*) FROM tds_steps('stored', ARRAY[l_diversity('{q}', 'j', 2)]);
SELECT achieved FROM privacy_check('stored', ARRAY[l_diversity('{q}', 'j', 2)]);
DROP SCHEMA uno CASCADE;
SELECT nspname FROM pg_namespace WHERE nspname LIKE 'uno%';
