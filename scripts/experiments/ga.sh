#!/usr/bin/env bash
# shellcheck shell=bash disable=SC2154,SC2016 # scripts/experiments.sh sets them; $ of awk and of Markdown
# TDS section 6.2, figure 8: the requirement of the genetic algorithm, eight columns, all others removed; ten folds of the 30,162 training
# rows, as there: of each fold the others are released, release_apply generalizes the fold, and J48 learns and is tested.

if [ -z "${TABLES:-}" ]; then
  columns="(SELECT columns FROM qid WHERE name = 'GA')"
  sql "SELECT setseed(0.5); DROP TABLE IF EXISTS ga; CREATE TABLE ga AS SELECT a.*, ntile(10) OVER (ORDER BY random()) AS fold FROM adult a WHERE NOT test"
  mean_error() { awk '{ sum += $1 } END { print sum / NR }'; }
  for fold in $(seq 10); do
    sql "UPDATE ga SET test = fold = $fold"
    error J48 ga "$columns" income
  done >"$dir/fold"
  note base BE J48 "$(mean_error <"$dir/fold")"
  # Nothing is left without the eight columns but to say what most are.
  note base UE J48 "$(sql "SELECT 100 * avg((income <> '<=50K')::int) FROM ga")"
  for k in 10 20 50 100 200 500 1000; do
    for fold in $(seq 10); do
      sql "DROP SCHEMA IF EXISTS r, r_private CASCADE; DROP TABLE IF EXISTS masked, learnt, tested; DROP VIEW IF EXISTS train, hold;
           CREATE VIEW train AS SELECT * FROM ga WHERE fold <> $fold; CREATE VIEW hold AS SELECT * FROM ga WHERE fold = $fold;
           SELECT FROM tds_anonymize('train', 'r', k_anonymity($columns, $k), 'income', trees($columns), keep => '{id}');
           SELECT release_apply('r', 'hold', 'public.tested');
           CREATE TABLE masked AS SELECT *, false AS test FROM r.train UNION ALL SELECT *, true FROM tested" >/dev/null
      error J48 masked "$columns" income
    done >"$dir/fold"
    note ga $k "TDS" "$(mean_error <"$dir/fold")"
  done
fi
{
  pivot base "error in %" %.2f
  echo
  pivot ga k %.2f
  printf '\n![error by k](experiments/ga.svg)\n'
} | put "figure 8"
plot ga k linear %
