-- The ends of what rules and taxonomies over numbers release: in the cut, in columns of their own, in counts, in every version.
SET client_min_messages TO notice;
CREATE SCHEMA ends;
SET search_path TO ends, public;
\pset null '~'
SET DateStyle TO ISO;
SET TimeZone TO UTC;
CREATE TABLE visits AS
SELECT date '2024-01-01' + i % 400 AS day, timestamptz '2024-01-01 10:00+00' + i * interval '7 hours' AS at,
  ('10.' || i % 3 || '.' || i % 7 || '.' || i % 11)::inet AS ip, i % 6 AS level, i % 4 AS pay, 'n' || i % 2 AS note
FROM generate_series(1, 1600) i;
INSERT INTO visits SELECT NULL, 'infinity', '2001:db8::1', NULL, 1, 'n1' FROM generate_series(1, 30);
INSERT INTO visits SELECT '-infinity', NULL, '10.0.0.0/8', 3, 2, 'n0' FROM generate_series(1, 30);
INSERT INTO visits SELECT '5874897-12-31', '4714-11-24 00:00+00 BC', '10.1.2.3/16', 10, 2, 'n0' FROM generate_series(1, 30);
CREATE TABLE levels (child text, parent text);
INSERT INTO levels VALUES ('low', 'any'), ('high', 'any'), ('0', 'low'), ('1', 'low'), ('2', 'low'), ('none', 'low'), ('3', 'high'),
  ('4', 'high'), ('5', 'high'), ('10', 'high'), ('9', 'high');
-- a taxonomy with ends of its own keeps them
CREATE TABLE pays AS SELECT * FROM taxonomy_build('visits', 'pay', 'equal_width', '{"levels": 1, "fan_out": 2}');
CREATE FUNCTION maskings() RETURNS masking[] LANGUAGE sql AS $$
  SELECT ARRAY[by_calendar('day', '{decade,quarter,week,day}'), by_calendar('at', '{year,month}'), coarsest(by_network('ip', '{8,16}'), 1),
    weighted(by_taxonomy('level', 'ends.levels'), 2), by_taxonomy('pay', 'ends.pays')] $$;
SELECT tds_anonymize('visits', 'bounds', ARRAY[k_anonymity('{day}', 25), k_anonymity('{at}', 20), k_anonymity('{ip}', 20), k_anonymity('{level}', 20), k_anonymity('{pay}', 20)],
  masking => maskings(), keep => '{note}', intervals => 'bounds', score => 'conditional', counts => true, allow_weaker => true) ->> 'version' AS version;
