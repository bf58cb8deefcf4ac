-- Threat: listing releases. releases() reads manifests that are anybody's; nothing of their owners' may run with the rights of
-- whoever lists them: no index, rule, policy, view, partition or generated column.
CREATE ROLE regress_lis_mallory;
CREATE ROLE regress_lis_reader;
DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO regress_lis_mallory', current_database()); END $$;
GRANT EXECUTE ON FUNCTION tds_anonymize, release_grant TO regress_lis_mallory;
CREATE TABLE patients AS SELECT i % 60 AS age FROM generate_series(1, 300) i;
GRANT SELECT ON patients TO PUBLIC;
SET SESSION AUTHORIZATION regress_lis_mallory;
SELECT tds_anonymize('patients', 'lis_' || c, ARRAY[k_anonymity(ARRAY['age'], 5)]) -> 'version' AS version
FROM unnest('{predicate,expression,rule,policy,view,partition,child,check,column,statistics}'::text[]) c;
CREATE SCHEMA lis;
CREATE FUNCTION lis.gain() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF current_user <> 'regress_lis_mallory' THEN RAISE WARNING 'runs as %', current_user; END IF;
  IF (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) THEN ALTER ROLE regress_lis_mallory SUPERUSER; END IF;
  RETURN true;
END $$;
CREATE FUNCTION lis.calm(int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN lis.gain(); END $$;
CREATE INDEX ON lis_predicate_private.manifest (version) WHERE lis.calm(1);
CREATE INDEX ON lis_expression_private.manifest (lis.calm(version), lis.calm(1));
CREATE RULE evil AS ON UPDATE TO lis_rule_private.manifest WHERE lis.gain() DO ALSO SELECT lis.gain();
CREATE POLICY p ON lis_policy_private.manifest USING (lis.gain());
ALTER TABLE lis_policy_private.manifest ENABLE ROW LEVEL SECURITY;
ALTER TABLE lis_view_private.manifest RENAME TO old;
CREATE VIEW lis_view_private.manifest AS SELECT CASE WHEN lis.gain() THEN 2 END AS version, now() AS created_at, 'public.patients'::text AS source, '{}'::jsonb AS parameters, 1::bigint AS rows, '[]'::jsonb AS achieved, '0'::text AS extension_version, true AS current, now() AS refreshed_at, now() AS failed_at, ''::text AS error;
ALTER TABLE lis_partition_private.manifest RENAME TO old;
CREATE TABLE lis_partition_private.manifest (version int, created_at timestamptz, source text, parameters jsonb, rows bigint, achieved jsonb, extension_version text, current boolean, refreshed_at timestamptz, failed_at timestamptz, error text) PARTITION BY LIST (lis.calm(version));
CREATE TABLE lis_partition_private.part PARTITION OF lis_partition_private.manifest DEFAULT;
CREATE TABLE lis_child_private.more (more boolean) INHERITS (lis_child_private.manifest);
CREATE INDEX ON lis_child_private.more (version) WHERE lis.calm(1);
INSERT INTO lis_child_private.more VALUES (99, now(), 'public.patients', '{}', 1, '[]', '0', true);
ALTER TABLE lis_check_private.manifest ADD CHECK (lis.calm(version));
ALTER TABLE lis_column_private.manifest ADD more boolean GENERATED ALWAYS AS (lis.calm(version)) STORED;
CREATE STATISTICS lis_statistics_private.s ON lis.calm(version), lis.calm(1) FROM lis_statistics_private.manifest;
ANALYZE lis_statistics_private.manifest;
DO $$ DECLARE s name; BEGIN
  FOR s IN SELECT nspname FROM pg_namespace WHERE nspname LIKE 'lis%' LOOP
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO PUBLIC; GRANT SELECT ON ALL TABLES IN SCHEMA %1$I TO PUBLIC', s);
  END LOOP;
END $$;
SELECT release, source, version, rows FROM releases() WHERE release LIKE 'lis%' ORDER BY 1;
RESET SESSION AUTHORIZATION;
-- a superuser, somebody else, and somebody else without rights on the schemas
SELECT release, source, version, rows FROM releases() WHERE release LIKE 'lis%' ORDER BY 1;
SET SESSION AUTHORIZATION regress_lis_reader;
SELECT release, source, version, rows FROM releases() WHERE release LIKE 'lis%' ORDER BY 1;
-- a reader of the view alone is told what it is, not what it was made of; of the cut alone nothing; a view that is another is none of it
RESET SESSION AUTHORIZATION;
CREATE ROLE regress_lis_recipient;
REVOKE ALL ON ALL TABLES IN SCHEMA lis_statistics, lis_predicate, lis_expression, lis_rule, lis_statistics_private, lis_predicate_private, lis_expression_private, lis_rule_private FROM PUBLIC;
SELECT release_grant('lis_statistics', 'regress_lis_recipient');
GRANT SELECT ON lis_predicate.cut TO regress_lis_recipient;
SET SESSION AUTHORIZATION regress_lis_mallory;
CREATE VIEW lis_expression.aaa AS SELECT lis.gain();
GRANT SELECT ON lis_expression.aaa TO regress_lis_recipient;
RESET SESSION AUTHORIZATION;
GRANT SELECT ON lis_rule.patients TO regress_lis_recipient;
REVOKE USAGE ON SCHEMA lis_rule FROM PUBLIC;
SET SESSION AUTHORIZATION regress_lis_recipient;
SELECT release, source, version, rows, view FROM releases() WHERE release IN ('lis_statistics', 'lis_predicate', 'lis_expression', 'lis_rule') ORDER BY 1;
RESET SESSION AUTHORIZATION;
GRANT SELECT ON ALL TABLES IN SCHEMA lis_statistics, lis_predicate, lis_expression, lis_rule, lis_statistics_private, lis_predicate_private, lis_expression_private, lis_rule_private TO PUBLIC;
GRANT USAGE ON SCHEMA lis_rule TO PUBLIC;
REVOKE ALL ON SCHEMA lis_predicate, lis_predicate_private FROM PUBLIC;
REVOKE ALL ON lis_expression_private.manifest FROM PUBLIC;
GRANT SELECT (version) ON lis_expression_private.manifest TO regress_lis_reader;
SET SESSION AUTHORIZATION regress_lis_reader;
SELECT release, source, view FROM releases() WHERE release IN ('lis_predicate', 'lis_expression');
RESET SESSION AUTHORIZATION;
-- neither does anything else that begins with a manifest
SELECT count(*) FROM release_verify('lis_predicate');
SELECT count(*) FROM release_verify('lis_expression');
SELECT count(*) FROM release_verify('lis_view');
SELECT count(*) FROM release_verify('lis_policy');
SELECT release_drop('lis_partition');
SELECT release_revoke('lis_predicate', 'regress_lis_reader');
-- manifests whose rows say nothing
SET SESSION AUTHORIZATION regress_lis_mallory;
ALTER TABLE lis_rule_private.manifest DROP CONSTRAINT manifest_pkey;
ALTER TABLE lis_rule_private.manifest ALTER version DROP NOT NULL;
UPDATE lis_rule_private.manifest SET version = NULL, source = NULL;
DELETE FROM lis_check_private.manifest;
UPDATE lis_statistics_private.manifest SET source = '"', version = -2147483648, parameters = 'null';
SELECT release, source, version, rows FROM releases() WHERE release IN ('lis_rule', 'lis_check', 'lis_statistics') ORDER BY 1;
SELECT count(*) FROM release_verify('lis_rule');
SELECT count(*) FROM release_verify('lis_check');
SELECT count(*) FROM release_verify('lis_statistics');
UPDATE lis_statistics_private.manifest SET source = 'public.patients', version = 2147483647, parameters = (SELECT parameters FROM lis_column_private.manifest);
SELECT tds_anonymize('patients', 'lis_statistics', ARRAY[k_anonymity(ARRAY['age'], 5)]);
RESET SESSION AUTHORIZATION;
SELECT session_user, current_user;
SELECT rolsuper FROM pg_roles WHERE rolname = 'regress_lis_mallory';
DROP OWNED BY regress_lis_mallory, regress_lis_reader, regress_lis_recipient CASCADE;
DROP TABLE patients;
DROP ROLE regress_lis_mallory, regress_lis_reader, regress_lis_recipient;
SELECT nspname FROM pg_namespace WHERE nspname LIKE 'lis%';
