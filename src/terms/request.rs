//! What a verb was asked for, laid over its source: every fault is named at once, before a row is read.

use super::arguments::Arguments;
use super::masking::{masking, ByIntervals, BySuppression, Demands};
use super::privacy_model::{privacy_model, Model};
use super::words::{Changes, Recoding, Verb};
use crate::postgres::datum::Type;
use crate::postgres::error::{number, some_of, Faults, Result, SqlError};
use crate::postgres::names::Regclass;
use crate::postgres::progress::{poll, polled};
use crate::read::named::NamedRelation;
use crate::read::source::Source;
use hashbrown::{HashMap, HashSet};
use pgrx::spi::quote_literal;
use std::collections::{BTreeMap, BTreeSet};

/// A call as SQL made it: arguments that can be read, and the faults of those that cannot.
#[derive(Debug, Clone, Default)]
pub struct Call {
    /// What it is to be a release of.
    pub source: Regclass,
    /// The role that owned that when the release was given it; none where it is given now.
    pub source_owner: Option<String>,
    /// How.
    pub arguments: Arguments,
    /// What the release's view shall be called, if not as the source.
    pub view: Option<String>,
    /// Whether an existing release may come to protect less.
    pub allow_weaker: bool,
    /// Whether it was made of an existing release's manifest: nobody wrote down whose that is.
    pub from_manifest: bool,
    /// Whether an existing release gets this source in place of the one it had.
    pub moved: bool,
    /// What was wrong so far.
    pub faults: Faults,
}

/// A checked request; columns are places in the source.
#[derive(Debug)]
pub struct Request {
    pub source: Source,
    pub source_owner: Option<String>,
    pub arguments: Arguments,
    pub class: Option<usize>,
    /// In the source's order.
    pub masked: Vec<Masked>,
    /// The sensitive columns of the models, each once, in the source's order.
    pub sensitive: Vec<usize>,
    /// The columns by which models tell persons apart, each once, in the source's order; never released.
    pub persons: Vec<usize>,
    /// The relations whose rows models count beside those of the source, each once.
    pub populations: Vec<Population>,
    /// Columns released as they are because `keep` names them, be they the class or sensitive or not, in the source's order.
    pub keep: Vec<usize>,
    /// Those of them that have a masking, and are not released quite as they are.
    pub kept_by: BTreeMap<usize, masking>,
}

/// A masked column.
#[derive(Debug, Clone)]
pub struct Masked {
    pub column: usize,
    pub by: masking,
}

/// A relation that has masked columns of the source.
#[derive(Debug)]
pub struct Population {
    /// What the models call it.
    name: NamedRelation,
    pub source: Source,
    /// The places of the columns that are asked of: in the request's source, and in this one.
    pub columns: Vec<(usize, usize)>,
}

impl Request {
    /// Looks the source up, and checks the arguments.
    pub fn new(call: Call) -> Result<Request> {
        let source = Source::open(call.source)?;
        Request::over(source, call)
    }

    /// Checks the arguments over a source that was looked up.
    pub fn over(source: Source, call: Call) -> Result<Request> {
        let Call { arguments, source_owner, faults: words, .. } = call;
        let mut faults = Faults::default();
        models(&arguments.privacy, &mut faults);
        faults.extend(words);
        faults.ok(max_steps(arguments.max_steps));
        faults.ok(withhold(arguments.withhold, &arguments.privacy));
        faults.ok(by_one_set(&arguments));
        faults.ok(a_group_at_a_time(&arguments));
        faults.ok(beside_a_population(&arguments));
        faults.ok(batched(&arguments));
        let class = arguments.class.as_deref().and_then(|name| faults.ok(source.column(name)));
        let masked = masked(&source, &arguments, &mut faults);
        let sensitive = sensitive(&source, &arguments, &mut faults);
        let keep = keep(&source, &arguments, &masked, &mut faults);
        let kept_by = kept_by(&source, &arguments, &masked, &mut faults);
        shown(&source, &arguments, &masked, &mut faults);
        means(&source, &arguments, &masked, &mut faults);
        let persons = persons(&source, &arguments, &mut faults);
        let populations = populations(&source, &arguments, &mut faults);
        if let Some(class) = class.filter(|class| masked.iter().any(|m| m.column == *class)) {
            let name = &source.columns[class].name;
            faults.add(
                SqlError::parameter(format!("column \"{name}\" is both masked and the class"))
                    .hint("Leave the class out of the quasi-identifiers."),
            );
        }
        for column in kept_by.keys() {
            let counted = [
                (class == Some(*column), "it is the class"),
                (sensitive.contains(column), "a model counts its values as they are"),
            ];
            for (_, why) in counted.iter().filter(|(is, _)| *is) {
                let name = &source.columns[*column].name;
                faults.add(
                    SqlError::parameter(format!("kept column \"{name}\" cannot have a masking: {why}"))
                        .hint("Leave the masking out."),
                );
            }
        }
        for &person in &persons {
            let released = [
                (masked.iter().any(|m| m.column == person), "masked"),
                (class == Some(person), "the class"),
                (sensitive.contains(&person), "sensitive"),
                (keep.contains(&person), "kept"),
            ];
            for (_, how) in released.iter().filter(|(is, _)| *is) {
                let name = &source.columns[person].name;
                faults.add(
                    SqlError::parameter(format!("column \"{name}\" tells persons apart and is {how}, too"))
                        .hint("The column of persons is never released."),
                );
            }
        }
        faults.finish()?;
        Ok(Request {
            source_owner,
            class,
            masked,
            keep,
            kept_by,
            sensitive,
            persons,
            populations,
            arguments,
            source,
        })
    }

