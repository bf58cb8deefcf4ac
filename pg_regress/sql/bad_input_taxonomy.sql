-- Taxonomies that are broken or do not fit: SQLSTATE, message, DETAIL and HINT, taxonomy_check, nothing left behind.
CREATE SCHEMA bad;
SET search_path TO bad, public;
CREATE TABLE t (a text);
INSERT INTO t SELECT unnest(ARRAY['x', 'y', 'z']) FROM generate_series(1, 5);
CREATE TABLE tax (child text, parent text);
CREATE FUNCTION make(edges text[]) RETURNS void LANGUAGE sql AS
$$ TRUNCATE tax; INSERT INTO tax SELECT edges[i][1], edges[i][2] FROM generate_series(1, array_length(edges, 1)) i $$;
CREATE FUNCTION try() RETURNS TABLE (step int, children text[]) LANGUAGE sql AS
$$ SELECT step, children FROM tds_steps('t', ARRAY[k_anonymity(ARRAY['a'], 2)], masking => ARRAY[by_taxonomy('a', 'tax')]) ORDER BY 1 $$;
CREATE FUNCTION problems() RETURNS TABLE (problem text, value text) LANGUAGE sql AS
$$ SELECT * FROM taxonomy_check('tax', 't', 'a') ORDER BY 1, 2 $$;

-- fine: the root as a parent only, in a row of its own, with unused leaves, with an edge given twice
SELECT make('{{x,ANY},{y,ANY},{z,ANY}}');
SELECT * FROM problems();
SELECT * FROM try();
SELECT make('{{ANY,NULL},{x,ANY},{y,ANY},{z,ANY},{unused,ANY},{inner,ANY},{u1,inner},{u2,inner},{x,ANY}}');
SELECT * FROM problems();
SELECT * FROM try();
-- a value that is missing
SELECT make('{{x,ANY},{y,ANY}}');
SELECT * FROM problems();
SELECT * FROM try();
-- more than ten that are missing
INSERT INTO t SELECT 'm' || to_char(i, 'FM00') FROM generate_series(1, 12) i;
SELECT * FROM try();
SELECT count(*) FROM problems();
DELETE FROM t WHERE a LIKE 'm%';
-- matching is by the very text: case and blanks count
SELECT make('{{X,ANY},{"y ",ANY},{z,ANY}}');
SELECT * FROM try();
-- a value that is an inner node
SELECT make('{{x,ANY},{y,ANY},{z,y}}');
SELECT * FROM problems();
SELECT * FROM try();
-- a cycle
SELECT make('{{x,ANY},{y,z},{z,y}}');
SELECT * FROM problems();
SELECT * FROM try();
SELECT make('{{x,x},{y,x},{z,x}}');
SELECT * FROM problems();
SELECT * FROM try();
-- two roots
SELECT make('{{x,ANY},{y,ANY},{z,OTHER}}');
SELECT * FROM problems();
SELECT * FROM try();
SELECT make('{{ANY,NULL},{OTHER,NULL},{x,ANY},{y,ANY},{z,ANY}}');
SELECT * FROM problems();
SELECT * FROM try();
-- two parents
SELECT make('{{x,A},{x,B},{y,A},{z,B},{A,ANY},{B,ANY}}');
SELECT * FROM problems();
SELECT * FROM try();
-- no child
SELECT make('{{x,ANY},{y,ANY},{z,ANY},{NULL,ANY}}');
SELECT * FROM problems();
SELECT * FROM try();
-- empty
TRUNCATE tax;
SELECT * FROM problems();
SELECT * FROM try();

