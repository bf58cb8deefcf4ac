-- A release as a page of HTML: what it tells the owner and a recipient, and that nothing in it is anything but text.
CREATE SCHEMA reported;
SET search_path TO reported, public;
CREATE TABLE tax AS SELECT * FROM (VALUES ('all', NULL), ('<b>north</b>', 'all'), ('south & east', 'all'), ('"oslo"', '<b>north</b>'), ('<script>alert(1)</script>', '<b>north</b>'),
  ('rome', 'south & east'), ('nice', 'south & east')) t (child, parent);
CREATE TABLE people AS
SELECT (ARRAY['"oslo"', '<script>alert(1)</script>', 'rome', 'nice'])[1 + i % 4] AS city, 20 + i % 50 AS age, CASE WHEN i % 9 > 0 THEN 'code ' || i % 7 END AS code,
       CASE WHEN i % 4 < 2 AND i % 50 > 20 THEN '</style>yes' ELSE 'no' END AS "class & more", i AS number, 'x' || i % 3 AS "kept <i>"
FROM generate_series(1, 1000) i;
SELECT tds_anonymize('people', '<em>r', ARRAY[k_anonymity(ARRAY['city', 'age', 'code'], 20)], class => 'class & more',
  masking => ARRAY[by_taxonomy('city', 'tax')], keep => ARRAY['number', 'kept <i>']) ->> 'rows' AS rows;
CREATE TABLE page AS SELECT audience, release_report('<em>r', audience) AS html FROM unnest(ARRAY['owner', 'recipient']) audience;
SELECT release_report('<em>r') = html AS by_default FROM page WHERE audience = 'owner';
-- One document that loads nothing, runs nothing, and holds no tag that is not ours.
SELECT audience, html ~ '^<!DOCTYPE html><html lang="en">' AS document, html ~ '</html>$' AS whole, octet_length(html) < 2000000 AS small,
       html ~* '(<script|<link|<img|<iframe|<object|javascript:|@import|url\(| on[a-z]+=|<b>|<em>r|<i>")' AS foreign_tag,
       html ~ 'default-src ''none''' AS policy, html ~ '(src|href)=' AS loads FROM page ORDER BY 1;
