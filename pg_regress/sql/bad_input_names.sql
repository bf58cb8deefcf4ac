-- Names and values that are hard to quote: identifiers and labels come through every path unharmed.
CREATE SCHEMA "Odd ""Schema""; DROP";
SET search_path TO "Odd ""Schema""; DROP", public;
CREATE TABLE "Select ""x""; --" ("sel;ect" text, "a""b" int, "Class, {of}" text, "$1" text, " " text, "from" date);
INSERT INTO "Select ""x""; --"
SELECT v, i, CASE WHEN i % 2 = 0 THEN 'Y' ELSE 'N' END, 'kept', 'blank', date '2020-01-01' + i % 4
FROM generate_series(1, 8) i, unnest(ARRAY['O''Hara', '"quoted"', 'a,b', '{x,y}', '\back', 'NULL', '', ' ', '[1,2)', '<null>', E'new\nline', 'ünïcödé 🐘', '$$', '%s', '(,)', 'a;b--']) v;
SELECT tds_anonymize('"Select ""x""; --"', 'Re"lease; {', ARRAY[k_anonymity(ARRAY['sel;ect', 'a"b', 'from'], 2)], class => 'Class, {of}',
                     masking => ARRAY[by_suppression('sel;ect'), by_intervals('a"b', lower => '0')], keep => ARRAY['$1', ' '],
                     score => 'info_gain') - 'seconds' - 'steps';
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute
WHERE attrelid = '"Re""lease; {"."Select ""x""; --"'::regclass AND attnum > 0 ORDER BY attnum;
SELECT relname, relkind FROM pg_class WHERE relnamespace = '"Re""lease; {"'::regnamespace AND relkind IN ('r', 'p', 'v') ORDER BY 1;
SELECT source FROM "Re""lease; {_private".manifest;
SELECT required, holds FROM release_verify('Re"lease; {');
SELECT release, source, version FROM releases();
-- all values of a suppressed column can be disclosed and come out as they were
SELECT tds_anonymize('"Select ""x""; --"', 'labels', ARRAY[k_anonymity(ARRAY['sel;ect'], 8)], keep => ARRAY['$1']) ->> 'steps' AS steps;
SELECT "sel;ect", count(*) FROM labels."Select ""x""; --" GROUP BY 1 ORDER BY 1;
SELECT count(*) AS lost FROM (SELECT "sel;ect" FROM "Select ""x""; --" EXCEPT ALL SELECT "sel;ect" FROM labels."Select ""x""; --") d;
SELECT count(*) AS lost FROM (SELECT DISTINCT "sel;ect" FROM "Select ""x""; --" EXCEPT SELECT node FROM labels.cut) d;
SELECT count(*) AS lost FROM (SELECT DISTINCT "sel;ect" FROM "Select ""x""; --" EXCEPT SELECT children[1] FROM labels_private.steps) d;
SELECT release_drop('labels');
-- the same values as leaves of a taxonomy, in a table with a hard name and as JSON
CREATE TABLE "Tax {""o""}" AS SELECT DISTINCT "sel;ect" AS child, CASE WHEN "sel;ect" < 'M' THEN 'up, "there"' ELSE '{down}' END AS parent FROM "Select ""x""; --";
INSERT INTO "Tax {""o""}" VALUES ('up, "there"', 'any''thing'), ('{down}', 'any''thing');
SELECT * FROM taxonomy_check('"Tax {""o""}"', '"Select ""x""; --"', 'sel;ect');
SELECT tds_anonymize('"Select ""x""; --"', 'labels', ARRAY[k_anonymity(ARRAY['sel;ect'], 9)],
                     masking => ARRAY[by_taxonomy('sel;ect', '"Tax {""o""}"')]) ->> 'steps' AS steps;
