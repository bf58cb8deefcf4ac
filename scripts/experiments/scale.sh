#!/usr/bin/env bash
# shellcheck shell=bash disable=SC2154,SC2016 # scripts/experiments.sh sets them; $ of awk and of Markdown
# TDS section 6.3, figure 9: seconds of the search on Adult blown up to between 200,000 and 1,000,000 rows, k = 50: one quasi-identifier of
# all fourteen columns (AllAttVID), and the mean of thirty requirements of several (MultiVID).

if [ -z "${TABLES:-}" ]; then
  sql "DROP SCHEMA IF EXISTS plain CASCADE; CREATE SCHEMA plain;
       DO \$\$ BEGIN EXECUTE 'CREATE TABLE plain.adult AS SELECT ' || array_to_string(rest_of('adult', '{}'), ', ') || ', income FROM adult'; END \$\$"
  "${psql[@]}" -c "SET search_path TO plain" -f sql/bench/blow_up.sql
  # seconds COLUMNS MODELS: of the search that makes a release of the rows.
  seconds() {
    sql "DROP SCHEMA IF EXISTS r, r_private CASCADE; SELECT tds_anonymize('plain.rows', 'r', $2, 'income', trees($1)) #>> '{seconds,search}'"
  }
  for rows in 200000 400000 600000 800000 1000000; do
    sql "DROP SCHEMA IF EXISTS r, r_private CASCADE; DROP TABLE IF EXISTS plain.rows; CREATE TABLE plain.rows AS SELECT * FROM plain.million LIMIT $rows"
    note scale $rows AllAttVID "$(seconds "rest_of('plain.rows', '{}')" "k_anonymity(rest_of('plain.rows', '{}'), 50)")"
    for number in $(seq 30); do
      seconds "(SELECT array_agg(DISTINCT c) FROM multi, unnest(columns) c WHERE number = $number)" \
        "(SELECT array_agg(k_anonymity(columns, 50)) FROM multi WHERE number = $number)"
    done | awk '{ sum += $1 } END { print sum / NR }' >"$dir/mean"
    note scale $rows MultiVID "$(cat "$dir/mean")"
  done
  sql "DROP SCHEMA plain, r, r_private CASCADE"
fi
{
  pivot scale rows %.3f
  printf '\n![seconds by rows](experiments/scale.svg)\n'
} | put "figure 9"
plot scale rows
