-- What kept columns tell of sensitive ones. The models bound what the masked columns tell: whoever knows a kept value, too, must not know the
-- illness without a word.
SET client_min_messages TO notice;
CREATE SCHEMA kept_sensitive;
SET search_path TO kept_sensitive, public;
CREATE FUNCTION told(summary jsonb) RETURNS TABLE (at_risk numeric, sensitive_at_risk numeric, determines jsonb, achieved jsonb, with_kept jsonb) LANGUAGE sql AS $$
  SELECT round((summary -> 'kept_at_risk')::numeric, 3), round((summary -> 'sensitive_at_risk')::numeric, 3), summary -> 'determines', jsonb_path_query_array(summary, '$.privacy[*].achieved'),
    (SELECT jsonb_agg(m - 'model') FROM jsonb_array_elements(summary -> 'privacy_with_kept') m)
$$;

-- Each ward has one illness, in fifty rows of every age.
CREATE TABLE stays AS SELECT 20 + i % 40 AS age, 'w' || i / 40 % 4 AS ward, (ARRAY['flu', 'hiv', 'cold', 'gout'])[1 + i / 40 % 4] AS illness, i % 4 AS bed, (i / 7)::int AS patient FROM generate_series(0, 3199) i;
SET pg_topdown.kept = 'refuse';
SELECT * FROM told(tds_anonymize('stays', 'r', ARRAY[k_anonymity('{age}', 10), l_diversity('{age}', 'illness', 2), confidence_bound('{age}', 'illness', NULL, 0.6)], keep => '{ward}'));
RESET pg_topdown.kept;
SELECT count(*), min(illnesses) FROM (SELECT count(DISTINCT illness) AS illnesses FROM r.stays GROUP BY age, ward) g;
-- It is said of every version, and of a rewound one.
SELECT * FROM told(release_refresh(public.again('r')));
SELECT * FROM told(release_rewind('r', 1));
SELECT release_drop('r');
-- A kept column that tells nothing of it is no matter.
SELECT * FROM told(tds_anonymize('stays', 'r', ARRAY[k_anonymity('{age}', 10), l_diversity('{age}', 'illness', 2)], keep => '{bed}', max_steps => 0));
SELECT release_drop('r');
-- Nor is the sensitive column itself, where keep names it: it is what nobody should know.
SELECT * FROM told(tds_anonymize('stays', 'r', ARRAY[k_anonymity('{age}', 10), l_diversity('{age}', 'illness', 2)], keep => '{illness}', max_steps => 0));
SELECT release_drop('r');
SELECT * FROM told(tds_anonymize('stays', 'r', ARRAY[k_anonymity('{age}', 10), l_diversity('{age}', 'illness', 2)], keep => '{illness,ward}', max_steps => 0));
SELECT release_drop('r');
-- The class and other sensitive columns are no kept ones, and are released as they are, too.
SELECT * FROM told(tds_anonymize('stays', 'r', ARRAY[k_anonymity('{age}', 10), l_diversity('{age}', 'illness', 2)], class => 'ward'));
SELECT * FROM told(release_rewind('r', 1));
SELECT release_drop('r');
SELECT * FROM told(tds_anonymize('stays', 'r', ARRAY[k_anonymity('{age}', 10), l_diversity('{age}', 'illness', 2), l_diversity('{age}', 'ward', 2)], class => 'bed', max_steps => 0));
SELECT release_drop('r');
SELECT * FROM told(tds_anonymize('stays', 'r', ARRAY[k_anonymity('{age}', 10), l_diversity('{age}', 'illness', 2)], class => 'bed', max_steps => 0));
SELECT release_drop('r');
-- Only several together; beside a NULL; shares of persons; and by sets of columns.
CREATE TABLE both_tell AS SELECT i % 8 AS age, i / 8 % 2 AS a, i / 16 % 2 AS b, CASE WHEN (i / 8 + i / 16) % 2 = 0 THEN 'x' END AS illness, i / 4 AS patient FROM generate_series(0, 799) i;
SELECT * FROM told(tds_anonymize('both_tell', 'r', l_diversity('{age}', 'illness', 2), keep => '{a,b}', max_steps => 0));
SELECT release_drop('r');
SELECT * FROM told(tds_anonymize('both_tell', 'r', ARRAY[k_anonymity('{age}', 5, person => 'patient'), confidence_bound('{age}', 'illness', '{x}', 0.8, person => 'patient')], keep => '{a}', max_steps => 0));
SELECT max(share) FROM (SELECT count(DISTINCT patient) FILTER (WHERE illness = 'x')::float8 / count(DISTINCT patient) AS share FROM both_tell GROUP BY a) g;
SELECT release_drop('r');
SELECT * FROM told(tds_anonymize('stays', 'r', lkc_privacy('{age,bed}', 1, 10, sensitive => 'illness', max_confidence => 0.6), keep => '{ward}', max_steps => 0));
SELECT release_drop('r');
-- A sensitive column that another model masks: its original values are counted.
SELECT * FROM told(tds_anonymize('stays', 'r', ARRAY[k_anonymity('{age,illness}', 10), t_closeness('{age}', 'illness', 0.5)], keep => '{ward}', max_steps => 0));
SELECT release_drop('r');
-- By every recoding, and where rows are read as counts.
SELECT (told(tds_anonymize('stays', 'r', ARRAY[k_anonymity('{age}', 10), l_diversity('{age}', 'illness', 2)], keep => '{ward}', recoding => 'local'))).*;
SELECT release_drop('r');
SELECT (told(tds_anonymize('stays', 'r', ARRAY[k_anonymity('{age}', 10), l_diversity('{age}', 'illness', 2)], keep => '{ward}', recoding => 'clustered'))).*;
SELECT release_drop('r');
SET pg_topdown.scan TO counts;
SELECT (told(tds_anonymize('stays', 'r', ARRAY[k_anonymity('{age}', 10), l_diversity('{age}', 'illness', 2)], keep => '{ward}', max_steps => 0))).*;
RESET pg_topdown.scan;
SELECT release_drop('r');
-- sensitive_at_risk is the share in groups of fewer than k by all that the view shows: without a model of a sensitive column, by the class.
CREATE TABLE rare AS SELECT i % 10 AS age, CASE WHEN i < 6 THEN 'rare' ELSE 'common' END AS illness, CASE WHEN i % 50 = 7 THEN 'yes' ELSE 'no' END AS class, i % 2 AS kept FROM generate_series(1, 500) i;
SELECT (told(tds_anonymize('rare', 'r', k_anonymity('{age}', 20), 'class', keep => '{kept}'))).*;
SELECT sum(n) FILTER (WHERE n < 20) / 500 AS recounted FROM (SELECT count(*) AS n FROM r.rare GROUP BY age, kept, class) g;
SELECT release_drop('r');
SELECT (told(tds_anonymize('rare', 'r', ARRAY[k_anonymity('{age}', 20), confidence_bound('{age}', 'illness', '{rare}', 0.9)], 'class'))).*;
SELECT sum(n) FILTER (WHERE n < 20) / 500 AS recounted FROM (SELECT count(*) AS n FROM r.rare GROUP BY age, illness, class) g;
SELECT (told(release_rewind('r', 0))).*;
SELECT sum(n) FILTER (WHERE n < 20) / 500 AS recounted FROM (SELECT count(*) AS n FROM r.rare GROUP BY age, illness, class) g;
SELECT release_drop('r');
-- who knows nothing but what is kept: sets of no column count where a model counts persons
CREATE TABLE nothing_known (a int, kx int, pid int, ill text);
INSERT INTO nothing_known SELECT 1, 1, i, 'hiv' FROM generate_series(1, 10) i UNION ALL SELECT 2, 1, i, 'hiv' FROM generate_series(11, 20) i
  UNION ALL SELECT a, 1, i, 'flu' FROM generate_series(21, 30) i, generate_series(1, 2) a UNION ALL SELECT a, 2, 100 + i, 'flu' FROM generate_series(1, 50) i, generate_series(1, 2) a;
SELECT p ->> 'achieved' AS achieved, p ->> 'holds' AS holds, p ->> 'groups' AS groups
FROM jsonb_array_elements(tds_anonymize('nothing_known', 'r', lkc_privacy('{a}', 1, 5, 'ill', '{hiv}', 0.6, person => 'pid'), masking => by_suppression('a'), keep => '{kx}') -> 'privacy_with_kept') p;
SELECT round(achieved::numeric, 3) AS achieved, holds FROM privacy_check('nothing_known', confidence_bound('{kx}', 'ill', '{hiv}', 0.6, person => 'pid'));
SELECT release_drop('r');
DROP SCHEMA kept_sensitive CASCADE;
