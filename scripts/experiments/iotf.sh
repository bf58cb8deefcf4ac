#!/usr/bin/env bash
# shellcheck shell=bash disable=SC2154,SC2016 # scripts/experiments.sh sets them; $ of awk and of Markdown
# IOTF section 4, figures 3 and 4: greedy k-member clustering of Adult (age, education_num, hours_per_week) for k = 2, 4, ..., 20 along
# five kinds of hierarchies and without: NTIL, NIL1, DM and AVG. Figure 2, the hierarchies of education_num, is sql/examples/hierarchies.sql.

if [ -z "${TABLES:-}" ]; then
  "${psql[@]}" -f sql/examples/hierarchies.sql
  for method in iotf otf predefined chu han free; do
    masking="(SELECT array_agg(by_taxonomy(c, ('${method}_' || c)::regclass)) FROM unnest('{age,education_num,hours_per_week}'::text[]) c)"
    [ $method != free ] || masking="'{}'"
    for k in 2 4 6 8 10 12 14 16 18 20; do
      sql "DROP SCHEMA IF EXISTS r, r_private CASCADE; SELECT FROM kmember_anonymize('adult', 'r', '{age,education_num,hours_per_week}', $k, $masking, endpoints => 'values')"
      while IFS='|' read -r measure value; do
        note "$measure" $k $method "$value"
      done < <(sql "SELECT measure, value FROM release_measures('r') WHERE measure IN ('ntil', 'nil_1', 'nil_inf', 'discernibility', 'avg')")
    done
  done
fi
for measure in ntil nil_1 discernibility avg; do
  plot $measure k linear " "
done
{
  for measure in ntil nil_1 discernibility avg; do
    printf '%s:\n\n' $measure
    pivot $measure k %.5g
    printf '\n![%s by k](experiments/%s.svg)\n\n' $measure $measure
  done
} | put "figures 3 and 4"
