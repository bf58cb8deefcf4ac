#!/usr/bin/env bash
# shellcheck shell=bash disable=SC2154,SC2016 # scripts/experiments.sh sets them; $ of awk and of Markdown
# What the parts of the experiments have in common: data, weka, and how a figure comes into the page. Included by
# scripts/experiments.sh, which names $psql, $data, $java, $dir, $machine and $part.

# Adult (all complete rows, those of adult.test marked), CRX the same way, TDS's authors' trees and the SQL of the experiments.
load() {
  local file rows tree
  "${psql[@]}" -c "CREATE EXTENSION pg_topdown"
  "${psql[@]}" -c "CREATE TABLE adult (id int GENERATED ALWAYS AS IDENTITY, age int, workclass text, fnlwgt int, education text,
    education_num int, marital_status text, occupation text, relationship text, race text, sex text, capital_gain int,
    capital_loss int, hours_per_week int, native_country text, income text, test boolean NOT NULL DEFAULT false)"
  for file in data test; do
    [ $file = data ] || "${psql[@]}" -c "ALTER TABLE adult ALTER test SET DEFAULT true"
    grep , "$data/adult/adult.$file" | grep -v '?' | sed 's/, /,/g; s/\.$//' | "${psql[@]}" -c "COPY adult (age, workclass, fnlwgt,
      education, education_num, marital_status, occupation, relationship, race, sex, capital_gain, capital_loss, hours_per_week,
      native_country, income) FROM STDIN (FORMAT csv)"
  done
  "${psql[@]}" -c "CREATE TABLE crx (id int GENERATED ALWAYS AS IDENTITY, a1 text, a2 numeric, a3 numeric, a4 text, a5 text, a6 text,
    a7 text, a8 numeric, a9 text, a10 text, a11 int, a12 text, a13 text, a14 int, a15 int, class text, test boolean NOT NULL DEFAULT false)"
  # The first 490 rows are for training.
  for rows in 1,490p '491,$p'; do
    [ $rows = 1,490p ] || "${psql[@]}" -c "ALTER TABLE crx ALTER test SET DEFAULT true"
    sed -n $rows "$data/crx/crx.data" | grep -v '?' | "${psql[@]}" -c "COPY crx (a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12,
      a13, a14, a15, class) FROM STDIN (FORMAT csv)"
  done
  for tree in "$data"/taxonomy/fung/*.csv; do
    table=tax_$(basename "$tree" .csv | tr - _)
    "${psql[@]}" -c "CREATE TABLE $table (child text, parent text)"
    "${psql[@]}" -c "COPY $table FROM STDIN (FORMAT csv, HEADER)" <"$tree"
  done
  "${psql[@]}" -f sql/experiments/setup.sql -c "VACUUM ANALYZE"
}

# sql STATEMENT: its result.
sql() { "${psql[@]}" -c "SET client_min_messages = error" -c "$1"; }

# error CLASSIFIER TABLE COLUMNS CLASS: of 100 test rows how many are told wrong by what was learnt from the training rows.
error() {
  local classifier=weka.classifiers.trees.J48
  [ "$1" = J48 ] || classifier=weka.classifiers.bayes.$1
  "${psql[@]}" -c "SELECT arff('$2', $3, '$4', 'NOT test')" >"$dir/train.arff"
  "${psql[@]}" -c "SELECT arff('$2', $3, '$4', 'test')" >"$dir/test.arff"
  java -XX:+UseSerialGC -cp "$java/weka.jar:$java/cup_runtime.jar" "$classifier" -t "$dir/train.arff" -T "$dir/test.arff" -v -o |
    awk '/^Incorrectly/ { print $5 }'
}

# begin PART, note FIGURE X SERIES VALUE: what a part finds, into its CSV file.
begin() {
  csv=docs/experiments/$1.csv
  [ -n "${TABLES:-}" ] || printf '# %s, `scripts/experiments.sh %s`; %s.\nfigure,x,series,value\n' "$(date -u +%F)" "$1" "$machine" >"$csv"
}
note() { echo "$1,$2,$3,$4" | tee -a "$csv"; }

# recorded FIGURE: the x, series and value of a figure, as CSV without a header.
recorded() { awk -F, -v figure="$1" '$1 == figure { print $2 "," $3 "," $4 }' "$csv"; }

# pivot FIGURE HEAD FORMAT: a Markdown table of a figure, a row an x and a column a series, in the order in which they came.
pivot() {
  recorded "$1" | awk -F, -v head="$2" -v format="$3" '
    !($1 in row) { row[$1] = ++rows; x[rows] = $1 }
    !($2 in column) { column[$2] = ++columns; series[columns] = $2 }
    { value[$1, $2] = $3 }
    END {
      line = "| " head " |"; rule = "| --- |"
      for (c = 1; c <= columns; c++) { line = line " " series[c] " |"; rule = rule " --- |" }
      print line; print rule
      for (r = 1; r <= rows; r++) {
        line = "| " x[r] " |"
        for (c = 1; c <= columns; c++) line = line " " ((x[r], series[c]) in value ? sprintf(format, value[x[r], series[c]]) : "") " |"
        print line
      }
    }'
}

# put NAME: what stands between <!-- NAME --> and <!-- end --> in the page becomes what is read, with the command of the run. Its
# file of numbers begins with the machine and the date.
put() {
  { cat; printf '\nMeasured with `scripts/experiments.sh %s`. [%s.csv](experiments/%s.csv) begins with machine and date.\n' \
    "$part" "$part" "$part"; } >"$dir/block"
  awk -v name="<!-- $1 -->" -v block="$dir/block" '
    $0 == "<!-- end -->" { out = 0 }
    !out { print }
    $0 == name { out = 1; while ((getline line < block) > 0) print line }' docs/EXPERIMENTS.md >"$dir/page"
  grep -q "^<!-- $1 -->$" docs/EXPERIMENTS.md || die "the page has no place for $1"
  cp "$dir/page" docs/EXPERIMENTS.md
}

# plot FIGURE LABEL [UNIT]: the picture of a figure beside its numbers: along what x is, in which unit the values are.
plot() {
  recorded "$1" | awk -F, -v figure="$2" 'BEGIN { print "of,x,what,value" } { print figure "," $0 }' >"$dir/plot.csv"
  scripts/plot.sh "$dir/plot.csv" "$dir" "${@:3}" >"$dir/plot.out"
  cp "$(cat "$dir/plot.out")" "docs/experiments/$1.svg"
}
