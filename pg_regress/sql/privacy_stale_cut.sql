-- Threat: a stale cut. Where an old cut is applied to new rows, as REFRESH MATERIALIZED VIEW does, one outlier takes k from 10 to 1. A
-- release is rows that were written once and recounted: it does not follow its source, and the next version is searched anew.
CREATE SCHEMA stale;
SET search_path TO stale, public;
CREATE TABLE people AS SELECT i % 4 * 10 AS age, 'c' || i % 2 AS city FROM generate_series(1, 80) i;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['age', 'city'], 10)]) -> 'rows' AS rows;
SELECT age, city, count(*) FROM r.people GROUP BY 1, 2 ORDER BY 1, 2;
-- an outlier, and a row alone in a place of its own
INSERT INTO people VALUES (99, 'c0'), (35, 'nowhere');
SELECT count(*) AS rows FROM r.people;
SELECT achieved, holds FROM release_verify('r');
-- what the old cut would have made of it
SELECT min(n) AS smallest_group FROM (SELECT count(*) AS n FROM people p JOIN r.cut a ON a.attribute = 'age' AND (a.lower IS NULL OR p.age >= a.lower::int) AND (a.upper IS NULL OR p.age < a.upper::int)
  GROUP BY a.node, p.city) g;
-- the next version takes it in, and keeps its model
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['age', 'city'], 10)]) -> 'rows' AS rows;
SELECT achieved >= 10 AS enough, holds FROM release_verify('r');
SELECT count(*) FROM r.people WHERE city = 'nowhere';
-- nothing that follows the source: the view reads the version and no more, and nothing is a materialized view
SELECT relname, relkind FROM pg_class WHERE relnamespace IN ('r'::regnamespace, 'r_private'::regnamespace) AND relkind IN ('v', 'm') ORDER BY 1;
-- extremes: without bounds the outer intervals are open; the least and greatest values are nowhere
SELECT count(*) FILTER (WHERE lower IS NULL) AS open_below, count(*) FILTER (WHERE upper IS NULL) AS open_above, count(*) FILTER (WHERE '99' IN (lower, upper) OR '0' IN (lower, upper)) AS extremes
FROM r_private.taxonomy WHERE attribute = 'age' AND version = 2 AND depth = 1;
SELECT release_drop('r');
DROP SCHEMA stale CASCADE;
