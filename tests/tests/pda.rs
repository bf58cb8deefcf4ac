//! PDA's experiments on real data: Table 3 for CRX, releases of CRX and Adult with the templates of
//! section 5, what has no solution, and templates together with TDS's anonymity requirement.
//!
//! Each release verifies, is recounted here on the source's own values, and is maximal: every
//! refinement of its cut that would separate classes is tried on all rows and must break a model.

mod maximal;

use client_tests::releases::hidden;
use client_tests::{connect, load_adult, load_crx, load_taxonomies, Database};
use maximal::{array, check, models_sql, Kind, Model};

/// PDA section 5: of a column's values, the floor(50 %) least frequent; ties by value.
fn rare_values(db: &mut Database, table: &str, column: &str) -> Vec<String> {
    let query = format!(
        "SELECT {column} FROM (SELECT {column}, count(*) AS n FROM {table} GROUP BY 1) v
         ORDER BY n, {column} COLLATE \"C\" LIMIT (SELECT count(DISTINCT {column}) / 2 FROM {table})"
    );
    db.query(&query, &[]).unwrap().iter().map(|row| row.get(0)).collect()
}

/// The templates <channel -> rare values, bound> of each sensitive column.
fn templates<'a>(
    db: &mut Database,
    table: &str,
    channel: &[&'a str],
    sensitive: &[&'a str],
    bound: f64,
) -> Vec<Model<'a>> {
    let of = |column: &&'a str| Model {
        columns: channel.to_vec(),
        kind: Kind::Templates(column, rare_values(db, table, column), bound),
    };
    sensitive.iter().map(of).collect()
}

/// Makes the release `r` anew by a call without its closing parenthesis.
fn release(db: &mut Database, call: &str) -> Result<(), postgres::Error> {
    db.batch_execute("DROP SCHEMA IF EXISTS r, r_private CASCADE").unwrap();
    db.batch_execute(call)
}

const CRX_CHANNEL: [&str; 5] = ["a1", "a4", "a5", "a12", "a13"];
const CRX_TOP4: [&str; 4] = ["a9", "a10", "a7", "a6"];

/// Table 3, CRX (Top4): the number of inferences above a confidence.
#[test]
fn table_3_crx() {
    let mut db = connect();
    let Some(rows) = load_crx(&mut db) else { return };
    assert_eq!(rows, 653);
    let models = templates(&mut db, "crx", &CRX_CHANNEL, &CRX_TOP4, 0.5);
    for (above, inferences) in [(0.1, 40), (0.3, 27), (0.5, 15), (0.7, 8), (0.9, 6)] {
        let count = |model: &Model| -> i64 {
            let query = format!("SELECT count(*) FROM privacy_inferences('crx', {}, $1)", model.sql());
            db.query_one(&query, &[&above]).unwrap().get(0)
        };
        assert_eq!(models.iter().map(count).sum::<i64>(), inferences, "above {above}");
    }
    // The same groups as privacy_check's: it counts the ic, not the inferences.
    let query =
        format!("SELECT holds, groups, violating_groups FROM privacy_check('crx', {})", models_sql(&models));
    let by_hand = format!("SELECT count(*) FROM (SELECT FROM crx GROUP BY {}) g", CRX_CHANNEL.join(", "));
    let groups: i64 = db.query_one(&by_hand, &[]).unwrap().get(0);
    let found = db.query(&query, &[]).unwrap();
    assert!(found.iter().all(|row| row.get::<_, i64>(1) == groups));
    assert!(found.iter().any(|row| !row.get::<_, bool>(0) && row.get::<_, i64>(2) > 0));
}

#[test]
fn crx_releases_are_maximal() {
    let mut db = connect();
    if load_crx(&mut db).is_none() {
        return;
    }
    for top in 1..=4 {
        for bound in [0.5, 0.7, 0.9] {
            let models = templates(&mut db, "crx", &CRX_CHANNEL, &CRX_TOP4[..top], bound);
            let call = format!("SELECT pda_anonymize('crx', 'r', {}, 'class')", models_sql(&models));
            release(&mut db, &call).unwrap_or_else(|e| panic!("Top{top}, {bound}: {e}"));
            let refused = check(&mut db, "crx", "class", &models);
            // What has no inference above the bound is disclosed in full.
            let above: i64 = models
                .iter()
                .map(|model| {
                    let query =
                        format!("SELECT count(*) FROM privacy_inferences('crx', {}, $1)", model.sql());
                    db.query_one(&query, &[&bound]).unwrap().get::<_, i64>(0)
                })
                .sum();
            assert_eq!(refused > 0, above > 0, "Top{top}, {bound}");
        }
    }
}

/// PDA's order of Adult's attributes: M, Re, E, S; then the rest of Table 4.
const ADULT: [&str; 8] = [
    "marital_status",
    "relationship",
    "education",
    "sex",
    "native_country",
    "occupation",
    "race",
    "workclass",
];

/// The share of a sensitive column's most frequent rare value in the whole table: what the most
/// suppressed table has for its confidence (Lemma 3.3).
fn share(db: &mut Database, column: &str) -> f64 {
    let values = array(&rare_values(db, "adult", column));
    let query = format!(
        "SELECT count(*)::float8 / (SELECT count(*) FROM adult)::float8 FROM adult
         WHERE {column} = ANY ({values}) GROUP BY {column} ORDER BY 1 DESC LIMIT 1"
    );
    db.query_one(&query, &[]).unwrap().get(0)
}