SELECT * FROM labels.cut ORDER BY node;
SELECT node, children FROM labels_private.steps ORDER BY step;
SELECT release_drop('labels');
SELECT step, node, children
FROM tds_steps('"Select ""x""; --"', ARRAY[k_anonymity(ARRAY['sel;ect'], 9)],
               masking => ARRAY[by_taxonomy_tree('sel;ect', (SELECT jsonb_build_object('any''thing', jsonb_object_agg(parent, leaves))
                   FROM (SELECT parent, jsonb_agg(child) AS leaves FROM "Tax {""o""}" WHERE parent <> 'any''thing' GROUP BY 1) t))]);
SELECT release_drop('Re"lease; {');

-- a real value '*'
CREATE TABLE star (a text, n int);
INSERT INTO star SELECT unnest(ARRAY['*', 'x', 'y']), i FROM generate_series(1, 4) i;
SELECT tds_anonymize('star', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)]);
SELECT tds_anonymize('star', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)], suppressed => 'x');
SELECT tds_anonymize('star', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)], suppressed => 'hidden', max_steps => 1) ->> 'steps' AS steps;
SELECT a, count(*) FROM r.star GROUP BY 1 ORDER BY 1;
SELECT node, records FROM r.cut ORDER BY 1;
SELECT release_drop('r');
-- it cannot be mistaken where no suppressed value can be shown
SELECT tds_anonymize('star', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)], masking => ARRAY[by_taxonomy_tree('a', '{"ANY": ["*", "x", "y"]}')]) ->> 'steps' AS steps;
SELECT a, count(*) FROM r.star GROUP BY 1 ORDER BY 1;
SELECT release_drop('r');
SELECT tds_anonymize('star', 'r', ARRAY[k_anonymity(ARRAY['n'], 2)], keep => ARRAY['a']) ->> 'rows' AS rows;
SELECT a, count(*) FROM r.star GROUP BY 1 ORDER BY 1;
SELECT release_drop('r');
-- a dry run publishes nothing, so no reader can mistake anything
SELECT count(*) FROM tds_steps('star', ARRAY[k_anonymity(ARRAY['a'], 2)]);
-- with NULLs a column with a taxonomy has a '*' of its own
INSERT INTO star VALUES (NULL, 1), (NULL, 2);
SELECT tds_anonymize('star', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)], masking => ARRAY[by_taxonomy_tree('a', '{"ANY": ["*", "x", "y"]}')]);
-- the empty string is a label like any other
SELECT tds_anonymize('star', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)], suppressed => '', max_steps => 0) ->> 'steps' AS steps;
SELECT a IS NULL AS is_null, a = '' AS empty, count(*) FROM r.star GROUP BY 1, 2;
SELECT release_drop('r');

-- a role whose name needs quotes, and one whose name is its lower-case twin
CREATE ROLE "regress Data.Owner";
CREATE ROLE "regress_Twin";
CREATE ROLE regress_twin;
DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO "regress Data.Owner", "regress_Twin"', current_database()); END $$;
GRANT EXECUTE ON FUNCTION tds_anonymize, release_drop TO "regress Data.Owner", "regress_Twin";
GRANT USAGE ON SCHEMA "Odd ""Schema""; DROP" TO PUBLIC;
GRANT SELECT ON star TO PUBLIC;
SET ROLE "regress Data.Owner";
SELECT tds_anonymize('star', 'r', ARRAY[k_anonymity(ARRAY['n'], 2)]) ->> 'rows' AS rows;
SELECT tds_anonymize('star', 'r', ARRAY[k_anonymity(ARRAY['n'], 2)]) ->> 'version' AS version;
SELECT release_drop('r');
SET ROLE "regress_Twin";
SELECT tds_anonymize('star', 'r', ARRAY[k_anonymity(ARRAY['n'], 2)]) ->> 'rows' AS rows;
SELECT release_drop('r');
RESET ROLE;
DROP OWNED BY "regress Data.Owner", "regress_Twin";
DROP ROLE "regress Data.Owner", "regress_Twin", regress_twin;

SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname NOT IN ('information_schema', 'public') ORDER BY 1;
DROP SCHEMA "Odd ""Schema""; DROP" CASCADE;
