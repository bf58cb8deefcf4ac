-- Every object of the extension and every setting, as the catalogs have them: the expected output is the contract. What is new,
-- changed or gone is seen here, with its rights and what it promises to the planner; so is what has no comment.
LOAD 'pg_topdown';
-- names are shown without the schema, wherever the extension is
SELECT set_config('search_path', 'pg_catalog, ' || quote_ident(nspname), false) IS NOT NULL AS found
FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'pg_topdown';
-- Array types, multiranges and the row types of tables come with what they are of; whether they are members as well depends on
-- the version of PostgreSQL.
CREATE TEMP VIEW members AS
SELECT d.classid, d.objid, pg_describe_object(d.classid, d.objid, 0) COLLATE "C" AS object, obj_description(d.objid, c.relname) AS comment
FROM pg_depend d JOIN pg_class c ON c.oid = d.classid JOIN pg_extension e ON e.oid = d.refobjid
WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND extname = 'pg_topdown'
  AND NOT (d.classid = 'pg_type'::regclass AND (EXISTS (SELECT FROM pg_type t WHERE t.typarray = d.objid)
    OR EXISTS (SELECT FROM pg_type t WHERE t.oid = d.objid AND t.typtype = 'm')
    OR EXISTS (SELECT FROM pg_class r WHERE r.reltype = d.objid AND r.relkind <> 'c')));
