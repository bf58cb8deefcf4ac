//! A report compared with SQL, cell by cell. The recipient's page is written a second time, by somebody who may read the view, `cut` and
//! `about` and nothing else: it has to say that, and nothing more. The owner's page says the same, and more only in the places that
//! are the owner's. What its tables tell of a column is together all rows, and pictures are drawn of what the text says.

mod seen;

use client_tests::page::{Page, Piece};
use client_tests::{connect, number, rows, run, server, Database};
use postgres::{Client, NoTls};
use seen::{in_any_order, intervals, one, Seen};
use std::collections::HashMap;

/// Releases of every kind. Of each it is said by what its columns are masked.
const RELEASES: &str = r#"
    SET client_min_messages = error;
    CREATE TABLE tax AS SELECT * FROM (VALUES ('all', NULL), ('<b>north</b>', 'all'), ('south & "east"', 'all'), ('oslo', '<b>north</b>'), ('bergen', '<b>north</b>'),
      ('rome', 'south & "east"'), ('nice', 'south & "east"')) t (child, parent);
    CREATE TABLE people AS
    SELECT (ARRAY['oslo', 'bergen', 'rome', 'nice'])[1 + i % 4] AS city, 20 + i % 50 AS age, CASE WHEN i % 9 > 0 THEN 'c' || i % 7 END AS code,
           date '2020-01-01' + i % 400 AS born, CASE WHEN i % 4 < 2 AND i % 50 > 20 THEN '<yes>' ELSE 'no' END AS class, i / 3 AS person, i AS number, 'x' || i % 3 AS kept,
           CASE WHEN i % 7 > 0 THEN 'a,' || i % 6 ELSE 'a' END || CASE WHEN i % 5 > 0 THEN ',' ELSE '' END AS commas
    FROM generate_series(1, 1000) i;
    SELECT tds_anonymize('people', 'global', ARRAY[k_anonymity(ARRAY['city', 'age', 'code'], 20), l_diversity(ARRAY['city'], 'kept', 2, 'entropy')], class => 'class',
      masking => ARRAY[by_taxonomy('city', 'tax'), by_intervals('age', '10', '99')], keep => ARRAY['number', 'kept']);
    SELECT tds_anonymize('people', 'local', ARRAY[k_anonymity(ARRAY['city', 'age', 'code'], 20)], class => 'class', recoding => 'local', masking => ARRAY[by_taxonomy('city', 'tax'), by_intervals('age', '10', '99')]);
    CREATE TABLE few AS SELECT (ARRAY['A', 'B', 'C'])[1 + (i % 22) / 10] AS a, CASE WHEN i % 11 = 0 THEN NULL ELSE i % 40 END AS n FROM generate_series(0, 21) i;
    SELECT tds_anonymize('few', 'star_and_values', ARRAY[k_anonymity(ARRAY['a', 'n'], 2)], recoding => 'local', masking => by_intervals('n', '0', '100'));
    SELECT tds_anonymize('people', 'null_over_tops', ARRAY[k_anonymity(ARRAY['city', 'code', 'born'], 60)], recoding => 'local', masking => ARRAY[by_prefix('code'), by_calendar('born')]);
    SELECT tds_anonymize('few', 'suppressed', ARRAY[k_anonymity(ARRAY['a'], 5)], suppressed => 'not told');
    SELECT tds_anonymize('few', 'left_out', ARRAY[k_anonymity(ARRAY['a', 'n'], 2)], withhold => 0.2, masking => by_suppression('n'));
    SELECT tds_anonymize('people', 'ranges', ARRAY[k_anonymity(ARRAY['age', 'city', 'code'], 50)], intervals => 'range', class => 'class');
    SELECT tds_anonymize('people', 'padded', ARRAY[k_anonymity(ARRAY['age', 'born'], 30)], intervals => 'padded', masking => by_intervals('age', '0', '120'));
    SELECT tds_anonymize('people', 'bounds', ARRAY[k_anonymity(ARRAY['age', 'code'], 30)], intervals => 'bounds', keep => ARRAY['kept'], view => 'A "view"');
    SELECT tds_anonymize('people', 'of_persons', ARRAY[k_anonymity(ARRAY['age', 'city'], 20, person => 'person')], keep => ARRAY['born']);
    SELECT tds_anonymize('people', 'commas', ARRAY[k_anonymity(ARRAY['commas'], 20)], masking => by_intervals('commas'));
    SELECT pda_anonymize('people', 'disclosed', ARRAY[confidence_bound(ARRAY['city', 'age', 'code'], 'class', NULL, 0.9)], class => 'kept', masking => by_taxonomy('city', 'tax'));
    SELECT kmember_anonymize('few', 'clustered', ARRAY['a', 'n'], 3, masking => by_intervals('n', '-10', '110'));
    CREATE TABLE wide AS SELECT 'value ' || i % 90 AS v FROM generate_series(1, 9900) i;
    SELECT tds_anonymize('wide', 'wide', ARRAY[k_anonymity(ARRAY['v'], 5)])"#;

