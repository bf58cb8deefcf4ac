-- The memory budget is for all that a call holds: eight columns that would fit one by one do not fit together.
CREATE SCHEMA budget;
SET search_path TO budget, public;
SET client_min_messages TO warning;
CREATE TABLE wide AS SELECT i * 79 % 4001 AS a, i * 83 % 4003 AS b, i * 37 % 3001 AS c, i % 4999 AS d, i % 997 AS e, i % 991 AS f, i % 983 AS g, i % 977 AS h FROM generate_series(1, 70000) i;
CREATE FUNCTION steps(columns text[]) RETURNS bigint LANGUAGE sql AS $$ SELECT count(*) FROM tds_steps('wide', ARRAY[k_anonymity(columns, 2)], max_steps => 0) $$;
-- one by one 1.1 MB are enough, or less; together they take 12.6
SET pg_topdown.max_memory TO '2MB';
SELECT name, steps(ARRAY[name]) FROM unnest('{a,b,c,d,e,f,g,h}'::text[]) name;
SET pg_topdown.max_memory TO '6MB';
\set VERBOSITY sqlstate
SELECT steps('{a,b,c,d,e,f,g,h}');
\set VERBOSITY default
SET pg_topdown.max_memory TO '24MB';
SELECT steps('{a,b,c,d,e,f,g,h}');
-- what one call held is free for the next: a budget is one call's
SELECT count(steps('{a,b,c,d,e,f,g,h}')) FROM generate_series(1, 3);
RESET pg_topdown.max_memory;
DROP SCHEMA budget CASCADE;