    /// All columns that must be read, in the source's order.
    pub fn columns(&self) -> Vec<usize> {
        let mut columns: Vec<usize> = self.masked.iter().map(|m| m.column).collect();
        columns.extend(self.class);
        columns.extend(&self.sensitive);
        columns.extend(&self.persons);
        columns.extend(&self.keep);
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    /// The columns that are released as they are.
    pub fn as_they_are(&self) -> impl Iterator<Item = usize> + '_ {
        let is_masked = |column: &usize| self.masked.iter().any(|masked| masked.column == *column);
        let columns = self.columns().into_iter();
        columns.filter(move |column| !is_masked(column) && !self.persons.contains(column))
    }

    /// Which of the columns by which models tell persons apart has a name.
    pub fn person(&self, name: &str) -> Option<usize> {
        self.persons.iter().position(|&column| self.source.columns[column].name == name)
    }

    /// Which of the populations has a name.
    pub fn population(&self, name: &NamedRelation) -> Option<usize> {
        self.populations.iter().position(|population| population.name == *name)
    }

    /// Which sensitive column has a name.
    pub fn sensitive(&self, name: &str) -> Option<usize> {
        self.sensitive.iter().position(|&column| self.source.columns[column].name == name)
    }

    /// The label of suppressed values.
    pub fn any(&self) -> &str {
        self.arguments.suppressed.as_deref().unwrap_or("*")
    }

    /// Whether a masked column is one of those that everybody groups by.
    pub fn shows(&self, attribute: usize) -> bool {
        self.arguments.show.iter().any(|name| name == self.name(attribute))
    }

    /// Whether the means of a masked column are shown.
    pub fn shows_means(&self, attribute: usize) -> bool {
        self.arguments.means.iter().any(|name| name == self.name(attribute))
    }

    /// The name of a masked column.
    pub fn name(&self, attribute: usize) -> &str {
        &self.source.columns[self.masked[attribute].column].name
    }

    /// Which masked column has a name.
    pub fn attribute(&self, name: &str) -> Option<usize> {
        self.masked.iter().position(|m| self.source.columns[m.column].name == name)
    }
}

fn models(models: &[privacy_model], faults: &mut Faults) {
    if models.is_empty() {
        faults.add(
            SqlError::parameter("no privacy model is given")
                .hint("For example: privacy => ARRAY[k_anonymity(ARRAY['age', 'sex'], 10)]."),
        );
    }
    let mut seen = HashSet::new();
    for model in models.iter().inspect(|_| poll()) {
        faults.ok(model.is_asked_for());
        if !seen.insert(model.normal().to_string()) {
            faults.add(SqlError::parameter(format!("privacy model {} is given twice", model.shown())));
        }
    }
}

/// What is batched keeps its models in each part of a group.
fn batched(arguments: &Arguments) -> Result<()> {
    if arguments.changes == Changes::Any {
        return Ok(());
    }
    let of_shares = |model: &&privacy_model| model.compares_with_all() || model.counts_holders();
    let of_shares: Vec<String> =
        arguments.privacy.iter().filter(of_shares).map(|model| model.shown()).collect();
    if of_shares.is_empty() {
        return beside_batches(arguments);
    }
    Err(SqlError::unsupported(format!("changes cannot be batched for {}", some_of(of_shares)))
        .detail("It compares shares with those of all rows, or is of shares of persons, and rows that stay may break it when others come or leave.")
        .hint("Use l_diversity, or changes => 'any'."))
}

