-- What the other tests need: it runs before them.
-- A source that gives the same rows makes no new version. A release that does not know any more what it was made of is made again,
-- by the same steps.
CREATE FUNCTION public.again(release name) RETURNS name LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
  EXECUTE format('UPDATE %I.manifest SET parameters = parameters - ''fingerprint'' WHERE current', release || '_private');
  RETURN release;
EXCEPTION WHEN others THEN RETURN release;
END $$;
-- What two versions of a release of people tell, by EXCEPT ALL: of every class by its masked columns the rows that one version has and the other
-- has not, or both have.
CREATE FUNCTION public.recounted(release text, masked text, k int) RETURNS TABLE (part text, achieved bigint, groups bigint, violating_groups bigint, violating_rows bigint) LANGUAGE plpgsql AS $$
DECLARE one text; other text; BEGIN
  EXECUTE format('SELECT %L || (max(version) - 1), %L || max(version) FROM %I_private.manifest', release || '_private.rows_v', release || '_private.rows_v', release) INTO one, other;
  RETURN QUERY EXECUTE format($q$
    SELECT p.part, min(n), count(*), count(*) FILTER (WHERE n < %4$s), COALESCE(sum(n) FILTER (WHERE n < %4$s), 0)::bigint
    FROM (SELECT 'came' AS part, count(*) AS n FROM (SELECT row FROM %2$s EXCEPT ALL SELECT row FROM %1$s) d JOIN (SELECT DISTINCT ON (row) row, %3$s FROM %2$s) v USING (row) GROUP BY %3$s
          UNION ALL
          SELECT 'left', count(*) FROM (SELECT row FROM %1$s EXCEPT ALL SELECT row FROM %2$s) d JOIN (SELECT DISTINCT ON (row) row, %3$s FROM %1$s) v USING (row) GROUP BY %3$s
          UNION ALL
          SELECT 'stayed', count(*) FROM (SELECT row FROM %1$s INTERSECT ALL SELECT row FROM %2$s) d JOIN (SELECT DISTINCT ON (row) row, %3$s FROM %2$s) v USING (row) GROUP BY %3$s) p
    GROUP BY 1 ORDER BY 1$q$, one, other, masked, k); END $$;
