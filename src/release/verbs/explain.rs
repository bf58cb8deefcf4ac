//! Why a release is no more specific: for each node of its cut, what kept the search from refining it further.
//!
//! The published release cannot answer this, so the source is read again, with the rights of the release's
//! owner and without the withheld rows. The steps are replayed on it, and the engine gives a reason for each
//! node of the cut ([`topdown::explain`]); by local recoding, each reason with the number of groups it holds
//! for. If the source has changed, the answer is about the source as it is now, and a warning says so.

use crate::postgres::error::{clipped, warn, Result, SqlError};
use crate::postgres::locks::Mode;
use crate::postgres::operation::{self, Operation};
use crate::postgres::progress::{polled, polling};
use crate::postgres::sql::{quote, quoted_list, Values};
use crate::postgres::text::{brief, counted};
use crate::read::plan::look_at;
use crate::read::source::Source;
use crate::release::measure::few_rows;
use crate::release::store::manifest::{must_exist, ExistingRelease};
use crate::release::store::nodes::Nodes;
use crate::release::store::parameters::Parameters;
use crate::release::store::withheld;
use crate::release::trace::{batch, load};
use crate::release::verbs::refresh::request_as_before;
use crate::search::{self, Exclusions, SearchMode, SearchResult};
use crate::terms::labels::{Bound, Labels};
use crate::terms::privacy_model::privacy_model;
use crate::terms::request::Request;
use crate::terms::words::Recoding;
use hashbrown::HashMap;
use topdown::progress::check_memory;
use topdown::refine::{Hierarchy, Meaning, NodeId};
use topdown::{Explained, Reason, Refinement, Shortfall};

/// Why a node was not refined further.
#[derive(Debug)]
pub struct Why {
    /// The column.
    pub attribute: String,
    /// The node, as the view shows it; none for NULL.
    pub node: Option<String>,
    /// Why.
    pub reason: String,
    /// What a model would measure, or what would be gained, if it were refined.
    pub achieved: Option<f64>,
    /// And what is asked for.
    pub required: Option<f64>,
}

/// Why each node of a release's cut was not refined further, in the order of the cut.
pub fn explain(release: &str) -> Result<Vec<Why>> {
    let caller = operation::acting();
    let _operation = Operation::begin()?;
    let (existing, _rights) = must_exist(release, Mode::Read)?;
    let arguments = &existing.parameters()?.arguments;
    if let Some(kind) = arguments.clustering() {
        return Err(SqlError::unsupported(format!("a {kind} release has no cut that was refined"))
            .detail("Its clusters are as small as its models let them be, but for what is left over."));
    }
    let request = request_as_before(release, &existing, caller)?;
    let before = withheld::of(&existing, &request.source)?;
    let trace = load::of(&existing, existing.version)?;
    let batch = existing
        .is_batched(&request.arguments)?
        .then(|| batch::of(&existing, &request, false))
        .transpose()?;
    let exclusions = Exclusions {
        before: Some(&before),
        unknown: true,
        hash_key: batch.as_ref().map(|_| existing.hash_key()).transpose()?,
        batch,
        ..Exclusions::default()
    };
    let found = search::run(&request, &SearchMode::Explain(&trace), exclusions)?;
    let nodes = (0..request.masked.len()).map(|attribute| Nodes::new(&request, &found, attribute));
    let nodes = nodes.collect::<Result<Vec<Nodes>>>()?;
    let changed = has_changed(&existing, &nodes)?;
    if changed {
        warn(
            format!(
                "the source of release \"{release}\" has changed since version {} was made",
                existing.version
            ),
            "What is said of each node is of the source as it is now.",
        );
    }
    let stopped = stopped(&existing, found.steps.len(), changed)?;
    let release = Explanation { release, request: &request, found: &found, stopped };
    few_rows::say(&request, &found, |_| true, |share| few_rows::alter(release.release, share))?;
    let explained = in_the_cuts_order(&found, &nodes)?;
    let same_node = |(one, ..): &InCut, (other, ..): &InCut| one == other;
    let rows = polled(explained.chunk_by(same_node)).map(|alike| {
        let ((attribute, _), node, _) = alike[0];
        let alike: Vec<&Explained> = alike.iter().map(|&(.., explained)| explained).collect();
        let (reason, figures) = match nodes[attribute].records[node] {
            0 => (UNUSED.into(), None),
            _ => release.reasons(&alike),
        };
        Why {
            attribute: nodes[attribute].attribute.clone(),
            node: nodes[attribute].shown(node).map(String::from),
            reason,
            achieved: figures.map(|(achieved, _)| achieved),
            required: figures.map(|(_, required)| required),
        }
    });
    Ok(rows.collect())
}

