#!/usr/bin/env bash
# shellcheck shell=bash disable=SC2154,SC2016 # scripts/experiments.sh sets them; $ of awk and of Markdown
# More useful releases: what the papers' search, the conditional score with valid splits, rows withheld, and local recoding leave of Adult, over
# four quasi-identifiers and seven k: error of J48 on the masked columns and on all, log-loss, certainty loss.

# variant NAME ARGUMENTS
variant() {
  local name=$1 arguments=$2 qid k columns figures
  for qid in Top5 Top7 Top9 nine; do
    columns="(SELECT columns FROM qid WHERE name = '$qid')"
    for k in 10 20 50 100 200 500 1000; do
      sql "DROP SCHEMA IF EXISTS r, r_private CASCADE; SELECT FROM tds_anonymize('adult', 'r', k_anonymity($columns, $k), 'income', trees($columns),
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

if [ -z "${TABLES:-}" ]; then
  variant "papers' search" ""
  variant "conditional + valid" ", score => 'conditional', split => 'valid'"
  variant "0.5 % withheld" ", score => 'conditional', split => 'valid', withhold => 0.005"
  variant "1 % withheld" ", score => 'conditional', split => 'valid', withhold => 0.01"
  variant "local recoding" ", recoding => 'local'"
  # For general use: nine columns, k = 50, no class.
  sql "DROP SCHEMA IF EXISTS r, r_private CASCADE; SELECT FROM tds_anonymize('adult', 'r', k_anonymity((SELECT columns FROM qid WHERE name = 'nine'), 50),
         masking => trees((SELECT columns FROM qid WHERE name = 'nine')), keep => '{id}', recoding => 'local')"
  sql "SELECT mask('adult', 'r')"
  note general certainty "nine 50" "$(sql "SELECT certainty_loss('r')")"
  note general closed "nine 50" "$(sql "SELECT closed_loss((SELECT columns FROM qid WHERE name = 'nine'))")"
fi

# mean FIGURE X: of each variant the mean of a figure over the cases whose names end so.
mean() {
  awk -F, -v figure="$1" -v only="$2" '$1 == figure && $2 ~ only { if (!n[$3]++) name[++names] = $3; sum[$3] += $4 }
    END { for (i = 1; i <= names; i++) print name[i] "," sum[name[i]] / n[name[i]] }' "$cases"
}
# means FIGURE X ROW: the same, noted under another name.
means() {
  local name value
  while IFS=, read -r name value; do echo "$3,$4,$name,$value" >>"$csv"; done < <(mean "$1" "$2")
}

cases=$csv csv=$dir/means.csv
grep '^#' "$cases" >"$csv"
for figure in masked all log_loss certainty closed; do
  means $figure . mean $figure
  means $figure ' (10|50|100|500)$' sixteen $figure
  means $figure '^nine 50$' "nine 50" $figure
  for k in 10 20 50 100 200 500 1000; do
    means $figure " $k\$" "$figure by k" $k
  done
done
for k in 10 20 50 100 200 500 1000; do
  means masked "^nine $k\$" nine $k
done
# ARX's classification metric without suppression, over the same columns and trees: measured once, elsewhere.
for arx in 10,18.46 50,18.72 100,19.34 500,22.50; do
  echo "nine,${arx%,*},ARX,${arx#*,}" >>"$csv"
done
{
  pivot mean "means of the 28 cases" %#.4g
  printf '\nMeans of the 16 cases with k = 10, 50, 100 and 500, and nine columns at k = 50:\n\n'
  pivot sixteen "means of 16 cases" %#.4g
  printf '\n'
  pivot "nine 50" "nine columns, k = 50" %#.4g
  printf '\nWithout a class (general use), local recoding of nine columns at k = 50 loses %s (`certainty`: open intervals\nreach to the ends of the data) and %s (`closed`).\n' \
    "$(awk -F, '$1 == "general" && $2 == "certainty" { printf "%.3f", $4 }' "$cases")" "$(awk -F, '$1 == "general" && $2 == "closed" { printf "%.3f", $4 }' "$cases")"
  for figure in masked all log_loss certainty; do
    printf '\n%s:\n\n' "$figure, by k"
    pivot "$figure by k" k %#.4g
  done
  printf '\n![masked by k](experiments/masked.svg)\n'
} | put useful
pivot nine "nine columns, k" %.2f | put nine
recorded "masked by k" | sed 's/^/masked,/' >"$dir/masked.csv"
csv=$dir/masked.csv
plot masked k linear %
