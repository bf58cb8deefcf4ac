#!/usr/bin/env bash
# shellcheck shell=bash disable=SC2154,SC2016 # scripts/experiments.sh sets them; $ of awk and of Markdown
# More useful releases: what the papers' search, the conditional score with valid splits, and rows withheld leave of Adult, over
# four quasi-identifiers and seven k: error of J48 on the masked columns and on all, log-loss, certainty loss.

# variant NAME ARGUMENTS
variant() {
  local name=$1 arguments=$2 qid k columns figures
  for qid in Top5 Top7 Top9 nine; do
    columns="(SELECT columns FROM qid WHERE name = '$qid')"
    for k in 10 20 50 100 200 500 1000; do
      sql "DROP SCHEMA IF EXISTS r CASCADE; SELECT FROM tds_anonymize('adult', 'r', k_anonymity($columns, $k), 'income', trees($columns),
             keep => '{id}'$arguments)"
      sql "SELECT mask('adult', 'r')"
      figures=$(sql "SELECT log_loss($columns, 'income'), certainty_loss('r'), closed_loss($columns)")
      note masked "$qid $k" "$name" "$(error J48 masked "$columns" income)"
      note all "$qid $k" "$name" "$(error J48 masked "rest_of('masked', '{}')" income)"
      IFS='|' read -r log open closed <<<"$figures"
      note log_loss "$qid $k" "$name" "$log"
      note certainty "$qid $k" "$name" "$open"
      note closed "$qid $k" "$name" "$closed"
    done
  done
}

variant "papers' search" ""
variant "conditional + valid" ", score => 'conditional', split => 'valid'"
variant "0.5 % withheld" ", score => 'conditional', split => 'valid', withhold => 0.005"
variant "1 % withheld" ", score => 'conditional', split => 'valid', withhold => 0.01"
# variant "local recoding" ", score => 'conditional', split => 'valid', recoding => 'local'"

# The means of the 28, and of each k, and of the nine columns.
mean() { awk -F, -v figure="$1" -v only="$2" '$1 == figure && $2 ~ only { n[$3]++; sum[$3] += $4; if (n[$3] == 1) name[++names] = $3 }
  END { for (i = 1; i <= names; i++) print name[i] "," sum[name[i]] / n[name[i]] }' "$csv"; }
for figure in masked all log_loss certainty closed; do
  while IFS=, read -r name value; do note mean $figure "$name" "$value"; done < <(mean $figure .)
  for k in 10 20 50 100 200 500 1000; do
    while IFS=, read -r name value; do note "$figure by k" $k "$name" "$value"; done < <(mean $figure " $k\$")
  done
done
for k in 10 20 50 100 200 500 1000; do
  while IFS=, read -r name value; do note nine $k "$name" "$value"; done < <(mean masked "^nine $k\$")
done
{
  pivot mean "means of the 28 cases" %.4g
  for figure in masked all log_loss certainty closed; do
    printf '\n%s:\n\n' "$figure, by k"
    pivot "$figure by k" k %.4g
  done
} | put useful
pivot nine "nine columns, k" %.2f | put nine
plot "masked by k" "k" linear %
