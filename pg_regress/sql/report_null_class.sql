-- A NULL class is a class like any other: of a report, too.
CREATE SCHEMA nullclass;
SET search_path TO nullclass, public;
CREATE TABLE t AS SELECT i % 7 AS a, CASE WHEN i % 3 > 0 THEN 'x' END AS class FROM generate_series(1, 300) i;
SELECT tds_anonymize('t', 'r', k_anonymity('{a}', 5), class => 'class') ->> 'rows' AS rows;
SELECT audience, report ~ '<th class="n">x</th><th class="n">NULL</th>' AS both_are_told FROM unnest('{owner,recipient}'::text[]) audience, release_report('r', audience) report;
SELECT release_drop('r');
DROP SCHEMA nullclass CASCADE;