CREATE FUNCTION pg_temp.columns(relation oid) RETURNS text LANGUAGE sql AS $$
  SELECT coalesce(string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' ORDER BY attnum), 'none') FROM pg_attribute WHERE attrelid = relation AND attnum > 0 AND NOT attisdropped $$;
CREATE FUNCTION pg_temp.rights(rights aclitem[], kind "char", owner oid) RETURNS text LANGUAGE sql AS $$
  SELECT coalesce(string_agg(one, ', ' ORDER BY one COLLATE "C"), 'its owner only')
  FROM aclexplode(coalesce(rights, acldefault(kind, owner))), LATERAL (SELECT CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END || ' has ' || privilege_type AS one) named
  WHERE grantee <> owner $$;
\a
\t
-- all of them
SELECT object FROM members ORDER BY object;

-- functions: what they take and return; what they promise; who may call them; what they are for
SELECT format(E'%s(%s)\n    returns %s\n    %s %s %s %s %s %s cost %s rows %s%s\n    %s\n    %s',
    proname, pg_get_function_arguments(p.oid), pg_get_function_result(p.oid), lanname,
    CASE prokind WHEN 'f' THEN 'function' WHEN 'p' THEN 'procedure' WHEN 'a' THEN 'aggregate' WHEN 'w' THEN 'window function' END,
    CASE provolatile WHEN 'i' THEN 'immutable' WHEN 's' THEN 'stable' WHEN 'v' THEN 'volatile' END
      || CASE WHEN proisstrict THEN ' strict' ELSE ' called-on-null' END,
    CASE proparallel WHEN 's' THEN 'parallel-safe' WHEN 'r' THEN 'parallel-restricted' WHEN 'u' THEN 'parallel-unsafe' END,
    CASE WHEN proleakproof THEN 'leakproof' ELSE 'not-leakproof' END, CASE WHEN prosecdef THEN 'DEFINER' ELSE 'invoker' END,
    procost, prorows, ' set ' || proconfig::text || CASE WHEN prosupport <> 0 THEN ' support ' || prosupport::text ELSE '' END,
    pg_temp.rights(proacl, 'f', proowner), coalesce(comment, 'NO COMMENT'))
FROM members JOIN pg_proc p ON p.oid = objid JOIN pg_language l ON l.oid = prolang
WHERE classid = 'pg_proc'::regclass ORDER BY object;

-- types: their kind, how values lie in memory, what reads and writes them, their rights
SELECT format(E'%s\n    type %s category %s%s length %s by-value %s alignment %s storage %s delimiter %s collation %s array %s\n    columns %s labels %s element %s base %s default %s\n    input %s output %s receive %s send %s modifier-in %s modifier-out %s analyze %s\n    %s\n    %s',
    t.typname, t.typtype, t.typcategory, CASE WHEN t.typispreferred THEN ' preferred' ELSE '' END, t.typlen, t.typbyval, t.typalign, t.typstorage, t.typdelim,
    CASE t.typcollation WHEN 0 THEN '-' ELSE t.typcollation::regcollation::text END, coalesce(a.typname, 'none'), pg_temp.columns(t.typrelid),
    coalesce((SELECT string_agg(enumlabel, ', ' ORDER BY enumsortorder) FROM pg_enum WHERE enumtypid = t.oid), 'none'), t.typelem::regtype, t.typbasetype::regtype, coalesce(t.typdefault, 'none'), t.typinput, t.typoutput, t.typreceive, t.typsend,
    t.typmodin, t.typmodout, t.typanalyze, pg_temp.rights(t.typacl, 'T', t.typowner), coalesce(comment, 'NO COMMENT'))
FROM members JOIN pg_type t ON t.oid = objid LEFT JOIN pg_type a ON a.oid = t.typarray
WHERE classid = 'pg_type'::regclass ORDER BY object;

-- casts
SELECT object, 'by ' || CASE castmethod WHEN 'f' THEN castfunc::regprocedure::text WHEN 'i' THEN 'text form' WHEN 'b' THEN 'no change' END,
    CASE castcontext WHEN 'i' THEN 'implicit' WHEN 'a' THEN 'on assignment' WHEN 'e' THEN 'explicit' END, coalesce(comment, 'NO COMMENT')
FROM members JOIN pg_cast c ON c.oid = objid WHERE classid = 'pg_cast'::regclass ORDER BY object;

-- operators
SELECT object, 'returns ' || oprresult::regtype, oprcode, 'commutator ' || oprcom::regoperator, 'negator ' || oprnegate::regoperator,
    oprrest, oprjoin, CASE WHEN oprcanmerge THEN 'merges' END, CASE WHEN oprcanhash THEN 'hashes' END, coalesce(comment, 'NO COMMENT')
FROM members JOIN pg_operator o ON o.oid = objid WHERE classid = 'pg_operator'::regclass ORDER BY object;

-- tables, views and their columns
SELECT object, relkind, pg_temp.rights(relacl, CASE relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", relowner), coalesce(reloptions::text, 'no options'),
    pg_temp.columns(objid), coalesce(comment, 'NO COMMENT')
FROM members JOIN pg_class c ON c.oid = objid WHERE classid = 'pg_class'::regclass ORDER BY object;

-- schemas: the extension makes none
SELECT object, pg_temp.rights(nspacl, 'n', nspowner), coalesce(comment, 'NO COMMENT') FROM members JOIN pg_namespace n ON n.oid = objid WHERE classid = 'pg_namespace'::regclass ORDER BY object;

-- objects of any other kind: there are none; whoever adds one adds a query that shows it
SELECT object FROM members WHERE classid NOT IN ('pg_proc'::regclass, 'pg_type'::regclass, 'pg_cast'::regclass, 'pg_operator'::regclass, 'pg_class'::regclass, 'pg_namespace'::regclass) ORDER BY object;

-- objects without a comment: none but the functions that read and write a type, as with PostgreSQL's own types
SELECT object FROM members WHERE coalesce(comment, '') = '' AND NOT EXISTS (SELECT FROM pg_type t WHERE classid = 'pg_proc'::regclass AND objid IN (t.typinput, t.typoutput, t.typreceive, t.typsend)) ORDER BY object;

-- settings
SELECT format(E'%s\n    %s, set by %s, default %s%s, between %s and %s\n    %s\n    %s', name, vartype, context, boot_val, unit, coalesce(min_val, '-'), coalesce(max_val, '-'),
    coalesce(short_desc, 'NO DESCRIPTION'), coalesce(extra_desc, 'nothing more'))
FROM pg_settings WHERE name LIKE 'pg\_topdown.%' ORDER BY name COLLATE "C";

-- the extension itself
SELECT extname, 'relocatable ' || extrelocatable, 'settings ' || coalesce(extconfig::text, 'none'), obj_description(oid, 'pg_extension') FROM pg_extension WHERE extname = 'pg_topdown';
SELECT name, 'superuser ' || superuser, 'trusted ' || trusted, 'schema ' || coalesce(schema, 'any'), 'requires ' || coalesce(requires::text, 'nothing')
FROM pg_available_extension_versions WHERE name = 'pg_topdown' AND installed;
