//! Measures and risks of a release, from what is published: the view's classes, and what its values lose.

use crate::postgres::error::{clipped, number, some_of, Result, SqlError};
use crate::postgres::locks::Mode;
use crate::postgres::names::Regclass;
use crate::postgres::progress::polled;
use crate::postgres::sql::{first, quote, Values};
use crate::postgres::text::counted;
use crate::read::plan::{look_at, look_at_all};
use crate::read::source::Source;
use crate::release::measure::losses::Value;
use crate::release::measure::verify::matching;
use crate::release::store::manifest::{must_exist, ExistingRelease, Rights};
use crate::release::store::parameters::{Holds, Mask, Parameters};
use crate::release::store::shown::MaskedAs;
use crate::release::store::tables::version_table;
use crate::release::trace::Version;
use crate::terms::labels::CHANGED_BY_HAND;
use crate::terms::privacy_model::groups::{key, keys};
use crate::terms::privacy_model::privacy_model;
use crate::terms::request::population;
use std::borrow::Cow;
use topdown::measure::{self, Attacker, EquivalenceClass};

/// A release that is measured, all of it as at one moment.
pub struct Release {
    pub existing: ExistingRelease,
    pub parameters: Parameters,
    pub view: Source,
    _rights: Rights,
}

impl Release {
    pub fn open(name: &str) -> Result<Release> {
        let (existing, _rights) = must_exist(name, Mode::Read)?;
        let view = Source::in_schema(existing.schema, existing.view.as_str())?;
        Ok(Release { parameters: existing.parameters()?.clone(), existing, view, _rights })
    }

    /// The masked columns.
    fn masks(&self) -> &[Mask] {
        &self.parameters.columns
    }

