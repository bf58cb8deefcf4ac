-- Threat: row-level security. The build runs with the caller's rights; a source with row security in force for the caller,
-- by itself or below a view, is refused, unless pg_topdown.allow_row_security is on: then the rows that the caller sees are released.
CREATE ROLE regress_rls_owner;
CREATE ROLE regress_rls_caller;
DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO regress_rls_owner, regress_rls_caller', current_database()); END $$;
GRANT EXECUTE ON FUNCTION tds_anonymize, release_drop TO regress_rls_owner, regress_rls_caller;
CREATE SCHEMA rls AUTHORIZATION regress_rls_owner;
GRANT USAGE ON SCHEMA rls TO regress_rls_caller;
SET search_path TO rls, public;
SET ROLE regress_rls_owner;
CREATE TABLE people (a text, visible bool);
INSERT INTO people SELECT 'a' || i % 2, i <= 20 FROM generate_series(1, 30) i;
ALTER TABLE people ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON people USING (visible);
GRANT SELECT ON people TO regress_rls_caller;
CREATE VIEW people_view AS SELECT * FROM people;
CREATE VIEW invoker_view WITH (security_invoker) AS SELECT * FROM people;
GRANT SELECT ON people_view, invoker_view TO regress_rls_caller;
CREATE TABLE open (a text, visible bool);
INSERT INTO open TABLE people;
GRANT SELECT ON open TO regress_rls_caller;
CREATE TABLE no_policy (a text);
INSERT INTO no_policy SELECT 'a' FROM generate_series(1, 9);
GRANT SELECT ON no_policy TO regress_rls_caller;
ALTER TABLE no_policy ENABLE ROW LEVEL SECURITY;
CREATE TABLE tax AS SELECT DISTINCT a AS child, 'ANY' AS parent FROM people;
GRANT SELECT ON tax TO regress_rls_caller;

-- the table itself
SET ROLE regress_rls_caller;
SELECT count(*) FROM people;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['a'], 5)]);
SELECT tds_steps('people', ARRAY[k_anonymity(ARRAY['a'], 5)]);
-- a table whose row security hides everything
SELECT tds_anonymize('no_policy', 'r', ARRAY[k_anonymity(ARRAY['a'], 5)]);
-- below a view that runs with the caller's rights
SELECT tds_anonymize('invoker_view', 'r', ARRAY[k_anonymity(ARRAY['a'], 5)]);
-- a view of the owner's, to whom no policy applies: nothing is hidden by row security
SELECT count(*) FROM people_view;
SELECT tds_anonymize('people_view', 'r', ARRAY[k_anonymity(ARRAY['a'], 5)]) ->> 'rows' AS rows;
SELECT release_drop('r');
-- however deep below the view, and in which part of the query
RESET ROLE;
SET search_path TO rls, public;
CREATE VIEW deep AS SELECT * FROM invoker_view;
ALTER VIEW deep SET (security_invoker);
CREATE VIEW in_sublink WITH (security_invoker) AS SELECT * FROM open WHERE a IN (SELECT a FROM people);
CREATE VIEW in_cte WITH (security_invoker) AS WITH p AS (SELECT * FROM people) SELECT * FROM p;
CREATE VIEW in_union WITH (security_invoker) AS SELECT * FROM open UNION ALL SELECT * FROM people;
CREATE VIEW barrier WITH (security_barrier) AS SELECT * FROM open WHERE visible;
GRANT SELECT ON deep, in_sublink, in_cte, in_union, barrier TO regress_rls_caller;
SET ROLE regress_rls_caller;
SELECT tds_anonymize('deep', 'r', ARRAY[k_anonymity(ARRAY['a'], 5)]);
SELECT tds_anonymize('in_sublink', 'r', ARRAY[k_anonymity(ARRAY['a'], 5)]);
SELECT tds_anonymize('in_cte', 'r', ARRAY[k_anonymity(ARRAY['a'], 5)]);
SELECT tds_anonymize('in_union', 'r', ARRAY[k_anonymity(ARRAY['a'], 5)]);
-- a security barrier is no row security
SELECT tds_anonymize('barrier', 'r', ARRAY[k_anonymity(ARRAY['a'], 5)]) ->> 'rows' AS rows;
SELECT release_drop('r');
-- a table without row security
SELECT tds_anonymize('open', 'r', ARRAY[k_anonymity(ARRAY['a'], 5)]) ->> 'rows' AS rows;
SELECT release_drop('r');
-- allowed
SET pg_topdown.allow_row_security TO on;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['a'], 5)]) ->> 'rows' AS rows;
SELECT a, count(*) FROM r.people GROUP BY 1 ORDER BY 1;
SELECT release_drop('r');
SELECT tds_anonymize('invoker_view', 'r', ARRAY[k_anonymity(ARRAY['a'], 5)]) ->> 'rows' AS rows;
SELECT release_drop('r');
-- k counts the rows that are seen
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['a'], 25)]);
-- with row_security off PostgreSQL itself refuses
SET row_security TO off;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['a'], 5)]);
RESET row_security;
RESET pg_topdown.allow_row_security;
-- the owner sees all rows: nothing is hidden
SET ROLE regress_rls_owner;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['a'], 5)]) ->> 'rows' AS rows;
SELECT release_drop('r');
-- unless row security is forced, also below the owner's view
ALTER TABLE people FORCE ROW LEVEL SECURITY;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['a'], 5)]);
SELECT tds_anonymize('people_view', 'r', ARRAY[k_anonymity(ARRAY['a'], 5)]);
SET ROLE regress_rls_caller;
SELECT tds_anonymize('people_view', 'r', ARRAY[k_anonymity(ARRAY['a'], 5)]);
-- a superuser bypasses policies on tables, but a view of somebody else runs with that one's rights
RESET ROLE;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['a'], 5)]) ->> 'rows' AS rows;
SELECT release_drop('r');
SELECT tds_anonymize('people_view', 'r', ARRAY[k_anonymity(ARRAY['a'], 5)]);
-- a plan that was made for one role is not used for another
SET ROLE regress_rls_owner;
ALTER TABLE people NO FORCE ROW LEVEL SECURITY;
CREATE FUNCTION attempt() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RETURN (SELECT count(*) FROM public.tds_steps('rls.people', ARRAY[public.k_anonymity(ARRAY['a'], 5)]));
EXCEPTION WHEN feature_not_supported THEN RETURN 'refused';
END $$;
SELECT attempt();
SET ROLE regress_rls_caller;
SELECT attempt();
SET ROLE regress_rls_owner;
SELECT attempt();
RESET ROLE;
SELECT nspname FROM pg_namespace WHERE nspname IN ('r', 'r_private');
DROP VIEW deep, in_sublink, in_cte, in_union, barrier;
DROP OWNED BY regress_rls_owner, regress_rls_caller CASCADE;
DROP ROLE regress_rls_owner, regress_rls_caller;