/// What tells of single rows where two versions have it, though their groups do not.
fn beside_batches(arguments: &Arguments) -> Result<()> {
    let refused = |what: String, detail: &str, hint: &str| {
        Err(SqlError::unsupported(format!("changes cannot be batched beside {what}"))
            .detail(detail)
            .hint(hint))
    };
    if arguments.counts {
        let detail =
            "The counts of two versions tell how many rows of each node came or left, also a single one.";
        return refused("counts".into(), detail, "Use counts => false, or changes => 'any'.");
    }
    if arguments.tell_error {
        let detail = "The errors of two versions tell which of their rows left the source: which questions are asked follows the order of the rows.";
        return refused(
            "tell_error".into(),
            detail,
            "Use tell_error => false, or changes => 'any'. release_query_error() tells the owner.",
        );
    }
    let are_means = |by: &&masking| matches!(by, masking::TopCoded(_) | masking::Microaggregated(_));
    match arguments.masking.iter().find(are_means) {
        Some(by) => refused(
            format!("means of column \"{}\"", by.column_name()),
            "The means of two versions tell the value of a single row that came or left: it may be alone above the bound, or in its run.",
            "Use rounded(), mask the column, leave it out, or use changes => 'any'.",
        ),
        None => Ok(()),
    }
}

/// The populations of the models, which have their columns, of the same types.
fn populations(source: &Source, arguments: &Arguments, faults: &mut Faults) -> Vec<Population> {
    let mut columns: BTreeMap<&str, (&NamedRelation, BTreeSet<usize>)> = BTreeMap::new();
    for model in arguments.privacy.iter().inspect(|_| poll()) {
        if let Some(name) = model.population() {
            let places = model.attributes().iter().filter_map(|name| source.column(name).ok());
            columns.entry(name.name()).or_insert_with(|| (name, BTreeSet::new())).1.extend(places);
        }
    }
    let population = |(name, places): (&NamedRelation, BTreeSet<usize>)| {
        let there = population(name)?;
        let columns = places.into_iter().map(|place| Ok((place, of_same_type(source, place, &there)?)));
        let columns = columns.collect::<Result<Vec<(usize, usize)>>>()?;
        Ok(Population { name: name.clone(), source: there, columns })
    };
    columns.into_values().filter_map(|of| faults.ok(population(of))).collect()
}

/// The relation of a population.
pub fn population(relation: &NamedRelation) -> Result<Source> {
    relation.open("privacy")?.ok_or_else(|| {
        SqlError::state(format!("the population {} does not exist", relation.name()))
            .hint("Make it under that name, or name another: of a release by release_alter(..., privacy => ..., allow_weaker => true).")
    })
}

/// The place of a source's column in a population.
pub fn of_same_type(source: &Source, place: usize, population: &Source) -> Result<usize> {
    let column = &source.columns[place];
    let there = population.column(&column.name)?;
    let of_population = &population.columns[there];
    if (of_population.type_oid, of_population.collation) != (column.type_oid, column.collation) {
        let (name, declaration) = (&column.name, &column.declaration);
        return Err(SqlError::parameter(format!(
            "column \"{name}\" of population \"{}\" is of another type",
            population.name
        ))
        .detail(format!("It is {}, that of \"{}\" {declaration}.", of_population.declaration, source.name))
        .hint("Name a view of the population that casts it."));
    }
    Ok(there)
}

fn max_steps(max_steps: Option<i32>) -> Result<()> {
    match max_steps {
        Some(steps) if steps < 0 => {
            Err(SqlError::parameter(format!("max_steps must not be negative, but is {steps}")))
        }
        _ => Ok(()),
    }
}

/// Rows can be left out where sets of rows that keep the models keep them together: then one set is the largest.
fn withhold(share: f64, models: &[privacy_model]) -> Result<()> {
    if !(0.0..=1.0).contains(&share) {
        return Err(SqlError::parameter(format!("withhold must be between 0 and 1, not {}", number(share))));
    }
    let others: Vec<String> =
        models.iter().filter(|model| !model.may_withhold()).map(|model| model.shown()).collect();
    if share > 0.0 && !others.is_empty() {
        return Err(SqlError::parameter("rows can be withheld for k-anonymity and distinct l-diversity alone")
            .detail(format!(
                "Not for {}: without some rows the shares of the others change, other sets of columns lose the rows, too, or persons would have to be counted anew.",
                some_of(others)
            ))
            .hint("Leave withhold out, or that model; of a k_anonymity that counts persons, leave person out."));
    }
    Ok(())
}

