#!/usr/bin/env bash
# shellcheck shell=bash disable=SC2154,SC2016 # scripts/experiments.sh sets them; $ of awk and of Markdown
# TDS section 6.1, figure 7: thirty random requirements of several quasi-identifiers, k = 100, and each united into one. J48.

if [ -z "${TABLES:-}" ]; then
  for number in $(seq 30); do
    united="(SELECT array_agg(DISTINCT c) FROM multi, unnest(columns) c WHERE number = $number)"
    for requirement in Multi Single; do
      models="(SELECT array_agg(k_anonymity(columns, 100)) FROM multi WHERE number = $number)"
      [ $requirement = Multi ] || models="ARRAY[k_anonymity($united, 100)]"
      sql "DROP SCHEMA IF EXISTS r, r_private CASCADE; SELECT FROM tds_anonymize('adult', 'r', $models, 'income', trees($united), keep => '{id}')"
      sql "SELECT mask('adult', 'r')"
      note multi "$number" $requirement "$(error J48 masked "rest_of('masked', '{}')" income)"
    done
  done
  # How the two compare, over all thirty.
  compared=$(awk -F, '$1 == "multi" { if ($3 == "Multi") multi = $4; else { n++; m += multi; s += $4; better += multi < $4; same += multi == $4 } }
    END { print m / n, s / n, better, same }' "$csv")
  read -r several one better same <<<"$compared"
  note compared all "mean error of several" "$several"
  note compared all "mean error of one" "$one"
  note compared all "several are better" "$better"
  note compared all "as good" "$same"
fi
# Each point is a requirement: to the right the error of the one, upwards that of the several.
scatter() {
  awk -F, '$1 == "multi" { if ($3 == "Multi") multi = $4; else print multi "," $4 }' "$csv" | awk -F, '
    function s(v) { return 40 + 300 * (v - 14) / 8 }
    BEGIN {
      print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 380 390\" font-family=\"sans-serif\" font-size=\"12\">"
      print "<rect width=\"380\" height=\"390\" fill=\"white\"/><path d=\"M40 350L340 50\" stroke=\"#999\"/><path d=\"M40 50V350H340\" stroke=\"#333\" fill=\"none\"/>"
      for (t = 14; t <= 22; t += 2) printf "<text x=\"%d\" y=\"366\" text-anchor=\"middle\">%d %%</text><text x=\"34\" y=\"%d\" text-anchor=\"end\">%d</text>\n", s(t), t, 394 - s(t), t
      print "<text x=\"190\" y=\"384\" text-anchor=\"middle\">several quasi-identifiers</text><text x=\"46\" y=\"46\">one</text>"
    }
    { printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"#1b6ca8\"/>\n", s($1), 390 - s($2) }
    END { print "</svg>" }'
}
scatter >docs/experiments/multi.svg
{
  pivot compared "of 30 requirements" %.4g
  printf '\n![each requirement](experiments/multi.svg)\n'
} | put "figure 7"
