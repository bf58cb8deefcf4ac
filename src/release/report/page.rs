//! A report as one page of HTML: whatever is told is escaped, nothing is loaded from elsewhere, no script is needed,
//! and what a picture shows stands beside it as text.

use super::column::{Column, Node};
use super::facts::{Facts, KeptColumn, Owner, Step, COLUMNS, RISKY};
use super::figures;
use super::in_short::{in_short, Answer};
use crate::postgres::error::{number, Result};
use crate::postgres::text::clipped;
use crate::release::measure::drift::Drift;
use crate::release::store::parameters::HeldSummary;
use maud::{html, Markup, PreEscaped, DOCTYPE};

const STYLE: &str = include_str!("style.css");

/// What a browser shall allow the page: its own style, and nothing from anywhere.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// The page.
pub fn page(facts: &Facts) -> Result<String> {
    let title = format!("Release {}", facts.release);
    let columns = facts.columns.iter().map(|told| column(facts, told)).collect::<Result<Vec<Markup>>>()?;
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header { h1 { (title) } (summary(facts)) }
                main {
                    (short(facts))
                    (models(facts))
                    (sizes(facts)?)
                    h2 { "Masked columns" }
                    p { "What each column is released as, and in how many rows."
                        @if facts.owner.is_some() { " What is above the cut is shown in grey." } }
                    @if facts.class.is_some() { (key(&facts.classes)) }
                    @for column in &columns { (column) }
                    @if facts.more_columns > 0 { p { "And " (facts.more_columns) " more masked columns." } }
                    (kept(facts))
                    @if let Some(owner) = &facts.owner { (for_owner(facts, owner)?) }
                }
            }
        }
    };
    Ok(page.into_string())
}

fn summary(facts: &Facts) -> Markup {
    html! {
        dl {
            dt { "View" } dd { code { (facts.view) } }
            @if let Some(owner) = &facts.owner { dt { "Source" } dd { code { (owner.source) } } }
            dt { "Version" } dd { (facts.version) ", of " (facts.made) }
            dt { "Rows" } dd { (facts.rows) @if let Some(withheld @ 1..) = facts.withheld { ", " (withheld) " more are withheld" } }
            dt { "Recoding" } dd { (facts.recoding) }
            @if let Some(owner) = &facts.owner { dt { "Searched by" } dd { code { (owner.searched) } } }
            @if let Some(class) = &facts.class { dt { "Made to predict" } dd { (class) } }
        }
    }
}

fn short(facts: &Facts) -> Markup {
    html! {
        h2 { "In short" }
        dl { @for Answer { question, sentences } in in_short(facts) {
            dt { (question) } dd { @for sentence in sentences { (sentence) " " } }
        } }
    }
}

fn models(facts: &Facts) -> Markup {
    let verified = facts.owner.is_some();
    html! {
        h2 { "Privacy" }
        p { "What was asked for" @if verified { ", and what was found when the rows that are published were counted again" } "." }
        div.wide { table {
            thead { tr { th { "Model" } @if verified { th.n { "required" } th.n { "found" } th { "holds" } } } }
            tbody { @for (model, verdict) in &facts.models { tr {
                td { code { (model) } }
                @if let Some(verdict) = verdict {
                    td.n { (number(verdict.required)) }
                    td.n { (verdict.shown()) }
                    td { @if verdict.holds { "yes" } @else { span.bad { "no" } } }
                } @else if verified { td {} td {} td { "not recounted" } }
            } } }
        } }
    }
}

fn sizes(facts: &Facts) -> Result<Markup> {
    let groups: u64 = facts.sizes.iter().map(|(_, groups)| groups).sum();
    let (Some(&(least, _)), Some(&(most, _))) = (facts.sizes.first(), facts.sizes.last()) else {
        return Ok(html! {});
    };
    let all: u64 = facts.sizes.iter().map(|(size, groups)| size * groups).sum();
    let (counted, average) = (facts.counted, number((all as f64 / groups as f64 * 10.0).round() / 10.0));
    let said = format!(
        "{groups} {} of rows that are alike on all masked columns: the smallest has {least} {counted}, the largest {most}, \
         on average {average}.",
        if groups == 1 { "group" } else { "groups" }
    );
    Ok(html! {
        h2 { "Group sizes" }
        (figure(&said, figures::group_sizes(&facts.sizes, facts.k, counted)?))
    })
}

/// A picture, where there is one, and what it says.
fn figure(said: &str, svg: Option<String>) -> Markup {
    html! { figure {
        @if let Some(svg) = svg { div role="img" aria-label=(said) { (PreEscaped(svg)) } }
        figcaption { (said) }
    } }
}

