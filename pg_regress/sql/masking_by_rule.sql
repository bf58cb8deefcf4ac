-- by_prefix, by_calendar, by_network: a value says itself what stands above it. Their trees; that what is released holds its value; values
-- that appear later; NULL, codes with stars in them; what cannot be.
SET client_min_messages TO notice;
CREATE SCHEMA rules;
SET search_path TO rules, public;
CREATE FUNCTION tree(tablename text, by masking) RETURNS TABLE (parent text, children text) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM tds_anonymize(tablename::regclass, 'made', ARRAY[k_anonymity(ARRAY['v'], 1)], masking => ARRAY[by]);
  RETURN QUERY SELECT t.parent, string_agg(coalesce(t.node, 'NULL'), ' ' ORDER BY t.o) FROM
    (SELECT *, row_number() OVER () AS o FROM made_private.taxonomy) t WHERE t.depth > 0 GROUP BY t.depth, t.parent ORDER BY min(t.o);
  PERFORM release_drop('made');
END $$;

-- codes: every length, some lengths, of different lengths; no level is skipped where all values share one
CREATE TABLE codes (v text);
INSERT INTO codes VALUES ('47906'), ('47907'), ('47000'), ('1234'), ('');
SELECT * FROM tree('codes', by_prefix('v'));
SELECT * FROM tree('codes', by_prefix('v', '{5,3}'));
SELECT * FROM tree('codes', by_prefix('v', '{3}'));
-- by their text, whatever their type
CREATE TABLE numbers (v numeric);
INSERT INTO numbers VALUES (47906), (47000);
SELECT * FROM tree('numbers', by_prefix('v', '{1,2,5}'));

-- the calendar: a date at every unit it may have, a timestamp down to the minute; what is never over
CREATE TABLE days (v date);
INSERT INTO days VALUES ('1987-06-14'), ('1987-06-15'), ('1988-01-01'), ('1987-12-31'), ('0044-03-15 BC'), ('5874897-12-31'), ('infinity'), ('-infinity');
SELECT * FROM tree('days', by_calendar('v'));
SELECT * FROM tree('days', by_calendar('v', '{day,week,year,decade}'));
CREATE TABLE moments (v timestamptz);
INSERT INTO moments VALUES ('1987-06-14 23:30:30-02'), ('1987-06-14 23:30:00+00'), ('1987-06-15 01:59:59.999999+00');
SELECT * FROM tree('moments', by_calendar('v', '{month,hour,minute}'));

