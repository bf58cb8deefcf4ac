-- A table as hospitals have it: 1,000,000 visits of 300,000 patients, who live somewhere, were born once, and come
-- with what people of their age have. All invented, and the same every time: numbers that look random are hashes.
--
--   psql -f sql/examples/visits.sql

CREATE TABLE visits AS
WITH patients AS (
  SELECT p AS patient_id, abs(hashint4(p)::bigint) AS a, abs(hashint4(p + 300000)::bigint) AS b, abs(hashint4(p + 600000)::bigint) AS c
  FROM generate_series(0, 299999) p
), persons AS (
  SELECT patient_id,
         -- Few large towns, many small ones: the first digits are the region's.
         lpad((10000 + (a % 90) * (a % 90) * (b % 11) % 90000)::text, 5, '0') AS postcode,
         DATE '1930-01-01' + (greatest(a % 32000, c % 32000))::int AS born,
         CASE WHEN b % 200 = 0 THEN NULL WHEN b % 2 = 0 THEN 'F' ELSE 'M' END AS sex,
         ('10.' || a % 40 || '.' || b % 250 || '.' || 1 + c % 250)::inet AS network
  FROM patients
), visits AS (
  -- Some come often: a tenth of the patients make half of the visits.
  SELECT v, CASE WHEN abs(hashint4(v)::bigint) % 2 = 0 THEN abs(hashint4(v + 1)::bigint) % 30000 ELSE abs(hashint4(v + 2)::bigint) % 300000 END AS patient_id,
         abs(hashint8(v::bigint * 7919)::bigint) AS d
  FROM generate_series(1, 1000000) v
)
SELECT persons.patient_id, postcode, born, sex, TIMESTAMPTZ '2024-01-01 00:00+00' + (d % 63072000) * interval '1 second' AS admitted,
       -- What is had at what age: an ICD-10 code.
       CASE WHEN born > DATE '2000-01-01' THEN (ARRAY['J06', 'S52', 'H66', 'A09', 'L20'])[1 + d % 5]
            WHEN born > DATE '1965-01-01' THEN (ARRAY['M54', 'F32', 'K35', 'S52', 'O80', 'E66'])[1 + d % 6]
            ELSE (ARRAY['I21', 'I50', 'C34', 'C50', 'E11', 'J44', 'S72', 'I63'])[1 + d % 8] END || '.' || d / 7 % 10 AS diagnosis,
       (ARRAY['surgery', 'medicine', 'heart', 'children', 'women', 'emergency'])[1 + d / 11 % 6] AS ward,
       round((50 + (d % 4000) * (d / 13 % 9))::numeric / 10, 2) AS cost, network
FROM visits JOIN persons USING (patient_id);
