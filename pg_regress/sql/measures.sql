-- release_measures and release_risk: by hand, and recomputed in plain SQL from the view, the cut, the taxonomy and, for the entropy, the
-- source; who may call; bad input.
CREATE SCHEMA m;
SET search_path TO m, public;

\echo By hand
-- {0,1,2} and {10,11,13} of width 13, k = 3: IL = 3 * 2/13 + 3 * 3/13 = 15/13. NTIL = 15/13 / 6 = .192308, NIL1 = 5/13 / 2 = .192308, NILinf = 3/13 = .230769,
-- DM = 9 + 9, n/u = 3, AVG = 3/3. All three of a group may be any of its three values: log2(3/1) of log2(6/1) bits are lost: .613147
CREATE TABLE small (a int);
INSERT INTO small VALUES (0), (1), (2), (10), (11), (13);
SELECT FROM kmember_anonymize('small', 'hand', ARRAY['a'], 3, endpoints => 'values');
SELECT measure, round(value::numeric, 6) AS value FROM release_measures('hand') WHERE measure !~ ':' ORDER BY measure;
-- two groups of 3: 1/3 is above 0.2, not above 1/3 itself; the marketer finds 2 of 6
SELECT attacker, records_at_risk, round(highest_risk::numeric, 6) AS highest, round(average_risk::numeric, 6) AS average FROM release_risk('hand') ORDER BY 1;
SELECT attacker, records_at_risk FROM release_risk('hand', 1 / 3::float8) ORDER BY 1;
SELECT attacker, records_at_risk FROM release_risk('hand', threshold => 0.33) ORDER BY 1;
-- sizes 3 and 2: with (0,1,6,9,10) and k = 2, [0,1] 2 and [6,10] 3: NTIL (2 * 1/10 + 3 * 4/10) / 5 = .28, NIL1 (.1 + .4)/2 = .25, NILinf .4, DM 4 + 9,
-- n/u 2.5, AVG 1.25; of the 5 rows 2 are in the pair: highest 1/2, average 2/5; above 0.4 are the pair's 2 of 5
TRUNCATE small;
INSERT INTO small VALUES (0), (1), (6), (9), (10);
SELECT FROM kmember_anonymize('small', 'hand', ARRAY['a'], 2, endpoints => 'values', allow_weaker => true);
SELECT measure, round(value::numeric, 6) AS value FROM release_measures('hand') WHERE measure IN ('ntil', 'nil_1', 'nil_inf', 'discernibility', 'average_class_size', 'avg', 'groups', 'smallest_group') ORDER BY measure;
SELECT t AS threshold, attacker, round(records_at_risk::numeric, 6) AS at_risk, round(highest_risk::numeric, 6) AS highest, round(average_risk::numeric, 6) AS average
FROM unnest(ARRAY[0, 0.3, 0.4, 0.5, 1]) t, release_risk('hand', t) ORDER BY 1, 2;