/// Of these more values are released than are told one by one.
const WIDE: &str = "wide";

/// What only the owner's page has: whole sections, and behind them what of other sections.
const OWNERS: [&str; 4] = ["Risk of being found", "The course of the search", "Measures", "Versions"];

/// The summary at the top.
const SHORT: &str = "In short";

/// The releases, and a session of somebody who may read them.
fn releases(db: &mut Database, reader: &str) -> (Vec<String>, Client) {
    run(db, RELEASES);
    run(db, &format!("DROP ROLE IF EXISTS {reader}; CREATE ROLE {reader} LOGIN"));
    run(db, &format!("SELECT release_grant(release, '{reader}') FROM releases()"));
    let all = rows(db, "SELECT release FROM releases()");
    let all: Vec<String> = all.iter().map(|name| name.trim_matches(['(', ')']).into()).collect();
    assert!(all.len() > 12, "{all:?}");
    (all, db.session_as(reader))
}

fn page(db: &mut Client, release: &str, audience: &str) -> Page {
    let html: String = one(db, &format!("SELECT release_report('{release}', '{audience}')"));
    Page::new(&html)
}

/// A piece as it is compared: of a bar the widths of its parts.
fn compared(piece: &Piece) -> (String, String) {
    let mut text = piece.text.clone();
    if piece.section == "Privacy" && (piece.tag.as_str(), piece.place) == ("td", 1) {
        text = in_any_order(&text);
    } else if piece.tag == "td" && piece.styles.len() > 1 {
        let width = |(_, style): &(String, String)| format!(" {}", style.trim_start_matches("width:"));
        text = piece.styles[1..].iter().map(width).collect();
    }
    (piece.tag.clone(), text)
}

#[test]
fn a_recipient_is_told_what_the_view_the_cut_and_about_tell() {
    let mut db = connect();
    let (releases, mut reader) = releases(&mut db, "cells_reader");
    for release in releases.iter().filter(|release| *release != WIDE) {
        let page = page(&mut db, release, "recipient");
        // The summary says the same in sentences.
        let (short, pieces): (Vec<&Piece>, Vec<&Piece>) =
            page.pieces.iter().partition(|piece| piece.section == SHORT);
        assert_eq!(short.iter().filter(|piece| piece.tag == "dt").count(), 5, "{release}");
        let owners = short.iter().find(|piece| is_owners(piece, ""));
        assert!(owners.is_none(), "{release}: {owners:?}");
        let said: Vec<(String, String)> = pieces.iter().copied().map(compared).collect();
        let expected = Seen::new(&mut reader, release).page();
        for (at, (said, expected)) in said.iter().zip(&expected).enumerate() {
            assert_eq!(said, expected, "{release}: {:?}", pieces[at]);
        }
        assert_eq!(said.len(), expected.len(), "{release}: {:?}", said.last());
        // Nor does the depth of a value tell where it stands.
        let depths = page
            .pieces
            .iter()
            .filter(|piece| piece.styles[0].0 == "label")
            .map(|piece| piece.styles[0].1.as_str());
        assert_eq!(depths.filter(|style| *style != "padding-left:0rem").count(), 0, "{release}");
    }
    drop(reader);
    drop(db);
    run(&mut server().dbname("postgres").connect(NoTls).expect("a session"), "DROP ROLE cells_reader");
}