    /// What its values lose is that of its current version.
    fn version(&self) -> Version<'_> {
        Version {
            private: self.existing.private,
            number: self.existing.version,
            parameters: &self.parameters,
        }
    }

    /// By which column of the version's table persons are told apart, whom the first model counts that counts any.
    pub fn person(&self) -> Result<Option<&str>> {
        let person = self.parameters.arguments.privacy.iter().find_map(|model| model.person());
        person.map(|name| self.parameters.hidden(Holds::Person, name)).transpose()
    }

    /// How many persons there are, if these are counted.
    pub fn persons(&self) -> Result<Option<i64>> {
        let Some(name) = self.person()? else { return Ok(None) };
        let table = self.version_table()?;
        let query = format!(
            "SELECT pg_catalog.count(*) FROM (SELECT FROM {} GROUP BY {}) p",
            table.qualified(),
            quote(name)
        );
        Ok(look_at(&table, &query, &[], first)?.into_iter().next().flatten())
    }

    /// The table of the current version, with what the view does not show.
    pub fn version_table(&self) -> Result<Source> {
        let ExistingRelease { private, version, .. } = &self.existing;
        Source::in_schema(*private, &version_table(*version))
    }

    /// The released rows, and the column of persons where a model counts these, which the version's table alone has.
    fn rows_and_persons(&self) -> Result<(Cow<'_, Source>, Option<String>)> {
        Ok(match self.person()? {
            None => (Cow::Borrowed(&self.view), None),
            Some(name) => (Cow::Owned(self.version_table()?), Some(quote(name))),
        })
    }

    /// Each class by some columns: its rows and persons, how much of a population it matches by what is known of that, and what
    /// is `shown` of its values k1, k2, ...
    fn classes(&self, columns: &[String], shown: &[String], register: &Register) -> Result<Vec<Class>> {
        let (relation, person) = self.rows_and_persons()?;
        let relation = &*relation;
        let mut keys = keys(relation, columns)?;
        if !matches!(register, Register::Population(_)) {
            // What is shown as it is may look otherwise where it is equal, and so tell rows apart.
            for name in columns.iter().filter(|name| self.parameters.mask(name).is_none()) {
                let ty = self.view.type_of(self.view.column(name)?);
                keys.extend(ty.look(&quote(name)).filter(|_| !ty.is_equal_by_bytes()));
            }
        }
        let named: Vec<String> = keys.iter().zip(1..).map(|(key, i)| format!("{key} AS k{i}")).collect();
        let by: Vec<String> = (1..=keys.len()).map(|i| format!("c.k{i}")).collect();
        let persons = match person {
            Some(_) => "pg_catalog.count(*) FILTER (WHERE c.n > 0)",
            None => "pg_catalog.sum(c.n)::bigint",
        };
        let counted = ["pg_catalog.sum(c.n)::bigint", persons, "pg_catalog.sum(c.m)::float8"];
        let weight = match register {
            Register::Weights(column) => self.weights(relation, column)?,
            _ => "0::float8".to_string(),
        };
        let others = match register {
            Register::Population(population) => {
                Some(matching(relation, &self.version(), population.clone(), columns)?)
            }
            _ => None,
        };
        let (mut leaves, mut more, args) = (Vec::new(), String::new(), others.as_ref().map(|o| &o.args[..]));
        if let Some(others) = &others {
            leaves.push(others.relation());
            let keys: Vec<String> = (1..=keys.len()).map(|i| format!("o.k{i}")).collect();
            more = format!(
                " UNION ALL SELECT {}, 0::bigint, o.n::float8 FROM ({}) o",
                keys.join(", "),
                others.query
            );
        }
        let query = format!(
            "SELECT {} FROM (SELECT {}, pg_catalog.count(*) AS n, {weight} AS m FROM {} GROUP BY {}{more}) c
             GROUP BY {} HAVING pg_catalog.sum(c.n) > 0",
            counted.into_iter().chain(shown.iter().map(String::as_str)).collect::<Vec<&str>>().join(", "),
            named.join(", "),
            relation.qualified(),
            keys.iter().chain(&person).map(String::as_str).collect::<Vec<&str>>().join(", "),
            by.join(", "),
        );
        look_at_all(relation, &leaves, &query, args.unwrap_or_default(), |row| {
            let texts = (0..shown.len()).map(|i| -> Result<_> { row.nullable::<String>(i + 4) });
            let texts = texts.collect::<Result<Vec<Option<String>>>>()?;
            let count = |at: usize| Ok::<u64, SqlError>(row.not_null::<i64>(at)? as u64);
            Ok(Class { rows: count(1)?, persons: count(2)?, matched: row.not_null(3)?, texts })
        })
    }

    /// The sum of the weights in a column of a relation, which are numbers above 0, as an aggregate.
    fn weights(&self, relation: &Source, name: &str) -> Result<String> {
        let place = self.view.column(name)?;
        let column = quote(name);
        let ty = self.view.type_of(place);
        let arguments = &self.parameters.arguments;
        let is_as_it_is =
            arguments.keep.iter().any(|kept| kept == name) && arguments.masking_of(name).is_none();
        if !ty.is_number() || !is_as_it_is {
            let why = match is_as_it_is {
                true => format!("Its type is {}.", self.view.columns[place].declaration),
                false => "It is not kept as it is.".into(),
            };
            return Err(SqlError::parameter(format!("column \"{name}\" holds no weights"))
                .detail(why)
                .hint("Keep a column of numbers: how many persons of the population each row stands for."));
        }
        let query = format!(
            "SELECT pg_catalog.count(*) FROM {} w WHERE NOT COALESCE(w.{column}::float8 > 0 AND w.{column}::float8 < 'Infinity'::float8, false)",
            relation.qualified()
        );
        let none =
            look_at(relation, &query, &[], first::<i64>)?.into_iter().next().flatten().unwrap_or_default();
        if none > 0 {
            return Err(SqlError::data(format!(
                "{} without a weight above 0 in column \"{name}\"",
                counted(none as u64, "row")
            ))
            .hint("Release a view that has a weight in each row."));
        }
        // A person counts once, however many rows there are: by the least weight of them.
        let all = if self.person()?.is_some() { "min" } else { "sum" };
        Ok(format!("pg_catalog.{all}({column}::float8)"))
    }

    /// The weights in a column, summed up over all rows: where persons are counted, over all persons, each by the least weight.
    fn weight_of_all(&self, column: &str) -> Result<f64> {
        let (relation, person) = self.rows_and_persons()?;
        let weight = self.weights(&relation, column)?;
        let by = person.map(|person| format!(" GROUP BY {person}")).unwrap_or_default();
        let query = format!(
            "SELECT COALESCE(pg_catalog.sum(c.m), 0)::float8 FROM (SELECT {weight} AS m FROM {}{by}) c",
            relation.qualified()
        );
        let all = look_at(&relation, &query, &[], |row| row.not_null(1))?.into_iter().next();
        all.ok_or_else(|| SqlError::internal("weights were not summed up"))
    }

    /// Each class by some columns, in rows and persons, and how much of a population it matches.
    fn groups(&self, columns: &[String], register: &Register) -> Result<(Vec<EquivalenceClass>, Vec<f64>)> {
        let class = |Class { rows, persons, matched, .. }| {
            (EquivalenceClass { rows, persons, losses: Vec::new() }, matched)
        };
        Ok(self.classes(columns, &[], register)?.into_iter().map(class).unzip())
    }

    /// Those by the masked columns.
    pub fn equivalence_classes(&self) -> Result<Vec<EquivalenceClass>> {
        Ok(self.groups(&self.masked(), &Register::Unknown)?.0)
    }

    /// The population that a model counts which is over all masked columns.
    pub fn population(&self) -> Result<Option<Source>> {
        let masked = self.masked();
        let is_over_all =
            |model: &&privacy_model| masked.iter().all(|name| model.attributes().contains(name));
        let models = self.parameters.arguments.privacy.iter().filter(is_over_all);
        models.filter_map(|model| model.population()).next().map(population).transpose()
    }

    /// Each class by the masked columns, and of each of these the value's text.
    fn released(&self) -> Result<Vec<Class>> {
        let texts: Vec<String> = (1..=self.masks().len()).map(|i| format!("c.k{i}::text")).collect();
        self.classes(&self.masked(), &texts, &Register::Unknown)
    }

    /// Some columns of the view, by their names.
    fn columns(&self, names: Vec<String>) -> Result<Vec<String>> {
        if names.is_empty() {
            return Err(SqlError::parameter("argument \"known\" must name at least one column")
                .hint("Leave it out for an attacker who knows the masked columns."));
        }
        let shown = || some_of(self.view.columns.iter().map(|column| &column.name));
        let missing = |error: SqlError| error.hint(format!("The view has the columns {}.", shown()));
        names.iter().try_for_each(|name| self.view.column(name).map(drop).map_err(missing))?;
        let twice = (1..names.len()).find(|&at| names[..at].contains(&names[at]));
        match twice {
            Some(at) => {
                Err(SqlError::parameter(format!("column \"{}\" is named twice in \"known\"", names[at])))
            }
            None => Ok(names),
        }
    }

    /// The names of the masked columns.
    fn masked(&self) -> Vec<String> {
        self.masks().iter().map(|mask| mask.name.clone()).collect()
    }
}

