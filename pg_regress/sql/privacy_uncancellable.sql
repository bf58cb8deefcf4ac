-- Threat: loops that cannot be cancelled, as a weapon or an accident: statement_timeout and pg_cancel_backend() must end every
-- call; and what is said of long or many values must cost no more than it is worth: 45 seconds end what
-- would never end. What is cancelled after a quarter of a second would take many times as long.
CREATE SCHEMA unc;
SET search_path TO unc, public;
CREATE TABLE long AS SELECT 'a' || i % 3 AS a, repeat(chr(97 + i % 10), 20000) || i AS s, i AS n FROM generate_series(1, 60) i;
CREATE TABLE many AS SELECT 'a' || i AS a, i AS n, 's' || i AS s, i % 2 AS class FROM generate_series(1, 30000) i;
CREATE TABLE narrow AS SELECT i % 3 AS a, 's' || i AS s FROM generate_series(1, 30000) i;
-- long values: what is near an unknown one is looked for in a beginning of it, and is shown clipped
SET statement_timeout TO '45s';
SELECT count(*) FROM tds_steps('long', ARRAY[confidence_bound(ARRAY['a'], 's', ARRAY(SELECT repeat('z', 20000) || i FROM generate_series(1, 20) i), 0.9)]);
SELECT count(*) FROM tds_steps('long', ARRAY[confidence_bound(ARRAY['a'], 's', ARRAY[repeat('a', 20000)], 0.9)]);
SELECT count(*) FROM tds_steps('long', ARRAY[k_anonymity(ARRAY['s'], 1)], masking => ARRAY[by_taxonomy_tree('s', '{"any": ["x"]}')]);
SELECT count(*) FROM tds_steps('long', ARRAY[k_anonymity(ARRAY['n'], 1)], masking => ARRAY[by_intervals('n', repeat('9', 20000))]);
SELECT count(*) FROM privacy_check('long', ARRAY[confidence_bound(ARRAY['a'], 'n', ARRAY[repeat('9', 20000)], 0.9)]);
SELECT k_anonymity(ARRAY[repeat('c', 20000), repeat('c', 20000)], 1);
-- many values: given, held, unknown, repeated
SELECT count(*) FROM tds_steps('narrow', ARRAY[confidence_bound(ARRAY['a'], 's', ARRAY(SELECT i::text FROM generate_series(1, 30000) i), 0.9)]);
SELECT count(*) > 0 AS steps FROM tds_steps('narrow', ARRAY[confidence_bound(ARRAY['a'], 's', ARRAY(SELECT 's' || i FROM generate_series(1, 30000) i), 0.9)]);
SELECT confidence_bound(ARRAY['a'], 's', array_agg('s' || i) || '{s1}', 0.9) FROM generate_series(1, 30000) i;
SELECT holds FROM privacy_check('narrow', ARRAY[confidence_bound(ARRAY['a'], 's', ARRAY(SELECT i::text FROM generate_series(1, 30000) i), 0.9)]);
SELECT k_anonymity(array_agg('c' || i) || '{c1}', 1) FROM generate_series(1, 30000) i;
SELECT count(*) FROM tds_steps('narrow', ARRAY[k_anonymity((SELECT array_agg('c' || i) FROM generate_series(1, 30000) i), 1)]);
SELECT count(*) FROM tds_steps('narrow', ARRAY[k_anonymity(ARRAY['a'], 1)], keep => (SELECT array_agg('s'::text) FROM generate_series(1, 30000) i));
SELECT count(*) FROM tds_steps('narrow', ARRAY[k_anonymity(ARRAY['a'], 1)], masking => ARRAY(SELECT by_suppression('a') FROM generate_series(1, 30000) i));
SELECT count(*) FROM tds_tradeoff('narrow', (SELECT array_agg(i) || 1 FROM generate_series(1, 999999) i), k_anonymity(ARRAY['a'], 1));
-- one version's many values beside the next one's, in another order
CREATE TABLE varied AS SELECT i % 3 AS a, 's' || i AS s FROM generate_series(1, 30000) i;
RESET statement_timeout;
SELECT tds_anonymize('varied', 'unc_v', confidence_bound(ARRAY['a'], 's', ARRAY(SELECT 's' || i FROM generate_series(1, 30000) i), 0.9), max_steps => 0) ->> 'version' AS version;
DELETE FROM varied WHERE s > 's100';
SET statement_timeout TO '45s';
SELECT release_alter('unc_v', privacy => confidence_bound(ARRAY['a'], 's', ARRAY(SELECT 's' || i FROM generate_series(30000, 1, -1) i), 0.9)) ->> 'version' AS version;
SELECT release_drop('unc_v');
-- long work: each of these ends when it is told to
SET statement_timeout TO '250ms';
SELECT count(*) FROM tds_steps('many', ARRAY[k_anonymity(ARRAY['a'], 1)], 's');
SELECT count(*) FROM tds_steps('many', ARRAY[k_anonymity(ARRAY['n'], 1)], 's');
SELECT pda_anonymize('many', 'unc_p', ARRAY[confidence_bound(ARRAY['a'], 'class', NULL, 1)], 's');
SELECT kmember_anonymize('many', 'unc_k', ARRAY['n', 'a'], 2);
SELECT count(*) FROM privacy_check('many', ARRAY[t_closeness(ARRAY['n'], 's', 0.1, 'ordered')]);
SELECT count(*) FROM tds_steps('many', ARRAY[t_closeness(ARRAY['a'], 'class', 1, 'ordered')], 's');
-- many models
SELECT count(*) FROM privacy_check('narrow', (SELECT array_agg(confidence_bound('{a}', 's', ARRAY['s' || i], 0.5)) FROM generate_series(1, 10000) i));
RESET statement_timeout;
SELECT nspname FROM pg_namespace WHERE nspname LIKE 'unc\_%';
-- the session goes on
SELECT count(*) > 0 AS steps FROM tds_steps('narrow', ARRAY[k_anonymity(ARRAY['a'], 5)]);
DROP SCHEMA unc CASCADE;