SELECT audience, (SELECT array_agg(DISTINCT m[1] ORDER BY m[1]) FROM regexp_matches(html, '<([a-z][a-z0-9]*)', 'g') m) AS tags FROM page ORDER BY 1;
SELECT html ~ '&lt;script&gt;alert\(1\)&lt;/script&gt;' AS label, html ~ 'south &amp; east' AS other, html ~ '&lt;/style&gt;yes' AS class FROM page WHERE audience = 'owner';
-- What it tells: of each value the rows that the cut has, of each size the groups that there are.
SELECT attribute, bool_and(strpos(html, '>' || coalesce(replace(replace(replace(replace(node, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '"', '&quot;'), '<em>NULL</em>')
         || '</td><td class="n">' || records || '</td>') > 0) AS told
FROM page, "<em>r".cut WHERE audience = 'recipient' GROUP BY 1 ORDER BY 1;
SELECT html ~ ((SELECT count(*) FROM (SELECT DISTINCT city, age, code FROM "<em>r".people) g) || ' groups of rows') AS groups,
       html ~ ('the smallest has ' || (SELECT min(n) FROM (SELECT count(*) AS n FROM "<em>r".people GROUP BY city, age, code) g) || ' rows') AS smallest FROM page ORDER BY 1, 2;
-- A kept column with a value for every row is told of; the owner is told what was found, a recipient is not.
SELECT audience, html ~ 'looks like an identifier' AS identifier, html ~ 'Risk of being found' AS risks, html ~ 'course of the search' AS course, html ~ 'Versions' AS versions,
       html ~ '>found<' AS found, html ~ 'reported.people' AS source, html ~ 'in the source' AS source_bits, html ~ 'class="above"' AS above, html ~ 'certainty' AS measures FROM page ORDER BY 1;
-- Of many values those with the most rows, and what the others have together.
CREATE TABLE wide AS SELECT 'value ' || i % 90 AS v FROM generate_series(1, 9000 + 900) i;
SELECT tds_anonymize('wide', 'wide_open', ARRAY[k_anonymity(ARRAY['v'], 5)]) ->> 'rows' AS rows;
SELECT (length(html) - length(replace(html, '<td class="label"', ''))) / 17 AS told, substring(html FROM '<td>(\d+ more values)</td>') AS more, substring(html FROM 'more values</td><td class="n">(\d+)') AS in_rows
FROM release_report('wide_open', 'recipient') html;
-- The plain summary.
CREATE FUNCTION short(release text, audience text) RETURNS SETOF text LANGUAGE sql AS $$
  SELECT regexp_replace(regexp_replace(m[1], '<dt>([^<]*)</dt><dd>', E'\\1 ', 'g'), '20..-..-.. ..:.. [A-Z]+', 'now', 'g')
  FROM regexp_matches(split_part(split_part(release_report(release, audience), '<h2>In short</h2><dl>', 2), '</dl>', 1), '(.*?)</dd>', 'g') m $$;
SELECT short('<em>r', 'owner');
CREATE ROLE regress_report_reader;
SELECT release_grant('<em>r', 'regress_report_reader');
SELECT short('<em>r', 'recipient') EXCEPT ALL SELECT short('<em>r', 'owner');
SELECT short('<em>r', 'owner') OFFSET 1 LIMIT 1;
SELECT tds_anonymize('people', 'said', ARRAY[k_anonymity(ARRAY['age', 'city', 'code'], 20), k_anonymity(ARRAY['age'], 30, person => 'number'), l_diversity(ARRAY['age', 'city'], 'kept <i>', 3), l_diversity(ARRAY['age', 'city'], 'kept <i>', 2, 'entropy'),
  t_closeness(ARRAY['city'], 'class & more', 0.6), beta_likeness(ARRAY['city'], 'kept <i>', 2), confidence_bound(ARRAY['city'], 'class & more', NULL, 0.95)],
  recoding => 'local', means => ARRAY['age'], counts => true, tell_error => true) ->> 'rows' AS rows;
SELECT short('said', 'recipient');
SELECT release_drop('said');
-- How it was recoded and searched.
CREATE FUNCTION recoded(recoding text, show text[]) RETURNS TABLE (said text, searched text) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM tds_anonymize('people', 'groups', k_anonymity(ARRAY['age', 'city'], 50), recoding => recoding, split => 'median', show => show);
  RETURN QUERY SELECT substring(release_report('groups', 'recipient') FROM '<dt>Recoding</dt><dd>(.*?)</dd>'), substring(release_report('groups') FROM '<dt>Searched by</dt><dd><code>(.*?)</code>');
  PERFORM release_drop('groups');
END $$;
SELECT r.* FROM (VALUES ('global', '{}'::text[]), ('local', '{}'), ('local', '{city}'), ('clustered', '{city,age}')) v(how, shown), recoded(how, shown) r;
-- Intervals as ranges, and no class.
SELECT tds_anonymize('people', 'ranged', ARRAY[k_anonymity(ARRAY['age', 'city'], 50)], intervals => 'range', class => 'class & more') ->> 'rows' AS rows;
SELECT (SELECT sum(m[1]::int) = 1000 FROM regexp_matches(split_part(split_part(html, '<h3>age</h3>', 2), '<h3>', 1), '</td><td class="n">(\d+)</td><td><div', 'g') m) AS all_rows,
       html ~ 'role="img"' AS figure FROM release_report('ranged', 'recipient') html;
-- Ends of intervals beside the label are no columns that are released unchanged; one that is only called like them is.
CREATE VIEW ends AS SELECT age, city, 'k' || number % 2 AS city_lo, number % 3 AS age_low FROM people;
SELECT tds_anonymize('ends', 'bound', ARRAY[k_anonymity(ARRAY['age', 'city'], 50)], intervals => 'bounds', keep => ARRAY['city_lo', 'age_low']) ->> 'rows' AS rows;
SELECT attname FROM pg_attribute WHERE attrelid = 'bound.ends'::regclass AND attnum > 0 ORDER BY attnum;
SELECT audience, array(SELECT m[1] FROM regexp_matches(split_part(split_part(html, '>Columns released unchanged<', 2), '</tbody>', 1), '<tr><td>([^<]*)</td>', 'g') m) AS unchanged
FROM unnest(ARRAY['owner', 'recipient']) audience, release_report('bound', audience) html ORDER BY 1;
SELECT release_drop('bound');
SELECT substring(html FROM '<dt>Searched by</dt>') IS NULL AS recipient FROM release_report('ranged', 'recipient') html;
DROP VIEW ends;
-- Whose source is gone, or that has versions.
SELECT release_refresh(public.again('wide_open')) ->> 'version' AS version;
DROP TABLE wide;
SELECT html ~ '<td class="n">2</td><td class="n">9900</td>' AS version_2 FROM release_report('wide_open') html;
-- Of clusters, whose values have no tree; of ends that no axis goes to; of persons, whom a recipient cannot count.
CREATE TABLE odd AS SELECT g % 7 AS a, ((g % 2) * 1e308)::float8 AS x, g / 4 AS person FROM generate_series(1, 80) g;
SELECT kmember_anonymize('odd', 'clustered', ARRAY['a'], 5) ->> 'rows' AS rows;
SELECT tds_anonymize('odd', 'extreme', ARRAY[k_anonymity(ARRAY['x'], 2)], masking => ARRAY[by_intervals('x', '-1.5e308', '1.5e308')]) ->> 'rows' AS rows;
SELECT tds_anonymize('odd', 'of_persons', ARRAY[k_anonymity(ARRAY['a'], 5, person => 'person')]) ->> 'rows' AS rows;
SET statement_timeout = '3min';
SELECT r, audience, html ~ '</html>$' AS whole, substring(html FROM 'smallest has \d+ (\w+)') AS counted
FROM unnest(ARRAY['clustered', 'extreme', 'of_persons']::name[]) r, unnest(ARRAY['owner', 'recipient']) audience, release_report(r, audience) html ORDER BY 1, 2;
RESET statement_timeout;
SELECT release_drop('clustered'), release_drop('extreme'), release_drop('of_persons');
-- Whatever a release holds, it is a page that can be sent: of long classes and labels how they begin, of long ways where they part, of many
-- intervals, steps and versions some.
CREATE TABLE long AS SELECT repeat('class ' || g / 60 % 3, 10000) AS class, md5((g % 60)::text) || repeat(md5((g % 60)::text), 8) AS code FROM generate_series(1, 300) g;
SELECT tds_anonymize('long', 'long', k_anonymity(ARRAY['code'], 5), class => 'class', masking => by_prefix('code')) ->> 'rows' AS rows;
SELECT audience, length(html) < 65000 AS short, (length(html) - length(replace(html, '<td class="label"', ''))) / 17 < 80 AS where_ways_part, substring(html FROM '<td>(\d+ more values)</td>') AS more
FROM unnest(ARRAY['owner', 'recipient']) audience, release_report('long', audience) html ORDER BY 1;
CREATE TABLE fine AS SELECT g % 400 AS n FROM generate_series(1, 800) g;
SELECT tds_anonymize('fine', 'fine', k_anonymity(ARRAY['n'], 2), masking => by_intervals('n', '0', '400')) ->> 'steps' AS steps;
SELECT max((release_rewind('fine', 399 - back) ->> 'version')::int) AS versions FROM generate_series(1, 69) back;
SELECT audience, length(html) < 100000 AS short, html ~ 'The 331 intervals with both ends' AS intervals, html ~ '<td class="n">10 earlier</td>' AS earlier
FROM unnest(ARRAY['owner', 'recipient']) audience, release_report('fine', audience) html ORDER BY 1;
-- More columns than are told of, of many long values, all of characters that are escaped, and five such classes.
SELECT 'CREATE TABLE broad AS SELECT ' || string_agg(format(CASE WHEN c <= 35 THEN 'g * %s %% 101' ELSE 'lpad((g * %s %% 101)::text, 3, ''0'') || repeat(''"'', 70)' END, c)
       || format(' AS %I', repeat('"', 60) || lpad(c::text, 2, '0')), ', ' ORDER BY c) || ', repeat(''"'', 70) || g % 5 AS class FROM generate_series(1, 505) g' AS made
FROM generate_series(1, 70) c \gset
:made;
SELECT array_agg(attname ORDER BY attnum) AS columns FROM pg_attribute WHERE attrelid = 'broad'::regclass AND attnum BETWEEN 1 AND 70 \gset
SELECT tds_anonymize('broad', 'broad', k_anonymity(:'columns'::text[], 5), class => 'class', masking => array(
  SELECT CASE WHEN at <= 35 THEN by_intervals(c, '0', '200') ELSE by_prefix(c, ARRAY[1, 2, 3, 73]) END FROM unnest(:'columns'::text[]) WITH ORDINALITY u (c, at))) ->> 'rows' AS rows;
SELECT audience, octet_length(html) < 2000000 AS small, (length(html) - length(replace(html, '<td class="label"', ''))) / 17 >= 600 AS many_values, html ~ 'And 10 more masked columns' AS more
FROM unnest(ARRAY['owner', 'recipient']) audience, release_report('broad', audience) html ORDER BY 1;
SELECT release_drop('long'), release_drop('fine'), release_drop('broad');
-- Not to anybody.
CREATE ROLE reader_of_reports;
SELECT release_grant('<em>r', 'reader_of_reports');
GRANT USAGE ON SCHEMA reported TO reader_of_reports;
SET ROLE reader_of_reports;
SELECT release_report('<em>r', 'recipient');
RESET ROLE;
SELECT release_report('<em>r', 'everybody');
SELECT release_report('<em>r', NULL);
SELECT release_report(NULL);
SELECT release_report('nowhere');
SELECT release_drop('<em>r'), release_drop('wide_open'), release_drop('ranged');
DROP SCHEMA reported CASCADE;
DROP ROLE reader_of_reports;
DROP ROLE regress_report_reader;
