# shellcheck shell=bash disable=SC2154 # lib.sh sets them
# A private PostgreSQL cluster in one directory; sourced after lib.sh and find_postgres.
#
#   <dir>/tree    the installed PostgreSQL once more, as PostgreSQL's own `make check` does it: programs
#                 copied, everything else links, and on top our extension. A program that is moved with
#                 its directories finds its libraries and extensions by relative paths, so nothing is
#                 installed into the system and two work trees cannot get in each other's way.
#   <dir>/data    the cluster; nothing in it is meant to survive a power cut. With $in_memory, a link into that directory
#   <dir>/log     what the server says
#   <dir>/socket  link to the socket's directory, which is under /tmp because a socket's path must be
#                 short. It is the only way in, and only the server's user and root can pass it.

# Where clusters go: below target/, or in a directory of our own when the server's user cannot get there.
cluster_base() {
  local base=$TARGET/cluster elsewhere=$TARGET/cluster/elsewhere
  mkdir -p "$base"
  if ! as_server test -x "$base"; then
    if ! [ -O "$(cat "$elsewhere" 2>/dev/null)" ]; then
      mktemp -d /var/tmp/pg_topdown.XXXXXX >"$elsewhere"
      chmod 755 "$(cat "$elsewhere")"
    fi
    base=$(cat "$elsewhere")
    say "User $server_user cannot reach $TARGET, so the private cluster lies in $base" >&2
  fi
  echo "$base"
}

# Builds the extension and puts it together with PostgreSQL into <dir>/tree.
cluster_install() {
  scripts/build.sh "$1/package"
  cluster_tree "$1"
}

# Puts what lies in <dir>/package together with PostgreSQL into <dir>/tree, also under a running server. An
# extension installed in the system stays out of it.
cluster_tree() {
  local tree=$1/tree package=$1/package part from
  rm -rf "$tree.new"
  for part in bindir pkglibdir sharedir; do
    from=$("$PG_CONFIG" --$part)
    mkdir -p "$tree.new$from"
    if [ $part = bindir ]; then cp -rL "$from/." "$tree.new$from/"; else cp -rs "$from/." "$tree.new$from/"; fi
  done
  find "$tree.new" -name 'pg_topdown*' -delete
  cp -r "$package/." "$tree.new/"
  rm -rf "$tree"
  mv "$tree.new" "$tree"
  [ "$("$tree$PG_BIN/pg_config" --sharedir)" = "$tree$("$PG_CONFIG" --sharedir)" ] ||
    die "the copy of PostgreSQL in $tree does not find its own directories"
}

# Runs a program of the tree in a clean environment. RUST_BACKTRACE=1, as a server may happen to have it:
# no error may show a stack for that. Shared libraries are looked for where the originals find theirs, which may be beside them. Our
# locks (descriptors 7 to 9) stay with us.
cluster_run() {
  local dir=$1 program=$2 libraries
  shift 2
  libraries=$(ldd "$PG_BIN/postgres" "$PG_BIN/psql" | sed -n 's|.* => \(/.*\)/[^/]* (.*|\1|p' | sort -u | paste -sd :)
  as_server env -i PATH=/usr/bin:/bin LANG=C.UTF-8 RUST_BACKTRACE=1 LD_LIBRARY_PATH="$libraries" \
    "$dir/tree$PG_BIN/$program" -D "$dir/data" "$@" 7<&- 8<&- 9<&-
}

cluster_running() { [ -d "$1/data" ] && cluster_run "$1" pg_ctl status >/dev/null 2>&1; }

# What initdb made, once for each server: $initdb. Clusters are copies of it.
cluster_initdb() {
  local dir=$1 made
  made=$(cluster_base)/initdb-$("$dir/tree$PG_BIN/pg_config" --version | tr -cd 'A-Za-z0-9.')
  initdb=$made/data
  [ ! -e "$made/done" ] || return 0
  rm -rf "$made"
  mkdir -p "$made/data"
  [ "$EUID" -ne 0 ] || chown "$server_user" "$made/data"
  ln -s "$dir/tree" "$made/tree"
  cluster_run "$made" initdb -U postgres -A trust -E UTF8 --locale=C --no-sync >"$made/log" 2>&1 || { cat "$made/log" >&2; die "initdb failed"; }
  rm "$made/tree"
  touch "$made/done"
}

# Starts the cluster if it is stopped, makes it first if there is none, and points PGHOST and PGUSER at it.
cluster_start() {
  local dir=$1 socket
  if [ ! -e "$dir/data/PG_VERSION" ]; then
    say "Making a private cluster in $dir"
    cluster_initdb "$dir"
    rm -rf "$dir/data"
    [ -z "${in_memory:-}" ] || ln -s "$in_memory/$(basename "$dir")" "$dir/data"
    cp -a "$initdb" "$(realpath -m "$dir/data")"
    touch "$dir/log"
    [ "$EUID" -ne 0 ] || chown "$server_user" "$dir/log"
    # Without autovacuum: whether an old version goes depends on the oldest snapshot there is, which may be its.
    as_server tee -a "$dir/data/postgresql.conf" >/dev/null <<<"
      listen_addresses = ''
      autovacuum = off
      fsync = off
      synchronous_commit = off
      full_page_writes = off
      jit = off
      statement_timeout = '20min'"
  fi
  if ! cluster_running "$dir"; then
    socket=$(mktemp -d /tmp/pg_topdown.XXXXXX)
    [ "$EUID" -ne 0 ] || chown "$server_user" "$socket"
    ln -sfn "$socket" "$dir/socket"
    cluster_run "$dir" pg_ctl -l "$dir/log" -w -o "-k $socket -p 5432" start >/dev/null ||
      { tail -n 20 "$dir/log" >&2; die "the private cluster does not start"; }
  fi
  PGHOST=$(readlink "$dir/socket") PGPORT=5432 PGUSER=postgres
  export PGHOST PGPORT PGUSER
  say "Private cluster: $dir, socket in $PGHOST, no network"
}

cluster_stop() {
  local dir=$1
  if cluster_running "$dir"; then
    cluster_run "$dir" pg_ctl -m fast -w stop >/dev/null || cluster_run "$dir" pg_ctl -m immediate -w stop >/dev/null
  fi
  [ ! -L "$dir/socket" ] || rm -rf "$(readlink "$dir/socket")" "$dir/socket"
}

# Settings of the caller's own server do not concern ours.
unset PGHOST PGHOSTADDR PGPORT PGUSER PGPASSWORD PGPASSFILE PGDATABASE PGDATA PGSERVICE PGSERVICEFILE \
  PGOPTIONS PGSSLMODE PGTZ PGDATESTYLE PGCLIENTENCODING PGAPPNAME
