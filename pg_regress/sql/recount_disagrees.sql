-- The recount has the last word: a version that does not keep its models when it is counted with plain SQL is not published, and
-- nothing is left behind. Engine and recount are brought to disagree by a type whose values, once the version table is there, are all
-- the same: the search counts three, the recount one.
CREATE SCHEMA dis;
SET search_path TO dis, public;
CREATE TYPE mood AS ENUM ('bad', 'good', 'great');
CREATE TABLE lie (beyond int);
INSERT INTO lie VALUES (1);
CREATE FUNCTION mood_cmp(a mood, b mood) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
  IF pg_catalog.to_regclass('r_private.rows_v' || (SELECT beyond FROM dis.lie)) IS NOT NULL THEN RETURN 0; END IF;
  RETURN pg_catalog.enum_cmp(a, b);
END $$;
CREATE FUNCTION mood_lt(a mood, b mood) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN RETURN dis.mood_cmp(a, b) < 0; END $$;
CREATE FUNCTION mood_le(a mood, b mood) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN RETURN dis.mood_cmp(a, b) <= 0; END $$;
CREATE FUNCTION mood_eq(a mood, b mood) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN RETURN dis.mood_cmp(a, b) = 0; END $$;
CREATE FUNCTION mood_ge(a mood, b mood) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN RETURN dis.mood_cmp(a, b) >= 0; END $$;
CREATE FUNCTION mood_gt(a mood, b mood) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN RETURN dis.mood_cmp(a, b) > 0; END $$;
CREATE OPERATOR < (LEFTARG = mood, RIGHTARG = mood, FUNCTION = mood_lt);
CREATE OPERATOR <= (LEFTARG = mood, RIGHTARG = mood, FUNCTION = mood_le);
CREATE OPERATOR = (LEFTARG = mood, RIGHTARG = mood, FUNCTION = mood_eq);
CREATE OPERATOR >= (LEFTARG = mood, RIGHTARG = mood, FUNCTION = mood_ge);
CREATE OPERATOR > (LEFTARG = mood, RIGHTARG = mood, FUNCTION = mood_gt);
CREATE OPERATOR CLASS mood_ops DEFAULT FOR TYPE mood USING btree AS
  OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >, FUNCTION 1 mood_cmp(mood, mood);
CREATE TABLE people AS SELECT 'c' || i % 2 AS city, i % 4 AS age, (enum_range(NULL::mood))[1 + i % 3] AS mood FROM generate_series(1, 48) i;
CREATE VIEW left_behind AS
  SELECT nspname::text AS object FROM pg_namespace WHERE nspname IN ('r', 'r_private')
  UNION ALL SELECT relname FROM pg_class WHERE relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname IN ('r', 'r_private')) AND relkind IN ('r', 'p', 'v');
-- the first version
SELECT tds_anonymize('people', 'r', ARRAY[l_diversity(ARRAY['city', 'age'], 'mood', 2)]);
SELECT * FROM left_behind ORDER BY 1;
SELECT count(*) FROM releases();
-- a model that holds beside it changes nothing, wherever it stands
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 5), l_diversity(ARRAY['city', 'age'], 'mood', 2), k_anonymity(ARRAY['city'], 3)]);
SELECT pda_anonymize('people', 'r', ARRAY[confidence_bound(ARRAY['city'], 'mood', NULL, 0.9)], NULL);
SELECT * FROM left_behind ORDER BY 1;
-- the second: the first stays as it was
UPDATE lie SET beyond = 2;
SELECT tds_anonymize('people', 'r', ARRAY[l_diversity(ARRAY['city', 'age'], 'mood', 2)]) ->> 'version' AS version;
SELECT achieved, holds FROM release_verify('r');
SELECT tds_anonymize('people', 'r', ARRAY[l_diversity(ARRAY['city', 'age'], 'mood', 3)]);
SELECT * FROM left_behind ORDER BY 1;
SELECT version FROM releases();
SELECT count(*), (SELECT count(DISTINCT version) FROM r.cut) AS versions FROM r.people;
-- release_verify says what it counts, too
UPDATE lie SET beyond = 1;
SELECT achieved, holds FROM release_verify('r');
SELECT release_drop('r');
DROP SCHEMA dis CASCADE;
