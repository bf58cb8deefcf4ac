-- Names that look like marks of a template are names.
CREATE TABLE "{table}" AS SELECT i % 3 AS "{current}", 'b' || i % 4 AS "{key}" FROM generate_series(1, 48) i;
CREATE FUNCTION pg_temp.made(release name, view name) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  shown text;
BEGIN
  PERFORM tds_anonymize('"{table}"', release, k_anonymity('{"{current}","{key}"}', 2), view => view, max_steps => 2, counts => true);
  PERFORM release_refresh(release);
  EXECUTE format('SELECT concat((SELECT count(*) FROM %1$I.%2$I), %3$L, (SELECT count(*) FROM %1$I.cut) > 0, %3$L, (SELECT release FROM %1$I.about), %3$L, (SELECT count(*) FROM %1$I.counts) > 0)', release, view, ' ') INTO shown;
  PERFORM release_report(release), release_export(release);
  PERFORM release_drop(release);
  RETURN shown;
END $$;
SELECT n, pg_temp.made(n, n) FROM unnest(ARRAY['{current}', '{counted}', '{']::name[]) n;
DROP TABLE "{table}";
-- Names that are empty are no names.
CREATE TABLE empty_t AS SELECT i % 3 AS a FROM generate_series(1, 60) i;
SELECT tds_anonymize('empty_t', 'empty_r', k_anonymity('{a}', 5)) -> 'version' AS version;
CREATE FUNCTION pg_temp.told(call text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE 'SELECT ' || call;
  RETURN 'nothing';
EXCEPTION WHEN others THEN
  RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
SELECT call, pg_temp.told(call) FROM unnest(ARRAY[
  $$release_grant('empty_r', '')$$, $$release_revoke('empty_r', '')$$, $$release_functions('')$$,
  $$release_grant('', 'public')$$, $$release_revoke('', 'public')$$, $$release_drop('')$$, $$release_refresh('')$$, $$release_alter('', max_steps => 1)$$,
  $$release_rewind('', 0)$$, $$release_verify('')$$, $$release_assert('')$$, $$release_measures('')$$, $$release_risk('')$$, $$release_drift('')$$, $$release_changes('')$$,
  $$release_explain('')$$, $$release_report('')$$, $$release_export('')$$, $$release_query_error('')$$,
  $$release_apply('', 'empty_t', 'x')$$, $$release_apply('empty_r', 'empty_t', '')$$,
  $$tds_anonymize('empty_t', '', k_anonymity('{a}', 5))$$, $$tds_anonymize('empty_t', 'x', k_anonymity('{a}', 5), view => '')$$,
  $$tds_anonymize('empty_t', 'x', k_anonymity('{a}', 5), '')$$, $$tds_anonymize('empty_t', 'x', k_anonymity('{""}', 5))$$,
  $$tds_anonymize('empty_t', 'x', k_anonymity('{a}', 5), keep => '{""}')$$, $$tds_anonymize('empty_t', 'x', k_anonymity('{a}', 5, ''))$$,
  $$tds_anonymize('empty_t', 'x', k_anonymity('{a}', 5), masking => by_suppression(''))$$, $$tds_anonymize('empty_t', 'x', k_anonymity('{a}', 5), means => '{""}')$$,
  $$tds_anonymize('empty_t', 'x', k_anonymity('{a}', 5), show => '{""}')$$,
  $$tds_anonymize('empty_t', 'x', l_diversity('{a}', '', 2))$$, $$kmember_anonymize('empty_t', '', '{a}', 5)$$, $$kmember_anonymize('empty_t', 'x', '{""}', 5)$$,
  $$privacy_keys('empty_t', '{""}')$$,
  $$taxonomy_build('empty_t', '', 'han')$$, $$taxonomy_check('empty_t', 'empty_t', '')$$, $$release_alter('empty_r', unmask => '{""}')$$]) call;
SELECT release_drop('empty_r');
DROP TABLE empty_t;
