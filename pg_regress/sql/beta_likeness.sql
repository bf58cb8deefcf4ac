-- beta-likeness: what cannot be asked, counted by hand, in privacy_check, in a search and in a release.
CREATE SCHEMA likeness;
SET search_path TO likeness, public;

-- A. What cannot be asked
SELECT beta_likeness(ARRAY['q', 's'], 's', 1);
SELECT beta_likeness(ARRAY['q'], 's', 0);
SELECT beta_likeness(ARRAY['q'], 's', -1);
SELECT beta_likeness(ARRAY['q'], 's', 'NaN');
SELECT beta_likeness(ARRAY['q'], 's', 'Infinity');
SELECT beta_likeness('{}', 's', 1);
SELECT beta_likeness(ARRAY['q'], NULL, 1);
SELECT beta_likeness(ARRAY['q'], 's', NULL);
SELECT '{"beta_likeness": {"quasi_identifier": ["q"], "sensitive": "s", "beta": 1, "t": 2}}'::privacy_model;
SELECT m, m::text::privacy_model::text = m::text AS same FROM beta_likeness(ARRAY['q', 'r'], 's', 0.5) m;

-- B. By hand.  q = a: x 2, y 1;  b: x 1, NULL 2, z 1;  NULL: y 1, z 1;  all 9: x 3, y 2, z 2, NULL 2.
--    a    x: (2/3)/(3/9) = 2, y: (1/3)/(2/9) = 3/2: gains 1
--    b    NULL: (1/2)/(2/9) = 9/4: gains 5/4
--    NULL y: (1/2)/(2/9): gains 5/4
CREATE TABLE small (q text, s text);
INSERT INTO small VALUES ('a', 'x'), ('a', 'x'), ('a', 'y'), ('b', 'x'), ('b', NULL), ('b', NULL), ('b', 'z'), (NULL, 'y'), (NULL, 'z');
SELECT i, required, round(achieved::numeric, 4) AS achieved, holds, groups, violating_groups, violating_rows
FROM privacy_check('small', ARRAY[beta_likeness(ARRAY['q'], 's', 0.99), beta_likeness(ARRAY['q'], 's', 1),
                                  beta_likeness(ARRAY['q'], 's', 1.25), beta_likeness(ARRAY['q'], 's', 2)])
     WITH ORDINALITY c (model, required, achieved, holds, groups, violating_groups, violating_rows, i) ORDER BY i;
-- values that have no order, and one that is equal under two texts
CREATE TABLE odd AS SELECT q, json_build_object('s', s) AS j, (CASE s WHEN 'x' THEN '1.0' WHEN 'y' THEN '1.00' ELSE '2' END)::numeric AS n FROM small;
SELECT round(achieved::numeric, 4) AS achieved, holds FROM privacy_check('odd', ARRAY[beta_likeness(ARRAY['q'], 'j', 1.25), beta_likeness(ARRAY['q'], 'n', 0.8)]);
-- no rows: nothing is broken
CREATE TABLE none (q text, s text);
SELECT required, achieved, holds, groups FROM privacy_check('none', ARRAY[beta_likeness(ARRAY['q'], 's', 1)]);

-- C. In a search and a release: rare values must not become likely, recounted here from what is published.
CREATE TABLE people AS
SELECT i AS id, (i * 7 % 100) AS age, (ARRAY['north', 'east', 'south', 'west'])[1 + i % 4] AS region,
       CASE WHEN i % 50 = 0 THEN 'rare' WHEN i % 7 < 3 THEN 'flu' ELSE 'cold' END AS disease
FROM generate_series(1, 1000) i;
SELECT r ->> 'steps' AS steps, jsonb_path_query_array(r -> 'privacy', '$[*].holds') AS holds
FROM tds_anonymize('people', 'like1', ARRAY[beta_likeness(ARRAY['age', 'region'], 'disease', 1)]) r;
WITH whole AS (SELECT disease, count(*) / 1000.0 AS p FROM people GROUP BY disease),
     groups AS (SELECT age, region, disease, count(*) AS m, sum(count(*)) OVER (PARTITION BY age, region) AS n
                FROM like1.people GROUP BY age, region, disease)
SELECT round(max(m / n / p) - 1, 6) AS achieved, max(m / n / p) - 1 <= 1 AS holds, count(DISTINCT (age, region)) > 4 AS refined
FROM groups JOIN whole USING (disease);
SELECT model, required, round(achieved::numeric, 6) AS achieved, holds FROM release_verify('like1');
-- a bound that any group keeps, since no share is above 1: refined as far as it goes; with one that hardly any keeps
SELECT a.steps > b.steps AS further FROM
  (SELECT count(*) AS steps FROM tds_steps('people', ARRAY[beta_likeness(ARRAY['age', 'region'], 'disease', 49)])) a,
  (SELECT count(*) AS steps FROM tds_steps('people', ARRAY[beta_likeness(ARRAY['age', 'region'], 'disease', 0.05)])) b;
-- what is implied by another is said, with others it works together
SELECT r ->> 'rows' AS rows, jsonb_path_query_array(r -> 'privacy', '$[*].holds') AS holds
FROM tds_anonymize('people', 'like2', ARRAY[beta_likeness(ARRAY['age'], 'disease', 2), beta_likeness(ARRAY['age', 'region'], 'disease', 1.5),
                   k_anonymity(ARRAY['age', 'region'], 5), t_closeness(ARRAY['age', 'region'], 'disease', 0.3)], class => 'disease') r;
SELECT bool_and(holds) AS holds FROM release_verify('like2');
-- the most general table is always like itself: no such model is refused
SELECT r ->> 'steps' AS steps FROM tds_anonymize('people', 'like3', ARRAY[beta_likeness(ARRAY['age', 'region'], 'disease', 1e-9)]) r;
SELECT release_drop(release) FROM releases();
DROP SCHEMA likeness CASCADE;