SELECT attribute, node, lower, upper FROM bounds.cut WHERE attribute <> 'day' OR upper < '2024-02' OR lower > '2025' OR lower IS NULL;
SELECT attribute, node, lower, upper FROM bounds.counts WHERE attribute IN ('level', 'pay');
-- the view shows what the cut has, in the column's own type
SELECT bool_and((day_lo::text, day_hi::text) IS NOT DISTINCT FROM (c.lower, c.upper)) AS day FROM bounds.visits v JOIN bounds.cut c ON c.attribute = 'day' AND c.node IS NOT DISTINCT FROM v.day;
SELECT bool_and((at_lo::text, at_hi::text) IS NOT DISTINCT FROM (c.lower, c.upper)) AS at FROM bounds.visits v JOIN bounds.cut c ON c.attribute = 'at' AND c.node IS NOT DISTINCT FROM v.at;
SELECT attname, atttypid::regtype, col_description(attrelid, attnum) FROM pg_attribute WHERE attrelid = 'bounds.visits'::regclass AND attnum > 0 ORDER BY attnum;
-- every value of the source lies within the ends that are shown of it
SELECT release_apply('bounds', 'visits', 'ends.applied') AS rows;
CREATE FUNCTION outside(release text) RETURNS TABLE (day bigint, at bigint, ip bigint, level bigint) LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY EXECUTE format(
  'SELECT (SELECT count(*) FROM visits s WHERE day IS NOT NULL AND NOT EXISTS (SELECT FROM %1$I.visits r WHERE (r.day_lo <= s.day OR r.day_lo IS NULL) AND (s.day < r.day_hi OR r.day_hi IS NULL OR r.day_lo = r.day_hi AND r.day_hi = s.day))),
          (SELECT count(*) FROM visits s WHERE at IS NOT NULL AND NOT EXISTS (SELECT FROM %1$I.visits r WHERE (r.at_lo <= s.at OR r.at_lo IS NULL) AND (s.at < r.at_hi OR r.at_hi IS NULL OR r.at_lo = r.at_hi AND r.at_hi = s.at))),
          (SELECT count(*) FROM visits s WHERE ip IS NOT NULL AND NOT EXISTS (SELECT FROM %1$I.visits r WHERE s.ip BETWEEN r.ip_lo AND r.ip_hi)),
          (SELECT count(*) FROM visits s WHERE level IS NOT NULL AND NOT EXISTS (SELECT FROM %1$I.visits r WHERE s.level BETWEEN r.level_lo AND r.level_hi))', release); END $$;
SELECT * FROM outside('bounds');
SELECT count(*) AS other_ends FROM (SELECT DISTINCT day, day_lo, day_hi, at, at_lo, at_hi, ip, ip_lo, ip_hi, level, level_lo, level_hi FROM applied
  EXCEPT SELECT day, day_lo, day_hi, at, at_lo, at_hi, ip, ip_lo, ip_hi, level, level_lo, level_hi FROM bounds.visits) a;
-- the loss is that of the tree: the ends do not change it
SELECT tds_anonymize('visits', 'labels', ARRAY[k_anonymity('{day}', 25), k_anonymity('{at}', 20), k_anonymity('{ip}', 20), k_anonymity('{level}', 20), k_anonymity('{pay}', 20)],
  masking => maskings(), keep => '{note}', score => 'conditional') ->> 'version' AS version;
SELECT array_agg(attname ORDER BY attnum) AS columns FROM pg_attribute WHERE attrelid = 'labels.visits'::regclass AND attnum > 0;
SELECT attribute, count(*) AS differ FROM (TABLE labels.cut EXCEPT ALL TABLE bounds.cut) d GROUP BY 1;
-- leaves are shown where their column is asked for, and nowhere else: one may be the value of a withheld row
SELECT attribute, count(lower) AS ends FROM labels.cut WHERE attribute IN ('level', 'pay') GROUP BY 1 ORDER BY 1;
SELECT r.measure FROM release_measures('bounds') r JOIN release_measures('labels') l USING (measure) WHERE abs(r.value - l.value) > 1e-9;
SELECT measure, round(value::numeric, 6) AS value FROM release_measures('bounds') WHERE measure = 'normalized_certainty_penalty';
-- every version has them: replayed, searched for, rewound, altered; groups at a time, in clusters
SELECT release_refresh('bounds') ->> 'version' AS replayed, release_rewind('bounds', 9) ->> 'version' AS rewound;
SELECT * FROM outside('bounds');
SELECT DISTINCT level, level_lo, level_hi FROM bounds.visits ORDER BY 2;
SELECT release_alter('bounds', privacy => ARRAY[k_anonymity('{day,at,ip,level,pay}', 5)], recoding => 'local', allow_weaker => true) ->> 'version' AS by_group;
SELECT * FROM outside('bounds');
SELECT release_alter('bounds', recoding => 'clustered') ->> 'version' AS clustered;
SELECT * FROM outside('bounds');
SELECT bool_and(holds) AS holds FROM release_verify('bounds');
SELECT tds_anonymize('visits', 'told', ARRAY[k_anonymity('{level}', 20)], masking => finest(by_taxonomy('level', 'ends.levels'), 1), keep => '{note}', intervals => 'bounds') ->> 'version' AS version;
SELECT node, lower, upper FROM told.cut;
-- what means another value tomorrow is no end
SELECT tds_anonymize('visits', 'days', ARRAY[k_anonymity('{day}', 20)], masking => finest(by_taxonomy_tree('day', jsonb_build_object('any', jsonb_build_object('old', ARRAY['-infinity', 'today'], 'new', (SELECT jsonb_agg(DISTINCT day) FROM visits WHERE day > '2000-01-01')))), 1), keep => '{note}', intervals => 'bounds') ->> 'version' AS version;
SELECT node, lower, upper FROM days.cut;
-- a table that has a column of that name, but of another type, can be released as the other was
CREATE VIEW named AS SELECT *, 'x'::text AS level_lo FROM visits;
SELECT release_apply('told', 'named', 'ends.of_named') AS rows;
-- what the owner has written there is no end, and what the manifest does not tell of is not shown
CREATE TABLE kept_taxonomy AS TABLE told_private.taxonomy_v0;
UPDATE told_private.taxonomy_v0 SET lowers = (SELECT array_agg(repeat('9', 1000)) FROM unnest(lowers));
SELECT release_rewind('told', 1);
UPDATE told_private.taxonomy_v0 t SET lowers = k.lowers FROM kept_taxonomy k WHERE k.attribute = t.attribute AND k.version = t.version;
UPDATE told_private.manifest SET parameters = jsonb_set(parameters, '{intervals}', '"label"');
SELECT release_rewind('told', 1);
-- ends that are no values of the column
CREATE TABLE words AS SELECT child, parent, 'a few' AS lower, 'many' AS upper FROM levels;
SELECT tds_anonymize('visits', 'worded', ARRAY[k_anonymity('{level}', 20)], masking => by_taxonomy('level', 'ends.words'), keep => '{note}', intervals => 'bounds');
SELECT tds_anonymize('visits', 'worded', ARRAY[k_anonymity('{level}', 20)], masking => by_taxonomy('level', 'ends.words'), keep => '{note}') ->> 'version' AS version;
SELECT node, lower, upper FROM worded.cut LIMIT 2;
-- ends the wrong way about
CREATE TABLE turned AS SELECT child, parent, 100 AS lower, 50 AS upper FROM levels;
SELECT tds_anonymize('visits', 'turned', ARRAY[k_anonymity('{level}', 20)], masking => by_taxonomy('level', 'ends.turned'), keep => '{note}', intervals => 'bounds');
-- of any node, released or not
CREATE TABLE some_words AS SELECT child, parent, CASE WHEN child = 'low' THEN 'a few' END AS lower, NULL AS upper FROM levels;
SELECT tds_anonymize('visits', 'other', ARRAY[k_anonymity('{level}', 20)], masking => by_taxonomy('level', 'ends.some_words'), keep => '{note}', intervals => 'bounds');
-- of clusters of whole numbers the end is the next number, at the end of the domain, too; where there is none, it is open
CREATE TABLE hours AS SELECT i AS nr, 90 + i % 10 AS h, 9223372036854775797 + i % 11 AS big FROM generate_series(1, 200) i;
SELECT tds_anonymize('hours', 'clustered', k_anonymity('{h,big}', 5), masking => by_intervals('h', '1', '99'), recoding => 'clustered', keep => '{nr}', intervals => 'bounds', means => '{h}') ->> 'version' AS version;
SELECT count(*) FILTER (WHERE s.h < r.h_lo OR s.h >= r.h_hi OR s.big < r.big_lo OR s.big >= r.big_hi) AS outside, max(h_hi) AS highest, count(*) > count(big_hi) AS some_open, sum(h_hi - h_lo) > 0 AS wide
FROM clustered.hours r JOIN hours s USING (nr);
SELECT attname, col_description(attrelid, attnum) FROM pg_attribute WHERE attrelid = 'clustered.hours'::regclass AND attname ~ '^h_' ORDER BY attnum;
SELECT release_alter('clustered', masking => by_intervals('h', '1', '99', step => '7')) ->> 'version' AS stepped;
SELECT count(*) FILTER (WHERE s.h < r.h_lo OR s.h >= r.h_hi) AS outside, max(h_hi) AS highest FROM clustered.hours r JOIN hours s USING (nr);
-- an address is called as its type prints it
CREATE TABLE hosts AS SELECT i AS nr, CASE WHEN i % 3 = 0 THEN inet '255.255.255.255' ELSE inet '10.0.0.0' + i END AS ip FROM generate_series(1, 90) i;
SELECT tds_anonymize('hosts', 'hosted', k_anonymity('{ip}', 5), masking => by_network('ip'), intervals => 'bounds') ->> 'version' AS version;
CREATE TABLE nets AS SELECT i AS nr, CASE WHEN i % 3 = 0 THEN cidr '10.1.2.3' WHEN i % 3 = 1 THEN cidr 'fe80::/64' ELSE cidr '10.0.0.0/8' END AS net FROM generate_series(1, 90) i;
SELECT tds_anonymize('nets', 'netted', k_anonymity('{net}', 5), masking => by_network('net'), intervals => 'bounds') ->> 'version' AS version;
-- an end that somebody has changed, where means are recounted by it
CREATE TABLE meant AS SELECT i % 50 AS age, 's' || i % 5 AS ill FROM generate_series(1, 300) i;
SELECT tds_anonymize('meant', 'of_means', k_anonymity('{age,ill}', 5), masking => ARRAY[by_intervals('age', '0', '50'), by_suppression('ill')], means => '{age}') ->> 'version' AS version;
UPDATE of_means_private.cuts_v0 SET lowers[1] = 'x' WHERE attribute = 'age';
SELECT * FROM release_verify('of_means');
SELECT release_refresh('of_means', mode => 'search') ->> 'version' AS version;
SELECT bool_and(holds) AS holds FROM release_verify('of_means');
-- the column of an end is in the way
CREATE VIEW twice AS SELECT day, note AS day_lo FROM visits;
SELECT tds_anonymize('twice', 'two', ARRAY[k_anonymity('{day}', 20)], masking => by_calendar('day'), keep => '{day_lo}', intervals => 'bounds');
SELECT count(*) AS left_behind FROM pg_namespace WHERE nspname IN ('two', 'two_private');
DROP SCHEMA ends, bounds, bounds_private, labels, labels_private, told, told_private, days, days_private, worded, worded_private, clustered, clustered_private, hosted, hosted_private, netted, netted_private, of_means, of_means_private CASCADE;
