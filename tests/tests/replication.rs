//! Logical replication. On the publisher no publication is in a release's way; at a subscriber arrives what it has
//! tables for, and DDL, of which every new version is a part, does not (docs/operations/replication.md).

use client_tests::cluster::{wait_until, Cluster};
use client_tests::people::{more_people, people, release_of_people};
use client_tests::{number, rows, run};
use postgres::Client;

const PUBLISHER: &str = "wal_level = logical\nautovacuum = off";

/// Everything that makes a version, and everything that ends one, on a release that is there or not.
fn live(db: &mut Client, release: &str) {
    run(db, "SET ROLE owner; SET client_min_messages = error");
    run(db, &release_of_people(release, 10));
    // A replay of the same rows would make no version.
    let again = "refresh('{}', 'search')";
    for verb in [again, again, "rewind('{}', 1)", "alter('{}', max_steps => 3)"] {
        run(db, &format!("SELECT release_{}", verb.replace("{}", release)));
    }
    run(db, "CALL release_refresh_all('search')");
    batches(db);
    run(db, &format!("SELECT release_grant('{release}', 'reader'); SELECT release_assert('{release}')"));
    let versions =
        rows(db, &format!("SELECT version, current FROM {release}_private.manifest ORDER BY version"));
    assert_eq!(versions.len(), 6, "{versions:?}");
    run(db, &format!("SELECT release_drop('{release}'); RESET ROLE"));
}

/// A release in batches that holds rows back, and holds others back then, and none.
fn batches(db: &mut Client) {
    run(db, "CREATE TABLE batched AS SELECT 'a' AS v FROM generate_series(1, 40)");
    run(db, "SELECT tds_anonymize('batched', 'b', k_anonymity('{v}', 5), changes => 'batched')");
    for rows in ["('z')", "('z'), ('y')"] {
        run(db, &format!("INSERT INTO batched VALUES {rows}; SELECT release_refresh('b')"));
        let held = "SELECT sum(cardinality(rows)) FROM b_private.held_v0";
        assert!(number(db, held) > 0, "{rows} is not held back");
    }
    run(db, "SELECT release_alter('b', changes => 'any', allow_weaker => true); SELECT release_drop('b'); DROP TABLE batched");
}

/// A slot that nobody reads from stands for a subscriber: what is written has to be decodable.
#[test]
fn no_publication_is_in_the_way() {
    let Some(publisher) = Cluster::start(PUBLISHER) else { return };
    let mut db = publisher.session();
    people(&mut db, 1000);
    run(&mut db, "ALTER TABLE people ADD PRIMARY KEY (id)");
    let publications = [
        "CREATE PUBLICATION p FOR TABLE people",
        "CREATE PUBLICATION p FOR ALL TABLES",
        "CREATE PUBLICATION p FOR ALL TABLES WITH (publish_via_partition_root)",
    ];
    for publication in publications {
        run(&mut db, publication);
        live(&mut db, "r");
        run(&mut db, "SELECT pg_create_logical_replication_slot('s', 'pgoutput')");
        live(&mut db, "r");
        let changes = "SELECT count(*) FROM pg_logical_slot_get_binary_changes('s', NULL, NULL,
                                                        'proto_version', '1', 'publication_names', 'p')";
        let changes = number(&mut db, changes);
        // The source has not changed; a release's own tables are tables.
        assert_eq!(changes > 0, publication.contains("ALL TABLES"), "{publication}: {changes}");
        run(&mut db, "SELECT pg_drop_replication_slot('s'); DROP PUBLICATION p");
    }
    if number(&mut db, "SELECT current_setting('server_version_num')::int") >= 150_000 {
        // The schema has to be there already: a release of an earlier version that goes on.
        run(&mut db, &format!("SET ROLE owner; {}; RESET ROLE", release_of_people("r", 10)));
        run(&mut db, "CREATE PUBLICATION p FOR TABLES IN SCHEMA r, r_private");
        run(&mut db, "SET ROLE owner; SELECT release_refresh('r'); SELECT release_rewind('r', 0); SELECT release_drop('r')");
    }
}

