-- Threat: a type of a stranger that is called as ours, earlier in the search path. A cast to an array finds ours, whatever the path.
CREATE ROLE own_types_stranger;
SET ROLE own_types_stranger;
CREATE TYPE pg_temp.masking AS ENUM ('x', 'y');
CREATE TYPE pg_temp.privacy_model AS (a int, b text);
SELECT (by_intervals('a')::public.masking[])[1];
SELECT (k_anonymity('{a}', 2)::public.privacy_model[])[1];
CREATE TEMP TABLE pt AS SELECT i % 3 AS a, i % 2 AS b FROM generate_series(1, 60) i;
SELECT count(*) > 0 AS ways FROM release_suggest('pt', k_anonymity('{a,b}', 5), masking => by_intervals('a'));
SELECT count(*) > 0 AS steps FROM tds_steps('pt', k_anonymity('{a,b}', 5), masking => by_intervals('a'));
RESET ROLE;
SET search_path TO pg_catalog;
SELECT (public.by_intervals('a')::public.masking[])[1];
SELECT count(*) > 0 AS steps FROM public.tds_steps('pg_temp.pt', public.k_anonymity('{a,b}', 5), masking => public.by_intervals('a'));
RESET search_path;
DROP OWNED BY own_types_stranger;
DROP ROLE own_types_stranger;
