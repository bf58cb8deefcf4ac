-- What the extension puts into a database: its objects, what its functions promise to the planner, and who may use them. Signatures and
-- comments are those of the reference, and the install script is that of the code: other tests compare them.
LOAD 'pg_topdown';
CREATE TEMP VIEW members AS
SELECT d.classid, d.objid, pg_describe_object(d.classid, d.objid, 0) COLLATE "C" AS object, obj_description(d.objid, c.relname) AS comment
FROM pg_depend d JOIN pg_class c ON c.oid = d.classid JOIN pg_extension e ON e.oid = d.refobjid
WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND extname = 'pg_topdown';
-- functions: volatile, stable or immutable; strict; parallel safe, restricted or unsafe; whether PUBLIC may call them
SELECT proname, provolatile, proisstrict AS strict, proparallel, count(*) AS all, bool_and(has_function_privilege('public', p.oid, 'EXECUTE')) AS public,
  bool_or(prosecdef OR proleakproof OR proconfig IS NOT NULL) AS more
FROM members JOIN pg_proc p ON p.oid = objid WHERE classid = 'pg_proc'::regclass GROUP BY 1, 2, 3, 4 ORDER BY proname COLLATE "C", 2, 3, 4;
-- everything else; array types and the like come with their types
SELECT object FROM members WHERE classid <> 'pg_proc'::regclass AND object !~ '\[\]$' ORDER BY object;
SELECT typname, typtype, typlen, typstorage, typinput, typoutput, typreceive, typsend, has_type_privilege('public', t.oid, 'USAGE') AS public
FROM members JOIN pg_type t ON t.oid = objid WHERE classid = 'pg_type'::regclass AND typcategory <> 'A' ORDER BY 1;
-- objects without a comment: none but the functions that read and write a type, as with PostgreSQL's own types
SELECT object FROM members WHERE coalesce(comment, '') = '' AND object !~ '\[\]$' AND NOT EXISTS (SELECT FROM pg_type t WHERE classid = 'pg_proc'::regclass AND objid IN (t.typinput, t.typoutput, t.typreceive, t.typsend)) ORDER BY object;
-- settings
SELECT name, vartype, context, boot_val, unit, min_val, max_val, short_desc <> '' AS told FROM pg_settings WHERE name LIKE 'pg\_topdown.%' ORDER BY name COLLATE "C";
-- the extension itself
SELECT extname, extrelocatable, extconfig, obj_description(oid, 'pg_extension') <> '' AS told FROM pg_extension WHERE extname = 'pg_topdown';
SELECT superuser, trusted, schema, requires FROM pg_available_extension_versions WHERE name = 'pg_topdown';
