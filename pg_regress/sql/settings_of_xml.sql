-- What a view prints in XML depends on the settings that it is read with (settings_of_views.sql). A server may have no XML.
SET client_min_messages TO notice;
SET DateStyle = 'German, DMY';
CREATE SCHEMA sox;
CREATE TABLE sox.days AS SELECT i % 2 AS w, date '2024-01-01' + i % 60 AS d FROM generate_series(1, 200) i;
CREATE VIEW sox.printed AS SELECT w, xmlelement(name a, d)::text AS x FROM sox.days;
SELECT count(*) FROM tds_steps('sox.printed', k_anonymity('{w}', 2), max_steps => 0);
DROP SCHEMA sox CASCADE;
