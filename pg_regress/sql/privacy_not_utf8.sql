-- Threat: a crash by bytes. PostgreSQL does not check the options of a connection, nor names and values that are made of them. Rust would
-- read such a text past its end.
\setenv PGDATABASE :DBNAME
\setenv PGOPTIONS `printf -- '-c bytes.it=x\360 -c client_min_messages=error'`
CREATE SCHEMA byt;
CREATE TABLE byt.good AS SELECT i % 3 AS b FROM generate_series(1, 60) i;
CREATE FUNCTION byt.answer(what text) RETURNS text LANGUAGE plpgsql SET search_path TO byt, public AS $$
DECLARE answer text;
BEGIN
  EXECUTE what INTO answer;
  RETURN 'done';
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE;
END $$;
CREATE TABLE byt.calls AS SELECT * FROM (VALUES
  (1, 'SELECT tds_anonymize(''col'', ''byt_r'', k_anonymity(''{nosuch}'', 5))'),
  (2, 'SELECT count(*) FROM privacy_keys(''col'', columns => ''{nosuch}'')'),
  (3, 'SELECT tds_anonymize(''val'', ''byt_r'', k_anonymity(''{v,b}'', 5))'),
  (4, 'SELECT tds_anonymize(''val'', ''byt_r'', k_anonymity(''{b}'', 5), class => current_setting(''bytes.it''))'),
  (5, 'SELECT tds_anonymize(''val'', ''byt_r'', k_anonymity(''{b}'', 5), recoding => current_setting(''bytes.it''))'),
  (6, 'SELECT tds_anonymize(''val'', ''byt_r'', k_anonymity(ARRAY[current_setting(''bytes.it'')], 5))'),
  (7, 'SELECT tds_anonymize(''val'', ''byt_r'', k_anonymity(''{b}'', 5), keep => ARRAY[current_setting(''bytes.it'')])'),
  (8, 'SELECT tds_anonymize(''val'', current_setting(''bytes.it'')::name, k_anonymity(''{b}'', 5))'),
  (9, 'SELECT tds_anonymize(''val'', ''byt_r'', k_anonymity(''{b}'', 5), suppressed => current_setting(''bytes.it''))'),
  (10, 'SELECT tds_anonymize(''val'', ''byt_r'', k_anonymity(''{b}'', 5), view => current_setting(''bytes.it'')::name)'),
  (11, 'SELECT tds_anonymize(''val'', ''byt_r'', k_anonymity(''{b}'', 5), masking => ARRAY[by_taxonomy(''b'', ''tree'')])'),
  (12, 'SELECT tds_anonymize(''val'', ''byt_r'', current_setting(''bytes.it'')::privacy_model)'),
  (13, 'SELECT tds_anonymize(''val'', ''byt_r'', k_anonymity(''{b}'', 5), masking => ARRAY[by_taxonomy_tree(''b'', to_jsonb(current_setting(''bytes.it'')))])'),
  (14, 'SELECT by_intervals(''b'', current_setting(''bytes.it''))'),
  (15, 'SELECT l_diversity(''{b}'', ''v'', 2, person => current_setting(''bytes.it''))'),
  (16, 'SELECT release_apply(''byt_r'', ''val'', current_setting(''bytes.it''))'),
  (17, 'SELECT count(*) FROM taxonomy_to_levels(''tree'')'),
  (18, 'SELECT count(*) FROM taxonomy_from_levels(''val'')'),
  (19, 'SELECT count(*) FROM release_measures(''byt_r'', weight => current_setting(''bytes.it''))')) c (n, call);
\! psql -XAtq -c "DO \$\$ BEGIN EXECUTE format('CREATE TABLE byt.col AS SELECT i %% 5 AS %I, i %% 3 AS b FROM generate_series(1, 100) i', current_setting('bytes.it')); END \$\$"
\! psql -XAtq -c "CREATE TABLE byt.val AS SELECT i % 3 AS b, current_setting('bytes.it')::name AS v FROM generate_series(1, 60) i"
\! psql -XAtq -c "CREATE TABLE byt.tree AS SELECT current_setting('bytes.it') AS child, NULL::text AS parent"
\! psql -XAtq -c "SELECT n, byt.answer(call) FROM byt.calls ORDER BY n"
-- A schema of such a name does not keep others from their releases.
SELECT tds_anonymize('byt.good', 'byt_good', k_anonymity('{b}', 5))->'version';
SELECT tds_anonymize('byt.good', 'byt_bad', k_anonymity('{b}', 5))->'version';
\! psql -XAtq -c "DO \$\$ BEGIN EXECUTE format('ALTER SCHEMA byt_bad RENAME TO %I', current_setting('bytes.it')); EXECUTE format('ALTER SCHEMA byt_bad_private RENAME TO %I', current_setting('bytes.it') || '_private'); END \$\$"
SELECT count(*) FILTER (WHERE release = 'byt_good'), count(*) FILTER (WHERE release LIKE 'x%') FROM releases();
CALL release_refresh_all();
\! psql -XAtq -c "DO \$\$ BEGIN EXECUTE format('ALTER SCHEMA %I RENAME TO byt_bad_private', current_setting('bytes.it') || '_private'); END \$\$"
SELECT count(*) FILTER (WHERE release = 'byt_good'), count(*) FILTER (WHERE release = 'byt_bad') FROM releases();
\! psql -XAtq -c "DO \$\$ BEGIN EXECUTE format('ALTER SCHEMA %I RENAME TO byt_bad', current_setting('bytes.it')); END \$\$"
SELECT release_drop('byt_good'), release_drop('byt_bad');
DROP SCHEMA byt CASCADE;
