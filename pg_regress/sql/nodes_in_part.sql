-- Local and clustered recoding divide a node of a taxonomy or a rule in part: the children that keep the models by themselves are split off, and the
-- other rows stay at the node, as long as these keep the models, too. Counted again with plain SQL.
CREATE SCHEMA nip;
SET search_path TO nip, public;
CREATE TABLE flights AS
SELECT row_number() OVER () AS id, dest, (n % 12)::int AS hour, CASE WHEN rare THEN 'late' ELSE (ARRAY['late', 'on time'])[1 + n % 2] END AS delay, CASE WHEN rare THEN n ELSE 100 + n END AS passenger
FROM (VALUES ('BOS', 30, false), ('JFK', 27, false), ('MIA', 3, false), ('LAX', 38, false), ('SEA', 2, false), ('ANC', 3, true), ('HNL', 4, true)) v (dest, many, rare), generate_series(1, many) n;
\set tree '{"any": {"East": ["BOS", "JFK", "MIA"], "West": ["LAX", "SEA"], "Alaska": ["ANC"], "Hawaii": ["HNL"], "Canada": ["YYZ"]}}'
CREATE TABLE zones AS SELECT * FROM taxonomy_of(by_taxonomy_tree('dest', :'tree'), 'flights');
CREATE VIEW above AS WITH RECURSIVE above AS (SELECT child AS value, child AS node FROM zones UNION SELECT a.value, z.parent FROM above a JOIN zones z ON z.child = a.node WHERE z.parent IS NOT NULL) TABLE above;
CREATE FUNCTION make(release text, models privacy_model[], recoding text DEFAULT 'local', steps int DEFAULT NULL) RETURNS jsonb LANGUAGE sql AS $$
  SELECT tds_anonymize('nip.flights', release, models, masking => by_taxonomy('dest', 'nip.zones'), keep => ARRAY['id'], recoding => recoding, max_steps => steps)
$$;

-- What stays at a node is 5 rows at least: 7 at the top; in the East JFK stays beside MIA, because 3 are too few; in the West nothing would be left.
SELECT make('r', ARRAY[k_anonymity(ARRAY['dest'], 5)]) -> 'steps' AS steps;
SELECT step, node, children, records, achieved, groups FROM r_private.steps ORDER BY step;
SELECT node, records FROM r.cut;
SELECT v.dest, array_agg(DISTINCT s.dest) AS destinations, count(*), bool_and(EXISTS (SELECT FROM above WHERE value = s.dest AND node = v.dest)) AS above FROM r.flights v JOIN flights s USING (id) GROUP BY 1 ORDER BY 1;
SELECT model, required, achieved, holds FROM release_verify('r');
SELECT * FROM release_explain('r');
-- By global recoding all or nothing.
SELECT make('g', ARRAY[k_anonymity(ARRAY['dest'], 5)], 'global') -> 'steps' AS steps;
SELECT DISTINCT dest FROM g.flights;

-- Applied to its own rows it is what it is; what is below no child that was split off stays, be it known or not.
SELECT release_apply('r', 'flights', 'applied');
(TABLE applied EXCEPT ALL SELECT id, dest FROM r.flights) UNION ALL (SELECT id, dest FROM r.flights EXCEPT ALL TABLE applied);
CREATE TABLE others AS SELECT * FROM unnest('{1,2,3,4,5,6}'::bigint[], '{BOS,MIA,SEA,YYZ,XXX,NULL}'::text[]) o (id, dest);
SELECT release_apply('r', 'others', 'others_applied');
SELECT id, o.dest, a.dest AS applied FROM others o JOIN others_applied a USING (id) ORDER BY id;

-- Rewound it is what a search is that stops there.
SELECT release_rewind('r', 1) -> 'steps' AS steps, make('stop', ARRAY[k_anonymity(ARRAY['dest'], 5)], steps => 1) -> 'steps' AS stopped;
SELECT count(*) FROM (SELECT id, dest FROM r.flights EXCEPT ALL SELECT id, dest FROM stop.flights) x;
SELECT attribute, node, reason FROM release_explain('r');
SELECT make('r', ARRAY[k_anonymity(ARRAY['dest'], 5)]) -> 'steps' AS steps;

