-- Threat: leaky functions. What a recipient adds to a query may be a function that tells every value it is given, and costs nothing, so
-- that it is asked first: it is given no row of another version, through cut, about and the view.
CREATE ROLE regress_lea_reader;
CREATE SCHEMA lea;
SET search_path TO lea, public;
CREATE TABLE people AS SELECT 'c' || i % 2 AS city, i % 4 AS age, 'first' AS note FROM generate_series(1, 40) i;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 5)], keep => ARRAY['note']) ->> 'version' AS version;
UPDATE people SET note = 'second', age = age + 10;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 5)], keep => ARRAY['note'], class => NULL) ->> 'version' AS version;
UPDATE people SET note = 'third', age = age + 10;
SET pg_topdown.keep_versions TO 4;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 6)], keep => ARRAY['note']) ->> 'version' AS version;
SELECT relname FROM pg_class WHERE relnamespace = 'r_private'::regnamespace AND relname ~ '^rows_v[1-9]' ORDER BY 1;
SELECT release_grant('r', 'regress_lea_reader');
CREATE TABLE seen (what text);
GRANT USAGE, CREATE ON SCHEMA lea TO regress_lea_reader;
GRANT INSERT, SELECT, DELETE ON seen TO regress_lea_reader;
SET SESSION AUTHORIZATION regress_lea_reader;
-- a function may well be called twice for a value, and in any order: what it has seen is kept, not printed
CREATE FUNCTION tell(text) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS $$ BEGIN INSERT INTO lea.seen VALUES ($1); RETURN true; END $$;
CREATE FUNCTION tell_not(text) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS $$ BEGIN INSERT INTO lea.seen VALUES ($1); RETURN false; END $$;
CREATE OPERATOR ?? (RIGHTARG = text, FUNCTION = tell);
CREATE FUNCTION looked(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE told text;
BEGIN
  DELETE FROM lea.seen;
  EXECUTE query;
  SELECT string_agg(DISTINCT what, ', ' ORDER BY what) INTO told FROM lea.seen;
  RETURN told;
END $$;
-- however a plan is made: without pruning, by a prepared statement, within a function, partition by partition
SET enable_partition_pruning TO off;
SELECT looked('SELECT * FROM r.people WHERE lea.tell(note)');
PREPARE p AS SELECT * FROM r.people WHERE lea.tell(note);
SET plan_cache_mode TO force_generic_plan;
SELECT looked('EXECUTE p');
RESET enable_partition_pruning;
SELECT looked('EXECUTE p');
RESET plan_cache_mode;
DEALLOCATE p;
CREATE FUNCTION unpruned() RETURNS bigint LANGUAGE sql SET enable_partition_pruning TO off AS $$ SELECT count(*) FROM r.people WHERE lea.tell(note) $$;
SELECT looked('SELECT lea.unpruned()');
SET enable_partitionwise_aggregate TO on;
SELECT looked('SELECT city, count(*) FROM r.people WHERE lea.tell(note) GROUP BY city');
RESET enable_partitionwise_aggregate;
SET enable_partitionwise_join TO on;
SELECT looked('SELECT count(*) FROM r.people a JOIN r.people b USING (city, age) WHERE lea.tell(a.note)');
RESET enable_partitionwise_join;
-- pruning switched off while the statement is planned, by a function that the planner asks for an estimate
CREATE FUNCTION off() RETURNS text LANGUAGE plpgsql STABLE AS $$ BEGIN PERFORM set_config('enable_partition_pruning', 'off', false); RETURN ''; END $$;
SELECT looked('SELECT count(*) FROM r.people WHERE lea.tell(note) AND note > lea.off()');
RESET enable_partition_pruning;
-- a condition whose cost is no number: it is asked before all others
CREATE FUNCTION tell_dear(text) RETURNS boolean LANGUAGE plpgsql COST 1000 AS $$ BEGIN INSERT INTO lea.seen VALUES ($1); RETURN true; END $$;
CREATE FUNCTION same(text, text) RETURNS boolean LANGUAGE plpgsql COST 1000 AS $$ BEGIN RETURN true; END $$;
CREATE OPERATOR === (LEFTARG = text, RIGHTARG = text, FUNCTION = same);
CREATE FUNCTION same_dear(text, text) RETURNS boolean LANGUAGE plpgsql COST 1e308 AS $$ BEGIN RETURN true; END $$;
SET cpu_operator_cost TO '1.7e308';
SELECT looked($$SELECT count(*) FROM r.people WHERE note > lea.off() AND (note OPERATOR(lea.===) ANY ('{}'::text[]) OR lea.tell_dear(note))$$);
SET enable_partition_pruning TO on;
SELECT looked($$SELECT count(*) FROM r.people WHERE note OPERATOR(lea.===) ANY ('{}'::text[]) OR lea.tell_dear(note)$$);
SET cpu_operator_cost TO 0;
SET enable_partition_pruning TO off;
SELECT looked('SELECT count(*) FROM r.people WHERE lea.tell(note)');
RESET cpu_operator_cost;
RESET enable_partition_pruning;
-- what the planner knows of values it gives to a function of a reader's that it asks for an estimate: not of a version's columns
RESET SESSION AUTHORIZATION;
-- (of all versions it knows no more than that one has one number, or values would stay that are in no version any more)
SELECT attname, n_distinct FROM pg_stats WHERE schemaname = 'r_private' AND tablename = 'rows_v0' ORDER BY 1;
ANALYZE r_private.rows_v1, r_private.rows_v2, r_private.rows_v3, r_private.rows_v0;
SELECT tablename, count(*) > 0 AS known FROM pg_stats WHERE schemaname = 'r_private' AND tablename ~ '^rows_v' GROUP BY 1 ORDER BY 1;
SET SESSION AUTHORIZATION regress_lea_reader;
CREATE FUNCTION warns(text, text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$ BEGIN RAISE WARNING 'given %', $1; RETURN true; END $$;
CREATE OPERATOR ==== (LEFTARG = text, RIGHTARG = text, FUNCTION = warns, RESTRICT = eqsel, JOIN = eqjoinsel);
CREATE TEMP TABLE mine AS SELECT 'x'::text AS note FROM generate_series(1, 50);
ANALYZE mine;
CREATE FUNCTION planned(query text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE line text; BEGIN FOR line IN EXECUTE 'EXPLAIN ' || query LOOP NULL; END LOOP; RETURN 'planned'; END $$;
SELECT planned($$SELECT count(*) FROM r.people WHERE note OPERATOR(lea.====) 'x'$$);
SELECT planned($$SELECT count(*) FROM r.people JOIN mine ON r.people.note OPERATOR(lea.====) mine.note$$);
DROP TABLE mine;
-- what a release's own verbs read is right, whatever the session has set
SET enable_partition_pruning TO off;
SET enable_partitionwise_aggregate TO on;
SELECT required, holds FROM release_verify('r');
SELECT count(*) > 5 AS exported FROM release_export('r');
RESET enable_partition_pruning;
RESET enable_partitionwise_aggregate;
-- about and cut
SELECT looked($$SELECT * FROM r.about WHERE lea.tell(version::text)$$);
SELECT looked($$SELECT * FROM r.about WHERE lea.tell_not(version::text) OR version > 0$$);
SELECT looked($$SELECT * FROM r.about WHERE lea.tell(privacy::text)$$);
SELECT looked($$SELECT * FROM r.about WHERE lea.tell(version::text) AND version = 1$$);
SELECT looked($$SELECT * FROM r.cut WHERE lea.tell(version::text)$$);
SELECT looked($$SELECT * FROM r.cut WHERE lea.tell_not(version || ' ' || attribute || ' ' || node)$$);
SELECT looked($$SELECT * FROM r.cut WHERE lea.tell(attribute || ' ' || node) AND attribute = 'age'$$);
SELECT looked($$SELECT * FROM r.cut c WHERE lea.tell(c::text) AND version = 1$$);
SELECT looked($$SELECT ?? version::text FROM r.cut$$);
SELECT looked($$SELECT * FROM r.cut c JOIN r.about a ON lea.tell(c.version || ' ' || a.version)$$);
SELECT looked($$SELECT * FROM generate_series(1, 3) v LEFT JOIN r.about a ON a.version = v AND lea.tell(a.version::text)$$);
SELECT looked($$SELECT * FROM generate_series(1, 3) v FULL JOIN r.cut a ON a.version = v AND lea.tell(a.version::text) WHERE a.version IS NULL OR lea.tell(a.node)$$);
SELECT looked($$SELECT version FROM r.cut GROUP BY version HAVING lea.tell(version::text)$$);
SELECT looked($$SELECT * FROM (SELECT DISTINCT version FROM r.cut OFFSET 0) c WHERE lea.tell(c.version::text)$$);
-- the view, whatever plan is taken
SELECT looked($$SELECT * FROM r.people WHERE lea.tell(note)$$);
SELECT looked($$SELECT * FROM r.people WHERE lea.tell_not(note) OR city = 'c1'$$);
SELECT looked($$SELECT count(*) FROM r.people p WHERE lea.tell(p::text) AND note = 'first'$$);
SELECT looked($$SELECT * FROM r.people p JOIN r.cut c ON c.node = p.age AND lea.tell(p.note || ' ' || c.version)$$);
SELECT looked($$SELECT * FROM generate_series(1, 3) v LEFT JOIN r.people p ON lea.tell(p.note)$$);
SELECT looked($$SELECT p.note FROM r.people p GROUP BY 1 HAVING lea.tell(p.note)$$);
SELECT looked($$SELECT * FROM r.people p, r.cut c WHERE lea.tell(p.note) AND lea.tell(c.version::text) AND c.node = p.age$$);
SET enable_seqscan TO off;
SELECT looked($$SELECT * FROM r.people WHERE lea.tell(note)$$);
SELECT looked($$SELECT * FROM r.cut WHERE lea.tell(version::text)$$);
SELECT looked($$SELECT * FROM r.about WHERE lea.tell(version::text)$$);
RESET enable_seqscan;
SET plan_cache_mode TO force_generic_plan;
PREPARE p(text) AS SELECT count(*) FROM r.people WHERE lea.tell(note) AND note <> $1;
DELETE FROM seen;
EXECUTE p('x');
SELECT DISTINCT what FROM seen;
RESET plan_cache_mode;
SET constraint_exclusion TO off;
SET enable_partition_pruning TO off;
SELECT looked($$SELECT * FROM r.cut WHERE lea.tell(version::text)$$);
SELECT looked($$SELECT * FROM r.about WHERE lea.tell(version::text)$$);
-- release_verify counts the version that the view shows, with the reader's own rights
SELECT holds FROM release_verify('r');
RESET enable_partition_pruning;
-- a plan that leaves nothing out when it begins again: scans that workers share, run for each row of something else
RESET SESSION AUTHORIZATION;
CREATE TABLE two AS SELECT 'c' || i % 2 AS city, 'before' AS note FROM generate_series(1, 2000) i;
SELECT tds_anonymize('two', 'par', ARRAY[k_anonymity(ARRAY['city'], 5)], keep => ARRAY['note']) ->> 'version' AS version;
UPDATE two SET note = 'now';
SELECT tds_anonymize('two', 'par', ARRAY[k_anonymity(ARRAY['city'], 5)], keep => ARRAY['note'], class => NULL) ->> 'version' AS version;
SELECT release_grant('par', 'regress_lea_reader');
SET SESSION AUTHORIZATION regress_lea_reader;
CREATE FUNCTION complain(text) RETURNS boolean LANGUAGE plpgsql COST 0.0001 PARALLEL SAFE
  AS $$ BEGIN IF $1 = 'before' THEN RAISE 'seen: %', $1; END IF; RETURN true; END $$;
SET min_parallel_table_scan_size TO 0;
SET parallel_setup_cost TO 0;
SET parallel_tuple_cost TO 0;
SET enable_material TO off;
CREATE FUNCTION has(query text, node text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
  FOR line IN EXECUTE 'EXPLAIN ' || query LOOP IF line ~ node THEN RETURN true; END IF; END LOOP;
  RETURN false;
END $$;
SELECT has('SELECT count(*) FROM generate_series(1, 2) g LEFT JOIN par.two ON lea.complain(note)', 'Parallel Append') AS shared;
SELECT count(*) FROM generate_series(1, 2) g LEFT JOIN par.two ON lea.complain(note);
SELECT g, (SELECT count(*) + g FROM par.two WHERE lea.complain(note)) AS counted FROM generate_series(1, 3) g;
SET cpu_operator_cost TO 0;
SELECT has('SELECT count(*) FROM generate_series(1, 2) g LEFT JOIN par.two ON lea.complain(note)', 'Parallel Append') AS shared;
SELECT count(*) FROM generate_series(1, 2) g LEFT JOIN par.two ON lea.complain(note);
SELECT count(*) FROM par.two WHERE lea.complain(note);
RESET cpu_operator_cost;
-- and workers still count what they read, each for itself
SELECT has('SELECT count(*) FROM par.two', 'Partial Aggregate') AS shared;
RESET min_parallel_table_scan_size;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET enable_material;
-- a subquery in a condition is run only if some row asks for it: which rows do is told by that, of two versions and of more, of a version
-- left where the owner has dropped another by hand, and of cut and about. No condition is sure to be asked first: a cost may be no number
RESET SESSION AUTHORIZATION;
CREATE TABLE three AS SELECT 'c' || i % 2 AS city, 'first' AS note FROM generate_series(1, 40) i;
SELECT tds_anonymize('three', 'gap', ARRAY[k_anonymity(ARRAY['city'], 5)], keep => ARRAY['note']) ->> 'version' AS version;
UPDATE three SET note = 'second';
SELECT release_refresh('gap') ->> 'version' AS version;
UPDATE three SET note = 'third';
SELECT release_refresh('gap') ->> 'version' AS version;
DROP TABLE gap_private.rows_v2;
SELECT release_grant('gap', 'regress_lea_reader');
SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent IN ('gap_private.rows_v0'::regclass, 'r_private.rows_v0'::regclass) ORDER BY inhrelid::regclass::text;
SET SESSION AUTHORIZATION regress_lea_reader;
CREATE OPERATOR <=> (LEFTARG = text, RIGHTARG = text, FUNCTION = same_dear);
CREATE FUNCTION asked(relation text, first text, condition text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('SELECT count(*) FROM %s WHERE CASE %s WHEN %s THEN (SELECT 1 / (pg_backend_pid() * 0) = 0) ELSE true END', relation, first, condition);
  RETURN 'no';
EXCEPTION WHEN division_by_zero THEN RETURN 'yes';
END $$;
CREATE FUNCTION asked(first text DEFAULT '') RETURNS SETOF text LANGUAGE sql AS $$
  SELECT concat_ws(' ', relation, condition, asked(relation, first, condition)) FROM (VALUES (1, 'par.two', 'note = ''now'''), (2, 'par.two', 'note = ''before'''), (3, 'par.two', 'note IS NOT NULL AND note <> ''now'''),
    (4, 'r.people', 'note = ''third'''), (5, 'r.people', 'note = ''second'''), (6, 'r.people', 'note = ''first'''), (7, 'r.people', 'note < ''third'''),
    (8, 'gap.three', 'note = ''third'''), (9, 'gap.three', 'note = ''first'''),
    (10, 'r.cut', 'version = 3'), (11, 'r.cut', 'version = 1'), (12, 'r.about', 'version = 3'), (13, 'r.about', 'version < 3')) c (i, relation, condition) ORDER BY i $$;
SET enable_partition_pruning TO off;
SELECT asked();
SET cpu_operator_cost TO 0;
SET enable_indexscan TO off;
SET enable_bitmapscan TO off;
SET enable_indexonlyscan TO off;
SELECT count(*) FROM asked() a WHERE a ~ 'yes$';
SET cpu_operator_cost TO '1.7e308';
SELECT count(*) FROM asked() a WHERE a ~ 'yes$';
SELECT asked($$WHEN ''::text @@ ANY ('{}'::text[]) THEN true$$);
RESET cpu_operator_cost;
SELECT asked($$WHEN ''::text OPERATOR(lea.<=>) ANY ('{}'::text[]) THEN true$$);
RESET enable_indexscan;
RESET enable_bitmapscan;
RESET enable_indexonlyscan;
-- nor are rows of another version counted, once everything has been asked
SELECT count(*) FROM r.people WHERE note IS NULL;
SELECT count(*) FROM par.two WHERE note IS NULL;
RESET enable_partition_pruning;
-- a column that the view does not have cannot be asked for
SELECT count(*) FROM r.people WHERE tell(version::text);
SELECT tableoid::regclass FROM r.people;
RESET SESSION AUTHORIZATION;
SELECT reloptions FROM pg_class WHERE oid IN ('r.cut'::regclass, 'r.about'::regclass);
SELECT release_drop('r');
SELECT release_drop('par');
SELECT release_drop('gap');
DROP SCHEMA lea CASCADE;
DROP ROLE regress_lea_reader;
