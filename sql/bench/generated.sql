-- The table adult, and taxonomies for its columns, where the real one is not at hand: 45,222 rows with its columns and
-- about as many values, from the invented census of sql/examples. What is measured on it is said to be.

\ir ../examples/census.sql

CREATE TABLE adult AS
SELECT age, coalesce(industry, 'None') AS workclass,
       12285 + (hashint8extended(person_id, 7) & 1048575)::int % 26741 * 50 AS fnlwgt, education, education_years AS education_num,
       marital_status, coalesce(occupation, 'None') AS occupation,
       (ARRAY['Alone', 'Couple', 'Small family', 'Family', 'Large family', 'Shared'])[least(household_size, 6)] AS relationship,
       region AS race, sex,
       CASE WHEN commute_minutes > 70 THEN commute_minutes * 119 ELSE 0 END AS capital_gain,
       CASE WHEN postcode::int % 21 = 0 THEN postcode::int % 97 * 30 ELSE 0 END AS capital_loss,
       coalesce(hours_per_week, 0) AS hours_per_week, country AS native_country,
       CASE income WHEN 'high' THEN '>50K' ELSE '<=50K' END AS income
FROM census WHERE person_id <= 45222 ORDER BY person_id;

CREATE TABLE tax_education AS TABLE census_education;
CREATE TABLE tax_marital_status AS TABLE census_marital_status;
CREATE TABLE tax_native_country AS TABLE census_country;
CREATE TABLE tax_occupation AS TABLE census_occupation UNION ALL VALUES ('None', 'Any occupation');
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['workclass', 'relationship', 'race', 'sex'] LOOP
    EXECUTE format('CREATE TABLE %I AS SELECT DISTINCT %I AS child, ''Any'' AS parent FROM adult', 'tax_' || name, name);
  END LOOP;
END $$;
VACUUM ANALYZE adult;
