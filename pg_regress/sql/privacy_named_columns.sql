-- Only columns that are named are read: of others the caller needs no rights, and what a view calls for them is not called.
CREATE ROLE named_reader;
CREATE SCHEMA named;
GRANT USAGE ON SCHEMA named TO named_reader;
CREATE TABLE named.t AS SELECT i % 3 AS a, 'b' || i % 4 AS b, 'c' || i % 2 AS c, i AS p, 'secret' AS secret FROM generate_series(1, 400) i;
GRANT SELECT (a, b, c, p) ON named.t TO named_reader;
CREATE FUNCTION named.loud(i int) RETURNS int LANGUAGE plpgsql STABLE AS $$ BEGIN RAISE EXCEPTION 'a column that nobody named is read'; END $$;
CREATE VIEW named.v AS SELECT a, b, c, p, named.loud(a) AS loud, 1 / (a - a) AS never FROM named.t;
GRANT SELECT (a, b, c, p) ON named.v TO named_reader;
CREATE TABLE named.tree AS SELECT 'b' || i AS child, 'any' AS parent, named.t.secret FROM generate_series(0, 3) i, named.t WHERE p = 1;
GRANT SELECT (child, parent) ON named.tree TO named_reader;
SELECT current_user AS owner \gset
SET ROLE named_reader;
SELECT source, model, achieved FROM unnest('{named.t,named.v}'::regclass[]) source,
  privacy_check(source, ARRAY[k_anonymity('{a,b}', 5), k_anonymity('{a,c}', 5), l_diversity('{a}', 'c', 2), k_anonymity('{b}', 5, 'p'), lkc_privacy('{a,b,c}', 2, 5)]) ORDER BY source::text, model::text;
SELECT source, count(*) FROM unnest('{named.t,named.v}'::regclass[]) source, privacy_inferences(source, confidence_bound('{a,b}', 'c', NULL, 0.5)) GROUP BY 1 ORDER BY 1;
SELECT source, count(*) FROM unnest('{named.t,named.v}'::regclass[]) source, tds_steps(source, k_anonymity('{a,b}', 5), 'c', by_taxonomy('b', 'named.tree')) GROUP BY 1 ORDER BY 1;
SELECT source, count(*) FROM unnest('{named.t,named.v}'::regclass[]) source, tds_tradeoff(source, '{5,10}', k_anonymity('{a,b}', 5)) GROUP BY 1 ORDER BY 1;
SELECT source, count(*) > 0 AS found FROM unnest('{named.t,named.v}'::regclass[]) source, release_suggest(source, k_anonymity('{a,b}', 5)) GROUP BY 1 ORDER BY 1;
SELECT source, count(*) > 0 AS found FROM unnest('{named.t,named.v}'::regclass[]) source, privacy_keys(source, '{a,b,p}') GROUP BY 1 ORDER BY 1;
SELECT source, count(*) FROM unnest('{named.t,named.v}'::regclass[]) source, taxonomy_build(source, 'p', 'equal_width') GROUP BY 1 ORDER BY 1;
SELECT source, count(*) FROM unnest('{named.t,named.v}'::regclass[]) source, taxonomy_check('named.tree', source, 'b') GROUP BY 1 ORDER BY 1;
SELECT source, count(*) FROM unnest('{named.t,named.v}'::regclass[]) source, taxonomy_of(by_taxonomy('b', 'named.tree'), source) GROUP BY 1 ORDER BY 1;
SELECT achieved FROM privacy_check('named.t', k_map('{a,b}', 5, 'named.v'));
RESET ROLE;
SELECT format('GRANT CREATE ON DATABASE %I TO named_reader', current_database()) AS grant, format('REVOKE CREATE ON DATABASE %I FROM named_reader', current_database()) AS revoke \gset
:grant;
SELECT release_functions('named_reader');
SET ROLE named_reader;
SELECT tds_anonymize('named.v', 'named_r', ARRAY[k_anonymity('{a,b}', 5), l_diversity('{a}', 'c', 2)], masking => by_taxonomy('b', 'named.tree'), keep => '{c}') -> 'version' AS version;
SELECT release_refresh('named_r') -> 'version' AS version;
SELECT bool_and(holds) FROM release_verify('named_r');
SELECT count(*) > 0 FROM release_query_error('named_r');
SELECT release_drop('named_r');
RESET ROLE;
:revoke;
DROP OWNED BY named_reader;
DROP ROLE named_reader;
DROP SCHEMA named CASCADE;
