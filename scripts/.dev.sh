source scripts/lib.sh
source scripts/cluster.sh
find_postgres
dir=$(cluster_base)/dev
mkdir -p "$dir"; chmod 755 "$dir"
PROFILE=$2 scripts/build.sh "$dir/package" 2>&1 | tail -5
cluster_stop "$dir" || true
cluster_tree "$dir"
cluster_start "$dir"
printf 'export PGHOST=%s PGPORT=5432 PGUSER=postgres PGDATABASE=postgres\n' "$PGHOST" > /tmp/$1.env