/// A class as it was counted.
struct Class {
    rows: u64,
    persons: u64,
    /// Of how many of a population it is, by what is known of that.
    matched: f64,
    texts: Vec<Option<String>>,
}

/// All measures of a release; those of a column are named `measure:column`.
pub fn measures(release: &str, weight: Option<String>) -> Result<Vec<(String, f64)>> {
    let release = Release::open(release)?;
    let mut all = of(&release)?;
    if let Some(weight) = weight {
        all.push(("population".into(), release.weight_of_all(&weight)?));
        let (_, matched) = release.groups(&release.masked(), &Register::Weights(weight))?;
        if let Some(smallest) = matched.iter().copied().reduce(f64::min) {
            all.push(("smallest_matched".into(), smallest));
        }
    }
    Ok(all)
}

/// Those of a release that is open.
pub fn of(release: &Release) -> Result<Vec<(String, f64)>> {
    let values = release.masks().iter().map(|m| release.version().values(m)).collect::<Result<Vec<_>>>()?;
    let classes = release.released()?;
    let of = |column: usize, label: &Option<String>| {
        let value = values[column].get(label).copied();
        value.ok_or_else(|| {
            let shown = label.as_deref().unwrap_or("NULL");
            SqlError::state("the release shows what its cut does not have")
                .detail(format!("It is {}.", clipped(shown)))
                .hint(CHANGED_BY_HAND)
        })
    };
    let measured = |what: &dyn Fn(Value) -> f64| -> Result<Vec<EquivalenceClass>> {
        let class = |class: &Class| {
            let losses = class.texts.iter().enumerate().map(|(c, label)| Ok(what(of(c, label)?)));
            let losses = losses.collect::<Result<_>>()?;
            Ok(EquivalenceClass { rows: class.rows, persons: class.persons, losses })
        };
        polled(&classes).map(class).collect()
    };
    let losses = measured(&|v| v.loss)?;
    let mut all: Vec<(String, f64)> = Vec::new();
    let mut add = |name: &str, value: f64| all.push((name.to_string(), value));
    add("ntil", measure::ntil(&losses, None)?);
    add("nil_1", measure::nil_1(&losses)?);
    add("nil_inf", measure::nil_infinity(&losses)?);
    add("discernibility", measure::discernibility(&losses)?);
    add("average_class_size", measure::average_class_size(&losses)?);
    if let Some(k) = smallest_k(&release.parameters) {
        add("avg", measure::navg(&losses, k)?);
    }
    add("groups", losses.len() as f64);
    if let Some(smallest) = losses.iter().map(|class| class.persons).min() {
        add("smallest_group", smallest as f64);
    }
    let suppressed = measured(&|v| f64::from(u8::from(v.suppressed)))?;
    let cells = |class: &EquivalenceClass| class.rows as f64 * class.losses.iter().sum::<f64>();
    let cells = suppressed.iter().map(cells).fold(0.0, |sum, cells| sum + cells);
    add("suppressed_cells", cells);
    add("normalized_certainty_penalty", measure::ntil(&losses, None)?);
    let trees: Vec<usize> =
        (0..release.masks().len()).filter(|&c| release.masks()[c].masked != MaskedAs::Intervals).collect();
    if !trees.is_empty() {
        let heights = measured(&|v| v.height.unwrap_or_default())?;
        let lost = |&column: &usize| Ok(measure::ntil(&heights, Some(column))?);
        let lost = trees.iter().map(lost).sum::<Result<f64>>()?;
        add("precision", 1.0 - lost / trees.len() as f64);
    }
    let entropies: Option<Vec<f64>> = release.masks().iter().map(|m| m.non_uniform_entropy).collect();
    if let Some(entropies) = entropies {
        add("non_uniform_entropy", entropies.iter().sum::<f64>() / entropies.len().max(1) as f64);
    }
    if let Some(class) = &release.parameters.arguments.class {
        add("class_kl_divergence", information(&release.view, &release.masked(), class)?);
    }
    for (column, mask) in release.masks().iter().enumerate() {
        add(&format!("ntil:{}", mask.name), measure::ntil(&losses, Some(column))?);
        if let Some(entropy) = mask.non_uniform_entropy {
            add(&format!("non_uniform_entropy:{}", mask.name), entropy);
        }
    }
    Ok(all)
}

