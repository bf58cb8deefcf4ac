-- A tour of pg_topdown: an invented census is released so that nobody in it can be singled out, and so that
-- income can still be predicted from it. `make demo` runs it; it may be run again and again.
--
--   psql -f sql/examples/demo.sql

\set QUIET on
\pset footer off
\pset null NULL
\pset linestyle unicode
\pset border 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pg_topdown;
DROP SCHEMA IF EXISTS census_release, census_release_private CASCADE;

\ir census.sql

\echo
\echo '--- The source: an invented census of 50,000 persons (five of them):'
\echo
SELECT age, sex, country, education, marital_status, occupation, postcode, hours_per_week, income
FROM census LIMIT 5;

\echo '--- What outsiders may know of a person is in one of two sets of columns, and either singles most people out:'
\echo
SELECT model, groups, violating_groups, violating_rows
FROM privacy_check('census', ARRAY[
  k_anonymity(ARRAY['age', 'sex', 'education', 'marital_status', 'country'], 20),
  k_anonymity(ARRAY['age', 'occupation', 'postcode', 'hours_per_week'], 10)]);

\echo
\echo '--- What protecting more costs: the same release for groups of 10 and of 50 (certainty loss: 0 says all, 1 nothing):'
\echo
SELECT k, steps, groups, smallest_group, round(certainty_loss::numeric, 3) AS certainty_loss, round(class_information::numeric, 3) AS class_information
FROM tds_tradeoff('census', ARRAY[10, 50], ARRAY[k_anonymity(ARRAY['age', 'sex', 'education', 'marital_status', 'country'], 10)], class => 'income',
  masking => ARRAY[by_taxonomy('education', 'census_education'), by_taxonomy('marital_status', 'census_marital_status'), by_taxonomy('country', 'census_country'),
                   by_intervals('age', '0', '120')]);

\echo
\echo '--- The call, and what it did:'
\echo
\set ECHO queries
SELECT jsonb_pretty(tds_anonymize(
  source  => 'census',
  release => 'census_release',
  privacy => ARRAY[
    k_anonymity(ARRAY['age', 'sex', 'education', 'marital_status', 'country'], 20),
    k_anonymity(ARRAY['age', 'occupation', 'postcode', 'hours_per_week'], 10)],
  class   => 'income',
  masking => ARRAY[
    by_taxonomy('education', 'census_education'),
    by_taxonomy('marital_status', 'census_marital_status'),
    by_taxonomy('occupation', 'census_occupation'),
    by_taxonomy('country', 'census_country'),
    by_intervals('age', '0', '120'),
    by_intervals('hours_per_week', '0', '168'),
    by_suppression('postcode')],
  keep    => ARRAY['household_size', 'commute_minutes'])) AS summary;
\unset ECHO

\echo
\echo '--- What recipients see, the view census_release.census (ten of its rows):'
\echo
SELECT * FROM census_release.census LIMIT 10;

\echo '--- The cut, how specific each column could be made (its values, the most frequent first):'
\echo
SELECT attribute, count(*) AS values, string_agg(coalesce(node, 'NULL'), ', ' ORDER BY records DESC) AS nodes
FROM census_release.cut GROUP BY attribute ORDER BY values DESC, attribute;

\echo '--- The first steps of the search. Score = information gain per anonymity lost:'
\echo
SELECT step, attribute, node, children, records, round(info_gain::numeric, 5) AS info_gain,
       round(privacy_loss::numeric, 1) AS privacy_loss, round(score::numeric, 8) AS score, achieved
FROM census_release_private.steps WHERE version = 1 ORDER BY step LIMIT 12;

\echo '--- The verification: both requirements counted anew, with plain SQL, in what is published:'
\echo
SELECT * FROM release_verify('census_release');
