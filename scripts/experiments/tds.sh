#!/usr/bin/env bash
# shellcheck shell=bash disable=SC2154,SC2016 # scripts/experiments.sh sets them; $ of awk and of Markdown
# TDS section 6.1, figure 5: the errors of J48 and Naive Bayes on Adult as it is (BE), without the columns of the
# quasi-identifier (UE) and released (AE), for Top5, Top7 and Top9. All rows are released together, then parted again.

if [ -z "${TABLES:-}" ]; then
  for classifier in J48 NaiveBayes; do
    note "$classifier base" BE all "$(error $classifier adult "rest_of('adult', '{}')" income)"
    for qid in Top5 Top7 Top9; do
      note "$classifier base" UE $qid "$(error $classifier adult "rest_of('adult', (SELECT columns FROM qid WHERE name = '$qid'))" income)"
    done
  done
  for k in 20 40 60 100 140 180 200 300 500 600 800 1000; do
    for qid in Top5 Top7 Top9; do
      columns="(SELECT columns FROM qid WHERE name = '$qid')"
      sql "DROP SCHEMA IF EXISTS r, r_private CASCADE; SELECT FROM tds_anonymize('adult', 'r', k_anonymity($columns, $k), 'income', trees($columns), keep => '{id}')"
      sql "SELECT mask('adult', 'r')"
      for classifier in J48 NaiveBayes; do
        note $classifier $k $qid "$(error $classifier masked "rest_of('masked', '{}')" income)"
      done
    done
  done
fi
for classifier in J48 NaiveBayes; do
  {
    pivot "$classifier base" "error in %" %.2f
    echo
    pivot $classifier k %.2f
    printf '\n![%s by k](experiments/%s.svg)\n' $classifier $classifier
  } | put "figure 5, $classifier"
  plot $classifier k linear %
done