/// The smallest k that the release was made for.
fn smallest_k(parameters: &Parameters) -> Option<f64> {
    let models = parameters.arguments.privacy.iter();
    models.filter(|m| matches!(m, privacy_model::KAnonymity(_))).map(|m| m.required()).reduce(f64::min)
}

/// The mean over the rows of KL(class in the row's group || class at all), in bits: how much some
/// columns tell of the class.
pub fn information(relation: &Source, columns: &[String], class: &str) -> Result<f64> {
    // By their texts where their types have no order, as json.
    let (names, class) = (keys(relation, columns)?.join(", "), key(relation, class)?);
    let query = format!(
        "SELECT COALESCE(pg_catalog.sum(c.m / c.n * pg_catalog.ln((c.m / c.g) / (c.w / c.n)) / pg_catalog.ln(2::float8)), 0)::float8
         FROM (SELECT pg_catalog.count(*)::float8 AS m,
                      pg_catalog.sum(pg_catalog.count(*)) OVER (PARTITION BY {names})::float8 AS g,
                      pg_catalog.sum(pg_catalog.count(*)) OVER (PARTITION BY {class})::float8 AS w,
                      pg_catalog.sum(pg_catalog.count(*)) OVER ()::float8 AS n
               FROM {} GROUP BY {names}, {class}) c",
        relation.qualified()
    );
    let counted = look_at(relation, &query, &[], |row| row.not_null(1))?;
    counted.into_iter().next().ok_or_else(|| SqlError::internal("information was not counted"))
}

/// What is known of the population that the rows of a release are of.
pub enum Register {
    /// Nothing: the release stands for it.
    Unknown,
    /// A relation of all of it.
    Population(Source),
    /// A column of the view says of how many each row is one.
    Weights(String),
    /// The release is this share of it.
    Share(f64),
}