/// The column and the place of a node of the cut, the node, and what is told of it.
type InCut<'f> = ((usize, usize), usize, &'f Explained);

/// What is told, in the order of the cut. What groups are released as is one node of it where it is shown alike
/// ([`Nodes::joined`]).
fn in_the_cuts_order<'f>(found: &'f SearchResult, nodes: &[Nodes]) -> Result<Vec<InCut<'f>>> {
    let in_cut = |nodes: &Nodes| nodes.in_cut.iter().filter(|in_cut| **in_cut).count();
    check_memory::<[(usize, Option<&str>); 4]>(nodes.iter().map(in_cut).sum())?;
    check_memory::<InCut>(found.explained.len())?;
    let mut shown: HashMap<(usize, Option<&str>), usize> = HashMap::new();
    for (attribute, nodes) in nodes.iter().enumerate() {
        for node in polled(0..nodes.labels.len()).filter(|&node| nodes.in_cut[node]) {
            shown.entry((attribute, nodes.shown(node))).or_insert(node);
        }
    }
    let in_cut = polled(&found.explained).filter_map(|told| {
        let Explained { attribute, node, groups, .. } = told;
        let (nodes, node) = (&nodes[*attribute], *node as usize);
        let joined = groups.and_then(|_| shown.get(&(*attribute, nodes.shown(node))).copied());
        let node = joined.unwrap_or(node);
        nodes.in_cut[node].then_some(((*attribute, nodes.order[node]), node, told))
    });
    let mut in_cut: Vec<InCut> = in_cut.collect();
    in_cut.sort_by(polling(|(one, ..): &InCut, (other, ..)| one.cmp(other)));
    Ok(in_cut)
}

/// Whether the nodes have other rows than were published.
fn has_changed(existing: &ExistingRelease, nodes: &[Nodes]) -> Result<bool> {
    let cut = Source::in_schema(existing.schema, "cut")?;
    let query = format!("SELECT attribute, node, records FROM {}", cut.qualified());
    let published = look_at(&cut, &query, &[], |row| {
        let node: Option<String> = row.nullable(2)?;
        Ok(((row.written::<String>(1)?, node), row.written::<i64>(3)?))
    })?;
    let now = |nodes: &Nodes| nodes.in_cut.iter().filter(|in_cut| **in_cut).count();
    let same = published.len() == nodes.iter().map(now).sum::<usize>();
    let published: HashMap<(String, Option<String>), i64> = published.into_iter().collect();
    let is_as_published = |nodes: &Nodes| {
        polled(0..nodes.labels.len()).filter(|&node| nodes.in_cut[node]).all(|node| {
            let key = (nodes.attribute.clone(), nodes.shown(node).map(String::from));
            published.get(&key) == Some(&nodes.records[node])
        })
    };
    Ok(!same || !nodes.iter().all(is_as_published))
}

/// Why a search that could have gone on did not.
fn stopped(existing: &ExistingRelease, steps: usize, changed: bool) -> Result<String> {
    let Parameters { arguments, trace, .. } = existing.parameters()?;
    Ok(match arguments.max_steps {
        Some(most) if most as usize <= steps => format!("the search was stopped by max_steps => {most}"),
        _ if changed => "the source holds something else by now".into(),
        _ if *trace != existing.version => {
            format!("the steps of version {trace} were performed again, and none was searched for")
        }
        _ => format!("the release was rewound to step {steps}"),
    })
}

/// What is told of a release.
struct Explanation<'a> {
    release: &'a str,
    request: &'a Request,
    found: &'a SearchResult,
    /// Why it stopped where it could have gone on.
    stopped: String,
}