/// Rows are withheld by one set of columns: those that go for one would be missing in the groups of another.
fn by_one_set(arguments: &Arguments) -> Result<()> {
    let sets = if arguments.withhold > 0.0 { arguments.sets() } else { BTreeSet::new() };
    if sets.len() <= 1 {
        return Ok(());
    }
    let named = |set: &BTreeSet<&str>| format!("({})", some_of(set));
    let all: BTreeSet<&str> = sets.iter().flatten().copied().collect();
    let some: Vec<String> = sets.iter().take(5).map(named).collect();
    Err(SqlError::unsupported("rows can be withheld by one set of columns alone")
        .detail(format!(
            "The models are over {}: rows that go for one are missing in the groups of the others.",
            some.join(", ")
        ))
        .hint(format!(
            "Ask for models over {}, which imply those over fewer, or for withhold => 0: of a release that is there, with release_alter().",
            named(&all)
        )))
}

/// Groups that are refined one at a time need no rows left out, and are of persons by one column.
fn a_group_at_a_time(arguments: &Arguments) -> Result<()> {
    if !arguments.recoding.is_by_group() {
        return Ok(());
    }
    if arguments.withhold > 0.0 {
        return Err(SqlError::parameter(format!(
            "recoding => '{}' withholds no rows",
            arguments.recoding.word()
        ))
        .detail("An outlier keeps its own group at a more general value there, not the whole column.")
        .hint("Leave withhold out, or recoding."));
    }
    let is_of_all = |model: &privacy_model| {
        let all: BTreeSet<&String> = arguments.privacy.iter().flat_map(|model| model.attributes()).collect();
        model.known().is_none() && model.attributes().len() == all.len()
    };
    let holders = |model: &&privacy_model| {
        model.counts_holders() && (arguments.recoding == Recoding::Clustered || !is_of_all(model))
    };
    let of_holders: Vec<String> =
        arguments.privacy.iter().filter(holders).map(|model| model.shown()).collect();
    if !of_holders.is_empty() {
        return Err(SqlError::unsupported(format!(
            "recoding => '{}' cannot keep {}",
            arguments.recoding.word(),
            some_of(of_holders)
        ))
        .detail("Shares of persons may be larger in a union of groups than in each, and it is asked of unions: of groups by some of the masked columns, or of clusters that show the same.")
        .hint("Use recoding => 'global'; local recoding keeps such a model over all masked columns together."));
    }
    let mut persons = arguments.privacy.iter().filter_map(|model| model.person());
    let first = persons.next();
    if persons.any(|other| Some(other) != first) {
        return Err(SqlError::unsupported(format!(
            "recoding => '{}' counts persons by one column",
            arguments.recoding.word()
        ))
        .hint("Have all models name the same column of persons, or use recoding => 'global'."));
    }
    Ok(())
}

/// What a model that counts a population cannot be beside.
fn beside_a_population(arguments: &Arguments) -> Result<()> {
    let of_population = |model: &&privacy_model| model.population().is_some();
    let shown: Vec<String> = arguments.privacy.iter().filter(of_population).map(|m| m.shown()).collect();
    if shown.is_empty() {
        return Ok(());
    }
    let refused = |what: String, detail: &str, hint: &str| {
        Err(SqlError::unsupported(format!("{what} {}", some_of(&shown))).detail(detail).hint(hint))
    };
    if arguments.changes == Changes::Batched {
        let detail = "What comes and what leaves is asked to keep every model by itself, and of a population nothing comes or leaves with it.";
        return refused("changes cannot be batched for".into(), detail, "Use changes => 'any'.");
    }
    if arguments.clusters() {
        let detail = "A cluster shows what its rows have in common, and other clusters may show the same: no row of the population is in one and in no other.";
        return refused("clusters cannot keep".into(), detail, "Use recoding => 'global' or 'local'.");
    }
    if arguments.recoding != Recoding::Local {
        return Ok(());
    }
    let word = arguments.recoding.word();
    let cannot = format!("recoding => '{word}' cannot keep");
    if !arguments.show.is_empty() {
        let detail = "The columns of show are refined for all rows first, and the version does not tell where a row of the population belongs then.";
        return refused(cannot, detail, "Leave show out, or use recoding => 'global'.");
    }
    let all: BTreeSet<&String> = arguments.privacy.iter().flat_map(|model| model.attributes()).collect();
    let models = || arguments.privacy.iter().filter(of_population);
    if models().any(|model| model.attributes().len() < all.len()) {
        let detail = "Where a row of the population belongs depends on all masked columns together.";
        let hint = "Name all masked columns in each k_map, or use recoding => 'global'.";
        return refused(cannot, detail, hint);
    }
    let names: BTreeSet<&str> =
        models().filter_map(|model| model.population()).map(NamedRelation::name).collect();
    let persons = arguments.privacy.iter().any(|model| model.person().is_some());
    if names.len() > 1 || persons {
        let detail = "Its groups are counted once, with one population and no persons beside the rows.";
        return refused(cannot, detail, "Use recoding => 'global', or name one population and no person.");
    }
    Ok(())
}