/// Which colour stands for which class.
fn key(classes: &[Option<String>]) -> Markup {
    html! { p.bar.key { "Classes:"
        @for (number, class) in classes.iter().enumerate() { i class=(format!("k{number}")) {} (clipped(class.as_deref().unwrap_or("NULL"))) }
        i.k5 {} "others"
    } }
}

fn column(facts: &Facts, column: &Column) -> Result<Markup> {
    let classes = facts.class.as_ref().map_or(&[][..], |_| &facts.classes);
    let bits = |bits: f64| format!("{bits:.4} bits");
    Ok(html! {
        h3 { (column.name) }
        p { "Masked by " code { (column.masked) } "."
            @if let Some((before, after)) = column.information {
                " It tells " (bits(after)) " of the class"
                @if let (Some(before), true) = (before, facts.owner.is_some()) { ", in the source as it is now " (bits(before)) }
                "."
            }
        }
        @if column.axis.len() > 1 {
            (figure(&format!("The {} intervals with both ends, as high as their rows are dense.", column.intervals),
                figures::intervals(&column.axis)?))
        }
        div.wide { table {
            thead { tr { th { "Value" } th.n { "rows" } th { "share" }
                @for class in classes { th.n { (clipped(class.as_deref().unwrap_or("NULL"))) } } } }
            tbody {
                @for node in &column.nodes { (value(facts.rows, node)) }
                @if column.more.0 > 0 { tr { td { (column.more.0) " more values" } td.n { (column.more.1) } td {} @for _ in classes { td {} } } }
            }
        } }
    })
}

fn value(rows: i64, node: &Node) -> Markup {
    let share = |n: i64| 100.0 * n as f64 / rows.max(1) as f64;
    let others = node.rows - node.classes.iter().sum::<i64>();
    html! {
        tr.above[!node.in_cut] {
            td.label style=(format!("padding-left:{}rem", node.depth.min(12))) {
                @match &node.label { Some(label) => (label), None => em { "NULL" } }
            }
            td.n { (node.rows) }
            td { div.bar {
                @for (number, &n) in node.classes.iter().enumerate() { i class=(format!("k{number}")) style=(format!("width:{:.2}%", share(n))) {} }
                i.k5 style=(format!("width:{:.2}%", share(others))) {}
            } }
            @for n in &node.classes { td.n { (n) } }
        }
    }
}

fn kept(facts: &Facts) -> Markup {
    // Of how many persons rows are, only the owner may know: for others it is one in five rows.
    let persons = facts.owner.as_ref().and_then(|owner| owner.persons).unwrap_or(facts.rows / 5);
    let warning = |kept: &KeptColumn| {
        if kept.single * 2 > facts.rows {
            "looks like an identifier: most rows have a value of their own"
        } else if kept.distinct * 2 > persons.max(1) {
            "has nearly as many values as there may be persons: rows of one could be joined by it"
        } else {
            ""
        }
    };
    html! {
        @if !facts.kept.is_empty() {
            h2 { @if facts.kept.iter().any(|kept| kept.masked.is_some()) { "Kept columns" } @else { "Columns released unchanged" } }
            p { "Who knows a value of such a column finds the rows that hold it: no model looks at that." }
            div.wide { table {
                thead { tr { th { "Column" } th.n { "values" } th.n { "rows with a value of their own" } th { "" } } }
                tbody { @for kept in &facts.kept { tr {
                    td { (kept.name) } td.n { (kept.distinct) } td.n { (kept.single) } td { @if let Some(masked) = kept.masked { (masked) ". " } (warning(kept)) }
                } } }
            } }
        }
    }
}

fn for_owner(facts: &Facts, owner: &Owner) -> Result<Markup> {
    Ok(html! {
        p.bad { "What follows is for the owner: it tells of the source, and of what could not be released." }
        (risks(owner))
        (course(facts, &owner.steps, owner.more_steps)?)
        h2 { "Measures" }
        div.wide { table {
            thead { tr { th { "Measure" } th.n { "value" } } }
            tbody { @for (name, value) in &owner.measures { tr { td { (name) } td.n { (rounded(*value)) } } } }
        } }
        (versions(&owner.drift)?)
    })
}

fn risks(owner: &Owner) -> Markup {
    html! {
        h2 { "Risk of being found" }
        p { "By somebody who knows the masked columns of one person, who looks in the population (for which the release stands, where none is known), or who wants anybody. Where it is known, the last line is the chance to be alone in it. At risk is who is found with a probability above " (number(RISKY)) "." }
        div.wide { table {
            thead { tr { th { "Attacker" } th.n { "records at risk" } th.n { "highest risk" } th.n { "average risk" } } }
            tbody { @for (attacker, at_risk, highest, average) in &owner.risks { tr {
                td { (attacker) } td.n { (rounded(*at_risk)) } td.n { (rounded(*highest)) } td.n { (rounded(*average)) }
            } } }
        } }
    }
}