\echo Recomputed
-- What is known of a masked column, from how it was asked to be masked: 'tree' (of labels), 'sizes' (a tree of intervals), 'line' (intervals, with the ends of
-- its domain, else of the data) or 'apart' (suppression).
CREATE TABLE known (release text, attribute text, kind text, lower float8, upper float8);
-- Of each published value: its loss (Definition 7), its certainty penalty, its height in its tree by the tree's, and whether it is suppressed.
CREATE FUNCTION label_values(rel text, label text) RETURNS TABLE (attribute text, value text, loss float8, penalty float8, height float8, suppressed boolean) LANGUAGE plpgsql AS
$$
BEGIN
  RETURN QUERY EXECUTE format($q$
  WITH RECURSIVE tree AS (SELECT * FROM %1$I_private.taxonomy WHERE version = (SELECT max(version) FROM %1$I_private.manifest)),
    nulls AS (SELECT DISTINCT attribute FROM tree WHERE node IS NULL),
    -- what is below a node, NULL aside; the column's own top is below * where there are NULLs
    below AS (SELECT attribute, node AS top, node, 0 AS down FROM tree WHERE node IS NOT NULL
              UNION ALL SELECT b.attribute, b.top, t.node, b.down + 1 FROM below b JOIN tree t ON t.attribute = b.attribute AND t.parent = b.node WHERE t.node IS NOT NULL),
    leaf AS (SELECT attribute, node FROM tree t WHERE node IS NOT NULL AND NOT EXISTS (SELECT FROM tree u WHERE (u.attribute, u.parent) = (t.attribute, t.node))),
    counted AS (SELECT attribute, top, count(*) FILTER (WHERE (attribute, node) IN (TABLE leaf))::float8 AS leaves, max(down)::float8 AS height FROM below GROUP BY 1, 2),
    own AS (SELECT t.attribute, t.node, c.leaves, c.height, t.lower, t.upper FROM tree t JOIN counted c ON (c.attribute, c.top) = (t.attribute, t.node)
            WHERE t.depth = CASE WHEN t.attribute IN (TABLE nulls) THEN 1 ELSE 0 END),
    ends AS (SELECT c.attribute, c.node, k.kind, c.node = %2$L AND c.lower IS NULL AND c.upper IS NULL AS anything,
               coalesce(c.lower::float8, k.lower) AS lower,
               -- of whole numbers the last that lies within: an end that does not belong to the interval is one more
               coalesce(CASE WHEN c.attribute = 'hours' OR c.node ~ '\]$' THEN c.upper::float8 WHEN c.node ~ '\)$' THEN c.upper::float8 - 1 ELSE c.lower::float8 END, k.upper) AS upper,
               k.upper - k.lower AS width
             FROM %1$I.cut c JOIN m.known k ON k.release = %1$L AND k.attribute = c.attribute WHERE kind IN ('line', 'apart') AND node IS NOT NULL)
  SELECT attribute, node, l, l, CASE WHEN kind = 'apart' THEN l END, anything
  FROM (SELECT *, CASE WHEN anything THEN 1 WHEN kind = 'apart' THEN 0 ELSE coalesce((upper - lower) / nullif(width, 0), 0) END::float8 AS l FROM ends) ends
  UNION ALL
  SELECT t.attribute, t.node,
         CASE WHEN t.depth = 0 AND t.attribute IN (TABLE nulls) THEN 1 WHEN k.kind = 'sizes' THEN (t.upper::float8 - t.lower::float8) / (o.upper::float8 - o.lower::float8)
              ELSE coalesce((c.leaves - 1) / nullif(o.leaves - 1, 0), 0) END,
         CASE WHEN t.depth = 0 AND t.attribute IN (TABLE nulls) THEN 1 WHEN k.kind = 'sizes' THEN (t.upper::float8 - t.lower::float8) / (o.upper::float8 - o.lower::float8)
              ELSE coalesce((c.leaves - 1) / nullif(o.leaves - 1, 0), 0) END,
         CASE WHEN t.depth = 0 AND t.attribute IN (TABLE nulls) THEN 1 ELSE coalesce(c.height / nullif(o.height, 0), 0) END, t.depth = 0 AND t.attribute IN (TABLE nulls)
  FROM tree t JOIN m.known k ON k.release = %1$L AND k.attribute = t.attribute AND k.kind IN ('tree', 'sizes') JOIN counted c ON (c.attribute, c.top) = (t.attribute, t.node) JOIN own o ON o.attribute = t.attribute
  UNION ALL
  SELECT attribute, NULL, 0, 0, CASE WHEN kind <> 'line' THEN 0 END, false FROM m.known WHERE release = %1$L
  $q$, rel, label);
