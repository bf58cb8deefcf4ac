-- What kept columns tell: whom they single out beside the masked columns, and which masked values they give away. Counted, at every call.
SET client_min_messages TO notice;
CREATE SCHEMA keeping;
SET search_path TO keeping, public;

-- Flights: the distance tells the destination, the day does not. Patients: two laboratory values single out. A key with two rows a patient.
CREATE TABLE flights AS SELECT i AS id, 'D' || lpad((i % 40)::text, 2, '0') AS dest, 1000 + i % 40 * 10 AS distance, i % 7 AS day, i % 2 AS origin FROM generate_series(1, 2000) i;
CREATE TABLE patients AS SELECT i / 2 AS nr, 20 + i % 60 AS age, i % 97 AS sodium, i * 7 % 89 AS potassium, CASE WHEN i % 9 = 0 THEN 'flu' ELSE 'none' END AS illness FROM generate_series(1, 2000) i;
CREATE FUNCTION told(summary jsonb) RETURNS TABLE (kept_at_risk numeric, determines jsonb) LANGUAGE sql AS $$
  SELECT round((summary -> 'kept_at_risk')::numeric, 4), summary -> 'determines'
$$;

-- Nothing kept tells nothing.
SELECT * FROM told(tds_anonymize('flights', 'r', k_anonymity('{dest}', 60)));
SELECT release_drop('r');
-- The distance is no more than the destination that it stands for: the view has forty values of it, each in fifty rows.
SELECT * FROM told(tds_anonymize('flights', 'r', k_anonymity('{dest}', 60), masking => by_prefix('dest'), keep => '{distance,day}'));
SELECT count(*) FROM (SELECT FROM r.flights GROUP BY dest, distance, day HAVING count(*) < 60) g;
-- It is said of every version, also where nothing was asked for anew.
SELECT * FROM told(release_refresh(public.again('r')));
SELECT * FROM told(release_rewind('r', 1));
SELECT release_drop('r');
-- What the finest unit of a rule does not tell apart is given away as well.
SELECT * FROM told(tds_anonymize('flights', 'r', k_anonymity('{dest}', 5), masking => by_prefix('dest', '{2}'), keep => '{distance}'));
SELECT release_drop('r');
-- So is what it leaves out of a value that has a leaf by itself; what its leaves show whole is not.
CREATE TABLE leaves AS SELECT i % 20 AS k, date '2020-01-15' + make_interval(months => i % 20) AS day, '10.0.' || i % 20 || '.7' AS text, CASE WHEN i % 20 < 10 THEN i % 20 + 100 ELSE i % 20 + 10000 END::text AS code FROM generate_series(1, 400) i;
ALTER TABLE leaves ALTER day TYPE date, ADD address inet;
UPDATE leaves SET address = text::inet;
SELECT masked, masking, told.* FROM (VALUES (1, 'day', by_calendar('day', '{year,month}')), (2, 'day', by_calendar('day', '{month,day}')), (3, 'code', by_prefix('code', '{3}')), (4, 'code', by_prefix('code', '{5}')), (5, 'address', by_network('address', '{24}')), (6, 'address', by_network('address', '{24,32}'))) AS m (nr, masked, masking),
  told(tds_anonymize('leaves', 'leaves_' || nr, k_anonymity(ARRAY[masked], 20), masking => masking, keep => '{k}'));
