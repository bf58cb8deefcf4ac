-- The rights of those of before go over to the new, whatever default privileges have given these. What an extension's script grants PostgreSQL takes for
-- the extension's own, which no dump has; so the catalog of these gets what it had of those of before.
DO $$
DECLARE
  path text := pg_catalog.current_setting('search_path');
  pair record;
  entry record;
  rights jsonb;
  members oid[];
BEGIN
  PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
  rights := current_setting('pg_topdown_update.rights');
  -- Those that take another's place.
  members := ARRAY(SELECT p.oid FROM pg_depend d JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND e.extname = 'pg_topdown'
                   JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND e.extnamespace = p.pronamespace
                   JOIN pg_language l ON l.oid = p.prolang AND l.lanname = 'c'
                   WHERE d.deptype = 'e' AND p.prosrc = p.proname || '_wrapper' AND EXISTS (SELECT FROM jsonb_array_elements(rights) o WHERE o ->> 1 = p.proname)
                     AND NOT EXISTS (SELECT FROM jsonb_array_elements(rights) o WHERE (o ->> 0)::oid = p.oid));
  FOR pair IN
    SELECT n.oid::regprocedure AS new, n.proowner AS owner, coalesce(n.proacl, acldefault('f', n.proowner)) AS given,
           (o ->> 2)::oid AS old_owner, (o ->> 3)::aclitem[] AS rights
    FROM jsonb_array_elements(rights) o JOIN pg_proc n ON n.proname = o ->> 1 AND n.oid = ANY (members)
  LOOP
    FOR entry IN SELECT DISTINCT a.grantee FROM aclexplode(pair.given) a WHERE a.grantee <> pair.owner LOOP
      EXECUTE format('REVOKE EXECUTE ON ROUTINE %s FROM %s CASCADE', pair.new, CASE entry.grantee WHEN 0 THEN 'PUBLIC' ELSE entry.grantee::regrole::text END);
    END LOOP;
    FOR entry IN
      SELECT a.grantee, bool_or(a.is_grantable OR a.grantee = pair.old_owner) AS hands_on FROM aclexplode(pair.rights) a WHERE a.grantee <> pair.owner GROUP BY 1
    LOOP
      EXECUTE format('GRANT EXECUTE ON ROUTINE %s TO %s%s', pair.new, CASE entry.grantee WHEN 0 THEN 'PUBLIC' ELSE entry.grantee::regrole::text END,
                     CASE WHEN entry.hands_on THEN ' WITH GRANT OPTION' ELSE '' END);
    END LOOP;
  END LOOP;
  DELETE FROM pg_init_privs i WHERE i.classoid = 'pg_proc'::regclass AND i.objoid = ANY (members);
  INSERT INTO pg_init_privs (objoid, classoid, objsubid, privtype, initprivs)
  SELECT n.oid, 'pg_proc'::regclass, 0, 'e', (o ->> 4)::aclitem[]
  FROM jsonb_array_elements(rights) o JOIN pg_proc n ON n.proname = o ->> 1 AND n.oid = ANY (members) WHERE o ->> 4 IS NOT NULL;
  -- From 17 on roles that are named there cannot be dropped.
  DELETE FROM pg_shdepend s WHERE s.deptype = 'i' AND s.classid = 'pg_proc'::regclass AND s.objid = ANY (members)
    AND s.dbid = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database());
  PERFORM set_config('search_path', path, true);
END $$;
