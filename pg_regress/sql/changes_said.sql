-- Every verb that makes a version, but for a first call, says the same of rows that came and left, and of groups of clusters.
SET client_min_messages TO notice;
CREATE SCHEMA said;
SET search_path TO said, public;
SET pg_topdown.keep_versions = 20;
CREATE TABLE people AS SELECT i AS id, 20 + i * 7 % 60 AS age, (ARRAY['Ulm','Bonn','Kiel'])[1 + i % 3] AS town, (ARRAY['flu','cold','none','gout'])[1 + i * 11 % 4] AS illness FROM generate_series(1, 600) i;
-- Three rows come and one leaves.
CREATE FUNCTION change() RETURNS void LANGUAGE sql AS $$
  DELETE FROM people WHERE id = (SELECT min(id) FROM people);
  INSERT INTO people SELECT 1000 + max(id) + i, 30, 'Ulm', 'flu' FROM people, generate_series(1, 3) i GROUP BY i;
$$;
CREATE FUNCTION version(summary jsonb) RETURNS text LANGUAGE sql AS $$ SELECT summary ->> 'version' $$;

SELECT version(tds_anonymize('people', 'r', k_anonymity('{age,town}', 10), keep => '{illness}'));
SELECT change();
SELECT version(release_refresh('r'));
SELECT change();
SELECT version(release_refresh('r', mode => 'search'));
SELECT change();
SELECT version(tds_anonymize('people', 'r', k_anonymity('{age,town}', 10), keep => '{illness}'));
SELECT part, achieved, violating_groups, violating_rows FROM release_changes('r');
SELECT change();
SELECT version(release_alter('r', score => 'conditional'));
SELECT part, achieved, violating_groups, violating_rows FROM release_changes('r');
SELECT change();
SELECT version(release_alter('r', privacy => k_anonymity('{age,town}', 12)));
-- Nothing came or left: nothing is said of it, nor by a rewind, which reads no source.
SELECT version(release_alter('r', privacy => k_anonymity('{age,town}', 14)));
SELECT version(release_rewind('r', 1));
SELECT part, groups FROM release_changes('r');
-- Of other columns rows cannot be compared, which release_changes() says as well.
SELECT version(release_alter('r', privacy => k_anonymity('{age,town}', 14, person => 'id')));
SELECT * FROM release_changes('r');
SELECT release_drop('r');

-- Progressive disclosure, groups and clusters.
SELECT version(pda_anonymize('people', 'p', confidence_bound('{age,town}', 'illness', '{flu}', 0.6), NULL));
SELECT change();
SELECT version(pda_anonymize('people', 'p', confidence_bound('{age,town}', 'illness', '{flu}', 0.6), NULL));
SELECT version(tds_anonymize('people', 'l', k_anonymity('{age,town}', 10), recoding => 'local', keep => '{illness}'));
SELECT change();
SELECT version(tds_anonymize('people', 'l', k_anonymity('{age,town}', 10), recoding => 'local', keep => '{illness}'));
SELECT version(kmember_anonymize('people', 'm', '{age,town}', 10, keep => '{id,illness}'));
SELECT version(tds_anonymize('people', 'c', k_anonymity('{age,town}', 10), recoding => 'clustered', keep => '{id,illness}'));
CREATE TABLE of_m AS TABLE m.people;
CREATE TABLE of_c AS TABLE c.people;
SELECT change();
SELECT version(kmember_anonymize('people', 'm', '{age,town}', 10, keep => '{id,illness}'));
SELECT version(tds_anonymize('people', 'c', k_anonymity('{age,town}', 10), recoding => 'clustered', keep => '{id,illness}'));
-- Recounted: rows that stayed, by what both versions show of them.
SELECT min(n), count(*) AS groups, count(*) FILTER (WHERE n < 10) AS violating_groups, sum(n) FILTER (WHERE n < 10) AS violating_rows FROM (SELECT count(*) AS n FROM of_m b JOIN m.people a USING (id) GROUP BY a.age, a.town, b.age, b.town) g;
SELECT min(n), count(*) AS groups, count(*) FILTER (WHERE n < 10) AS violating_groups, sum(n) FILTER (WHERE n < 10) AS violating_rows FROM (SELECT count(*) AS n FROM of_c b JOIN c.people a USING (id) GROUP BY a.age, a.town, b.age, b.town) g;
-- An alteration and a refresh say it as well; the last goes from clusters to one cut.
CREATE TABLE of_c2 AS TABLE c.people;
SELECT version(release_alter('c', recoding => 'global'));
SELECT min(n), count(*) AS groups, count(*) FILTER (WHERE n < 10) AS violating_groups, sum(n) FILTER (WHERE n < 10) AS violating_rows FROM (SELECT count(*) AS n FROM of_c2 b JOIN c.people a USING (id) GROUP BY a.age, a.town, b.age, b.town) g;
SELECT count(release_drop(release)) FROM releases() WHERE release IN ('p', 'l', 'm', 'c');
DROP SCHEMA said CASCADE;
