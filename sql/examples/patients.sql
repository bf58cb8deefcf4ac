-- A small table for the guide: 2,000 invented patients, and a taxonomy of their education.
--
--   psql -f sql/examples/patients.sql
--
-- The illnesses are not independent of the other columns, so that there is something to predict and something to protect.
-- setseed makes the rows the same every time.

CREATE TABLE patients (age int, sex text, education text, postcode text, illness text, stays int);
SELECT setseed(0.5);
INSERT INTO patients
SELECT age, sex, education, postcode,
       CASE WHEN random() < 0.9 * (age > 60)::int * CASE WHEN sex = 'M' THEN 0.9 ELSE 0.4 END THEN 'heart'
            WHEN random() < CASE WHEN education IN ('9th', '10th') THEN 0.6 ELSE 0.2 END THEN 'back'
            ELSE 'none' END, floor(4 * random())
FROM (SELECT 18 + floor(72 * random())::int AS age, (ARRAY['F', 'M'])[1 + floor(2 * random())::int] AS sex,
             (ARRAY['9th', '10th', 'Bachelor', 'Master', 'Doctorate'])[1 + floor(5 * random())::int] AS education,
             (ARRAY['1010', '1020', '1030', '2010', '2020'])[1 + floor(5 * random() ^ 3)::int] AS postcode
      FROM generate_series(1, 2000)) persons;

CREATE TABLE education_taxonomy (child text, parent text);
INSERT INTO education_taxonomy VALUES
  ('School', 'Any'), ('University', 'Any'), ('9th', 'School'), ('10th', 'School'),
  ('Bachelor', 'University'), ('Graduate', 'University'), ('Master', 'Graduate'), ('Doctorate', 'Graduate');