SELECT count(release_drop(release)) FROM releases() WHERE release ~ '^leaves_';
-- A value that is shown needs no giving away.
SELECT * FROM told(tds_anonymize('flights', 'r', k_anonymity('{dest}', 5), masking => by_prefix('dest'), keep => '{distance}'));
SELECT release_drop('r');
-- Only both together.
SELECT * FROM told(tds_anonymize('patients', 'r', k_anonymity('{age}', 10), keep => '{sodium,potassium}', max_steps => 0));
SELECT release_drop('r');
CREATE TABLE both_tell AS SELECT CASE WHEN (i + i / 2) % 2 = 0 THEN 'even' ELSE 'odd' END AS parity, i % 2 AS a, i / 2 % 2 AS b FROM generate_series(1, 400) i;
SELECT * FROM told(tds_anonymize('both_tell', 'r', k_anonymity('{parity}', 300), keep => '{a,b}'));
SELECT release_drop('r');
-- A key is named by what it does, whatever it is called and however many rows a value has.
SELECT * FROM told(tds_anonymize('patients', 'r', k_anonymity('{age}', 10), keep => '{nr,illness}'));
SELECT release_drop('r');
-- Groups are as large as the largest k asks, of persons where it counts these; five where no model says.
SELECT * FROM told(tds_anonymize('patients', 'r', ARRAY[k_anonymity('{age}', 10), k_anonymity('{age}', 30, person => 'nr')], keep => '{illness}'));
SELECT release_drop('r');
SELECT * FROM told(pda_anonymize('patients', 'r', confidence_bound('{age}', 'illness', NULL, 0.9), NULL, keep => '{sodium}'));
SELECT release_drop('r');
SET pg_topdown.min_k = 40;
SELECT * FROM told(pda_anonymize('patients', 'r', confidence_bound('{age}', 'illness', NULL, 0.9), NULL, keep => '{sodium}'));
RESET pg_topdown.min_k;
SELECT release_drop('r');
-- By every recoding and reading, a clustering too.
SELECT * FROM told(tds_anonymize('flights', 'r', k_anonymity('{dest,day}', 120), masking => by_prefix('dest'), keep => '{distance}', recoding => 'local'));
SELECT release_drop('r');
SELECT * FROM told(kmember_anonymize('flights', 'r', '{dest,day}', 60, keep => '{distance}'));
SELECT release_drop('r');
SET pg_topdown.scan TO counts;
SELECT * FROM told(tds_anonymize('flights', 'r', k_anonymity('{dest}', 60), masking => by_prefix('dest'), keep => '{distance,day}'));
RESET pg_topdown.scan;
SELECT release_drop('r');
-- Withheld rows are not counted.
INSERT INTO flights VALUES (0, 'E77', 77, 77, 77);
SELECT * FROM told(tds_anonymize('flights', 'r', k_anonymity('{dest}', 20), masking => by_prefix('dest'), keep => '{day}', withhold => 0.01));
SELECT release_drop('r');
DELETE FROM flights WHERE id = 0;
-- NULL is a value.
UPDATE flights SET distance = NULL WHERE dest = 'D01';
UPDATE flights SET dest = NULL WHERE dest = 'D02';
SELECT * FROM told(tds_anonymize('flights', 'r', k_anonymity('{dest}', 60), masking => by_prefix('dest'), keep => '{distance}'));
SELECT release_drop('r');

