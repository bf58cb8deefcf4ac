-- The running example of TDS (Fung, Wang, Yu, ICDE 2005): Table 1, Figure 1, Examples 4 to 7.
CREATE SCHEMA tds_paper;
SET search_path TO tds_paper, public;

-- Table 1: 34 raw rows out of the class frequencies of its nine lines.
CREATE TABLE patient (education text, sex text, work_hrs int, class text);
INSERT INTO patient
SELECT education, sex, work_hrs, class
FROM (VALUES ('9th', 'M', 30, 0, 3), ('10th', 'M', 32, 0, 4), ('11th', 'M', 35, 2, 3), ('12th', 'F', 37, 3, 1),
             ('Bachelors', 'F', 42, 4, 2), ('Bachelors', 'F', 44, 4, 0), ('Masters', 'M', 44, 4, 0),
             ('Masters', 'F', 44, 3, 0), ('Doctorate', 'F', 44, 1, 0)) t (education, sex, work_hrs, y, n),
     LATERAL (SELECT 'Y' AS class FROM generate_series(1, y) UNION ALL SELECT 'N' FROM generate_series(1, n)) c;
SELECT count(*), count(*) FILTER (WHERE class = 'Y') AS y FROM patient;

-- Figure 1
CREATE TABLE education (child text, parent text);
INSERT INTO education VALUES
  ('Secondary', 'ANY_Edu'), ('University', 'ANY_Edu'), ('Junior Sec.', 'Secondary'), ('Senior Sec.', 'Secondary'),
  ('9th', 'Junior Sec.'), ('10th', 'Junior Sec.'), ('11th', 'Senior Sec.'), ('12th', 'Senior Sec.'),
  ('Bachelors', 'University'), ('Grad School', 'University'), ('Masters', 'Grad School'), ('Doctorate', 'Grad School');
CREATE TABLE sex (child text, parent text);
INSERT INTO sex VALUES ('ANY_Sex', NULL), ('M', 'ANY_Sex'), ('F', 'ANY_Sex');

-- Example 4: what ANY_Edu is worth before the first step; alone in its model it is the first step.
SELECT step, attribute, node, children, records, round(info_gain::numeric, 4) AS info_gain, privacy_loss,
       round(score::numeric, 4) AS score, achieved
FROM tds_steps('patient', ARRAY[k_anonymity(ARRAY['education'], 4)], class => 'class',
               masking => ARRAY[by_taxonomy('education', 'education')], max_steps => 1, endpoints => 'values')
ORDER BY step;

-- Example 5: the best split of Work_Hrs
SELECT step, attribute, node, children, records, round(info_gain::numeric, 4) AS info_gain, privacy_loss,
       round(score::numeric, 4) AS score, achieved
FROM tds_steps('patient', ARRAY[k_anonymity(ARRAY['work_hrs'], 11)], class => 'class',
               masking => ARRAY[by_intervals('work_hrs', '1', '99')], max_steps => 1, endpoints => 'values')
ORDER BY step;

-- Example 7: two overlapping virtual identifiers
SELECT step, attribute, node, children, records, round(info_gain::numeric, 4) AS info_gain, privacy_loss,
       round(score::numeric, 4) AS score, achieved
FROM tds_steps('patient',
               ARRAY[k_anonymity(ARRAY['education', 'sex'], 4), k_anonymity(ARRAY['sex', 'work_hrs'], 11)],
               class => 'class',
               masking => ARRAY[by_taxonomy('education', 'education'), by_taxonomy('sex', 'sex'),
                                by_intervals('work_hrs', '1', '99')], endpoints => 'values')
ORDER BY step;

SELECT result - 'seconds' AS result,
       ARRAY(SELECT key FROM jsonb_each(result -> 'seconds') WHERE jsonb_typeof(value) = 'number' ORDER BY key) AS seconds
FROM tds_anonymize('patient', 'paper',
               ARRAY[k_anonymity(ARRAY['education', 'sex'], 4), k_anonymity(ARRAY['sex', 'work_hrs'], 11)],
               class => 'class',
               masking => ARRAY[by_taxonomy('education', 'education'), by_taxonomy('sex', 'sex'),
                                by_intervals('work_hrs', '1', '99')], endpoints => 'values') AS result;