impl Explanation<'_> {
    /// Why a node was not refined further: in some groups for this reason, in some for that.
    fn reasons(&self, alike: &[&Explained]) -> (String, Option<(f64, f64)>) {
        let total: u64 = alike.iter().filter_map(|explained| explained.groups).sum();
        if total <= 1 {
            return self.reason(alike[0]);
        }
        let mut figures = None;
        let reasons = alike.iter().map(|explained| {
            let (words, of_this) = self.reason(explained);
            figures = figures.or(of_this);
            let groups = explained.groups.unwrap_or_default();
            let which = if groups == total { format!("all {total}") } else { format!("{groups} of {total}") };
            match explained.reason {
                Reason::Breaks(_) if groups > 1 => {
                    format!("in {which} groups a model would break; in the nearest, {words}")
                }
                Reason::FewRows { .. } if groups > 1 => {
                    format!("in {which} groups a part would be too small; in the nearest, {words}")
                }
                Reason::BelowChance { .. } if groups > 1 => {
                    format!("in {which} groups nothing would be told; in the nearest, {words}")
                }
                _ => format!("in {which} groups {words}"),
            }
        });
        (reasons.collect::<Vec<_>>().join("; "), figures)
    }

    /// Why a node was not refined further, in words, and what would be achieved where how much is required.
    fn reason(&self, explained: &Explained) -> (String, Option<(f64, f64)>) {
        let Explained { attribute, node, reason, .. } = explained;
        let bound = &self.found.columns[*attribute].bound;
        let refined = self.refined(explained);
        let words = match reason {
            Reason::Unused => UNUSED.into(),
            Reason::Leaf => {
                let what = match (&bound.hierarchy.node(*node).meaning, &bound.labels) {
                    (Meaning::Null, _) => "NULL",
                    (Meaning::Value, _) => "a disclosed value",
                    (Meaning::Interval, _) => "all its rows hold one value",
                    _ => "a leaf of the taxonomy",
                };
                format!("nothing is more specific: {what}")
            }
            Reason::Finest => "finest() keeps the column from being more specific".into(),
            Reason::Shown => "show gives the column one cut for all groups, which was refined first".into(),
            Reason::NoPoint => "none of the points that may become ends lies between its values".into(),
            Reason::OneClass => "all its rows are of one class".into(),
            Reason::Open => format!("{refined} it would keep every model: {}", self.stopped),
            Reason::FewRows { rows, least } => {
                format!(
                    "{refined} a group would have {}, and where changes are batched a search makes none of fewer than \
                     {least}",
                    counted(*rows, "row")
                )
            }
            Reason::BelowChance { gain } => {
                let words = format!(
                    "{refined} it would tell nothing of the class that the rest does not tell: {} bits a row",
                    brief(*gain)
                );
                return (words, Some((*gain, 0.0)));
            }
            Reason::Breaks(shortfall) => {
                let model = &self.request.arguments.privacy[shortfall.model];
                let words = format!("{refined} it would break {}", self.lacks(model, shortfall));
                return (words, Some((shortfall.achieved, model.required())));
            }
        };
        (words, None)
    }

    /// How a node would be refined, in words.
    fn refined(&self, Explained { attribute, node, refinement, .. }: &Explained) -> String {
        let Bound { hierarchy, labels, .. } = &self.found.columns[*attribute].bound;
        let label = |node| self.found.columns[*attribute].bound.node_label(node, self.request.any());
        let shown = |node| label(node).map_or("NULL".into(), |label| format!("\"{}\"", clipped(&label)));
        let named = |nodes: &[NodeId]| {
            let some: Vec<String> = nodes.iter().take(NAMED).map(|&node| shown(node)).collect();
            let more = nodes.len() - some.len();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("{}{more}", some.join(", "))
        };
        match (refinement, labels) {
            (Some(Refinement::Split { at, .. }), Labels::Intervals(intervals)) => {
                format!("split at {}", clipped(&intervals.ty.text(intervals.end(*at))))
            }
            (Some(Refinement::Disclose { codes }), _) => {
                let beside = codes.len() - 1;
                let more = if beside > 0 { format!(" and {beside} more") } else { String::new() };
                format!("with {}{more} disclosed", shown(Hierarchy::disclosed_node(codes[0])))
            }
            (Some(Refinement::SplitOff { children }), _) => {
                format!("with {} split off", named(children))
            }
            _ => format!("refined into {}", named(&hierarchy.node(*node).children)),
        }
    }

    /// Which model would break, by how much, and in how many rows.
    fn lacks(&self, model: &privacy_model, shortfall: &Shortfall) -> String {
        let Shortfall { achieved, broken, groups, rows, left, .. } = shortfall;
        let sensitive = model.sensitive().map(|name| format!(" -> {}", quote(name))).unwrap_or_default();
        let rows = counted(*rows, "row");
        let withheld = left.map_or(String::new(), |left| {
            format!("; {rows} at least would have to be withheld, and {left} may be")
        });
        // One group is divided into parts, all groups of a node into others.
        let made = if self.request.arguments.recoding == Recoding::Local { "part" } else { "group" };
        let known = model.known().map(|known| format!("any {known} of ")).unwrap_or_default();
        format!(
            "{}({known}{}{sensitive}): {} in {broken} of {}, {rows}{withheld}",
            model.name(),
            quoted_list(model.attributes().iter().map(String::as_str)),
            model.lacks(*achieved),
            counted(*groups, made)
        )
    }
}

/// Why a node was not refined that no row is left of.
const UNUSED: &str = "no row is released as it";

/// So many of the nodes below are named.
const NAMED: usize = 3;