-- An administrator can refuse what is at risk; nothing is left behind, by whatever verb.
SET pg_topdown.kept = refuse;
SELECT tds_anonymize('patients', 'r', k_anonymity('{age}', 10), keep => '{nr}');
SELECT kmember_anonymize('patients', 'r', '{age}', 10, keep => '{nr}');
-- groups of one are no bound
SELECT tds_anonymize('patients', 'r', ARRAY[k_anonymity('{age}', 1), l_diversity('{age}', 'illness', 2)], keep => '{nr}');
SELECT count(*) FROM pg_namespace WHERE nspname IN ('r', 'r_private');
SELECT * FROM told(tds_anonymize('patients', 'r', k_anonymity('{age}', 10), keep => '{illness}', max_steps => 0));
-- What is named in keep is kept, be it the class or sensitive, too.
SELECT tds_anonymize('patients', 'c', k_anonymity('{age}', 10), 'nr', keep => '{nr}');
SELECT pda_anonymize('patients', 'c', confidence_bound('{age}', 'sodium', NULL, 1), NULL, keep => '{sodium}');
SET pg_topdown.kept = warn;
SELECT version FROM (SELECT tds_anonymize('patients', 'q', k_anonymity('{age}', 10), keep => '{nr}') -> 'version' AS version) v;
SET pg_topdown.kept = refuse;
SELECT release_refresh(public.again('q'));
SELECT release_rewind('q', 0);
SELECT version FROM releases() WHERE release = 'q';
SELECT release_alter('q', privacy => ARRAY[k_anonymity('{age}', 10), confidence_bound('{age}', 'nr', NULL, 1)]);
SET pg_topdown.kept = often;
CREATE ROLE keeping_analyst;
SET ROLE keeping_analyst;
SET pg_topdown.kept = warn;
RESET ROLE;
DROP ROLE keeping_analyst;
RESET pg_topdown.kept;
SELECT release_drop(release) FROM releases() WHERE release IN ('q', 'r');
-- What a clustering releases of all values and of NULLs looks alike, and is counted as it looks.
CREATE TABLE nulls AS SELECT CASE WHEN i % 6 > 0 THEN chr(65 + i % 7) || 'x' END AS word, i * 2 % 3 AS n, i % 2 AS bit FROM generate_series(1, 60) i;
SELECT * FROM told(kmember_anonymize('nulls', 'r', '{word,n}', 4, keep => '{bit}', masking => by_prefix('word')));
SELECT round(sum(m) FILTER (WHERE m < 4) / 60, 4) AS kept_at_risk FROM (SELECT count(*) AS m FROM r.nulls GROUP BY word, n, bit) g;
SELECT release_drop('r');
INSERT INTO nulls SELECT 'Bx', CASE WHEN i % 5 > 0 THEN i END, i % 2 FROM generate_series(1, 40) i;
SELECT * FROM told(tds_anonymize('nulls', 'r', k_anonymity('{n,word}', 11), keep => '{bit}', masking => ARRAY[by_intervals('n'), by_prefix('word')], recoding => 'local', intervals => 'range'));
SELECT round(coalesce(sum(m) FILTER (WHERE m < 11), 0) / 100, 4) AS kept_at_risk FROM (SELECT count(*) AS m FROM r.nulls GROUP BY n, word, bit) g;
SELECT release_drop('r');
-- Where one model counts persons and another, of a larger k, rows, both are looked at: each ward is one person of twelve rows.
CREATE TABLE wards AS SELECT i % 2 AS a, i / 12 AS ward, i / 12 AS person FROM generate_series(0, 479) i;
SELECT * FROM told(tds_anonymize('wards', 'r', ARRAY[k_anonymity('{a}', 2, person => 'person'), k_anonymity('{a}', 3)], keep => '{ward}'));
SELECT * FROM told(release_rewind('r', 0));
SELECT release_drop('r');
SELECT * FROM told(tds_anonymize('wards', 'r', k_anonymity('{a}', 3), keep => '{ward}'));
SELECT release_drop('r');
SET pg_topdown.kept = refuse;
SELECT tds_anonymize('wards', 'r', ARRAY[k_anonymity('{a}', 2, person => 'person'), k_anonymity('{a}', 3)], keep => '{ward}');
RESET pg_topdown.kept;
-- A class that is kept counts in a rewind, too.
SELECT * FROM told(tds_anonymize('patients', 'r', k_anonymity('{age}', 10), 'nr', keep => '{nr}'));
SELECT * FROM told(release_rewind('r', 0));
SELECT release_drop('r');
-- An interval of one number shows it: nothing of that is given away.
CREATE TABLE single AS SELECT i % 10 AS x, i % 10 AS y, i % 3 AS z FROM generate_series(1, 2100) i;
SELECT * FROM told(tds_anonymize('single', 'r', k_anonymity('{x,z}', 5), masking => by_intervals('x', '0', '20'), keep => '{y}'));
SELECT x, count(*) FROM r.single GROUP BY 1 ORDER BY 1;
SELECT release_drop('r');
DROP SCHEMA keeping CASCADE;