fn course(facts: &Facts, steps: &[Step], more: usize) -> Result<Markup> {
    let Some(last) = steps.last() else { return Ok(html! {}) };
    let found = |step: &Step| Some((f64::from(step.number), step.achieved?));
    let points: Vec<(f64, f64)> = steps.iter().filter_map(found).collect();
    let model = facts.models.first().map_or("", |(model, _)| model);
    let said = format!(
        "{} steps; the measure of the first model, {model}, went from {} to {}.",
        last.number,
        rounded(points.first().map_or(f64::NAN, |p| p.1)),
        rounded(points.last().map_or(f64::NAN, |p| p.1))
    );
    Ok(html! {
        h2 { "The course of the search" }
        (figure(&said, figures::line(&points, "step", "measure")?))
        div.wide { table {
            thead { tr { th.n { "step" } th { "column" } th { "refined" } th.n { "rows" } th.n { "gain" } th.n { "score" } th.n { "measure" } } }
            tbody {
                @for step in steps.iter().take(COLUMNS) { tr {
                    td.n { (step.number) } td { (step.attribute) }
                    td { @match &step.node { Some(node) => (node), None => em { "NULL" } } }
                    td.n { (step.rows) } td.n { (rounded(step.info_gain)) } td.n { (rounded(step.score)) }
                    td.n { (step.achieved.map_or(String::new(), rounded)) }
                } }
                @if more > 0 { tr { td {} td { (more) " more steps" } td {} td {} td {} td {} td {} } }
            }
        } }
    })
}

fn versions(drift: &[Drift]) -> Result<Markup> {
    let earlier = drift.len().saturating_sub(COLUMNS);
    let batched = drift.iter().any(|version| version.held.is_some());
    let held = |version: &Drift, part: fn(&HeldSummary) -> i64| {
        version.held.as_ref().map_or(String::new(), |held| part(held).to_string())
    };
    Ok(html! {
        h2 { "Versions" }
        @if drift.len() > 1 {
            (over_versions(drift, "Certainty loss", |version| Some(version.certainty_loss))?)
        }
        @if drift.len() > 1 && batched {
            (over_versions(drift, "Rows that wait", |version| Some(version.held.as_ref()?.waiting as f64))?)
            (over_versions(drift, "Rows that linger", |version| Some(version.held.as_ref()?.lingering as f64))?)
        }
        div.wide { table {
            thead { tr {
                th.n { "version" } th.n { "rows" } th.n { "withheld" } th.n { "steps" } th.n { "left out" } th.n { "certainty loss" } th.n { "class information" }
                @if batched { th.n { "waiting" } th.n { "lingering" } }
            } }
            tbody {
                @if earlier > 0 { tr { td.n { (earlier) " earlier" } td {} td {} td {} td {} td {} td {} @if batched { td {} td {} } } }
                @for version in &drift[earlier..] { tr {
                td.n { (version.version) } td.n { (version.rows) } td.n { (version.withheld) }
                td.n { (version.steps_kept) } td.n { (version.steps_dropped) } td.n { (rounded(version.certainty_loss)) }
                td.n { (version.class_information.map_or(String::new(), rounded)) }
                @if batched { td.n { (held(version, |held| held.waiting)) } td.n { (held(version, |held| held.lingering)) } }
                } }
            }
        } }
    })
}

/// What the versions have of something, as a line.
fn over_versions(drift: &[Drift], what: &str, of: impl Fn(&Drift) -> Option<f64>) -> Result<Markup> {
    let point = |version: &Drift| Some((f64::from(version.version), of(version)?));
    let points: Vec<(f64, f64)> = drift.iter().filter_map(point).collect();
    let Some((first, last)) = points.first().zip(points.last()) else { return Ok(html! {}) };
    let most = points.iter().map(|point| point.1).fold(f64::MIN, f64::max);
    let said = format!(
        "{what}: {} in version {}, {} in version {}, {} at most.",
        rounded(first.1),
        first.0,
        rounded(last.1),
        last.0,
        rounded(most)
    );
    Ok(figure(&said, figures::line(&points, "version", "")?))
}

/// A measure with as many digits as somebody reads.
fn rounded(value: f64) -> String {
    if value.is_finite() && value.abs() < 1e15 && value != value.trunc() {
        let digits = (4 - value.abs().log10().floor().clamp(-6.0, 4.0) as i32).max(0) as usize;
        return format!("{value:.digits$}");
    }
    number(value)
}
