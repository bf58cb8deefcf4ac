-- An invented census: table census (50,000 persons, 15 columns) and a taxonomy, a table with the columns
-- child and parent, for education, marital_status, occupation and country. Every run makes the same rows:
-- "chance" is a hash of the person's number. Who does not work has no occupation, industry, hours or
-- commute (NULL). income is the class: it depends on education, age, occupation and hours.
--
--   psql -f sql/examples/census.sql

SET client_min_messages = warning;
DROP TABLE IF EXISTS census, census_education, census_marital_status, census_occupation, census_country;
RESET client_min_messages;

CREATE TABLE census_education (child text, parent text);
INSERT INTO census_education VALUES
  ('Without diploma', 'Any education'),
    ('Primary or less', 'Without diploma'),
      ('No schooling', 'Primary or less'), ('Grades 1-4', 'Primary or less'),
      ('Grades 5-6', 'Primary or less'), ('Grades 7-8', 'Primary or less'),
    ('Some secondary', 'Without diploma'),
      ('Grade 9', 'Some secondary'), ('Grade 10', 'Some secondary'),
      ('Grade 11', 'Some secondary'), ('Grade 12', 'Some secondary'),
  ('With diploma', 'Any education'),
    ('Below a degree', 'With diploma'),
      ('High school', 'Below a degree'), ('Some college', 'Below a degree'), ('Associate', 'Below a degree'),
    ('Degree', 'With diploma'),
      ('Bachelor', 'Degree'),
      ('Postgraduate', 'Degree'), ('Master', 'Postgraduate'), ('Doctorate', 'Postgraduate');

CREATE TABLE census_marital_status (child text, parent text);
INSERT INTO census_marital_status VALUES
  ('Never married', 'Any status'),
  ('Married before or now', 'Any status'),
    ('Married', 'Married before or now'),
    ('No longer together', 'Married before or now'),
      ('Separated', 'No longer together'), ('Divorced', 'No longer together'), ('Widowed', 'No longer together');

CREATE TABLE census_occupation (child text, parent text);
INSERT INTO census_occupation VALUES
  ('White collar', 'Any occupation'),
    ('Professional', 'White collar'),
      ('Manager', 'Professional'), ('Engineer', 'Professional'), ('Teacher', 'Professional'),
      ('Physician', 'Professional'), ('Lawyer', 'Professional'),
    ('Office', 'White collar'),
      ('Clerk', 'Office'), ('Bookkeeper', 'Office'), ('Salesperson', 'Office'),
  ('Blue collar', 'Any occupation'),
    ('Service', 'Blue collar'),
      ('Cook', 'Service'), ('Cleaner', 'Service'), ('Nurse aide', 'Service'), ('Guard', 'Service'),
    ('Manual', 'Blue collar'),
      ('Mechanic', 'Manual'), ('Builder', 'Manual'), ('Driver', 'Manual'), ('Farm worker', 'Manual');

CREATE TABLE census_country (child text, parent text);
INSERT INTO census_country VALUES
  ('Americas', 'Any country'),
    ('North America', 'Americas'), ('United States', 'North America'), ('Canada', 'North America'),
    ('Latin America', 'Americas'), ('Mexico', 'Latin America'), ('Cuba', 'Latin America'),
      ('El Salvador', 'Latin America'), ('Colombia', 'Latin America'), ('Brazil', 'Latin America'),
  ('Europe', 'Any country'),
    ('Western Europe', 'Europe'), ('England', 'Western Europe'), ('Ireland', 'Western Europe'),
      ('Germany', 'Western Europe'), ('Italy', 'Western Europe'),
    ('Eastern Europe', 'Europe'), ('Poland', 'Eastern Europe'), ('Ukraine', 'Eastern Europe'),
  ('Asia', 'Any country'),
    ('East Asia', 'Asia'), ('China', 'East Asia'), ('Korea', 'East Asia'), ('Japan', 'East Asia'),
    ('South Asia', 'Asia'), ('India', 'South Asia'), ('Pakistan', 'South Asia'),
    ('Southeast Asia', 'Asia'), ('Vietnam', 'Southeast Asia'), ('Philippines', 'Southeast Asia'),
  ('Africa', 'Any country'), ('Nigeria', 'Africa'), ('Ethiopia', 'Africa'), ('Egypt', 'Africa');

