-- The worked example of docs/concepts/maskings.md: education_num of Adult (45,222 rows), how often each
-- of its sixteen values occurs.
CREATE TABLE years (n int, records int);
INSERT INTO years VALUES (1, 72), (2, 222), (3, 449), (4, 823), (5, 676), (6, 1223), (7, 1619), (8, 577),
  (9, 14783), (10, 9899), (11, 1959), (12, 1507), (13, 7570), (14, 2514), (15, 785), (16, 544);
CREATE VIEW education AS SELECT n AS education_num FROM years, generate_series(1, records);
SELECT count(*) FROM education;

-- han: 16 nodes are more than 4, so ceil(16/5) = 4 nodes of 45222/4 = 11305.5 records or more, from
-- the left; 4 nodes are not more than 4. The running counts say where each closes.
SELECT n, records, sum(records) OVER (ORDER BY n) AS running FROM years ORDER BY n;
SELECT child, parent FROM taxonomy_build('education', 'education_num', 'han') WHERE lower <> upper ORDER BY lower::int, upper::int DESC;

-- chu: the cut of the root by the definition, P(C1) RE(C1) + P(C2) RE(C2), over all pairs of values
SELECT cut, round(error::numeric, 6) AS error
FROM (SELECT cut, sum(share * re) AS error
      FROM (SELECT cut, side, max(total) / 45222.0 AS share, sum(pairs) / max(total) ^ 2 AS re
            FROM (SELECT cut, a.n < cut AS side, a.records::float8 * b.records * abs(a.n - b.n) AS pairs,
                         sum(a.records) FILTER (WHERE a.n = b.n) OVER (PARTITION BY cut, a.n < cut) AS total
                  FROM generate_series(2, 16) cut, years a, years b WHERE (a.n < cut) = (b.n < cut)) p
            GROUP BY cut, side) s GROUP BY cut) e
ORDER BY error LIMIT 3;
SELECT child, parent FROM taxonomy_build('education', 'education_num', 'chu') WHERE lower <> upper
ORDER BY lower::int, upper::int DESC;

-- iotf: neighbours one apart, from the left; then pairs, then fours, then eights
SELECT child, parent FROM taxonomy_build('education', 'education_num', 'iotf') WHERE lower <> upper
ORDER BY lower::int, upper::int DESC;

DROP VIEW education;
DROP TABLE years;
