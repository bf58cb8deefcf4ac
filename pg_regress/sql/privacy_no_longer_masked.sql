-- Threat: a column that was masked so far is released as it is, perhaps by mistake: names and types of the view's columns stay, so
-- nothing else would tell. It is refused, whichever of the released columns it would become, unless it is asked for.
CREATE SCHEMA nlm;
SET search_path TO nlm, public;
CREATE TABLE people AS SELECT 'c' || i % 2 AS city, 'z' || i % 4 AS zip, CASE WHEN i % 4 < 2 THEN 'Y' ELSE 'N' END AS class FROM generate_series(1, 40) i;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'zip'], 11)], 'class') ->> 'version' AS version;
SELECT DISTINCT zip FROM r.people ORDER BY 1;
-- kept
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city'], 11)], 'class', keep => ARRAY['zip']) ->> 'version' AS version;
SELECT DISTINCT zip FROM r.people ORDER BY 1;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city'], 11)], 'class', keep => ARRAY['zip'], allow_weaker => true) ->> 'version' AS version;
SELECT DISTINCT zip FROM r.people ORDER BY 1;
SELECT version, parameters -> 'weaker' AS weaker FROM r_private.manifest ORDER BY 1;
-- it is not told of again
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city'], 11)], 'class', keep => ARRAY['zip']) ->> 'version' AS version;
-- masked again, and then sensitive
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'zip'], 11)], 'class') ->> 'version' AS version;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city'], 11), l_diversity(ARRAY['city'], 'zip', 2)], 'class') ->> 'version' AS version;
SELECT DISTINCT zip FROM r.people ORDER BY 1;
-- by a clustering, the class as well
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'zip', 'class'], 11)]) ->> 'version' AS version;
SELECT kmember_anonymize('people', 'r', ARRAY['zip'], 11, keep => ARRAY['city', 'class']) ->> 'version' AS version;
SELECT kmember_anonymize('people', 'r', ARRAY['zip'], 11, keep => ARRAY['city', 'class'], allow_weaker => true) ->> 'version' AS version;
SELECT parameters -> 'weaker' AS weaker FROM r_private.manifest WHERE current;
SELECT release_drop('r');
DROP SCHEMA nlm CASCADE;