/// The columns that models name, each with its masking or the default of its type.
fn masked(source: &Source, arguments: &Arguments, faults: &mut Faults) -> Vec<Masked> {
    let mut named = HashSet::new();
    let names = arguments.privacy.iter().flat_map(|m| m.attributes());
    let columns: HashSet<usize> = polled(names)
        .filter(|name| named.insert(*name))
        .filter_map(|name| faults.ok(source.column(name)))
        .collect();
    let mut maskings: HashMap<usize, &masking> = HashMap::new();
    let mut seen = HashSet::new();
    for by in polled(&arguments.masking) {
        let name = by.column_name();
        if !seen.insert(name) {
            faults.add(SqlError::parameter(format!("column \"{name}\" has two maskings")));
        }
        faults.ok(by.check());
        if arguments.verb == Verb::KMember && by.demands() != Demands::default() {
            faults.add(
                SqlError::parameter(format!(
                    "what is asked of the search for column \"{name}\" is nothing to a clustering"
                ))
                .hint("kmember_anonymize has no weighted, coarsest, finest, steps and breakpoints."),
            );
        }
        match source.column(name) {
            Err(fault) => faults.add(fault),
            // What kept columns are masked by is checked with these.
            Ok(_) if by.is_of_kept() => {}
            Ok(column) if !columns.contains(&column) => faults.add(
                SqlError::parameter(format!(
                    "column \"{name}\" has a masking, but no privacy model names it"
                ))
                .hint("Name the column in a quasi-identifier, or leave its masking out."),
            ),
            Ok(column) => {
                maskings.insert(column, by);
            }
        }
    }
    let mut columns: Vec<usize> = columns.into_iter().collect();
    columns.sort_unstable();
    let masked = |column: usize| {
        let default =
            || default_masking(arguments.verb, source.columns[column].name.clone(), source.type_of(column));
        Masked { column, by: maskings.get(&column).map_or_else(default, |&by| by.clone()) }
    };
    columns.into_iter().map(masked).collect()
}

fn default_masking(verb: Verb, column_name: String, ty: Type) -> masking {
    if verb != Verb::Pda && ty.is_continuous() {
        ByIntervals { column_name, ..ByIntervals::default() }.into()
    } else {
        BySuppression { column_name }.into()
    }
}

/// The sensitive columns; an order is needed where values are moved along it.
fn sensitive(source: &Source, arguments: &Arguments, faults: &mut Faults) -> Vec<usize> {
    let mut columns = Vec::new();
    for model in &arguments.privacy {
        let Some(name) = model.sensitive() else { continue };
        let Some(column) = faults.ok(source.column(name)) else { continue };
        faults.ok(has_order(source, column, &**model));
        columns.push(column);
    }
    columns.sort_unstable();
    columns.dedup();
    columns
}

/// The columns that tell persons apart.
fn persons(source: &Source, arguments: &Arguments, faults: &mut Faults) -> Vec<usize> {
    let names = arguments.privacy.iter().filter_map(|model| model.person());
    let mut columns: Vec<usize> = names.filter_map(|name| faults.ok(source.column(name))).collect();
    columns.sort_unstable();
    columns.dedup();
    columns
}

/// Some models need values that have an order.
pub fn has_order(source: &Source, column: usize, model: &dyn Model) -> Result<()> {
    let ty = source.type_of(column);
    if ty.comparator().is_some() {
        return Ok(());
    }
    model.unordered(&source.columns[column].name, &ty.name()).map_or(Ok(()), Err)
}

