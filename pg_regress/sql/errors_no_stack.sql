-- A server may run with RUST_BACKTRACE set, as the tests' does: no error shows a stack, a build path or a source file.
CREATE SCHEMA nst;
SET search_path TO nst, public;
CREATE TABLE t AS SELECT i % 4 AS n, 'a' || i % 4 AS a FROM generate_series(1, 20) i;
CREATE FUNCTION said(what text) RETURNS TABLE (state text, shows_a_stack boolean, detail_lines int) LANGUAGE plpgsql AS $$
DECLARE message text; detail text; hint text; context text;
BEGIN
  EXECUTE what;
  RETURN QUERY SELECT 'none', false, 0;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT, context = PG_EXCEPTION_CONTEXT;
  RETURN QUERY SELECT sqlstate, (message || detail || hint || context) ~* 'backtrace|/rustc/|\.rs\y|pgrx|\.cargo|rust_', array_length(string_to_array(detail, E'\n'), 1);
END $$;
SELECT what, s.* FROM unnest(ARRAY[
  'SELECT public.k_anonymity(ARRAY[''a''], 0)', 'SELECT public.k_anonymity(NULL, 1)', 'SELECT ''{''::public.privacy_model', 'SELECT ''[]''::public.masking', 'SELECT public.by_taxonomy(''a'', 0)', 'SELECT public.by_taxonomy_tree(''a'', ''{"x": [1e400]}'')', 'SELECT public.by_taxonomy_tree(''a'', (repeat(''['', 3000) || repeat('']'', 3000))::jsonb)', 'SELECT public.by_taxonomy_tree(''a'', ''null'')',
  'SELECT * FROM public.tds_steps(''nst.t'', ARRAY[public.k_anonymity(ARRAY[''a''], 100)])', 'SELECT * FROM public.tds_steps(''nst.t'', ARRAY[public.k_anonymity(ARRAY[''b''], 1)])',
  'SELECT * FROM public.tds_steps(''nst.t'', ARRAY[public.k_anonymity(ARRAY[''n''], 1)], masking => ARRAY[public.by_intervals(''n'', ''x'')])',
  'SELECT * FROM public.tds_steps(0, ARRAY[public.k_anonymity(ARRAY[''n''], 1)])', 'SELECT * FROM public.privacy_check(0, ARRAY[public.k_anonymity(ARRAY[''n''], 1)])',
  'SELECT * FROM public.release_verify(''nst'')', 'SELECT public.release_drop(''nst_none'')', 'SELECT public.release_grant(''nst_none'', NULL)', 'SELECT * FROM public.release_risk(''nst_none'', 2)',
  'SELECT public.tds_anonymize(''nst.t'', '''', ARRAY[public.k_anonymity(ARRAY[''n''], 1)])', 'SELECT public.tds_anonymize(''nst.t'', ''pg_nst'', ARRAY[public.k_anonymity(ARRAY[''n''], 1)])',
  'SELECT * FROM public.taxonomy_build(''nst.t'', ''n'', ''nothing'')', 'SELECT * FROM public.taxonomy_from_levels(''nst.t'')', 'SELECT * FROM public.taxonomy_check(''nst.t'', ''nst.t'', ''n'')']) what, said(what) s;
DROP SCHEMA nst CASCADE;