-- A refresh: new rows of a rare child stay where the others of it are, however many; a search splits them off. What no row was before has its place.
INSERT INTO flights SELECT 1000 + n, 'MIA', n % 12, 'late', 500 + n FROM generate_series(1, 30) n UNION ALL SELECT 2000 + n, 'YYZ', n, 'late', 600 + n FROM generate_series(1, 2) n;
SELECT s -> 'steps' AS steps, s -> 'coarser' AS coarser FROM release_refresh(public.again('r')) s;
SELECT s.dest, v.dest AS released, count(*) FROM r.flights v JOIN flights s USING (id) GROUP BY 1, 2 ORDER BY 1;
SELECT release_refresh('r', 'search') -> 'steps' AS steps;
SELECT node, children, records FROM r_private.steps WHERE version = 5 ORDER BY step;
SELECT node, records FROM r.cut;
SELECT holds FROM release_verify('r');
-- What stays breaks a model now: the smallest child goes over, and the others live on.
DELETE FROM flights WHERE dest IN ('ANC', 'YYZ');
SELECT s -> 'steps' AS steps, s -> 'coarser' AS coarser FROM release_refresh(public.again('r')) s;
SELECT version, steps_kept, steps_dropped FROM release_drift('r') ORDER BY version;
SELECT node, children, records FROM r_private.steps WHERE version = 6 ORDER BY step;
SELECT s.dest, v.dest AS released, count(*) FROM r.flights v JOIN flights s USING (id) GROUP BY 1, 2 ORDER BY 1;
SELECT holds FROM release_verify('r');
-- Nothing stays any more: what was split off is all there is, and what comes later is below the node's children again.
DELETE FROM flights WHERE dest = 'HNL';
SELECT make('whole', ARRAY[k_anonymity(ARRAY['dest'], 5)]) -> 'steps' AS steps;
SELECT node, children FROM whole_private.steps ORDER BY step;
SELECT DISTINCT dest FROM whole.flights ORDER BY 1;
INSERT INTO flights SELECT 3000 + n, (ARRAY['ANC', 'HNL'])[1 + n % 2], n, 'late', n % 3 FROM generate_series(1, 6) n;
SELECT s -> 'steps' AS steps, s -> 'coarser' AS coarser FROM release_refresh(public.again('whole')) s;
SELECT s.dest, v.dest AS released, count(*) FROM whole.flights v JOIN flights s USING (id) WHERE s.dest IN ('ANC', 'HNL') GROUP BY 1, 2 ORDER BY 1;

-- Persons: the six rows that would stay are of three, so that the West stays with them.
SELECT count(*) AS rows, count(DISTINCT passenger) AS persons FROM flights WHERE dest IN ('ANC', 'HNL');
SELECT make('p', ARRAY[k_anonymity(ARRAY['dest'], 5, person => 'passenger')]) -> 'steps' AS steps;
SELECT node, children FROM p_private.steps ORDER BY step;
SELECT v.dest, count(*), count(DISTINCT passenger) AS persons FROM p.flights v JOIN flights s USING (id) GROUP BY 1 ORDER BY 1;
SELECT holds FROM release_verify('p');
-- l-diversity: all that would stay were late.
SELECT make('l', ARRAY[k_anonymity(ARRAY['dest'], 5), l_diversity(ARRAY['dest'], 'delay', 2)]) -> 'steps' AS steps;
SELECT v.dest, count(*), count(DISTINCT s.delay) AS l FROM l.flights v JOIN flights s USING (id) GROUP BY 1 ORDER BY 1;
SELECT model, holds FROM release_verify('l');

-- Beside other columns: groups are k rows, and each has its rows' values.
INSERT INTO flights SELECT 4000 + n, (ARRAY['BOS', 'JFK', 'MIA', 'LAX', 'SEA', 'ANC', 'HNL', 'YYZ', NULL])[1 + floor(9 * (n * 7919 % 1000 / 1000.0) ^ 5)::int], n * 31 % 24, (ARRAY['late', 'on time', 'gone'])[1 + n % 3], n % 400 FROM generate_series(1, 1500) n;
CREATE FUNCTION make_all(release text, recoding text) RETURNS jsonb LANGUAGE sql AS $$
  SELECT tds_anonymize('nip.flights', release, ARRAY[k_anonymity(ARRAY['dest', 'hour'], 5, person => 'passenger'), l_diversity(ARRAY['hour'], 'delay', 2)], masking => ARRAY[by_taxonomy('dest', 'nip.zones'), weighted(by_intervals('hour', '0', '24'), 9)],
    keep => ARRAY['id'], recoding => recoding, intervals => 'bounds')
