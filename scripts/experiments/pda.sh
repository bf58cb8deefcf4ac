#!/usr/bin/env bash
# shellcheck shell=bash disable=SC2154,SC2016,SC2034 # scripts/experiments.sh sets them, or takes them by name
# PDA section 5: Table 3 and figures 3a to 3c. TopN are sensitive, the other categorical columns are the channel, and of each sensitive
# column the half of the values that is least frequent is protected. J48 on the categorical columns: BE as they are, SE released, RE
# without the sensitive ones. All rows are released together, then parted again.

crx='{a1,a4,a5,a6,a7,a9,a10,a12,a13}' crx_top=(a9 a10 a7 a6) crx_class=class
adult='{workclass,education,marital_status,occupation,relationship,race,sex,native_country}'
adult_top=(marital_status relationship education sex) adult_class=income
# without ARRAY ARRAY: in SQL.
without() { echo "ARRAY(SELECT unnest('$1'::text[]) EXCEPT SELECT unnest('$2'::text[]) ORDER BY 1)"; }
top() { local -n ranked=$1_top; local IFS=,; echo "{${ranked[*]:0:$2}}"; }

if [ -z "${TABLES:-}" ]; then
  for source in crx adult; do
    columns=${!source} class=${source}_class class=${!class}
    for above in 0.1 0.3 0.5 0.7 0.9; do
      note table $above $source "$(sql "SELECT count(*) FROM unnest(templates('$source', $(without "$columns" "$(top $source 4)"), '$(top $source 4)', 0.5)) t,
        privacy_inferences('$source', t, $above)")"
    done
    base=$(error J48 $source "'$columns'" "$class")
    for n in 1 2 3 4; do
      sensitive=$(top $source $n) channel=$(without "$columns" "$(top $source $n)")
      note $source Top$n BE "$base"
      note $source Top$n RE "$(error J48 $source "$channel" "$class")"
      of=0 sum=0
      for h in 0.1 0.3 0.5 0.7 0.9; do
        if sql "DROP SCHEMA IF EXISTS r, r_private CASCADE; SELECT FROM pda_anonymize('$source', 'r', templates('$source', $channel, '$sensitive', $h), '$class', keep => '{id}')" 2>"$dir/fault"; then
          sql "SELECT mask('$source', 'r')"
          error=$(error J48 masked "'$columns'" "$class")
          note "$source by h" $h Top$n "$error"
          of=$((of + 1)) sum=$(awk -v sum="$sum" -v error="$error" 'BEGIN { print sum + error }')
        else
          grep -q "does not hold even for the most general table" "$dir/fault" || die "$(cat "$dir/fault")"
        fi
      done
      note $source Top$n SE "$(awk -v sum="$sum" -v of="$of" 'BEGIN { print sum / of }')"
    done
  done

  # Rows as they grow: the seven channel columns vary, the sensitive one and the class are inherited.
  sql "DROP SCHEMA IF EXISTS plain CASCADE; CREATE SCHEMA plain; CREATE TABLE plain.adult AS SELECT workclass, education, occupation, relationship, race, sex, native_country,
       marital_status || '|' || income AS income FROM adult"
  "${psql[@]}" -c "SET search_path TO plain" -f sql/bench/blow_up.sql
  for rows in 200000 400000 600000 800000 1000000; do
    sql "DROP SCHEMA IF EXISTS r, r_private CASCADE; DROP TABLE IF EXISTS plain.rows; CREATE TABLE plain.rows AS SELECT workclass, education, occupation, relationship, race, sex, native_country,
         split_part(income, '|', 1) AS marital_status, split_part(income, '|', 2) AS income FROM plain.million LIMIT $rows"
    note "pda-scale" $rows search "$(sql "SELECT pda_anonymize('plain.rows', 'r', templates('adult', $(without "$adult" "$(top adult 1)"), '$(top adult 1)', 0.9), 'income') #>> '{seconds,search}'")"
  done
  sql "DROP SCHEMA plain, r, r_private CASCADE"
fi
pivot table "inferences above" %d | put "table 3"
for source in crx adult; do
  {
    pivot $source "error in %" %.2f
    printf '\nSE by h, where the templates can be kept:\n\n'
    pivot "$source by h" h %.2f
    printf '\n![errors of TopN](experiments/%s.svg)\n' $source
  } | put "figure 3, $source"
  plot $source TopN linear %
done
{
  pivot "pda-scale" rows %.3f
  printf '\n![seconds by rows](experiments/pda-scale.svg)\n'
} | put "figure 3c"
plot "pda-scale" rows
