-- Hierarchies over numerical columns (Campan, Cooper, Truta 2011), on table adult with the columns
-- age, education_num and hours_per_week: the predefined ones of the comparison, and the five that
-- follow the data. Each is a table that by_taxonomy() takes.
--
--   psql -f sql/examples/hierarchies.sql
--
-- The predefined trees are ours, the paper's are not given: age in steps of 5, 10, 20 and 40; years
-- of education in 1-8, 9-10, 11-12, 13-16 and 1-10, 11-16; weekly hours in steps of 10, 20 and 40
-- (steps of 10, 20 and 50 would not nest: 40 to 60 lies on both sides of 50).

SET client_min_messages = error;    -- every call warns that nodes end at values of the data
DO $$
DECLARE
  method text;
  attribute text;
BEGIN
  FOREACH method IN ARRAY ARRAY['iotf', 'otf', 'han', 'chu'] LOOP
    FOREACH attribute IN ARRAY ARRAY['age', 'education_num', 'hours_per_week'] LOOP
      EXECUTE format('DROP TABLE IF EXISTS %I', method || '_' || attribute);
      EXECUTE format('CREATE TABLE %I AS SELECT * FROM taxonomy_build(%L, %L, %L)',
                     method || '_' || attribute, 'adult', attribute, method);
    END LOOP;
  END LOOP;
END $$;

DROP TABLE IF EXISTS predefined_age, predefined_education_num, predefined_hours_per_week;
CREATE TABLE predefined_age AS SELECT * FROM taxonomy_build('adult', 'age', 'breakpoints', (
  SELECT jsonb_build_object('breakpoints', jsonb_agg(points))
  FROM (SELECT jsonb_agg(point ORDER BY point) AS points
        FROM unnest(ARRAY[5, 10, 20, 40]) step, generate_series(step, 119, step) point
        GROUP BY step) levels));
CREATE TABLE predefined_education_num AS SELECT * FROM taxonomy_build('adult', 'education_num',
  'breakpoints', '{"breakpoints": [[9, 11, 13], [11]]}');
CREATE TABLE predefined_hours_per_week AS SELECT * FROM taxonomy_build('adult', 'hours_per_week', 'breakpoints', (
  SELECT jsonb_build_object('breakpoints', jsonb_agg(points))
  FROM (SELECT jsonb_agg(point ORDER BY point) AS points
        FROM unnest(ARRAY[10, 20, 40]) step, generate_series(step, 119, step) point
        GROUP BY step) levels));
RESET client_min_messages;
