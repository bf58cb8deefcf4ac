//! A small source that changes, and releases of it, for the tests of a release's life.

use postgres::Client;

/// Table `people`, with a taxonomy, roles `owner` (who may create schemas, and owns all of it) and `reader`, in a
/// database that has the extension after it; `rows` of them.
pub fn people(db: &mut Client, rows: u32) {
    db.batch_execute(
        "SET client_min_messages = error;
         DO $$ BEGIN CREATE ROLE owner LOGIN; CREATE ROLE reader LOGIN; EXCEPTION WHEN duplicate_object THEN END $$;
         CREATE EXTENSION IF NOT EXISTS pg_topdown;
         DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO owner', current_database()); END $$;
         GRANT CREATE, USAGE ON SCHEMA public TO owner;
         GRANT EXECUTE ON ALL ROUTINES IN SCHEMA public TO owner;
         SET ROLE owner;
         CREATE TABLE people (id int GENERATED ALWAYS AS IDENTITY, age int, sex text, education text, postcode text, illness text);
         CREATE TABLE education (child text, parent text);
         INSERT INTO education VALUES ('School', 'Any'), ('University', 'Any'), ('9th', 'School'), ('10th', 'School'),
           ('Bachelor', 'University'), ('Graduate', 'University'), ('Master', 'Graduate'), ('Doctorate', 'Graduate');
         RESET ROLE",
    )
    .expect("people");
    more_people(db, 1, rows);
}

/// Further rows of `people`, numbers `from` to `to`: the same ones for the same numbers.
pub fn more_people(db: &mut Client, from: u32, to: u32) {
    db.batch_execute(&format!(
        "INSERT INTO people (age, sex, education, postcode, illness)
         SELECT 18 + n * 7919 % 71, (ARRAY['F', 'M'])[1 + n * 31 / 7 % 2],
                (ARRAY['9th', '10th', 'Bachelor', 'Master', 'Doctorate'])[1 + n * 104729 / 3 % 5],
                (ARRAY['1010', '1020', '1030', '2010', '2020'])[1 + n * 611953 / 11 % 5],
                CASE WHEN n * 7919 % 71 > 40 THEN 'heart' WHEN n * 104729 / 3 % 5 < 2 THEN 'back' ELSE 'none' END
         FROM (SELECT i::bigint AS n FROM generate_series({from}, {to}) i) i"
    ))
    .expect("more people");
}

/// The call that makes release `name` of `people`, every group of which has `k` rows.
pub fn release_of_people(name: &str, k: u32) -> String {
    format!(
        "SELECT tds_anonymize('public.people', '{name}', ARRAY[k_anonymity(ARRAY['age', 'sex', 'education', 'postcode'], {k})],
                class => 'illness', masking => ARRAY[by_taxonomy('education', 'public.education'), by_intervals('age', '0', '120')])"
    )
}