-- Chance number n of a person: uniform in [0,1), and about normal (mean 0, deviation 1).
CREATE OR REPLACE FUNCTION pg_temp.chance(person int, n int) RETURNS float8 LANGUAGE sql IMMUTABLE
  RETURN (hashint8extended(person, n) & 1048575) / 1048576.0::float8;
CREATE OR REPLACE FUNCTION pg_temp.normal(person int, n int) RETURNS float8 LANGUAGE sql IMMUTABLE
  RETURN 2 * (pg_temp.chance(person, n) + pg_temp.chance(person, n + 1) + pg_temp.chance(person, n + 2) - 1.5);

-- Each level adds what depends on the one below (MATERIALIZED, or their expressions would multiply).
-- (ARRAY[...])[1 + width_bucket(x, ARRAY[a, b])] is the first element where x < a, the second from a on,
-- the third from b on.
CREATE TABLE census AS
WITH person AS MATERIALIZED (
  SELECT id,
         16 + floor(74 * (0.6 * pg_temp.chance(id, 1) + 0.4 * pg_temp.chance(id, 2) ^ 2))::int AS age,
         CASE WHEN pg_temp.chance(id, 3) < 0.51 THEN 'Female' ELSE 'Male' END AS sex,
         1 + width_bucket(pg_temp.chance(id, 4), ARRAY[0.18, 0.39, 0.76]) AS region_no,
         -- one in seven was born abroad
         CASE WHEN pg_temp.chance(id, 5) < 0.86 THEN 'United States'
              ELSE (ARRAY['Mexico', 'India', 'China', 'Philippines', 'El Salvador', 'Vietnam', 'Cuba', 'Korea',
                          'Germany', 'Canada', 'Colombia', 'England', 'Poland', 'Nigeria', 'Brazil', 'Ukraine',
                          'Pakistan', 'Italy', 'Japan', 'Ethiopia', 'Egypt', 'Ireland'])
                   [1 + floor(22 * pg_temp.chance(id, 6) ^ 2)::int] END AS country
  FROM generate_series(1, 50000) AS id
), schooled AS MATERIALIZED (
  SELECT *,
         least(CASE WHEN age < 18 THEN age - 10.5 ELSE 99 END,
               10.2 + 2.3 * pg_temp.normal(id, 10)
               - CASE WHEN age > 60 THEN (age - 60) / 20.0 ELSE 0 END
               - CASE WHEN country IN ('Mexico', 'El Salvador', 'Cuba', 'Vietnam') THEN 3 ELSE 0 END
               + CASE WHEN country IN ('India', 'China', 'Korea', 'Nigeria') THEN 1.5 ELSE 0 END) AS schooling
  FROM person
), educated AS MATERIALIZED (
  SELECT *, 1 + width_bucket(schooling, ARRAY[2.5, 3.3, 4.1, 5.4, 6.0, 6.6, 7.2, 7.8, 10.2, 11.4, 12.1, 13.9, 15.6])
            AS level
  FROM schooled
), working AS MATERIALIZED (
  SELECT *,
         CASE WHEN age < 18 THEN NULL
              WHEN pg_temp.chance(id, 20) < CASE WHEN age >= 67 THEN 0.85 WHEN age < 22 THEN 0.4
                                                 WHEN level < 9 THEN 0.2 ELSE 0.09 END THEN NULL
              ELSE 1 + width_bucket(level + 1.8 * pg_temp.normal(id, 21)
                                    + CASE sex WHEN 'Male' THEN -0.4 ELSE 0.4 END, ARRAY[8.3, 9.4, 11.6])
         END AS work,       -- 1 manual, 2 service, 3 office, 4 professional
         pg_temp.chance(id, 30) ^ CASE sex WHEN 'Male' THEN 0.7 ELSE 1.5 END AS draw,
         CASE WHEN age < 18 OR pg_temp.chance(id, 25) > least(0.88, (age - 17) / 22.0) THEN 1
              ELSE 2 + width_bucket(pg_temp.chance(id, 26) + (age - 45) / 150.0, ARRAY[0.67, 0.71, 0.93]) END AS marital
  FROM educated
), employed AS MATERIALIZED (
  SELECT *,
         CASE   -- women more often have the first ones of a line, men the last
           WHEN work = 1 THEN (ARRAY['Farm worker', 'Driver', 'Builder', 'Mechanic'])[1 + floor(4 * draw)::int]
           WHEN work = 2 THEN (ARRAY['Nurse aide', 'Cleaner', 'Cook', 'Guard'])[1 + floor(4 * draw)::int]
           WHEN work = 3 THEN (ARRAY['Clerk', 'Bookkeeper', 'Salesperson'])[1 + floor(3 * draw)::int]
           WHEN work = 4 AND level < 13 THEN (ARRAY['Teacher', 'Manager', 'Engineer'])[1 + floor(3 * draw)::int]
           WHEN work = 4 THEN (ARRAY['Teacher', 'Physician', 'Lawyer', 'Manager', 'Engineer'])[1 + floor(5 * draw)::int]
         END AS occupation,
         CASE WHEN work IS NOT NULL THEN
           5 * least(16, greatest(1, round(CASE WHEN pg_temp.chance(id, 31) < 0.45 THEN 8
                                                WHEN age < 22 OR age >= 67 THEN 4.4 + 1.8 * pg_temp.normal(id, 32)
                                                ELSE 7.2 + 0.4 * work + CASE sex WHEN 'Male' THEN 0.4 ELSE -0.4 END
                                                     + 1.8 * pg_temp.normal(id, 32) END)))::int
         END AS hours_per_week,
         least(9, 1 + (marital = 2)::int
                  + floor(CASE WHEN age BETWEEN 28 AND 55 THEN 3.2 ELSE 1.6 END * pg_temp.chance(id, 35) ^ 1.5)::int
                  + CASE WHEN age < 25 THEN 2 ELSE 0 END) AS household_size
  FROM working
)
SELECT id AS person_id,
       age, sex, country,
       (ARRAY['Northeast', 'Midwest', 'South', 'West'])[region_no] AS region,
       -- 60 postcodes a region, the first ones the most populous
       lpad((20000 * region_no + 137 * floor(60 * pg_temp.chance(id, 40) ^ 1.7)::int)::text, 5, '0') AS postcode,
       (ARRAY['No schooling', 'Grades 1-4', 'Grades 5-6', 'Grades 7-8', 'Grade 9', 'Grade 10', 'Grade 11', 'Grade 12',
              'High school', 'Some college', 'Associate', 'Bachelor', 'Master', 'Doctorate'])[level] AS education,
       (ARRAY[0, 4, 6, 8, 9, 10, 11, 12, 12, 13, 14, 16, 18, 21])[level] AS education_years,
       (ARRAY['Never married', 'Married', 'Separated', 'Divorced', 'Widowed'])[marital] AS marital_status,
       occupation,
       CASE WHEN pg_temp.chance(id, 41) < 0.15 THEN CASE WHEN work IS NOT NULL THEN 'Public administration' END
            ELSE CASE occupation
              WHEN 'Farm worker' THEN 'Agriculture' WHEN 'Builder' THEN 'Construction' WHEN 'Driver' THEN 'Transport'
              WHEN 'Teacher' THEN 'Education' WHEN 'Physician' THEN 'Health' WHEN 'Nurse aide' THEN 'Health'
              WHEN 'Cook' THEN 'Hospitality' WHEN 'Salesperson' THEN 'Trade' WHEN 'Mechanic' THEN 'Manufacturing'
              WHEN 'Engineer' THEN 'Manufacturing' WHEN 'Lawyer' THEN 'Finance and law'
              WHEN 'Bookkeeper' THEN 'Finance and law'
              ELSE CASE WHEN work IS NOT NULL THEN 'Other services' END END END AS industry,
       hours_per_week,
       household_size,
       CASE WHEN work IS NOT NULL AND pg_temp.chance(id, 42) > 0.06        -- the others work at home
            THEN 5 * (1 + floor(17 * pg_temp.chance(id, 43) ^ 2)::int) END AS commute_minutes,
       CASE WHEN 0.75 * (level - 11) + 1.4 * coalesce(work - 3, -4) + 0.22 * (least(age, 48) - 40)
                 + 0.06 * (coalesce(hours_per_week, 0) - 40) + CASE WHEN marital = 2 THEN 0.9 ELSE 0 END
                 + CASE sex WHEN 'Male' THEN 0.4 ELSE 0 END + 1.3 * pg_temp.normal(id, 44) > 0.3
            THEN 'high' ELSE 'low' END AS income
FROM employed
ORDER BY id;

ALTER TABLE census ADD PRIMARY KEY (person_id);
ANALYZE census;