$$;
SELECT (make_all('a', 'local') -> 'steps')::int > 10 AS steps;
SELECT count(*) > 0 AS in_part, count(*) FILTER (WHERE node = 'any') > 0 AS at_the_top FROM a_private.steps WHERE attribute = 'dest' AND node = ANY (children);
CREATE FUNCTION recount(release regnamespace) RETURNS TABLE (rows bigint, persons bool, diverse bool, dest bool, hour bool) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY EXECUTE format('SELECT sum(n)::bigint, bool_and(persons >= 5), bool_and(l >= 2), bool_and(dest), bool_and(hour) FROM (SELECT count(*) AS n, count(DISTINCT passenger) AS persons, count(DISTINCT s.delay) AS l,
    bool_and(CASE WHEN s.dest IS NULL THEN v.dest IS NULL OR v.dest = ''*'' ELSE v.dest = ''*'' OR EXISTS (SELECT FROM nip.above WHERE value = s.dest AND node = v.dest) END) AS dest, bool_and(v.hour_lo <= s.hour AND (s.hour < v.hour_hi OR v.hour_hi = 24 OR s.hour = v.hour_hi)) AS hour
    FROM %s.flights v JOIN nip.flights s USING (id) GROUP BY v.dest, v.hour, v.hour_lo, v.hour_hi) g', release);
END $$;
SELECT * FROM recount('a');
SELECT holds FROM release_verify('a');
SELECT release_apply('a', 'flights', 'a_applied');
SELECT count(*) AS differ FROM (SELECT to_jsonb(x) - 'passenger_person' FROM a_applied x EXCEPT ALL SELECT to_jsonb(x) - 'passenger_person' FROM a.flights x) d;
SELECT s -> 'coarser' AS coarser FROM release_refresh(public.again('a')) s;
SELECT count(*) AS differ FROM (SELECT to_jsonb(x) - '{version,hidden_1}'::text[] FROM a_private.rows_v2 x EXCEPT ALL SELECT to_jsonb(x) - '{version,hidden_1}'::text[] FROM a_private.rows_v1 x) d;
SELECT (make_all('c', 'clustered') -> 'steps')::int > 10 AS steps;
SELECT * FROM recount('c');
SELECT holds FROM release_verify('c');
-- What stays may be divided once more, where another column has divided it: what was split off before is none of its children.
CREATE TABLE again AS SELECT row_number() OVER () AS id, dest, side FROM (VALUES ('BOS', 20, 'a'), ('BOS', 20, 'b'), ('ANC', 3, 'a'), ('HNL', 3, 'a'), ('HNL', 5, 'b')) v (dest, many, side), generate_series(1, many) n;
SELECT tds_anonymize('again', 'w', k_anonymity(ARRAY['dest', 'side'], 5), masking => weighted(by_taxonomy('dest', 'nip.zones'), 9), keep => ARRAY['id'], recoding => 'local') -> 'steps' AS steps;
SELECT step, attribute, node, children, records FROM w_private.steps ORDER BY step;
SELECT v.dest, v.side, array_agg(DISTINCT s.dest || s.side) AS rows, count(*) FROM w.again v JOIN again s USING (id) GROUP BY 1, 2 ORDER BY 1, 2;
SELECT release_apply('w', 'again', 'w_applied');
SELECT count(*) AS differ FROM (SELECT id, dest, side FROM w_applied EXCEPT ALL SELECT id, dest, side FROM w.again) d;
SELECT s -> 'steps' AS steps, s -> 'coarser' AS coarser FROM release_refresh(public.again('w')) s;
SELECT release_rewind('w', 2) -> 'steps' AS steps;
SELECT dest, side, count(*) FROM w.again GROUP BY 1, 2 ORDER BY 1, 2;
-- A rule's nodes, too.
CREATE TABLE codes AS SELECT i AS id, CASE WHEN i <= 3 THEN '99999' ELSE (ARRAY['47901', '47906', '10115', '10117', '10119', '20000'])[1 + i % 6] END AS zip FROM generate_series(1, 100) i;
SELECT tds_anonymize('codes', 'z', k_anonymity(ARRAY['zip'], 10), masking => by_prefix('zip'), keep => ARRAY['id'], recoding => 'local') -> 'steps' AS steps;
SELECT step, node, children, records FROM z_private.steps ORDER BY step;
SELECT node, records FROM z.cut;
SELECT bool_and(s.zip LIKE rtrim(v.zip, '*') || '%') AS within, count(*) FROM z.codes v JOIN codes s USING (id);
SELECT release_refresh(public.again('z')) -> 'steps' AS steps;
SELECT release_apply('z', 'codes', 'z_applied');
SELECT count(*) AS differ FROM (SELECT id, zip FROM z_applied EXCEPT ALL SELECT id, zip FROM z.codes) d;
SELECT count(release_drop(release)) AS dropped FROM unnest('{r,g,stop,whole,p,l,a,c,w,z}'::text[]) release;
DROP SCHEMA nip CASCADE;
