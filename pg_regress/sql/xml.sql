-- XML: a type without an order; a page that is XML where it is not HTML; and what depends on settings as a view is read.
-- Needs: (SELECT setting ~ 'with-libxml' FROM pg_config WHERE name = 'CONFIGURE')
SET client_min_messages TO notice;
SET DateStyle = 'German, DMY';
CREATE SCHEMA sox;
SET search_path TO sox, public;
CREATE TABLE days AS SELECT i % 2 AS w, date '2024-01-01' + i % 60 AS d, format('<a>%s</a>', i % 2)::xml AS x FROM generate_series(1, 200) i;
CREATE VIEW printed AS SELECT w, xmlelement(name a, d)::text AS x FROM days;
SELECT count(*) FROM tds_steps('printed', k_anonymity('{w}', 2), max_steps => 0);
SET client_min_messages TO warning;
SELECT tds_anonymize('days', 'r', ARRAY[k_anonymity('{w}', 5), l_diversity('{d}', 'w', 1)], 'x') -> 'rows' AS rows;
SELECT tds_anonymize('days', 'm', k_anonymity('{x}', 5), 'w', keep => '{d}') -> 'rows' AS rows;
SELECT attribute, node, records FROM m.cut ORDER BY 1, 2;
SELECT release, bool_and(holds) FROM unnest('{r,m}'::name[]) release, release_verify(release) GROUP BY 1 ORDER BY 1;
-- Every tag is closed, every text escaped.
SELECT r, audience, xml_is_well_formed_document(regexp_replace(regexp_replace(release_report(r, audience), '^<!DOCTYPE html>', ''), '(<meta[^>]*)>', '\1/>', 'g')) AS well_formed
FROM unnest('{r,m}'::name[]) r, unnest('{owner,recipient}'::text[]) audience ORDER BY 1, 2;
SELECT count(release_drop(release)) FROM releases();
DROP SCHEMA sox CASCADE;