/// The rows of a table about a column: what each value is called and how many rows it has.
fn told(page: &Page, column: &str, above: bool) -> Vec<(String, i64)> {
    let cells: Vec<&Piece> =
        page.pieces.iter().filter(|p| p.column == column && p.tag == "td" && p.above == above).collect();
    let values = cells.iter().filter(|p| p.place == 1 && p.styles[0].0 == "label");
    let of = |value: &&Piece| {
        let rows = cells.iter().find(|p| p.row == value.row && p.place == 2).expect("rows");
        (value.text.clone(), rows.text.parse().expect("a number"))
    };
    values.map(of).collect()
}

#[test]
fn the_owner_s_tables_have_all_rows() {
    let mut db = connect();
    let (releases, _reader) = releases(&mut db, "sums_reader");
    let mut below_a_value = 0;
    for release in &releases {
        let page = page(&mut db, release, "owner");
        let rows = number(&mut db, &format!("SELECT rows FROM {release}.about"));
        let masked: Vec<String> = one(&mut db, &format!("SELECT masked FROM {release}.about"));
        for column in masked {
            let mut values = told(&page, &column, false);
            let more = page
                .pieces
                .iter()
                .filter(|p| p.column == column && p.tag == "td")
                .skip_while(|p| !p.text.ends_with("more values"))
                .nth(1);
            let more: i64 = more.map_or(0, |rows| rows.text.parse().expect("a number"));
            assert_eq!(
                values.iter().map(|(_, rows)| rows).sum::<i64>() + more,
                rows,
                "{release}, {column}: {values:?}"
            );
            assert_eq!(more > 0, release == WIDE);
            // And each is a node of the cut; the cut does not tell of values that are all withheld.
            values.retain(|(_, rows)| *rows > 0);
            let cut = db.query(&format!("SELECT coalesce(node, 'NULL'), records FROM {release}.cut WHERE attribute = '{column}' AND records > 0 ORDER BY records DESC, 1"), &[]).expect("a cut");
            let mut cut: Vec<(String, i64)> = cut.iter().map(|row| (row.get(0), row.get(1))).collect();
            cut.retain(|of| more == 0 || values.contains(of));
            [&mut cut, &mut values].into_iter().for_each(|some| some.sort());
            assert_eq!(values, cut, "{release}, {column}");
            // What stands above the cut has the rows of all that is below it: the top of all, where it is none of the cut.
            if let Some((_, top)) = told(&page, &column, true).first() {
                assert_eq!(*top, rows, "{release}, {column}");
            }
            let depth = |p: &Piece| {
                p.styles[0]
                    .1
                    .trim_start_matches("padding-left:")
                    .trim_end_matches("rem")
                    .parse::<i64>()
                    .expect("a depth")
            };
            let labels: Vec<&Piece> =
                page.pieces.iter().filter(|p| p.column == column && p.styles[0].0 == "label").collect();
            below_a_value +=
                labels.windows(2).filter(|pair| !pair[0].above && depth(pair[1]) > depth(pair[0])).count();
        }
    }
    // There were such where a value of the cut stands below another one.
    assert!(below_a_value > 3, "{below_a_value}");
    drop((db, _reader));
    run(&mut server().dbname("postgres").connect(NoTls).expect("a session"), "DROP ROLE sums_reader");
}