/// A subscriber of the source alone is no business of the release's, and can make its own.
#[test]
fn the_source_arrives() {
    let Some(publisher) = Cluster::start(PUBLISHER) else { return };
    let Some(subscriber) = Cluster::start("") else { return };
    let (mut db, mut there) = (publisher.session(), subscriber.session());
    people(&mut db, 1000);
    people(&mut there, 0);
    run(&mut db, "ALTER TABLE people ADD PRIMARY KEY (id); CREATE PUBLICATION p FOR TABLE people");
    run(&mut db, &release_of_people("r", 10));
    subscribe(&publisher, &mut there, "p");
    more_people(&mut db, 1001, 1500);
    run(&mut db, "SELECT release_refresh('r')");
    wait_until("the source arrives", || rows(&mut there, "SELECT FROM people").len() == 1500);
    run(&mut there, &release_of_people("r", 10));
    run(&mut there, "SELECT release_assert('r')");
    // Both were searched for over the same rows, the one as a replay of a search over fewer.
    run(&mut db, "SELECT release_refresh('r', 'search')");
    let cut = "SELECT attribute, node, records FROM r.cut";
    assert_eq!(rows(&mut there, cut), rows(&mut db, cut));
    unsubscribe(&mut there);
}

fn subscribe(publisher: &Cluster, there: &mut Client, publication: &str) {
    let from = publisher.socket();
    run(
        there,
        &format!("CREATE SUBSCRIPTION s CONNECTION 'host={from} user=postgres dbname=postgres' PUBLICATION {publication}"),
    );
}

/// So that the publisher does not have to be waited for when it is stopped.
fn unsubscribe(there: &mut Client) {
    run(there, "DROP SUBSCRIPTION s");
}

/// A subscriber of everything stands still at each new version until it has been given that version's table;
/// then everything else arrives, and the table's rows when the subscription is refreshed.
#[test]
fn versions_arrive_by_hand() {
    let Some(publisher) = Cluster::start(PUBLISHER) else { return };
    let Some(subscriber) = Cluster::start("wal_retrieve_retry_interval = 100ms") else { return };
    let (mut db, mut there) = (publisher.session(), subscriber.session());
    people(&mut db, 1000);
    run(&mut db, "ALTER TABLE people ADD PRIMARY KEY (id); CREATE PUBLICATION p FOR ALL TABLES");
    run(&mut db, &format!("SET ROLE owner; {}; RESET ROLE", release_of_people("r", 10)));
    // What a subscriber begins with: everything but the rows.
    run(&mut there, "CREATE ROLE owner; CREATE ROLE reader");
    let schema = publisher.succeeds("pg_dump", &["--schema-only", "--no-publications", "postgres"]);
    let file = subscriber.path("schema.sql");
    std::fs::write(&file, schema).unwrap();
    subscriber
        .succeeds("psql", &["-qX", "-v", "ON_ERROR_STOP=1", "-f", &file.display().to_string(), "postgres"]);
    subscribe(&publisher, &mut there, "p");
    let (view, cut) = ("SELECT * FROM r.people ORDER BY 1, 2, 3, 4, 5", "SELECT * FROM r.cut");
    let about = "SELECT version, rows, privacy FROM r.about";
    wait_until("the first version arrives", || rows(&mut there, "SELECT FROM r.people").len() == 1000);
    wait_until("and its manifest", || rows(&mut there, about) == rows(&mut db, about));
    assert_eq!(rows(&mut there, view), rows(&mut db, view));

    more_people(&mut db, 1001, 1500);
    run(&mut db, "SET ROLE owner; SELECT release_refresh('r'); RESET ROLE");
    let missing = "logical replication target relation \"r_private.rows_v2\" does not exist";
    wait_until("replication stands still", || subscriber.log().contains(missing));
    // Who reads there has the version before, whole.
    assert_eq!(rows(&mut there, "SELECT version, rows FROM r.about"), ["(1,1000)"]);
    assert_eq!(rows(&mut there, "SELECT FROM r.people").len(), 1000);
    run(&mut there, "CREATE TABLE r_private.rows_v2 (LIKE r_private.rows_v0)");
    // Its manifest says that there is a second version now; as long as its rows have not come, the first is shown.
    wait_until("the manifest arrives", || {
        rows(&mut there, "SELECT version FROM r_private.manifest WHERE current") == ["(2)"]
    });
    assert_eq!(rows(&mut there, "SELECT version, rows FROM r.about"), ["(1,1000)"]);
    assert_eq!(rows(&mut there, "SELECT FROM r.people").len(), 1000);
    run(&mut there, "ALTER SUBSCRIPTION s REFRESH PUBLICATION");
    wait_until("the rows arrive", || rows(&mut there, "SELECT FROM r_private.rows_v2").len() == 1500);
    run(&mut there, "ALTER TABLE r_private.rows_v0 ATTACH PARTITION r_private.rows_v2 FOR VALUES IN (2)");
    for query in [view, cut, about] {
        assert_eq!(rows(&mut there, query), rows(&mut db, query), "{query}");
    }
    unsubscribe(&mut there);
}