SELECT education, sex, work_hrs, class, count(*) FROM paper.patient GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4;
SELECT * FROM paper.cut ORDER BY attribute, node;
SELECT attribute, node, parent, lower, upper, depth, in_cut FROM paper_private.taxonomy ORDER BY attribute, depth, node;
-- The release's steps are those of the dry run.
SELECT count(*) AS differing FROM (
  SELECT step, attribute, node, children, records, info_gain, privacy_loss, score, achieved FROM paper_private.steps
  EXCEPT
  SELECT * FROM tds_steps('patient',
               ARRAY[k_anonymity(ARRAY['education', 'sex'], 4), k_anonymity(ARRAY['sex', 'work_hrs'], 11)],
               class => 'class',
               masking => ARRAY[by_taxonomy('education', 'education'), by_taxonomy('sex', 'sex'),
                                by_intervals('work_hrs', '1', '99')], endpoints => 'values')) d;
SELECT model::text::jsonb AS model, required, achieved, holds FROM release_verify('paper') ORDER BY required;

-- The same with taxonomies as nested trees, and stopped after two steps
SELECT step, attribute, children, achieved
FROM tds_steps('patient',
               ARRAY[k_anonymity(ARRAY['education', 'sex'], 4), k_anonymity(ARRAY['sex', 'work_hrs'], 11)],
               class => 'class', max_steps => 2,
               masking => ARRAY[by_taxonomy_tree('education', '{"ANY_Edu": {"Secondary": {"Junior Sec.": ["9th", "10th"],
                   "Senior Sec.": ["11th", "12th"]}, "University": ["Bachelors", {"Grad School": ["Masters", "Doctorate"]}]}}'),
                                by_taxonomy_tree('sex', '{"ANY_Sex": ["M", "F"]}'),
                                by_intervals('work_hrs', '1', '99')], endpoints => 'values')
ORDER BY step;

-- Example 6 (Table 2): information gain alone takes Education and can go no further; the score takes Sex, then Work_Hrs.
CREATE TABLE pupil (education text, sex text, work_hrs int, class text);
INSERT INTO pupil
SELECT education, sex, work_hrs, class
FROM (VALUES ('10th', 'M', 40, 'Y', 20), ('10th', 'M', 30, 'N', 4), ('9th', 'M', 30, 'N', 2), ('9th', 'F', 30, 'N', 4),
             ('9th', 'F', 40, 'N', 6), ('8th', 'F', 30, 'N', 2), ('8th', 'F', 40, 'N', 2)) t (education, sex, work_hrs, class, n),
     generate_series(1, n);
SELECT by, s.step, attribute, children, round(s.info_gain::numeric, 4) AS info_gain, privacy_loss,
       round(s.score::numeric, 4) AS score, achieved
FROM unnest(ARRAY['tds', 'tdr', 'info_gain']) by,
     LATERAL tds_steps('pupil', ARRAY[k_anonymity(ARRAY['education', 'sex', 'work_hrs'], 4)], 'class',
                       ARRAY[by_taxonomy_tree('education', '{"ANY_Edu": ["8th", "9th", "10th"]}'),
                             by_taxonomy_tree('sex', '{"ANY_Sex": ["M", "F"]}'), by_intervals('work_hrs', '1', '99')],
                       score => by, endpoints => 'values') s
ORDER BY 1 DESC, 2;

-- Table 3
SELECT result ->> 'steps' AS steps
FROM tds_anonymize('pupil', 'paper6', ARRAY[k_anonymity(ARRAY['education', 'sex', 'work_hrs'], 4)], 'class',
                   ARRAY[by_taxonomy_tree('education', '{"ANY_Edu": ["8th", "9th", "10th"]}'),
                         by_taxonomy_tree('sex', '{"ANY_Sex": ["M", "F"]}'), by_intervals('work_hrs', '1', '99')], endpoints => 'values') result;
SELECT education, sex, work_hrs, class, count(*) FROM paper6.pupil GROUP BY 1, 2, 3, 4 ORDER BY 1, 2 DESC, 3 DESC;

SELECT release_drop('paper'), release_drop('paper6');
DROP SCHEMA tds_paper CASCADE;
