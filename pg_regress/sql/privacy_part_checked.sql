-- Threat: part of a table checked. What only looks at a table counts all of its rows or none: where row-level security hides some from
-- the caller it is refused, unless pg_topdown.allow_row_security is on.
CREATE ROLE regress_part_owner;
CREATE ROLE regress_part_caller;
CREATE SCHEMA part AUTHORIZATION regress_part_owner;
GRANT USAGE ON SCHEMA part TO regress_part_caller;
SET search_path TO part, public;
SET ROLE regress_part_owner;
CREATE TABLE people AS SELECT CASE WHEN i = 30 THEN 'single' ELSE 'a' || i % 2 END AS a, i % 3 AS illness, i AS n, i <= 20 AS visible FROM generate_series(1, 30) i;
ALTER TABLE people ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON people USING (visible);
CREATE VIEW invoker WITH (security_invoker) AS SELECT * FROM people;
-- a function below a view, whose query is planned only when it runs
CREATE FUNCTION rows() RETURNS SETOF people LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN QUERY SELECT * FROM part.people; END $$;
CREATE VIEW below AS SELECT * FROM rows();
CREATE TABLE tax AS SELECT 'a' || i AS child, 'ANY' AS parent FROM generate_series(0, 1) i;
GRANT SELECT ON ALL TABLES IN SCHEMA part TO regress_part_caller;
-- the owner, to whom no policy applies
SELECT achieved, holds FROM privacy_check('people', ARRAY[k_anonymity(ARRAY['a'], 5)]);
SET ROLE regress_part_caller;
SELECT achieved, holds FROM privacy_check('people', ARRAY[k_anonymity(ARRAY['a'], 5)]);
SELECT achieved, holds FROM privacy_check('people', ARRAY[confidence_bound(ARRAY['a'], 'illness', NULL, 0.5)]);
SELECT achieved, holds FROM privacy_check('invoker', ARRAY[l_diversity(ARRAY['a'], 'illness', 2)]);
SELECT channel FROM privacy_inferences('people', confidence_bound(ARRAY['a'], 'illness', NULL, 0.5));
SELECT count(*) FROM taxonomy_build('people', 'n', 'equal_width');
SELECT * FROM taxonomy_check('tax', 'people', 'a');
SELECT * FROM taxonomy_check('tax', 'invoker', 'a');
SELECT achieved, holds FROM privacy_check('below', ARRAY[k_anonymity(ARRAY['a'], 5)]);
SELECT count(*) FROM tds_steps('below', ARRAY[k_anonymity(ARRAY['a'], 5)]);
SET pg_topdown.allow_row_security TO on;
SELECT achieved, holds FROM privacy_check('below', ARRAY[k_anonymity(ARRAY['a'], 5)]);
SELECT achieved, holds FROM privacy_check('people', ARRAY[k_anonymity(ARRAY['a'], 5)]);
SELECT count(*) FROM privacy_inferences('people', confidence_bound(ARRAY['a'], 'illness', NULL, 0.5));
SELECT * FROM taxonomy_check('tax', 'people', 'a');
RESET ROLE;
DROP SCHEMA part CASCADE;
DROP ROLE regress_part_owner, regress_part_caller;