#[test]
fn adult_top1_to_top4() {
    let mut db = connect();
    if load_adult(&mut db).is_none() {
        return;
    }
    let mut unsatisfiable = vec![];
    for top in 1..=4 {
        for percent in [10, 30, 50, 70, 90] {
            let bound = f64::from(percent) / 100.0;
            let (sensitive, channel) = ADULT.split_at(top);
            let models = templates(&mut db, "adult", channel, sensitive, bound);
            let call = format!("SELECT pda_anonymize('adult', 'r', {}, 'income')", models_sql(&models));
            match release(&mut db, &call) {
                Ok(()) => {
                    let refused = check(&mut db, "adult", "income", &models);
                    assert!(
                        refused > 0,
                        "Top{top}, {percent} %: nothing was left to disclose: this proves nothing"
                    );
                    assert!(sensitive.iter().all(|column| share(&mut db, column) <= bound));
                }
                Err(error) => {
                    let error = error.as_db_error().unwrap();
                    assert_eq!(error.code().code(), "55000", "Top{top}, {percent} %: {error}");
                    let broken = sensitive.iter().find(|column| share(&mut db, column) > bound).unwrap();
                    let share = share(&mut db, broken);
                    let detail = error.detail().unwrap();
                    for said in [format!("\"sensitive\":\"{broken}\""), share.to_string(), bound.to_string()]
                    {
                        assert!(detail.contains(&said), "Top{top}, {percent} %: no {said} in {detail}");
                    }
                    let schemas = db
                        .query("SELECT FROM pg_namespace WHERE nspname IN ('r', 'r_private')", &[])
                        .unwrap();
                    assert!(schemas.is_empty(), "something was left behind");
                    unsatisfiable.push((top, percent, *broken, (share * 100.0).round()));
                }
            }
        }
    }
    // Unmarried is 10.6 % of all records and Female 32.5 %.
    let expected = [
        (2, 10, "relationship", 11.0),
        (3, 10, "relationship", 11.0),
        (4, 10, "relationship", 11.0),
        (4, 30, "sex", 32.0),
    ];
    assert_eq!(unsatisfiable, expected);
}

/// sex -> Female is about 32 % of all records: whatever the channel, 30 % cannot be kept.
#[test]
fn female_is_a_third_of_all() {
    let mut db = connect();
    if load_adult(&mut db).is_none() {
        return;
    }
    assert_eq!(rare_values(&mut db, "adult", "sex"), ["Female"]);
    for channel in ["race", "occupation"] {
        let models = templates(&mut db, "adult", &[channel], &["sex"], 0.3);
        let call = format!("SELECT pda_anonymize('adult', 'r', {}, 'income')", models_sql(&models));
        let error = release(&mut db, &call).unwrap_err();
        let error = error.as_db_error().unwrap();
        assert_eq!(error.code().code(), "55000");
        let detail = error.detail().unwrap();
        assert!(["Female", "0.3249", "0.3,", channel].iter().all(|said| detail.contains(said)), "{detail}");
    }
    let models = templates(&mut db, "adult", &["race"], &["sex"], 0.33);
    release(&mut db, &format!("SELECT pda_anonymize('adult', 'r', {}, 'income')", models_sql(&models)))
        .unwrap();
    assert!(check(&mut db, "adult", "income", &models) > 0);
}

/// TDS section 6's requirement (the five best attributes, k) and PDA's templates in one call, over
/// intervals, taxonomies and suppression; marital_status and relationship are both masked by the
/// one and secrets of the other.
#[test]
fn anonymity_and_templates_in_one_search() {
    let mut db = connect();
    if load_adult(&mut db).is_none() || load_taxonomies(&mut db).is_none() {
        return;
    }
    let top5 = vec!["capital_gain", "age", "marital_status", "education_num", "relationship"];
    let masking = "ARRAY[by_taxonomy('marital_status', 'tax_marital_status'), by_taxonomy('relationship', \
        'tax_relationship'), by_taxonomy('occupation', 'tax_occupation'), by_taxonomy('workclass', 'tax_workclass')]";
    for (k, bound) in [(20, 0.5), (100, 0.3)] {
        let channel = ["native_country", "occupation", "race", "sex", "workclass"];
        let mut models = templates(&mut db, "adult", &channel, &["marital_status", "relationship"], bound);
        models.push(Model { columns: top5.clone(), kind: Kind::Anonymity(k) });
        let call = format!(
            "SELECT tds_anonymize('adult', 'r', {}, 'income', {masking}, score => 'tdr')",
            models_sql(&models)
        );
        release(&mut db, &call).unwrap_or_else(|e| panic!("{e}: {call}"));
        assert!(check(&mut db, "adult", "income", &models) > 0);
        // The secrets are kept beside what is shown, and not shown.
        let columns = |db: &mut Database, relation: &str| -> Vec<String> {
            let query =
                "SELECT attname::text FROM pg_attribute WHERE attrelid = $1::text::regclass AND attnum > 0";
            db.query(query, &[&relation]).unwrap().iter().map(|row| row.get(0)).collect()
        };
        let secrets = hidden(&mut db, "r");
        let of: Vec<&str> = secrets.iter().map(|(of, ..)| of.as_str()).collect();
        assert_eq!(of, ["marital_status", "relationship"]);
        for (of, holds, secret) in &secrets {
            assert_eq!(holds, "sensitive", "{of}");
            assert!(columns(&mut db, "r_private.rows_v1").iter().any(|c| c == secret));
            assert!(!columns(&mut db, "r.adult").iter().any(|c| c == secret));
        }
        // Both kinds of steps were taken, and each is part of one search.
        let steps: i64 = db
            .query_one(
                "SELECT least(count(*) FILTER (WHERE attribute = ANY ($1)), count(*) FILTER (WHERE attribute <> ALL ($1)))
                 FROM r_private.steps WHERE cardinality(achieved) = 3",
                &[&top5],
            )
            .unwrap()
            .get(0);
        assert!(steps > 0);
    }
}