/// Whether only the owner's page may say it.
fn is_owners(piece: &Piece, source: &str) -> bool {
    let said = (piece.tag.as_str(), piece.text.as_str());
    match piece.section.as_str() {
        section if OWNERS.contains(&section) => true,
        "" => {
            let searched = said.0 == "dd" && said.1.contains("_anonymize, ") && said.1.contains("endpoints ");
            [("dt", "Source"), ("dd", source), ("dt", "Searched by")].contains(&said) || searched
        }
        // Who reads it, and what is lost.
        SHORT => said.0 == "dd" && (said.1.starts_with("Its owner") || said.1.contains(" has lost ")),
        "Privacy" => said.0 == "p" || piece.place > 1,
        // Of how many persons groups are.
        "Group sizes" => said.0 == "figcaption" && said.1.contains(" persons, "),
        "Columns released unchanged" => {
            piece.place == 4 || said.1.starts_with("What follows is for the owner")
        }
        "Masked columns" => {
            let in_grey = "What each column is released as, and in how many rows. What is above the cut is shown in grey.";
            piece.above
                || said == ("p", in_grey)
                || said.0 == "p" && said.1.starts_with("Masked by ")
                || said.1.starts_with("What follows is for the owner")
        }
        _ => false,
    }
}

#[test]
fn the_owner_is_told_more_in_the_owner_s_places_alone() {
    let mut db = connect();
    let (releases, _reader) = releases(&mut db, "places_reader");
    let mut places: HashMap<String, usize> = HashMap::new();
    for release in &releases {
        let (owner, recipient) = (page(&mut db, release, "owner"), page(&mut db, release, "recipient"));
        let source: String =
            one(&mut db, &format!("SELECT source FROM releases() WHERE release = '{release}'"));
        let key = |piece: &Piece| (piece.section.clone(), piece.column.clone(), compared(piece));
        let mut left: HashMap<_, i64> = HashMap::new();
        recipient.pieces.iter().for_each(|piece| *left.entry(key(piece)).or_default() += 1);
        // What is above the cut is not to be taken for what both are told.
        for piece in owner.pieces.iter().filter(|piece| !piece.above) {
            *left.entry(key(piece)).or_default() -= 1;
        }
        for piece in &owner.pieces {
            if piece.above || left.get(&key(piece)).is_some_and(|&n| n < 0) {
                assert!(is_owners(piece, &source), "{release}: only the owner is told {piece:?}");
                *places.entry(piece.section.clone()).or_default() += 1;
            }
        }
        // And whatever the recipient is told the owner is, but for sentences that say more to the owner.
        for piece in &recipient.pieces {
            let differs = piece.tag == "p"
                || [SHORT, "Group sizes"].contains(&piece.section.as_str())
                || piece.place == 4;
            assert!(differs || left[&key(piece)] <= 0, "{release}: the owner is not told {piece:?}");
        }
        assert_eq!(
            recipient
                .pieces
                .iter()
                .filter(|piece| piece.above || OWNERS.contains(&piece.section.as_str()))
                .count(),
            0
        );
        // A masking as it was asked for stands in the owner's page alone: it may tell where values lie.
        let by = |page: &Page| {
            page.pieces.iter().filter(|p| p.tag == "p" && p.text.starts_with("Masked by by_")).count()
        };
        let asked = number(&mut db, &format!("SELECT coalesce(jsonb_array_length(parameters -> 'masking'), 0) FROM {release}_private.manifest WHERE current"));
        assert_eq!((by(&owner) as i64, by(&recipient)), (asked, 0), "{release}");
    }
    for section in OWNERS.iter().chain(&["", "Privacy", "Masked columns", "Group sizes"]) {
        assert!(places.contains_key(*section), "the owner's part of {section:?} was never seen: {places:?}");
    }
    drop((db, _reader));
    run(&mut server().dbname("postgres").connect(NoTls).expect("a session"), "DROP ROLE places_reader");
}

