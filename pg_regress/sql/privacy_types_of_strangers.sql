-- Threat: borrowed rights. Types are somebody's code: casts to text, checks of domains, the difference of a range. None of it is called
-- with the rights of who makes or measures a release of a table that has columns of such types.
CREATE ROLE regress_types;
CREATE SCHEMA types;
GRANT ALL ON SCHEMA types TO regress_types;
SET search_path TO types, public;
SET ROLE regress_types;
CREATE FUNCTION said(what text) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN IF current_user <> 'regress_types' THEN RAISE WARNING '% runs as %', what, current_user; END IF; RETURN true; END $$;
CREATE TYPE mood AS ENUM ('bad', 'good');
CREATE FUNCTION mood_text(mood) RETURNS text LANGUAGE plpgsql AS $$ BEGIN PERFORM types.said('a cast'); RETURN 'cast'; END $$;
CREATE CAST (mood AS text) WITH FUNCTION mood_text(mood) AS ASSIGNMENT;
CREATE FUNCTION mood_json(mood) RETURNS json LANGUAGE plpgsql AS $$ BEGIN PERFORM types.said('a cast to json'); RETURN '"cast"'; END $$;
CREATE CAST (mood AS json) WITH FUNCTION mood_json(mood);
CREATE DOMAIN small AS int CHECK (types.said('a check'));
CREATE TYPE pair AS (a small, b mood);
CREATE FUNCTION difference(a int, b int) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM types.said('a difference'); RETURN a - b; END $$;
CREATE TYPE span AS RANGE (subtype = int, subtype_diff = difference);
CREATE TABLE people (city text, mood mood, small small, pair pair, span span);
INSERT INTO people SELECT 'c' || i % 2, (enum_range(NULL::mood))[1 + i % 2], i % 3, ROW(i % 2, 'bad'::mood)::pair, span(i % 4, i % 4 + 9) FROM generate_series(1, 48) i;
RESET ROLE;
-- labelled, counted, kept, sensitive, the class
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['mood', 'small', 'pair'], 3)], keep => ARRAY['span']) ->> 'version' AS version;
SELECT DISTINCT mood FROM r.people ORDER BY 1;
SELECT FROM release_measures('r') WHERE measure = 'ntil';
SELECT holds FROM release_verify('r');
SELECT tds_anonymize('people', 's', ARRAY[l_diversity(ARRAY['city', 'mood'], 'pair', 1), confidence_bound(ARRAY['city'], 'mood', ARRAY['bad'], 1), t_closeness(ARRAY['city'], 'span', 1)], 'span') ->> 'version' AS version;
SELECT FROM release_measures('s') WHERE measure = 'class_kl_divergence';
SELECT holds FROM release_verify('s');
SELECT tds_anonymize('people', 't', ARRAY[k_anonymity(ARRAY['mood'], 3)], masking => ARRAY[by_taxonomy_tree('mood', '{"ANY": ["good", "bad"]}')]) ->> 'version' AS version;
SELECT FROM kmember_anonymize('people', 'k', ARRAY['mood', 'pair'], 4, keep => ARRAY['span', 'small']);
SELECT holds FROM privacy_check('people', ARRAY[k_anonymity(ARRAY['mood', 'pair', 'span'], 3), confidence_bound(ARRAY['mood'], 'pair', ARRAY['(0,bad)'], 1)]);
SELECT channel, sensitive_value, support FROM privacy_inferences('people', confidence_bound(ARRAY['mood', 'small'], 'pair', NULL, 1)) ORDER BY 1, 2;
SELECT channel, sensitive_value, support FROM privacy_inferences('people', confidence_bound(ARRAY['city'], 'mood', NULL, 1)) ORDER BY 1, 2;
-- a text that is to be read as such a type: not where its checks would run
SELECT tds_anonymize('people', 'u', ARRAY[k_anonymity(ARRAY['pair'], 3)], masking => ARRAY[by_intervals('pair', '(0,bad)', '(9,good)')]);
SELECT tds_anonymize('people', 'u', ARRAY[confidence_bound(ARRAY['city'], 'pair', ARRAY['(0,bad)'], 1)]) ->> 'version' AS version;
SELECT release_drop('r'), release_drop('s'), release_drop('t'), release_drop('k'), release_drop('u');
DROP SCHEMA types CASCADE;
DROP OWNED BY regress_types;
DROP ROLE regress_types;
