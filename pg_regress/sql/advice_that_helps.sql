-- What a message advises is not what was given, and helps.
SET client_min_messages TO notice;
CREATE FUNCTION pg_temp.hint(call text) RETURNS TABLE (state text, said text, detail text, hint text) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE call;
EXCEPTION WHEN others THEN
  GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, said = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
  RETURN NEXT;
END $$;
\x on
-- combinations of columns
DO $$ BEGIN EXECUTE (SELECT format('CREATE TABLE advice_wide AS SELECT %s FROM generate_series(1, 20) i', string_agg(format('i %% %s AS c%s', 2 + c % 3, c), ', ')) FROM generate_series(1, 800) c); END $$;
SELECT state, hint FROM pg_temp.hint('SELECT privacy_keys(''advice_wide'', max_columns => 2)');
SELECT state, hint FROM pg_temp.hint('SELECT privacy_keys(''advice_wide'', max_columns => 3)');
SELECT state, hint FROM pg_temp.hint('SELECT privacy_keys(''advice_wide'', (SELECT array_agg(''c'' || c) FROM generate_series(1, 100) c), max_columns => 3)');
-- a leaf in another writing
CREATE TABLE advice AS SELECT (20 + i % 3)::numeric(5,1) AS age, lpad((1 + i % 3)::text, 2, '0') AS code, (date '2020-01-01' + i % 3)::text AS day,
  CASE i % 10 WHEN 0 THEN E'english\u00a0' WHEN 1 THEN E'english\r' WHEN 2 THEN 'english ' WHEN 3 THEN E'eng\u200blish' ELSE 'english' END AS language FROM generate_series(1, 90) i;
CREATE TABLE advice_tree (child text, parent text);
INSERT INTO advice_tree VALUES ('20', 'any'), ('21', 'any'), ('22', 'any'), ('1', 'any'), ('2', 'any'), ('3', 'any'), ('01.01.2020', 'any'), ('02.01.2020', 'any'), ('03.01.2020', 'any'), ('english', 'any'), (E'french\r', 'any');
SELECT h.* FROM unnest('{age,code,day,language}'::text[]) a, pg_temp.hint(format('SELECT tds_anonymize(''advice'', ''advice_r'', k_anonymity(ARRAY[%L], 5), masking => by_taxonomy(%1$L, ''advice_tree''))', a)) h;
SELECT column_name, reason FROM privacy_columns('advice', 10) WHERE column_name = 'language';
-- a text that ends nowhere rounder
CREATE TABLE advice_texts AS SELECT replace((45 + i % 800 / 10.0)::numeric(5,1)::text, '.', ',') AS w, (ARRAY['12 EUR', '13 EUR'])[1 + i % 2] AS eur, chr(97 + i % 20) || 'x' AS word FROM generate_series(1, 2000) i;
SELECT tds_anonymize('advice_texts', 'advice_w', k_anonymity('{w}', 10), masking => by_intervals('w'), endpoints => 'rounded') -> 'version' AS version;
SELECT release_drop('advice_w');
SELECT column_name, reason FROM privacy_columns('advice_texts', 10) WHERE column_name = 'w';
-- days in many writings: what a view may do in place of a cast, whatever the session's DateStyle is
CREATE TABLE advice_days AS SELECT to_char(d, 'DD.MM.YYYY') AS german, to_char(d, 'MM/DD/YYYY') AS american, to_char(d, 'DD-MON-YY') AS oracle, to_char(d, 'YYYYMMDD') AS dense, to_char(d, 'YYYY-MM-DD') AS iso,
  to_char(d, '"01"/FMMM/YYYY') AS either FROM generate_series(1, 3000) i, LATERAL (SELECT date '1980-01-01' + i % 2800) t (d);
SELECT column_name, role, reason FROM privacy_columns('advice_days', 10);
SET DateStyle = 'German, DMY';
SELECT tds_anonymize('advice_days', 'advice_d', k_anonymity('{german,american,either}', 10)) -> 'version' AS version;
SELECT release_drop('advice_d');
SELECT count(*) AS wrong FROM advice_days WHERE to_date(german, 'DD.MM.YYYY') <> to_date(oracle, 'DD-Mon-YY') OR to_date(german, 'DD.MM.YYYY') <> to_date(dense, 'YYYYMMDD') OR to_date(german, 'DD.MM.YYYY') <> iso::date;
-- days in arguments that may be two
CREATE TABLE advice_born AS SELECT date '1940-01-01' + i % 3000 AS born, i % 2 AS b FROM generate_series(1, 6000) i;
SELECT h.* FROM unnest(ARRAY[$$by_intervals('born', '01.02.1940', '1950-01-01')$$, $$by_intervals('born', '1930-01-01', '3/2/60')$$, $$by_intervals('born', breakpoints => '{1940-02-03,02.03.1940}')$$]) m,
  pg_temp.hint(format('SELECT tds_anonymize(''advice_born'', ''advice_b'', k_anonymity(''{born}'', 10), masking => %s)', m)) h;
SELECT h.* FROM pg_temp.hint($$SELECT tds_anonymize('advice_born', 'advice_b', k_anonymity('{b}', 10), keep => '{born}', masking => top_coded('born', '03.02.1945'))$$) h;
SELECT h.* FROM pg_temp.hint($$SELECT privacy_check('advice_born', l_diversity('{b}', 'born', 2)), privacy_check('advice_born', confidence_bound('{b}', 'born', '{01.02.1945}', 0.5))$$) h;
SELECT h.* FROM pg_temp.hint($$SELECT taxonomy_build('advice_born', 'born', 'equal_width', '{"lower": "01.02.1930"}')$$) h;
SELECT h.* FROM pg_temp.hint($$SELECT tds_anonymize('advice_born', 'advice_b', k_anonymity('{born}', 10), masking => by_intervals('born', '31.12.1939', '1950-01-01'))$$) h;
SELECT tds_anonymize('advice_born', 'advice_b', k_anonymity('{born}', 10)) -> 'version' AS version;
SELECT h.* FROM pg_temp.hint($$SELECT release_query_error('advice_b', '[{"where": {"born": "[1940-01-01,01.02.1945)"}}]')$$) h;
SELECT release_drop('advice_b');
CREATE TABLE advice_ends AS SELECT to_char(day, 'YYYY-MM-DD') AS child, 'any' AS parent, to_char(day, 'DD.MM.YYYY') AS lower, NULL AS upper FROM generate_series('1940-01-01'::date, '1948-03-19', '1 day') t (day);
SELECT h.* FROM pg_temp.hint($$SELECT tds_anonymize('advice_born', 'advice_b', k_anonymity('{born}', 10), masking => by_taxonomy('born', 'advice_ends'), intervals => 'bounds')$$) h;
-- and those that may not
SELECT tds_anonymize('advice_born', 'advice_b', k_anonymity('{born}', 10), masking => by_intervals('born', '12/31/1939', '1/13/1950')) -> 'version' AS version;
SELECT release_drop('advice_b');
DROP TABLE advice, advice_tree, advice_wide, advice_texts, advice_days, advice_born, advice_ends;