#[test]
fn pictures_are_of_what_the_text_says() {
    let mut db = connect();
    let (releases, mut reader) = releases(&mut db, "pictures_reader");
    let (mut from_k, mut of_intervals) = (0, 0);
    for release in &releases {
        let page = page(&mut db, release, "recipient");
        let mut seen = Seen::new(&mut reader, release);
        let sizes = seen.groups();
        // A bar begins at k, or where no k is kept by all groups at the smallest; each further one at twice as much.
        let ks: Option<i64> = one(seen.db, &format!("SELECT max((m #>> '{{k_anonymity,k}}')::int8) FROM {release}.about, jsonb_array_elements(privacy) m WHERE (m #>> '{{k_anonymity,k}}')::int8 <= {}", sizes[0].0));
        let first = ks.unwrap_or(sizes[0].0);
        let mut bars: Vec<f64> = Vec::new();
        let mut begins = first;
        while begins <= sizes[sizes.len() - 1].0 {
            let within = sizes.iter().filter(|(size, _)| (begins..2 * begins).contains(size));
            bars.push(within.map(|(_, groups)| *groups as f64).sum());
            begins *= 2;
        }
        let axis = page.drawn("text", "Group sizes", "").filter(|text| {
            text.attribute("text-anchor") == "middle" && text.attribute("transform").is_empty()
        });
        let said: Vec<&str> =
            axis.map(|text| text.text.as_str()).filter(|text| *text != "rows in a group").collect();
        let expected: Vec<String> = (0..=bars.len())
            .map(|bar| format!("{}{}", if bar == 0 && ks.is_some() { "k = " } else { "" }, first << bar))
            .collect();
        assert_eq!(said, expected, "{release}");
        from_k += usize::from(ks.is_some_and(|k| k.count_ones() > 1));
        let rects: Vec<_> = page.drawn("rect", "Group sizes", "").collect();
        assert_eq!(rects.len(), bars.len(), "{release}");
        let places: Vec<f64> = page
            .drawn("text", "Group sizes", "")
            .filter(|t| expected.contains(&t.text) && t.attribute("text-anchor") == "middle")
            .map(|t| t.number("x"))
            .collect();
        let (most, highest) = (
            bars.iter().copied().fold(0.0, f64::max),
            rects.iter().map(|r| r.number("height")).fold(0.0, f64::max),
        );
        for ((rect, groups), place) in rects.iter().zip(&bars).zip(places) {
            assert!(
                (rect.number("height") - highest * groups / most).abs() <= 2.0,
                "{release}: {rect:?}, {groups} of {most}"
            );
            assert!((rect.number("x") - place).abs() <= 2.0, "{release}: {rect:?} begins at {place}");
        }
        // What a picture says to who does not see it is what stands below it.
        let says: Vec<&str> =
            page.drawn.iter().filter(|d| d.tag == "div").map(|d| d.attribute("aria-label")).collect();
        let captions: Vec<&str> =
            page.pieces.iter().filter(|p| p.tag == "figcaption").map(|p| p.text.as_str()).collect();
        assert_eq!(says, captions, "{release}");
        for column in seen.masked() {
            let axis = intervals(seen.db, release, &column);
            let rects: Vec<_> = page.drawn("rect", "Masked columns", &column).collect();
            // Each is filled and has a border.
            assert_eq!(rects.len(), if axis.len() > 1 { 2 * axis.len() } else { 0 }, "{release}, {column}");
            let (least, most) = axis.iter().fold((f64::MAX, f64::MIN), |(a, b), i| (a.min(i.0), b.max(i.1)));
            let highest = axis.iter().map(|i| i.2 as f64 / (i.1 - i.0)).fold(0.0, f64::max);
            let is_said = |text: &str| page.drawn("text", "Masked columns", &column).any(|t| t.text == text);
            assert_eq!(is_said("rows a unit"), axis.len() > 1);
            for text in page.drawn("text", "Masked columns", &column).filter(|t| t.text != "rows a unit") {
                let n: f64 = text.text.parse().unwrap_or_else(|_| panic!("{release}, {column}: {text:?}"));
                let (from, to) = if text.attribute("text-anchor") == "end" {
                    (0.0, highest * 1.05)
                } else {
                    (least, most)
                };
                assert!((from..=to).contains(&n), "{release}, {column}: {text:?}");
                of_intervals += 1;
            }
        }
    }
    assert!(from_k > 3 && of_intervals > 20, "{from_k} {of_intervals}");
    drop((db, reader));
    run(&mut server().dbname("postgres").connect(NoTls).expect("a session"), "DROP ROLE pictures_reader");
}