-- what a day is called is what PostgreSQL calls it, over 2000 years and at every border
CREATE TABLE calendar AS SELECT d::date AS v, '*'::text AS other FROM generate_series('0001-01-01'::timestamp, '2100-12-31', '1 day 00:00') d
WHERE d BETWEEN '1999-06-01' AND '2004-06-01' OR (d::date - '0001-01-01') % 997 < 4 OR extract(year FROM d)::int % 13 = 0 AND (extract(doy FROM d) > 363 OR extract(doy FROM d) < 4);
SELECT count(*) > 5000 AS many FROM calendar;
CREATE FUNCTION off(units text[], format text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE result bigint;
BEGIN
  PERFORM tds_anonymize('calendar', 'made', ARRAY[k_anonymity(ARRAY['v'], 1)], masking => ARRAY[by_calendar('v', units)]);
  EXECUTE format('SELECT count(*) FROM (SELECT v, count(*) AS n FROM made.calendar GROUP BY v) m
    FULL JOIN (SELECT to_char(v, %L) AS v, count(*) AS n FROM rules.calendar GROUP BY 1) c USING (v, n) WHERE m IS NULL OR c IS NULL', format) INTO result;
  PERFORM release_drop('made');
  RETURN result;
END $$;
SELECT off('{year}', 'YYYY') AS years, off('{year,quarter}', 'YYYY-"Q"Q') AS quarters, off('{month}', 'YYYY-MM') AS months,
  off('{decade,day}', 'YYYY-MM-DD') AS days;
-- weeks: parts of one are called by it and by what stands above
SELECT tds_anonymize('calendar', 'made', ARRAY[k_anonymity(ARRAY['v'], 1)], masking => ARRAY[by_calendar('v', '{year,month,week,day}')]) -> 'rows' AS rows;
SELECT count(*) AS days, count(*) FILTER (WHERE t.parent = to_char(node::date, 'IYYY-"W"IW')) AS whole,
  count(*) FILTER (WHERE t.parent = to_char(node::date, 'IYYY-"W"IW" in "YYYY-MM')) AS parts,
  count(*) FILTER (WHERE (t.parent LIKE '% in %') <> (to_char(date_trunc('week', node::date), 'YYYY-MM') <> to_char(date_trunc('week', node::date) + '6 days', 'YYYY-MM'))) AS wrong
FROM made_private.taxonomy t WHERE depth = 4;
SELECT release_drop('made');

-- addresses of either version, whole and networks
CREATE TABLE addresses (v inet);
INSERT INTO addresses VALUES ('10.1.2.3'), ('10.1.2.4'), ('9.1.2.3'), ('10.1.2.0/24'), ('10.1.2.3/20'), ('2001:db8:1:2::3');
SELECT * FROM tree('addresses', by_network('v'));
SELECT * FROM tree('addresses', by_network('v', '{24,8}'));
-- of an address with the length of its network no more bits than of any other
SELECT bool_and(host(node::inet) = host(network(set_masklen(node::inet, 22)))) AS no_more_bits, array_agg(node) FILTER (WHERE masklen(node::inet) <> 22) AS with_a_length_of_their_own
FROM (SELECT regexp_split_to_table(children, ' ') AS node FROM tree('addresses', by_network('v', '{22}'))) t;
CREATE TABLE networks (v cidr);
INSERT INTO networks VALUES ('10.1.2.3/32'), ('10.1.0.0/16'), ('0.0.0.0/0');
SELECT * FROM tree('networks', by_network('v'));
-- every address is in the network that it is released as
CREATE TABLE many AS SELECT '10.0.0.0'::inet + (i * 7919 % 65536) AS v, i % 2 AS c, '10.0.0.0'::inet + (i * 7919 % 65536) AS whole FROM generate_series(1, 3000) i;
SELECT result #> '{privacy,0,holds}' AS holds FROM tds_anonymize('many', 'made', ARRAY[k_anonymity(ARRAY['v'], 5)], class => 'c', keep => ARRAY['whole'],
  masking => ARRAY[by_network('v', '{8,16,20,24,28,32}')]) result;
SELECT count(DISTINCT v) > 20 AS many, bool_and(whole <<= v::inet) AS inside FROM made.many;
SELECT release_drop('made');

-- a refresh never fails for a value that appears later, and takes nothing for coarser because one is gone
CREATE TABLE people (zip text, born date, ip inet, sick int);
INSERT INTO people SELECT (47900 + i % 10)::text, '1980-01-01'::date + i % 3 * 200, '10.1.0.0'::inet + i % 4, (i % 10 < 5)::int FROM generate_series(1, 600) i;
SELECT result - 'seconds' - 'privacy' AS result FROM tds_anonymize('people', 'rel', ARRAY[k_anonymity(ARRAY['zip'], 20), k_anonymity(ARRAY['born'], 20), k_anonymity(ARRAY['ip'], 20)],
  class => 'sick', masking => ARRAY[by_prefix('zip'), by_calendar('born'), by_network('ip')]) result;
SELECT attribute, node, children FROM rel_private.steps ORDER BY step;
SELECT attribute, node, records FROM rel.cut;
INSERT INTO people SELECT '5' || (1000 + i % 7)::text, '2024-02-29', '::1', i % 2 FROM generate_series(1, 100) i;
DELETE FROM people WHERE zip = '47903' OR born = '1980-07-19';
SELECT result - 'seconds' - 'privacy' AS result FROM release_refresh(public.again('rel')) result;
SELECT attribute, node, records FROM rel.cut;
-- one that would be alone: what stands above all values stays whole
INSERT INTO people VALUES ('9', '1999-09-09', '9.9.9.9', 1);
SELECT result - 'seconds' - 'privacy' AS result FROM release_refresh(public.again('rel')) result;
SELECT attribute, node, records FROM rel.cut;
SELECT result - 'seconds' - 'privacy' AS result FROM release_rewind('rel', 0) result;
SELECT attribute, node, records FROM rel.cut;
SELECT release_drop('rel');

-- codes with stars in them: what is called alike stands above one another, and is refined one after the other
CREATE TABLE stars (v text, c int);
INSERT INTO stars SELECT code, i % 2 FROM unnest(ARRAY['479**', '47906', '4790*', '4****', '47*06']) code, generate_series(1, 10) i;
SELECT tds_anonymize('stars', 'rel', ARRAY[k_anonymity(ARRAY['v'], 5)], class => 'c', masking => ARRAY[by_prefix('v', '{1,2,3,4,5}')]) -> 'steps' AS steps;
SELECT node, children FROM rel_private.steps ORDER BY step;
SELECT node, records FROM rel.cut;
SELECT result - 'seconds' - 'privacy' AS result FROM release_refresh(public.again('rel')) result;
SELECT node, records FROM rel.cut;
SELECT release_rewind('rel', 4) -> 'steps' AS steps;
SELECT node, records FROM rel.cut;
SELECT measure, round(value::numeric, 4) AS value FROM release_measures('rel') WHERE measure IN ('ntil', 'precision', 'groups');
SELECT release_drop('rel');
-- but none is called what suppressed values are
SELECT tds_anonymize('stars', 'rel', ARRAY[k_anonymity(ARRAY['v'], 5)], masking => ARRAY[by_prefix('v')], suppressed => '4790*');

-- NULL stands beside the top, which is called what suppressed values are
INSERT INTO codes SELECT NULL FROM generate_series(1, 5);
SELECT tds_anonymize('codes', 'rel', ARRAY[k_anonymity(ARRAY['v'], 5)], masking => ARRAY[by_prefix('v')], suppressed => 'any') -> 'steps' AS steps;
SELECT node, parent, depth, in_cut FROM rel_private.taxonomy WHERE depth < 3;
SELECT v, count(*) FROM rel.codes GROUP BY v ORDER BY v;
SELECT release_drop('rel');
CREATE TABLE nothing (v inet);
INSERT INTO nothing SELECT NULL FROM generate_series(1, 3);
SELECT tds_anonymize('nothing', 'rel', ARRAY[k_anonymity(ARRAY['v'], 3)], masking => ARRAY[by_network('v')]) -> 'steps' AS steps;
SELECT node, records FROM rel.cut;
SELECT release_drop('rel');

-- clustered: a cluster is released as what its codes have in common
SELECT kmember_anonymize('people', 'rel', ARRAY['zip'], 3, masking => ARRAY[by_prefix('zip')]) -> 'rows' AS rows;
SELECT count(*) FILTER (WHERE n < 3) AS too_small, bool_or(zip LIKE '4790_') AS whole FROM (SELECT zip, count(*) AS n FROM rel.people GROUP BY zip) g;
SELECT release_drop('rel');

-- what is suppressed and looks like a code, or like an address, could be shown by a rule
CREATE TABLE clients AS SELECT 'DE' || to_char(i, 'FM0000') AS code, '10.0.0.0'::inet + i AS ip, '10.0.0.' || i AS text_ip, 'name ' || i AS name, i % 3 AS few
FROM generate_series(1, 60) i;
SELECT tds_anonymize('clients', 'rel', ARRAY[k_anonymity(ARRAY['code', 'ip', 'text_ip', 'name', 'few'], 5)]) -> 'steps' AS steps;
SELECT release_drop('rel');
SELECT tds_anonymize('clients', 'rel', ARRAY[k_anonymity(ARRAY['code'], 5)], masking => ARRAY[by_suppression('code')]) -> 'steps' AS steps;
SELECT release_drop('rel');

-- what cannot be
SELECT by_prefix('v', '{}');
SELECT by_prefix('v', '{3,0}');
SELECT by_prefix('v', '{3,3}');
SELECT by_prefix('v', '{3,NULL}');
SELECT by_prefix(NULL);
SELECT by_network('v', '{8,129}');
SELECT by_calendar('v', '{}');
SELECT by_calendar('v', '{year,fortnight}');
SELECT by_calendar('v', '{year,year}');
SELECT by_calendar('v', '{year,week}');
SELECT by_calendar('v', NULL);
SELECT '{"by_prefix":{"column_name":"v","lengths":[-1]}}'::masking;
SELECT '{"by_calendar":{"column_name":"v","units":["day"]}}'::masking, by_prefix('v', '{3,1}'), by_network('v');
SELECT * FROM tds_steps('codes', ARRAY[k_anonymity(ARRAY['v'], 1)], masking => ARRAY[by_calendar('v')]);
SELECT * FROM tds_steps('codes', ARRAY[k_anonymity(ARRAY['v'], 1)], masking => ARRAY[by_network('v')]);
SELECT * FROM tds_steps('days', ARRAY[k_anonymity(ARRAY['v'], 1)], masking => ARRAY[by_calendar('v', '{day,hour}')]);
-- a text whose prefixes have more characters together than fit into memory
CREATE TABLE long (v text);
INSERT INTO long VALUES (repeat('x', 100000));
SELECT * FROM tds_steps('long', ARRAY[k_anonymity(ARRAY['v'], 1)], masking => ARRAY[by_prefix('v')]);
SELECT count(*) AS left_behind FROM pg_namespace WHERE nspname IN ('rel', 'rel_private', 'made', 'made_private');
DROP SCHEMA rules CASCADE;
