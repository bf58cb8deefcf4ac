-- Who may call those of before is remembered. Of what others may have put into the schema nothing is called; and what the extension's owner has made
-- a member of it, who need not be a superuser, is none of ours: only a superuser makes functions in C.
DO $$
DECLARE
  path text := pg_catalog.current_setting('search_path');
BEGIN
  PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
  PERFORM set_config('pg_topdown_update.rights',
                     jsonb_agg(jsonb_build_array(p.oid::int8, p.proname, p.proowner::int8, coalesce(p.proacl, acldefault('f', p.proowner))::text,
                                                 (SELECT i.initprivs::text FROM pg_init_privs i WHERE (i.classoid, i.objoid) = (d.classid, d.objid))))::text, true)
  FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
  JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND e.extname = 'pg_topdown' AND e.extnamespace = p.pronamespace
  JOIN pg_language l ON l.oid = p.prolang AND l.lanname = 'c'
  WHERE p.prosrc = p.proname || '_wrapper';
  PERFORM set_config('search_path', path, true);
END $$;