/// Whether the columns that everybody groups by are masked; others are shown as they are, or not at all.
fn shown(source: &Source, arguments: &Arguments, masked: &[Masked], faults: &mut Faults) {
    let mut seen = HashSet::new();
    for name in polled(&arguments.show) {
        if !seen.insert(name) {
            faults.add(SqlError::parameter(format!("column \"{name}\" is shown twice")));
            continue;
        }
        let Some(column) = faults.ok(source.column(name)) else { continue };
        if !masked.iter().any(|masked| masked.column == column) {
            faults.add(
                SqlError::parameter(format!(
                    "column \"{name}\" is to be shown, but no privacy model names it"
                ))
                .hint("show is for masked columns: name the column in a quasi-identifier, or keep it."),
            );
        }
    }
}

/// Whether the columns that means are shown of are masked, and have any.
fn means(source: &Source, arguments: &Arguments, masked: &[Masked], faults: &mut Faults) {
    let mut seen = HashSet::new();
    for name in polled(&arguments.means) {
        if !seen.insert(name) {
            faults.add(SqlError::parameter(format!("column \"{name}\" is named twice in means")));
            continue;
        }
        let Some(column) = faults.ok(source.column(name)) else { continue };
        let ty = source.type_of(column);
        if !masked.iter().any(|masked| masked.column == column) {
            faults.add(
                SqlError::parameter(format!(
                    "means are to be shown of column \"{name}\", but no privacy model names it"
                ))
                .hint("means is for masked columns: name the column in a quasi-identifier, or keep it."),
            );
        } else if ty.mean().is_none() {
            faults.add(
                SqlError::parameter(format!("column \"{name}\" has no means: it is of type {}", ty.name()))
                    .hint("Means are of numbers, dates, times of day without a zone, and timestamps."),
            );
        }
    }
}

/// The maskings of kept columns.
fn kept_by(
    source: &Source,
    arguments: &Arguments,
    masked: &[Masked],
    faults: &mut Faults,
) -> BTreeMap<usize, masking> {
    let mut kept_by = BTreeMap::new();
    for by in polled(&arguments.masking).filter(|by| by.is_of_kept()) {
        let name = by.column_name();
        // That there is none is told where all maskings are looked at.
        let Ok(column) = source.column(name) else { continue };
        let of = &source.columns[column];
        let ty = source.type_of(column);
        let fault = if by.within().is_some() {
            SqlError::parameter(format!("nothing can be asked of the search for kept column \"{name}\""))
                .hint("weighted, coarsest and finest are for columns that a privacy model names.")
        } else if masked.iter().any(|masked| masked.column == column) {
            SqlError::parameter(format!("column \"{name}\" is masked by what is for kept columns"))
                .hint("rounded, top_coded and microaggregated are for columns in keep; a column of a quasi-identifier is generalized.")
        } else if !arguments.keep.iter().any(|kept| kept == name) {
            SqlError::parameter(format!("column \"{name}\" has a masking of kept columns, but is not kept"))
                .hint(format!("Keep it: keep => ARRAY[{}], or leave its masking out.", quote_literal(name)))
        } else if of.type_oid != ty.oid {
            SqlError::parameter(format!(
                "kept column \"{name}\" cannot have a masking: its type {} is a domain",
                of.type_name
            ))
            .detail("What it allows may be broken by a value that is rounded, or a mean.")
            .hint(format!("Release a view that casts it to {}.", ty.name()))
        } else if let Err(fault) = by.fits(ty, &of.declaration) {
            fault
        } else {
            kept_by.insert(column, by.clone());
            continue;
        };
        faults.add(fault);
    }
    kept_by
}

fn keep(source: &Source, arguments: &Arguments, masked: &[Masked], faults: &mut Faults) -> Vec<usize> {
    let masked: HashSet<usize> = masked.iter().map(|m| m.column).collect();
    let mut columns = Vec::new();
    let mut seen = HashSet::new();
    for name in polled(&arguments.keep) {
        if !seen.insert(name) {
            faults.add(SqlError::parameter(format!("column \"{name}\" is kept twice")));
            continue;
        }
        let Some(column) = faults.ok(source.column(name)) else { continue };
        if masked.contains(&column) {
            faults.add(
                SqlError::parameter(format!("column \"{name}\" is both masked and kept"))
                    .hint("A column of a quasi-identifier is released masked, never as it is."),
            );
        }
        columns.push(column);
    }
    columns.sort_unstable();
    columns
}
