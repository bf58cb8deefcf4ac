-- Names of 63 bytes, of one-byte and of many-byte characters: what needs a suffix is clipped, between characters.
CREATE SCHEMA long;
SET search_path TO long, public;
SELECT repeat('n', 63) AS name63, repeat('c', 63) AS col63, repeat('ä', 31) || 'x' AS uml63, 'x' || repeat('ö', 31) AS uml63b, repeat('r', 55) AS rel55 \gset
CREATE TABLE :"name63" (:"col63" int, b text);
INSERT INTO :"name63" SELECT i % 4, 'b' || i % 2 FROM generate_series(1, 16) i;
CREATE TABLE :"uml63" (:"uml63b" int, b text);
INSERT INTO :"uml63" SELECT i % 4, 'b' || i % 2 FROM generate_series(1, 16) i;
SELECT octet_length(:'name63'), octet_length(:'uml63'), octet_length(:'uml63b'), octet_length(:'rel55');

SELECT tds_anonymize(:'name63', :'rel55', ARRAY[k_anonymity(ARRAY[:'col63', 'b'], 2)], intervals => 'bounds') ->> 'version' AS version;
SELECT tds_anonymize(:'name63', :'rel55', ARRAY[k_anonymity(ARRAY[:'col63', 'b'], 4)], intervals => 'bounds') ->> 'version' AS version;
SELECT relname, relkind, octet_length(relname) AS bytes FROM pg_class WHERE relnamespace = :'rel55'::regnamespace AND relkind IN ('r', 'p', 'v') ORDER BY 1;
SELECT attname, octet_length(attname) AS bytes FROM pg_attribute WHERE attrelid = (:'rel55' || '.' || :'name63')::regclass AND attnum > 0 ORDER BY attnum;
SELECT required, achieved, holds FROM release_verify(:'rel55');
SELECT release = :'rel55' AS release, version FROM releases();
SELECT release_drop(:'rel55');

SELECT tds_anonymize(:'uml63', 'u', ARRAY[k_anonymity(ARRAY[:'uml63b', 'b'], 2)], intervals => 'bounds') ->> 'version' AS version;
SELECT relname, relkind, octet_length(relname) AS bytes FROM pg_class WHERE relnamespace = 'u'::regnamespace AND relkind IN ('r', 'p', 'v') ORDER BY 1;
SELECT attname, octet_length(attname) AS bytes FROM pg_attribute WHERE attrelid = ('u.' || :'uml63')::regclass AND attnum > 0 ORDER BY attnum;
SELECT required, achieved, holds FROM release_verify('u');
-- ten versions, as the suffix grows
SELECT count(tds_anonymize(:'uml63', 'u', ARRAY[k_anonymity(ARRAY[:'uml63b', 'b'], 2)], intervals => 'bounds')) FROM generate_series(2, 10);
SELECT relname, octet_length(relname) AS bytes FROM pg_class WHERE relnamespace = 'u'::regnamespace AND relkind IN ('r', 'p', 'v') ORDER BY 1;
SELECT count(*), max(version) FROM u_private.manifest;
SELECT release_drop('u');

-- _lo and _hi of names that are the same where they are clipped
CREATE TABLE twins AS SELECT 1 AS x FROM generate_series(1, 8);
SELECT repeat('c', 62) || 'a' AS twin_a, repeat('c', 62) || 'b' AS twin_b \gset
ALTER TABLE twins ADD COLUMN :"twin_a" int DEFAULT 1, ADD COLUMN :"twin_b" int DEFAULT 1;
SELECT tds_anonymize('twins', 'r', ARRAY[k_anonymity(ARRAY[:'twin_a', :'twin_b'], 2)], intervals => 'bounds');
SELECT tds_anonymize('twins', 'r', ARRAY[k_anonymity(ARRAY[:'twin_a', :'twin_b'], 2)]) ->> 'rows' AS rows;
SELECT release_drop('r');

SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname NOT IN ('information_schema', 'public') ORDER BY 1;
DROP SCHEMA long CASCADE;