END $$;
-- All measures, given the class and the least k.
CREATE FUNCTION recomputed(rel text, relation text, class text, k int, label text DEFAULT '*') RETURNS TABLE (measure text, value float8) LANGUAGE plpgsql AS
$$
BEGIN
  CREATE TEMP TABLE published ON COMMIT DROP AS SELECT NULL::jsonb AS r LIMIT 0;
  EXECUTE format('INSERT INTO published SELECT to_jsonb(v) FROM %I.%I v', rel, relation);
  CREATE TEMP TABLE worth ON COMMIT DROP AS SELECT * FROM label_values(rel, label);
  CREATE TEMP TABLE cell ON COMMIT DROP AS
    WITH names AS (SELECT array_agg(attribute) AS names FROM known WHERE release = rel),
      class AS (SELECT (SELECT jsonb_object_agg(key, v) FROM jsonb_each(r) e (key, v), names WHERE key = ANY (names)) AS id, count(*)::float8 AS n FROM published GROUP BY 1)
    SELECT id, n, w.* FROM class, LATERAL (SELECT key AS a, v #>> '{}' AS v FROM jsonb_each(id) e (key, v)) e LEFT JOIN worth w ON w.attribute = a AND w.value IS NOT DISTINCT FROM e.v;
  IF EXISTS (SELECT FROM cell WHERE loss IS NULL) THEN RETURN QUERY SELECT 'unknown value', NULL::float8; END IF;
  RETURN QUERY
    WITH classes AS (SELECT DISTINCT id, n FROM cell), total AS (SELECT sum(n) AS rows, count(*)::float8 AS u FROM classes), p AS (SELECT count(*)::float8 AS p FROM known WHERE release = rel)
    SELECT 'ntil', sum(n * loss) / rows / p FROM cell, total, p GROUP BY rows, p
    UNION ALL SELECT 'ntil:' || attribute, sum(n * loss) / rows FROM cell, total GROUP BY attribute, rows
    UNION ALL SELECT 'nil_1', sum(loss) / u / p FROM cell, total, p GROUP BY u, p
    UNION ALL SELECT 'nil_inf', sum(most) / max(p) FROM (SELECT max(loss) AS most FROM cell GROUP BY attribute) a, p
    UNION ALL SELECT 'discernibility', sum(n * n) FROM classes
    UNION ALL SELECT 'average_class_size', rows / u FROM total
    UNION ALL SELECT 'avg', rows / u / k FROM total WHERE k IS NOT NULL
    UNION ALL SELECT 'groups', u FROM total
    UNION ALL SELECT 'smallest_group', min(n) FROM classes
    UNION ALL SELECT 'suppressed_cells', coalesce(sum(n) FILTER (WHERE suppressed), 0) FROM cell
    UNION ALL SELECT 'normalized_certainty_penalty', sum(n * penalty) / rows / p FROM cell, total, p GROUP BY rows, p
    -- 1 - the mean height of the cells that have one
    UNION ALL SELECT 'precision', 1 - sum(n * height) / sum(n) FROM cell WHERE height IS NOT NULL HAVING count(*) > 0
    -- the mean over the rows of log2 (share in the group / share in all)
    UNION ALL SELECT 'class_kl_divergence', avg(log(2, ((of_both / of_group) / (of_class / n))::numeric))::float8 FROM
      (SELECT count(*) OVER (PARTITION BY g, c)::float8 AS of_both, count(*) OVER (PARTITION BY g)::float8 AS of_group, count(*) OVER (PARTITION BY c)::float8 AS of_class, count(*) OVER ()::float8 AS n
       FROM (SELECT (SELECT jsonb_object_agg(key, v) FROM jsonb_each(r) e (key, v) WHERE key IN (SELECT attribute FROM known WHERE release = rel)) AS g, coalesce(r -> class, 'null') AS c FROM published) r) s
      WHERE class IS NOT NULL HAVING count(*) > 0;
  DROP TABLE published, worth, cell;
END $$;
-- Bits lost of a column: rows that the published value may stand for, by those that hold the value; people are known again by their id.
CREATE FUNCTION entropy(rel text, source text, a text, may_be text) RETURNS float8 LANGUAGE plpgsql AS
$$
DECLARE result float8;
BEGIN
  EXECUTE format($q$
    SELECT coalesce(sum(log(2, (within / held::float8)::numeric)) / nullif(sum(log(2, (rows / held::float8)::numeric)), 0), 0) FROM (
      SELECT r.id, (SELECT count(*) FROM m.%2$I s WHERE s.%3$I IS NOT DISTINCT FROM p.%3$I) AS held,
             (SELECT count(*) FROM m.%2$I s LEFT JOIN %1$I.%2$I q ON q.id = s.id WHERE %4$s) AS within, (SELECT count(*) FROM m.%2$I) AS rows
      FROM %1$I.%2$I r JOIN m.%2$I p ON p.id = r.id) cells
    $q$, rel, source, a, may_be) INTO result;
  RETURN result;
END $$;
-- What only one of two says, or both, but not the same: nothing.
CREATE FUNCTION differing(rel text, relation text, class text DEFAULT NULL, k int DEFAULT NULL, label text DEFAULT '*') RETURNS TABLE (measure text, released float8, recomputed float8) LANGUAGE sql AS
$$ SELECT coalesce(a.measure, b.measure), a.value, b.value FROM release_measures(rel) a FULL JOIN recomputed(rel, relation, class, k, label) b ON a.measure = b.measure
   WHERE coalesce(a.measure, b.measure) !~ '^non_uniform_entropy' AND (a.value IS NULL OR b.value IS NULL OR abs(a.value - b.value) > 1e-9 * greatest(1, abs(b.value)) OR a.value = 'NaN') ORDER BY 1 $$;
CREATE FUNCTION numbers(rel text) RETURNS text LANGUAGE sql AS
$$ SELECT string_agg(measure || ' ' || round(value::numeric, 4), ', ' ORDER BY measure) FROM release_measures(rel) $$;
-- Three attackers: a row's risk is 1 by its group's rows; the marketer's is groups by rows.
CREATE FUNCTION risks_differing(rel text, relation text) RETURNS TABLE (threshold float8, attacker text, at_risk float8, highest float8, average float8) LANGUAGE plpgsql AS
$$
DECLARE names text := (SELECT string_agg(quote_ident(attribute), ', ') FROM known WHERE release = rel);
BEGIN
  RETURN QUERY EXECUTE format($q$
    WITH groups AS (SELECT count(*)::float8 AS n FROM %1$I.%2$I GROUP BY %3$s), t (threshold) AS (SELECT unnest(ARRAY[0, 0.05, 0.1, 0.2, 1 / 3.0, 0.5, 1]::float8[])),
      own AS (SELECT threshold, coalesce(sum(n) FILTER (WHERE 1 / n > threshold), 0) / sum(n) AS at_risk, max(1 / n) AS highest, count(*) / sum(n) AS average FROM groups, t GROUP BY threshold),
      expected AS (SELECT threshold, a, at_risk, highest, average FROM own, unnest(ARRAY['prosecutor', 'journalist']) a
                   UNION ALL SELECT threshold, 'marketer', (average > threshold)::int, average, average FROM own),
      found AS (SELECT t.threshold, r.* FROM t, release_risk(%1$L, t.threshold) r)
    SELECT coalesce(f.threshold, e.threshold), f.attacker, f.records_at_risk, f.highest_risk, f.average_risk FROM found f FULL JOIN expected e ON e.threshold = f.threshold AND e.a = f.attacker
    WHERE (abs(f.records_at_risk - e.at_risk) < 1e-12 AND abs(f.highest_risk - e.highest) < 1e-12 AND abs(f.average_risk - e.average) < 1e-12) IS NOT TRUE
    $q$, rel, relation, names);
END $$;

CREATE TABLE people (id int PRIMARY KEY, age int, hours numeric, city text, job text, edu int, income text);
SELECT setseed(0.125);
INSERT INTO people SELECT i, 17 + (70 * random() * random())::int, round((10 + 60 * random())::numeric, 1), 'c' || (8 * random() * random())::int, 'j' || (4 * random())::int, 1 + (15 * random())::int, NULL FROM generate_series(1, 150) i;
UPDATE people SET income = CASE WHEN age + edu * 3 + random() * 20 > 65 THEN 'high' ELSE 'low' END;
CREATE TABLE city_tree (child text, parent text);
INSERT INTO city_tree VALUES ('c0', 'N'), ('c1', 'N'), ('c2', 'N'), ('c3', 'W'), ('c4', 'W'), ('W', 'S'), ('c5', 'S'), ('c6', 'S'), ('N', 'all'), ('S', 'all'), ('c7', 'far'), ('c8', 'far'), ('far', 'all'), ('c9', 'all');
CREATE TABLE edu_tree AS SELECT * FROM taxonomy_build('people', 'edu', 'iotf', '{"lower": 0, "upper": 20}');
CREATE FUNCTION know(rel text, age_lower float8 DEFAULT NULL, age_upper float8 DEFAULT NULL) RETURNS void LANGUAGE sql AS
$$ INSERT INTO known SELECT rel, 'age', 'line', coalesce(age_lower, (SELECT min(age) FROM people)), coalesce(age_upper, (SELECT max(age) FROM people))
   UNION ALL SELECT rel, 'city', 'tree', NULL, NULL UNION ALL SELECT rel, 'job', 'apart', NULL, NULL UNION ALL SELECT rel, 'edu', 'sizes', NULL, NULL $$;
CREATE FUNCTION masks() RETURNS masking[] LANGUAGE sql AS $$ SELECT ARRAY[by_taxonomy('city', 'm.city_tree'), by_taxonomy('edu', 'm.edu_tree')] $$;
\set model 'k_anonymity(ARRAY[\'age\', \'city\', \'job\', \'edu\'], 4)'
-- open ends, labels
SELECT result -> 'steps' <> '0' AS refined FROM tds_anonymize('people', 'tds', ARRAY[:model], class => 'income', masking => masks(), keep => ARRAY['id'], endpoints => 'values') result;
SELECT know('tds');
SELECT * FROM differing('tds', 'people', 'income', 4);
SELECT numbers('tds');
SELECT * FROM risks_differing('tds', 'people');
-- the entropy of each column and of all, what is published being what rows are told apart by
CREATE FUNCTION entropies_differing(rel text, source text, may_be jsonb) RETURNS TABLE (measure text, released float8, recomputed float8) LANGUAGE sql AS
$$ WITH own AS (SELECT key AS a, entropy(rel, source, key, v) AS e FROM jsonb_each_text(may_be) b (key, v)),
     expected AS (SELECT 'non_uniform_entropy:' || a AS measure, e AS value FROM own UNION ALL SELECT 'non_uniform_entropy', avg(e) FROM own)
   SELECT coalesce(f.measure, e.measure), f.value, e.value FROM (SELECT * FROM release_measures(rel) WHERE measure ~ '^non_uniform_entropy') f FULL JOIN expected e USING (measure)
   WHERE (abs(f.value - e.value) < 1e-9) IS NOT TRUE $$;
\set same_published '{"age": "q.age IS NOT DISTINCT FROM r.age", "city": "q.city IS NOT DISTINCT FROM r.city", "job": "q.job IS NOT DISTINCT FROM r.job", "edu": "q.edu IS NOT DISTINCT FROM r.edu"}'
SELECT * FROM entropies_differing('tds', 'people', :'same_published');
-- nothing refined: all is lost; everything refined that can be: k = 1
SELECT FROM tds_anonymize('people', 'top', ARRAY[:model], class => 'income', masking => masks(), keep => ARRAY['id'], max_steps => 0, endpoints => 'values');
SELECT know('top');
SELECT * FROM differing('top', 'people', 'income', 4);
SELECT * FROM entropies_differing('top', 'people', :'same_published');
SELECT numbers('top');
SELECT * FROM risks_differing('top', 'people');
SELECT FROM tds_anonymize('people', 'bottom', ARRAY[k_anonymity(ARRAY['age', 'city', 'job', 'edu'], 1)], masking => masks(), keep => ARRAY['id'], endpoints => 'values');
SELECT know('bottom');
SELECT * FROM differing('bottom', 'people', NULL, 1);
SELECT * FROM entropies_differing('bottom', 'people', :'same_published');
SELECT * FROM risks_differing('bottom', 'people');
-- bounds of the domain given, as bounds; another label for the suppressed
SELECT FROM tds_anonymize('people', 'bounds', ARRAY[:model], class => 'income', masking => masks() || by_intervals('age', '0', '120'), keep => ARRAY['id'], intervals => 'bounds', suppressed => 'hidden', endpoints => 'values');
SELECT know('bounds', 0, 120);
SELECT * FROM differing('bounds', 'people', 'income', 4, 'hidden');
SELECT * FROM entropies_differing('bounds', 'people', :'same_published');
-- ranges: the same figures as labels, with a domain and without, refined and not
CREATE FUNCTION like_labels(models privacy_model[], masks masking[], steps int DEFAULT NULL) RETURNS TABLE (measure text, labels float8, ranges float8) LANGUAGE plpgsql AS
$$
BEGIN
  DROP SCHEMA IF EXISTS l, l_private, r, r_private CASCADE;
  PERFORM tds_anonymize('people', 'l', models, class => 'income', masking => masks, max_steps => steps, endpoints => 'values');
  PERFORM tds_anonymize('people', 'r', models, class => 'income', masking => masks, max_steps => steps, intervals => 'range', endpoints => 'values');
  RETURN QUERY SELECT coalesce(a.measure, b.measure), a.value, b.value FROM release_measures('l') a FULL JOIN release_measures('r') b ON a.measure = b.measure WHERE (abs(a.value - b.value) < 1e-9) IS NOT TRUE;
END $$;
SELECT * FROM like_labels(ARRAY[:model], masks());
SELECT * FROM like_labels(ARRAY[:model], masks(), 0);
SELECT * FROM like_labels(ARRAY[:model], masks() || by_intervals('age', '0', '120'));
SELECT * FROM like_labels(ARRAY[:model], masks() || by_intervals('age', '0', '120'), 0);
SELECT * FROM like_labels(ARRAY[k_anonymity(ARRAY['age', 'hours'], 5)], ARRAY[by_intervals('hours', '0', '99.9')]);
-- two models: avg is by the smaller k, classes are by all the masked columns; no class
SELECT FROM tds_anonymize('people', 'two', ARRAY[k_anonymity(ARRAY['age', 'city'], 9), k_anonymity(ARRAY['job', 'edu'], 6), l_diversity(ARRAY['age'], 'income', 2)], masking => masks(), keep => ARRAY['id'], endpoints => 'values');
SELECT know('two');
SELECT * FROM differing('two', 'people', NULL, 6);
SELECT * FROM entropies_differing('two', 'people', :'same_published');
SELECT * FROM risks_differing('two', 'people');
-- intervals alone: no precision; one value alone: nothing is lost
SELECT FROM tds_anonymize('people', 'lines', ARRAY[k_anonymity(ARRAY['hours'], 10)], class => 'income', endpoints => 'values');
INSERT INTO known SELECT 'lines', 'hours', 'line', min(hours), max(hours) FROM people;
SELECT * FROM differing('lines', 'people', 'income', 10);
CREATE TABLE alike (id int, age int, city text);
INSERT INTO alike SELECT i, 30, 'c1' FROM generate_series(1, 10) i;
SELECT FROM tds_anonymize('alike', 'tds_alike', ARRAY[k_anonymity(ARRAY['age', 'city'], 2)], endpoints => 'values');
INSERT INTO known VALUES ('tds_alike', 'age', 'line', 30, 30), ('tds_alike', 'city', 'apart', NULL, NULL);
SELECT * FROM differing('tds_alike', 'alike', NULL, 2);
SELECT FROM kmember_anonymize('alike', 'k_alike', ARRAY['age', 'city'], 2, endpoints => 'values');
INSERT INTO known VALUES ('k_alike', 'age', 'line', 30, 30), ('k_alike', 'city', 'apart', NULL, NULL);
SELECT * FROM differing('k_alike', 'alike', NULL, 2);

\echo NULLs
CREATE TABLE people_all AS TABLE people;
UPDATE people SET age = NULL WHERE id % 8 = 0;
UPDATE people SET city = NULL WHERE id % 9 = 0;
UPDATE people SET job = NULL WHERE id % 10 = 0;
UPDATE people SET edu = NULL, income = NULL WHERE id % 7 = 0;
SELECT FROM tds_anonymize('people', 'nulls', ARRAY[:model], class => 'income', masking => masks(), keep => ARRAY['id'], endpoints => 'values');
SELECT know('nulls');
SELECT * FROM differing('nulls', 'people', 'income', 4);
SELECT * FROM entropies_differing('nulls', 'people', :'same_published');
SELECT * FROM risks_differing('nulls', 'people');
SELECT FROM tds_anonymize('people', 'nulls_top', ARRAY[:model], class => 'income', masking => masks(), keep => ARRAY['id'], max_steps => 0, endpoints => 'values');
SELECT know('nulls_top');
SELECT * FROM differing('nulls_top', 'people', 'income', 4);
SELECT count(*) > 0 AS nulls_published, count(*) FILTER (WHERE age = '*') > 0 AS suppressed FROM nulls.people WHERE age IS NULL OR age = '*';
SELECT * FROM like_labels(ARRAY[:model], masks());
SELECT * FROM like_labels(ARRAY[:model], masks(), 0);
SELECT * FROM like_labels(ARRAY[k_anonymity(ARRAY['age', 'hours'], 5)], ARRAY[by_intervals('age', '0', '120')]);
\set clusters '{"age": "CASE WHEN r.age IS NULL THEN s.age IS NULL WHEN r.age = ''*'' THEN true WHEN r.age ~ ''^.\\\\d'' AND r.age ~ '','' THEN s.age BETWEEN substring(r.age, ''\\\\d+'')::int AND substring(r.age, '',(\\\\d+)'')::int ELSE s.age::text = r.age END", "city": "CASE WHEN r.city IS NULL THEN s.city IS NULL WHEN r.city = ''*'' THEN true ELSE s.city IN (WITH RECURSIVE b AS (SELECT r.city AS n UNION SELECT child FROM m.city_tree, b WHERE parent = n) SELECT n FROM b) END", "job": "CASE WHEN r.job IS NULL THEN s.job IS NULL WHEN r.job = ''*'' THEN true ELSE s.job = r.job END", "edu": "CASE WHEN r.edu IS NULL THEN s.edu IS NULL WHEN r.edu = ''*'' THEN true ELSE s.edu BETWEEN (SELECT lower::int FROM m.edu_tree WHERE child = r.edu) AND (SELECT upper::int FROM m.edu_tree WHERE child = r.edu) END"}'
SELECT FROM kmember_anonymize('people', 'k_nulls', ARRAY['age', 'city', 'job', 'edu'], 4, masks(), keep => ARRAY['id'], endpoints => 'values');
SELECT know('k_nulls');
SELECT * FROM differing('k_nulls', 'people', NULL, 4);
SELECT * FROM entropies_differing('k_nulls', 'people', :'clusters');
SELECT * FROM risks_differing('k_nulls', 'people');

\echo k-member
UPDATE people p SET (age, hours, city, job, edu, income) = (SELECT age, hours, city, job, edu, income FROM people_all a WHERE a.id = p.id);
SELECT FROM kmember_anonymize('people', 'k_trees', ARRAY['age', 'city', 'job', 'edu'], 4, masks(), keep => ARRAY['id'], endpoints => 'values');
SELECT know('k_trees');
SELECT * FROM differing('k_trees', 'people', NULL, 4);
SELECT * FROM entropies_differing('k_trees', 'people', :'clusters');
SELECT numbers('k_trees');
SELECT * FROM risks_differing('k_trees', 'people');
-- without hierarchies, and with the domain's bounds: the loss is by the domain's width
SELECT FROM kmember_anonymize('people', 'k_free', ARRAY['age', 'edu', 'hours'], 5, keep => ARRAY['id'], endpoints => 'values');
INSERT INTO known SELECT 'k_free', 'age', 'line', min(age), max(age) FROM people UNION ALL SELECT 'k_free', 'edu', 'line', min(edu), max(edu) FROM people UNION ALL SELECT 'k_free', 'hours', 'line', min(hours), max(hours) FROM people;
SELECT * FROM differing('k_free', 'people', NULL, 5);
SELECT numbers('k_free');
SELECT * FROM risks_differing('k_free', 'people');
SELECT FROM kmember_anonymize('people', 'k_bounds', ARRAY['age', 'city', 'job', 'edu'], 4, masks() || by_intervals('age', '0', '120'), keep => ARRAY['id'], endpoints => 'values');
SELECT know('k_bounds', 0, 120);
SELECT * FROM differing('k_bounds', 'people', NULL, 4);
-- the newest version counts
SELECT FROM kmember_anonymize('people', 'k_free', ARRAY['age', 'edu', 'hours'], 30, keep => ARRAY['id'], endpoints => 'values');
SELECT * FROM differing('k_free', 'people', NULL, 30);
SELECT * FROM risks_differing('k_free', 'people');
-- what hierarchies cost (Definition 8): free is never above the trees of the same rows and k here
SELECT FROM kmember_anonymize('people', 'k_edu_free', ARRAY['edu'], 3, endpoints => 'values');
SELECT FROM kmember_anonymize('people', 'k_edu_tree', ARRAY['edu'], 3, ARRAY[by_taxonomy('edu', 'edu_tree')], endpoints => 'values');
SELECT (SELECT value FROM release_measures('k_edu_free') WHERE measure = 'ntil') <= (SELECT value FROM release_measures('k_edu_tree') WHERE measure = 'ntil') AS free_is_best;

\echo PDA
SELECT FROM pda_anonymize('people', 'pda', ARRAY[confidence_bound(ARRAY['city', 'job'], 'income', ARRAY['high'], 0.7)], 'income', keep => ARRAY['id'], endpoints => 'values');
INSERT INTO known VALUES ('pda', 'city', 'apart', NULL, NULL), ('pda', 'job', 'apart', NULL, NULL);
SELECT * FROM differing('pda', 'people', 'income', NULL);
SELECT * FROM entropies_differing('pda', 'people', '{"city": "q.city IS NOT DISTINCT FROM r.city", "job": "q.job IS NOT DISTINCT FROM r.job"}');
SELECT numbers('pda');
SELECT * FROM risks_differing('pda', 'people');

\echo Dates, and numbers beyond
-- 2020-01-01, -03, -05 and 2020-01-11 twice of ten days, k = 2: [01,03] 2, the 11s 2, then 05: 3 * 4/10 - 2 * 2/10 = .8 with the first, 3 * 6/10 = 1.8 with the 11s. NTIL 3 * 4/10 / 5 = .24
CREATE TABLE days (d date);
INSERT INTO days VALUES ('2020-01-01'), ('2020-01-03'), ('2020-01-05'), ('2020-01-11'), ('2020-01-11');
SELECT FROM kmember_anonymize('days', 'k_days', ARRAY['d'], 2, endpoints => 'values');
SELECT measure, round(value::numeric, 6) AS value FROM release_measures('k_days') WHERE measure IN ('ntil', 'nil_1', 'nil_inf') ORDER BY 1;
CREATE TABLE wide (f float8);
INSERT INTO wide VALUES (-1.7e308), (-1.6e308), (0), (1), (1.6e308), (1.7e308);
SELECT FROM kmember_anonymize('wide', 'k_wide', ARRAY['f'], 2, endpoints => 'values');
SELECT measure, value FROM release_measures('k_wide') WHERE measure IN ('ntil', 'nil_1', 'nil_inf', 'normalized_certainty_penalty', 'non_uniform_entropy') AND value NOT BETWEEN 0 AND 1;

\echo Who may call
CREATE ROLE regress_m_owner;
CREATE ROLE regress_m_member IN ROLE regress_m_owner;
CREATE ROLE regress_m_reader;
CREATE ROLE regress_m_super SUPERUSER;
GRANT USAGE ON SCHEMA m TO regress_m_owner, regress_m_reader;
GRANT SELECT ON people TO regress_m_owner;
GRANT CREATE ON DATABASE contrib_regression TO regress_m_owner;
GRANT EXECUTE ON FUNCTION kmember_anonymize, release_grant TO regress_m_owner;
SET ROLE regress_m_owner;
SELECT FROM kmember_anonymize('people', 'owned', ARRAY['age'], 5, endpoints => 'values');
SELECT release_grant('owned', 'regress_m_reader');
SELECT count(*) > 10 AS measures FROM release_measures('owned');
SELECT count(*) AS attackers FROM release_risk('owned');
RESET ROLE;
SET ROLE regress_m_member;
SELECT count(*) > 10 AS measures FROM release_measures('owned');
SELECT count(*) AS attackers FROM release_risk('owned');
RESET ROLE;
SET ROLE regress_m_super;
SELECT count(*) > 10 AS measures FROM release_measures('owned');
SELECT count(*) AS attackers FROM release_risk('owned');
RESET ROLE;
SET ROLE regress_m_reader;
SELECT count(*) FROM owned.people;
SELECT release_measures('owned');
SELECT release_risk('owned');
RESET ROLE;

\echo Bad input
SELECT release_risk('tds', -0.1);
SELECT release_risk('tds', 1.1);
SELECT release_risk('tds', 'NaN');
SELECT release_risk('tds', 'Infinity');
SELECT release_risk('tds', NULL);
SELECT release_risk(NULL);
SELECT release_risk('nowhere');
SELECT release_risk('m');
SELECT release_measures(NULL);
SELECT release_measures('nowhere');
SELECT release_measures('m');
SELECT release_measures('pg_catalog');

DROP SCHEMA hand, hand_private, tds, tds_private, top, top_private, bottom, bottom_private, bounds, bounds_private, l, l_private, r, r_private, two, two_private, lines, lines_private, tds_alike, tds_alike_private, k_alike, k_alike_private, nulls, nulls_private, nulls_top, nulls_top_private, k_nulls, k_nulls_private, k_trees, k_trees_private, k_free, k_free_private, k_bounds, k_bounds_private, k_edu_free, k_edu_free_private, k_edu_tree, k_edu_tree_private, pda, pda_private, k_days, k_days_private, k_wide, k_wide_private, owned, owned_private, m CASCADE;
REVOKE CREATE ON DATABASE contrib_regression FROM regress_m_owner;
DROP OWNED BY regress_m_owner, regress_m_reader;
DROP ROLE regress_m_owner, regress_m_member, regress_m_reader, regress_m_super;