impl Register {
    /// What a call says of it, in one way.
    pub fn of(population: Option<Regclass>, weight: Option<String>, share: Option<f64>) -> Result<Register> {
        match (population, weight, share) {
            (None, None, None) => Ok(Register::Unknown),
            (Some(population), None, None) => Ok(Register::Population(Source::open(population)?)),
            (None, Some(weight), None) => Ok(Register::Weights(weight)),
            (None, None, Some(share)) if share > 0.0 && share <= 1.0 => Ok(Register::Share(share)),
            (None, None, Some(share)) => Err(SqlError::parameter(format!(
                "sampling_fraction must be above 0 and at most 1, not {}",
                number(share)
            ))
            .hint("It is the share of the population that the source is of.")),
            _ => Err(SqlError::parameter("the population is told of in more than one way")
                .hint("Give one of population, weight and sampling_fraction.")),
        }
    }
}

/// Who looks, and the share of rows at risk, the highest and the mean risk.
pub type RiskRow = (String, f64, f64, f64);

/// The risks of a release for attackers who know some columns of the view: the masked ones, where none are
/// named.
pub fn risks(
    release: &str,
    threshold: f64,
    known: Option<Vec<String>>,
    register: impl FnOnce() -> Result<Register>,
) -> Result<Vec<RiskRow>> {
    let release = Release::open(release)?;
    let known = match known {
        Some(known) => release.columns(known)?,
        None => release.masked(),
    };
    // A population is read with the owner's rights, as the source is.
    let register = register()?;
    if let (Register::Population(_), Some(kind)) = (&register, release.parameters.arguments.clustering()) {
        return Err(SqlError::unsupported(format!("a {kind} release is not looked for in a population"))
            .detail("No row of a population is in one cluster and in no other.")
            .hint("Say how large the population is: sampling_fraction, or weight."));
    }
    release.risks(&known, threshold, &register)
}

impl Release {
    /// Those of who knows some columns.
    fn risks(&self, known: &[String], threshold: f64, register: &Register) -> Result<Vec<RiskRow>> {
        let (classes, mut matched) = self.groups(known, register)?;
        let sizes: Vec<u64> = classes.iter().map(|class| class.persons).collect();
        let persons = sizes.iter().sum::<u64>() as f64;
        let alone = |chance: f64| sizes.iter().map(|&size| if size == 1 { chance } else { 0.0 }).collect();
        let chances: Vec<f64> = match register {
            Register::Unknown => {
                return Ok(measure::attacker_risks(&classes, None, threshold)?.into_iter().map(row).collect())
            }
            Register::Population(_) => {
                let is_alone = |(&size, &matched): (&u64, &f64)| size == 1 && matched <= 1.0;
                sizes.iter().zip(&matched).map(|of| f64::from(u8::from(is_alone(of)))).collect()
            }
            Register::Weights(_) => {
                let population = matched.iter().sum::<f64>().max(persons);
                alone(measure::estimate_uniques(&sizes, persons.max(1.0) / population.max(1.0))?.chance)
            }
            Register::Share(share) => {
                matched = sizes.iter().map(|&size| size as f64 / share).collect();
                alone(measure::estimate_uniques(&sizes, *share)?.chance)
            }
        };
        let unique = measure::uniqueness_risk(&classes, &chances, threshold)?;
        Ok(measure::attacker_risks(&classes, Some(&matched), threshold)?
            .into_iter()
            .chain([unique])
            .map(row)
            .collect())
    }

    /// Those of a page: in the population of a model, if there is one, or of which the release is a share.
    pub fn risks_of_all(&self, threshold: f64, share: Option<f64>) -> Result<Vec<RiskRow>> {
        let register = match share {
            Some(_) => Register::of(None, None, share)?,
            None => self.population()?.map_or(Register::Unknown, Register::Population),
        };
        self.risks(&self.masked(), threshold, &register)
    }
}

fn row(risk: measure::Risk) -> RiskRow {
    let attacker = match risk.attacker {
        Attacker::Prosecutor => "prosecutor",
        Attacker::Journalist => "journalist",
        Attacker::Marketer => "marketer",
        Attacker::Unique => "unique",
    };
    (attacker.to_string(), risk.records_at_risk, risk.highest, risk.average)
}