-- relations that are no taxonomy
CREATE TABLE no_parent (child text, above text);
CREATE INDEX an_index ON tax (child);
CREATE SEQUENCE a_sequence;
SELECT tds_steps('t', ARRAY[k_anonymity(ARRAY['a'], 2)], masking => ARRAY[by_taxonomy('a', 'no_parent')]);
SELECT * FROM taxonomy_check('no_parent', 't', 'a');
SELECT tds_steps('t', ARRAY[k_anonymity(ARRAY['a'], 2)], masking => ARRAY[by_taxonomy('a', 'an_index')]);
SELECT * FROM taxonomy_check('an_index', 't', 'a');
SELECT tds_steps('t', ARRAY[k_anonymity(ARRAY['a'], 2)], masking => ARRAY[by_taxonomy('a', 'nowhere')]);
SELECT by_taxonomy('a', 4294967295::oid::regclass);
SELECT * FROM taxonomy_check('tax', 'an_index', 'child');
SELECT * FROM taxonomy_check('tax', 't', 'b');
SELECT * FROM taxonomy_check(NULL, 't', 'a');
SELECT * FROM taxonomy_check('tax', 't', NULL);
-- a taxonomy that was dropped after the masking was made
CREATE TABLE masks AS SELECT by_taxonomy('a', 'no_parent') AS m;
DROP TABLE no_parent;
SELECT tds_steps('t', ARRAY[k_anonymity(ARRAY['a'], 2)], masking => ARRAY[m]) FROM masks;

-- nested trees
SELECT tds_steps('t', ARRAY[k_anonymity(ARRAY['a'], 2)], masking => ARRAY[by_taxonomy_tree('a', '["x", "y", "z"]')]);
SELECT tds_steps('t', ARRAY[k_anonymity(ARRAY['a'], 2)], masking => ARRAY[by_taxonomy_tree('a', '{}')]);
SELECT tds_steps('t', ARRAY[k_anonymity(ARRAY['a'], 2)], masking => ARRAY[by_taxonomy_tree('a', '{"A": ["x", "y"], "B": ["z"]}')]);
SELECT tds_steps('t', ARRAY[k_anonymity(ARRAY['a'], 2)], masking => ARRAY[by_taxonomy_tree('a', '{"ANY": ["x", "y", null]}')]);
SELECT tds_steps('t', ARRAY[k_anonymity(ARRAY['a'], 2)], masking => ARRAY[by_taxonomy_tree('a', '{"ANY": {"A": ["x", "y"], "B": ["y", "z"]}}')]);
SELECT tds_steps('t', ARRAY[k_anonymity(ARRAY['a'], 2)], masking => ARRAY[by_taxonomy_tree('a', '{"ANY": {"A": ["x", "y"]}}')]);

-- wide tables
CREATE TABLE levels (leaf int, decade text, "any" text);
INSERT INTO levels SELECT i, i / 10 * 10 || 's', '*' FROM generate_series(18, 21) i;
SELECT * FROM taxonomy_from_levels('levels') ORDER BY child;
CREATE TABLE age (age int);
INSERT INTO age SELECT 18 + i % 4 FROM generate_series(1, 12) i;
CREATE TABLE age_tax AS SELECT * FROM taxonomy_from_levels('levels');
SELECT * FROM taxonomy_check('age_tax', 'age', 'age');
SELECT step, node, children, achieved
FROM tds_steps('age', ARRAY[k_anonymity(ARRAY['age'], 3)], masking => ARRAY[by_taxonomy('age', 'age_tax')]) ORDER BY step;
INSERT INTO levels VALUES (22, '10s', 'other');
SELECT * FROM taxonomy_from_levels('levels');
SELECT * FROM taxonomy_from_levels('an_index');
SELECT * FROM taxonomy_from_levels(NULL);
CREATE TABLE no_columns ();
SELECT * FROM taxonomy_from_levels('no_columns');
TRUNCATE levels;
SELECT * FROM taxonomy_from_levels('levels');

-- by local recoding an inner node that is called like suppressed values could not be told from what stands over NULLs
CREATE TABLE starred AS SELECT CASE WHEN i % 3 > 0 THEN 'v' || i % 4 END AS v, i % 2 AS w FROM generate_series(1, 60) i;
SELECT tds_anonymize('starred', 'st', k_anonymity('{v,w}', 2), masking => by_taxonomy_tree('v', '{"all": {"*": ["v0", "v1"], "v2": [], "v3": []}}'), recoding => 'local');
SELECT tds_anonymize('starred', 'st', k_anonymity('{v,w}', 2), masking => by_taxonomy_tree('v', '{"all": {"*": ["v0", "v1"], "v2": [], "v3": []}}')) -> 'version' AS version;
SELECT release_drop('st');

-- nothing was left behind
SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname NOT IN ('information_schema', 'public') ORDER BY 1;
DROP SCHEMA bad CASCADE;
