-- Threats: new column, extremes, direct identifiers. Nothing unnamed is released; outer intervals are open unless a domain
-- is given; a kept column that is (nearly) unique is warned of.
CREATE SCHEMA pubcol;
SET search_path TO pubcol, public;
CREATE TABLE people (id int, name text, age int, salary numeric, born date, income text);
INSERT INTO people SELECT i, 'n' || i, 30 + i % 4, 1000 + i % 2 * 500, date '1990-01-01' + i % 3, CASE WHEN i % 4 < 2 THEN 'low' ELSE 'high' END FROM generate_series(1, 96) i;
-- the data's extremes
INSERT INTO people VALUES (97, 'oldest', 117, 99999999, '1901-02-03', 'low'), (98, 'youngest', 1, -5, '2024-12-31', 'high');
SELECT result ->> 'version' AS version FROM tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['age', 'salary', 'born'], 5)], class => 'income') result;
SELECT attname FROM pg_attribute WHERE attrelid = 'r.people'::regclass AND attnum > 0 ORDER BY attnum;
-- extremes: neither in rows nor in the cut
SELECT attribute, node, lower, upper, records FROM r.cut ORDER BY 1, 2;
SELECT count(*) FROM r.people p WHERE p::text ~ '117|99999999|1901|2024-12-31|-5|\[1,';
SELECT count(*) FROM r.cut c WHERE c::text ~ '117|99999999|1901|2024-12-31|-5|\[1,';
-- the top interval, before any step, is open as well; with a domain it is the domain, not the data's range
SELECT DISTINCT node FROM r_private.taxonomy WHERE depth = 0;
SELECT step, node FROM tds_steps('people', ARRAY[k_anonymity(ARRAY['age'], 5)], 'income', ARRAY[by_intervals('age', '0', '150')], max_steps => 1);

-- new column: the source gains one, the release does not, whatever the source is
CREATE VIEW every_column AS SELECT * FROM people;
ALTER TABLE people ADD COLUMN diagnosis text DEFAULT 'secret';
SELECT result ->> 'version' AS version FROM tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['age', 'salary', 'born'], 5)], class => 'income') result;
SELECT attname FROM pg_attribute WHERE attrelid = 'r.people'::regclass AND attnum > 0 ORDER BY attnum;
SELECT attname FROM pg_attribute WHERE attrelid = 'r_private.rows_v2'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum;
CREATE OR REPLACE VIEW every_column AS SELECT * FROM people;
SELECT result ->> 'version' AS version FROM tds_anonymize('every_column', 'r2', ARRAY[k_anonymity(ARRAY['age'], 5)]) result;
SELECT attname FROM pg_attribute WHERE attrelid = 'r2.every_column'::regclass AND attnum > 0 ORDER BY attnum;
-- columns that were renamed or dropped: an error, and the newest version stays
ALTER TABLE people RENAME COLUMN born TO birthday;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['age', 'salary', 'born'], 5)], class => 'income');
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['age', 'salary', 'birthday'], 5)], class => 'income');
SELECT version FROM releases() WHERE release = 'r';
SELECT release_drop('r'), release_drop('r2');

-- direct identifiers
SELECT result ->> 'rows' AS rows FROM tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['age'], 5)], keep => ARRAY['id', 'name', 'income', 'salary']) result;
SELECT release_drop('r');
-- nearly unique
UPDATE people SET name = 'n1' WHERE id <= 3;
SELECT result ->> 'rows' AS rows FROM tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['age'], 5)], keep => ARRAY['name']) result;
SELECT release_drop('r');
-- far from it
SELECT result ->> 'rows' AS rows FROM tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['age'], 5)], keep => ARRAY['diagnosis']) result;
SELECT release_drop('r');
-- a masked column cannot be kept, neither by its masking
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['age'], 5)], keep => ARRAY['age']);
SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname NOT IN ('information_schema', 'public') ORDER BY 1;
DROP SCHEMA pubcol CASCADE;
