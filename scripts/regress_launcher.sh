#!/usr/bin/env bash
# How scripts/regress.sh runs psql and isolationtester. psql prints statements without the comments between them, rows without
# headers and frames, NULL as NULL, and no message below an error unless the test sets client_min_messages. Statements that set up
# and clear away are printed only where they say something. Of a message only what code can act on is printed: severity,
# SQLSTATE and arguments, which are quoted strings and words with a digit, an underscore or an inner period (numbers of eight
# digits and more, and what memory is needed, are "..."); "|" stands before those of the DETAIL. What the extension says goes to $MESSAGES
# without its arguments: pg_regress/messages.txt is the one place of its wording, and of the SQLSTATEs that isolationtester does
# not print. What a test raises itself is printed as it is.
set -o pipefail
sessions=1
if [[ $1 = *psql ]]; then
  sessions=0
  set -- "$@" -At -P null=NULL -v VERBOSITY=verbose
  export PGOPTIONS="$PGOPTIONS -c client_min_messages=error"
fi
"$@" 2>&1 | awk -v sessions=$sessions -v messages="$MESSAGES" -v catalogue="$(dirname "$0")/../pg_regress/messages.txt" '
  BEGIN {
    while ((getline < catalogue) > 0) if (match($0, /^[A-Z]+ [0-9A-Z][0-9A-Z][0-9A-Z][0-9A-Z][0-9A-Z] /))
      states[substr($0, RLENGTH + 1)] = substr($0, RLENGTH - 5, 5)
  }
  # The arguments in a text, each with a blank before it.
  function arguments(text, found, word) {
    found = ""
    while (match(text, /"([^"]|"")*"|\047([^\047]|\047\047)*\047|[A-Za-z0-9_.-]*[0-9_][A-Za-z0-9_.-]*|[A-Za-z]+\.[A-Za-z]+/)) {
      word = substr(text, RSTART, RLENGTH)
      text = substr(text, RSTART + RLENGTH)
      sub(/\.$/, "", word)
      # So many bytes: they are of a build.
      if ((needs || length(word) > 7) && word !~ /[^0-9]/) word = "..."
      found = found " " word
    }
    return found
  }
  # A text with its arguments left out.
  function wording(text) {
    gsub(/"([^"]|"")*"/, "\"\"", text)
    gsub(/\047([^\047]|\047\047)*\047/, "\047\047", text)
    gsub(/[0-9]+(\.[0-9]+)?/, "0", text)
    while (gsub(/"", ""/, "\"\"", text)) { }
    gsub(/\{"".*\}/, "{}", text)
    return text
  }
  function say(part, text, lines, line, i) {
    if (!ours || text == "") return
    lines = split(text, line, "\n")
    for (i = 1; i <= lines; i++) print part " " wording(line[i]) >> messages
  }
  function finish() {
    if (aside != "") print aside
    aside = ""
    needs = detail ~ / bytes or more are needed/
    # Servers from 17 on quote the setting.
    if (state == "53400") gsub(/"/, "", message)
    if (raised) print severity ":  " message
    else print severity ":  " state arguments(message) (detail == "" ? "" : " |" arguments(detail))
    ours = location ~ /\.rs:[0-9]+$/
    say(severity " " state, message)
    say("DETAIL", detail)
    say("HINT", hint)
  }
  /^(DEBUG|LOG|INFO|NOTICE|WARNING|ERROR|FATAL|PANIC):  [0-9A-Z][0-9A-Z][0-9A-Z][0-9A-Z][0-9A-Z]: / {
    severity = substr($0, 1, index($0, ":") - 1)
    text = substr($0, length(severity) + 4)
    state = substr(text, 1, 5)
    message = substr(text, 8)
    detail = hint = ""
    part = "message"
    next
  }
  part == "" && match($0, /^([^ :]+: )?(NOTICE|WARNING|ERROR):  /) {
    severity = substr($0, 1, RLENGTH)
    text = substr($0, RLENGTH + 1)
    if (wording(text) in states) print severity states[wording(text)] arguments(text)
    else print
    next
  }
  part == "" && !sessions && /^--/ { next }
  part == "" && !sessions && (/^(SET (search_path|client_min_messages) |RESET [^RS]|SELECT release_drop\(|DROP |CREATE SCHEMA )[^;]*;?$/ ||
      /^(CREATE ((UNLOGGED |TEMP )?TABLE|TYPE|DOMAIN|VIEW|INDEX|ROLE)|ALTER TABLE|INSERT|UPDATE|DELETE|ANALYZE|GRANT|REVOKE) [^;]*;$/ && !/ RETURNING /) {
    aside = $0
    next
  }
  # Blank lines, and the frames that isolationtester has no way to leave out.
  part == "" && (/^$/ || sessions && /^( +|-+(\+-+)*|\([0-9]+ rows?\))$/) { next }
  # How plans name what a part of them has found.
  part == "" && /^ *Filter: / { gsub(/\$[0-9]+|\(InitPlan [0-9]+\)\.col1/, "$") }
  part == "" { aside = ""; print; fflush(); next }
  /^DETAIL:  / { part = "detail"; detail = substr($0, 10); next }
  /^HINT:  / { part = "hint"; hint = substr($0, 8); next }
  /^LINE [0-9]+: / || /^QUERY:  / || /^CONTEXT:  / || /^SCHEMA NAME:  / { part = "other"; next }
  /^LOCATION:  / { location = $0; raised = location ~ / exec_stmt_raise, /; finish(); part = ""; fflush(); next }
  part == "detail" { detail = detail "\n" $0; next }
  part == "hint" { hint = hint "\n" $0; next }
  part == "message" { message = message "\n" $0; next }
'
