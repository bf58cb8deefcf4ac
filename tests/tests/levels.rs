//! Wide hierarchies of ARX, there and back: as child and parent, and again as leaf, level 1, ..., root.

use client_tests::{connect, data_dir, rows, run, Database};
use std::fs;
use std::path::Path;

/// The lines of a hierarchy, each with its levels.
fn read(path: &Path) -> Vec<Vec<String>> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| line.split(';').map(String::from).collect()).collect()
}

/// Loads a hierarchy as the wide table `levels`, and makes a taxonomy of it.
fn load(db: &mut Database, hierarchy: &[Vec<String>]) {
    let columns: Vec<String> = (0..hierarchy[0].len()).map(|level| format!("l{level} text")).collect();
    run(db, &format!("DROP TABLE IF EXISTS levels, tax; CREATE TABLE levels ({})", columns.join(", ")));
    let quoted = |cell: &String| format!("'{}'", cell.replace('\'', "''"));
    for row in hierarchy {
        let row: Vec<String> = row.iter().map(quoted).collect();
        run(db, &format!("INSERT INTO levels VALUES ({})", row.join(", ")));
    }
    run(db, "CREATE TABLE tax AS SELECT * FROM taxonomy_from_levels('levels')");
}

/// A taxonomy as a wide table, its rows in order.
fn written(db: &mut Database) -> Vec<Vec<String>> {
    let rows =
        db.query("SELECT levels FROM taxonomy_to_levels('tax') ORDER BY levels COLLATE \"C\"", &[]).unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

#[test]
fn hierarchies_of_arx_come_back_as_they_were() {
    let Some(dir) = data_dir() else { return };
    let mut db = connect();
    let mut seen = 0;
    for folder in ["arx-hierarchies", "taxonomy/own/arx", "taxonomy/fung/arx"] {
        let Ok(entries) = fs::read_dir(dir.join(folder)) else { continue };
        for path in entries.map(|entry| entry.unwrap().path()) {
            if path.extension().is_none_or(|ending| ending != "csv") {
                continue;
            }
            let mut hierarchy = read(&path);
            load(&mut db, &hierarchy);
            hierarchy.sort();
            let back = written(&mut db);
            // The same tree in any case; the same rows where a branch that lacks levels repeats its leaf.
            let leaf_repeated = |row: &Vec<String>| {
                let inner = row.iter().skip_while(|cell| **cell == row[0]);
                let inner: Vec<&String> = inner.collect();
                inner.windows(2).all(|pair| pair[0] != pair[1])
            };
            if hierarchy.iter().all(leaf_repeated) {
                assert_eq!(back, hierarchy, "{}", path.display());
                seen += 1;
            }
            let tree = "SELECT child || ' < ' || coalesce(parent, '') FROM tax ORDER BY 1";
            let before = rows(&mut db, tree);
            load(&mut db, &back);
            assert_eq!(rows(&mut db, tree), before, "{}", path.display());
        }
    }
    assert!(seen > 8, "{seen} hierarchies came back as the same rows");
}
