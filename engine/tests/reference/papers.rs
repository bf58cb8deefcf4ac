//! The papers' tables as cases.

use super::{Attribute, Branch, Case, Masking, Model, Row, Score, Split, Taxonomy, Value};

pub const EDUCATION: usize = 0;
pub const SEX: usize = 1;
pub const WORK_HRS: usize = 2;

/// The class Y (Good) and the class N (Bad).
pub const YES: Option<u32> = Some(1);
pub const NO: Option<u32> = Some(0);

pub fn taxonomy(name: &str, root: &Branch) -> Attribute {
    Attribute::new(name, Masking::Taxonomy(Taxonomy::grow(root)))
}

pub fn intervals(name: &str, lower: Option<f64>, upper: Option<f64>) -> Attribute {
    Attribute::new(name, Masking::Interval { lower, upper, points: None, whole: false })
}

pub fn suppression(name: &str, labels: &[&str]) -> Attribute {
    let labels = labels.iter().map(|label| label.to_string()).collect();
    Attribute::new(name, Masking::Suppression { labels })
}

pub fn k_anonymity(quasi_identifier: &[usize], k: usize) -> Model {
    Model::KAnonymity { quasi_identifier: quasi_identifier.to_vec(), k, person: None }
}

/// Builds a tree of leaves below a root.
pub fn flat(root: &str, leaves: &[&str]) -> Branch {
    Branch::inner(root, leaves.iter().map(|leaf| Branch::leaf(leaf)).collect())
}

/// The taxonomy of Education (TDS Figure 1).
pub fn education() -> Branch {
    let grad_school = flat("Grad School", &["Masters", "Doctorate"]);
    let secondary = Branch::inner(
        "Secondary",
        vec![flat("Junior Sec.", &["9th", "10th"]), flat("Senior Sec.", &["11th", "12th"])],
    );
    let university = Branch::inner("University", vec![Branch::leaf("Bachelors"), grad_school]);
    Branch::inner("ANY_Edu", vec![secondary, university])
}

/// The 34 records of TDS Table 1 with the taxonomies of Figure 1 and the requirement of Example 7.
pub fn tds_table_1() -> Case {
    let rows = [
        ("9th", "M", 30.0, 0, 3),
        ("10th", "M", 32.0, 0, 4),
        ("11th", "M", 35.0, 2, 3),
        ("12th", "F", 37.0, 3, 1),
        ("Bachelors", "F", 42.0, 4, 2),
        ("Bachelors", "F", 44.0, 4, 0),
        ("Masters", "M", 44.0, 4, 0),
        ("Masters", "F", 44.0, 3, 0),
        ("Doctorate", "F", 44.0, 1, 0),
    ];
    tds(education(), &rows, vec![k_anonymity(&[EDUCATION, SEX], 4), k_anonymity(&[SEX, WORK_HRS], 11)])
}

/// The 40 records of TDS Table 2 with the requirement of Example 6.
pub fn tds_table_2(score: Score) -> Case {
    let rows = [
        ("10th", "M", 40.0, 20, 0),
        ("10th", "M", 30.0, 0, 4),
        ("9th", "M", 30.0, 0, 2),
        ("9th", "F", 30.0, 0, 4),
        ("9th", "F", 40.0, 0, 6),
        ("8th", "F", 30.0, 0, 2),
        ("8th", "F", 40.0, 0, 2),
    ];
    let education = flat("ANY_Edu", &["8th", "9th", "10th"]);
    Case { score, ..tds(education, &rows, vec![k_anonymity(&[EDUCATION, SEX, WORK_HRS], 4)]) }
}

/// Builds a case from lines of (Education, Sex, Work_Hrs, records with class Y, records with class N).
fn tds(education: Branch, compressed: &[(&str, &str, f64, usize, usize)], models: Vec<Model>) -> Case {
    let attributes = vec![
        taxonomy("Education", &education),
        taxonomy("Sex", &flat("ANY_Sex", &["M", "F"])),
        intervals("Work_Hrs", Some(1.0), Some(99.0)),
    ];
    let (education, sex) = match (&attributes[EDUCATION].masking, &attributes[SEX].masking) {
        (Masking::Taxonomy(education), Masking::Taxonomy(sex)) => (education.clone(), sex.clone()),
        _ => unreachable!(),
    };
    let mut rows = Vec::new();
    for (level, gender, hours, yes, no) in compressed {
        let values =
            vec![Value::Leaf(education.node(level)), Value::Leaf(sex.node(gender)), Value::Number(*hours)];
        for class in [vec![YES; *yes], vec![NO; *no]].concat() {
            rows.push(Row { values: values.clone(), class, sensitive: vec![], persons: vec![] });
        }
    }
    Case {
        attributes,
        has_class: true,
        rows,
        models,
        score: Score::Tds,
        split: Split::Optimal,
        withhold: None,
        shown_alone: false,
    }
}

pub const JOB: usize = 0;
pub const COUNTRY: usize = 1;
pub const CHILD: usize = 2;
pub const JOBS: [&str; 5] = ["Artist", "Clerk", "Cook", "Doctor", "Trader"];
pub const COUNTRIES: [&str; 4] = ["Canada", "France", "UK", "US"];
pub const CHILDREN: [&str; 2] = ["No", "Yes"];
pub const BANKRUPTCY: [&str; 3] = ["Current", "Discharged", "Never"];

/// The 24 records of PDA Table 1 with the templates of Example 2, {Job, Country} -> Discharged and {Job, Child} ->
/// Discharged, at threshold h.
pub fn pda_table_1(h: f64) -> Case {
    let compressed = [
        ("Cook", "US", "No", "Current", 0, 4),
        ("Artist", "France", "No", "Current", 1, 3),
        ("Doctor", "US", "Yes", "Never", 4, 2),
        ("Trader", "UK", "No", "Discharged", 4, 0),
        ("Trader", "UK", "No", "Never", 1, 0),
        ("Trader", "Canada", "No", "Never", 1, 0),
        ("Clerk", "Canada", "No", "Never", 3, 0),
        ("Clerk", "Canada", "No", "Discharged", 1, 0),
    ];
    let code = |labels: &[&str], value| labels.iter().position(|label| *label == value).unwrap() as u32;
    let mut rows = Vec::new();
    for (job, country, child, bankruptcy, good, bad) in compressed {
        let values = vec![
            Value::Code(code(&JOBS, job)),
            Value::Code(code(&COUNTRIES, country)),
            Value::Code(code(&CHILDREN, child)),
        ];
        for class in [vec![YES; good], vec![NO; bad]].concat() {
            let sensitive = vec![Some(code(&BANKRUPTCY, bankruptcy))];
            rows.push(Row { values: values.clone(), class, sensitive, persons: vec![] });
        }
    }
    let template = |channel: &[usize]| Model::ConfidenceBound {
        channel: channel.to_vec(),
        sensitive: 0,
        values: vec![Some(code(&BANKRUPTCY, "Discharged"))],
        max_confidence: h,
    };
    Case {
        attributes: vec![
            suppression("Job", &JOBS),
            suppression("Country", &COUNTRIES),
            suppression("Child", &CHILDREN),
        ],
        has_class: true,
        rows,
        models: vec![template(&[JOB, COUNTRY]), template(&[JOB, CHILD])],
        score: Score::Tdr,
        split: Split::Optimal,
        withhold: None,
        shown_alone: false,
    }
}
