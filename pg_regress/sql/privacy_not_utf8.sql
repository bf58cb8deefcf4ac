-- Threat: a crash by bytes. PostgreSQL does not check the options of a connection, nor names and values that are made of them. Rust would
-- read such a text past its end.
\setenv PGDATABASE :DBNAME
\setenv PGOPTIONS `printf -- '-c bytes.it=x\360 -c client_min_messages=error'`
CREATE SCHEMA byt;
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
  (7, 'SELECT tds_anonymize(''val'', ''byt_r'', k_anonymity(''{b}'', 5), keep => ARRAY[current_setting(''bytes.it'')])')) c (n, call);
\! psql -XAtq -c "DO \$\$ BEGIN EXECUTE format('CREATE TABLE byt.col AS SELECT i %% 5 AS %I, i %% 3 AS b FROM generate_series(1, 100) i', current_setting('bytes.it')); END \$\$"
\! psql -XAtq -c "CREATE TABLE byt.val AS SELECT i % 3 AS b, current_setting('bytes.it')::name AS v FROM generate_series(1, 60) i"
\! psql -XAtq -c "SELECT n, byt.answer(call) FROM byt.calls ORDER BY n"
DROP SCHEMA byt CASCADE;
