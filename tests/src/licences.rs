//! The licences of the crates that the extension is made of, as `cargo metadata` tells them: whether each is among those
//! that we accept, and their texts in one document, for who gets the library (`cargo run -p client-tests --bin licences`).
//! A crate that brings no text has its licence's standard text, once for all at the end.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use serde_json::Value;
use spdx::{Expression, LicenseId, ParseMode};

/// The licences that a crate may offer. All of them allow to give the library away, changed or not, with their text beside it.
pub const ACCEPTED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "ISC",
    "MIT",
    "PostgreSQL",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// How a crate's files with a licence's text or a notice begin.
const TEXTS: &[&str] = &["licen", "copying", "copyright", "notice", "unlicense"];

/// A crate of Cargo.lock.
pub struct Package {
    /// Its name and version.
    pub name: String,
    /// What it says of its licence; empty if it says nothing.
    pub licence: String,
    /// Whether code of it is in the extension's library; else it helps to build or to test.
    pub linked: bool,
    directory: PathBuf,
}

impl Package {
    /// The licences of the accepted ones under which it may be used, all of which hold together or by choice; none: not at all.
    pub fn accepted(&self) -> Option<Vec<LicenseId>> {
        // Older crates write MIT/Apache-2.0.
        let expression = Expression::parse_mode(&self.licence, ParseMode::LAX).ok()?;
        let accepted = |id: &LicenseId| ACCEPTED.contains(&id.name);
        let holds = expression.evaluate(|asked| asked.license.id().as_ref().is_some_and(accepted));
        let named = expression.requirements().filter_map(|named| named.req.license.id());
        holds.then(|| named.filter(accepted).collect())
    }

    /// Its files with texts of licences, in order of their names.
    fn texts(&self) -> BTreeMap<String, String> {
        let files = fs::read_dir(&self.directory).into_iter().flatten().flatten();
        let named = files.map(|file| (file.file_name().to_string_lossy().into_owned(), file.path()));
        let texts =
            named.filter(|(name, _)| TEXTS.iter().any(|start| name.to_lowercase().starts_with(start)));
        texts.filter_map(|(name, path)| Some((name, fs::read_to_string(path).ok()?))).collect()
    }
}

/// All crates that the workspace needs on this platform, ordered by name, without those of the workspace itself.
pub fn packages() -> Vec<Package> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let arguments =
        ["metadata", "--format-version=1", "--locked", "--filter-platform=x86_64-unknown-linux-gnu"];
    let said = Command::new(cargo).args(arguments).current_dir(root).output().expect("cargo does not run");
    assert!(said.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&said.stderr));
    let told: Value = serde_json::from_slice(&said.stdout).expect("cargo metadata gives no JSON");
    let linked = linked(&told);
    let needed: BTreeSet<&str> = all(&told["resolve"]["nodes"]).map(|node| text(&node["id"])).collect();
    let mut packages: Vec<Package> = all(&told["packages"])
        .filter(|package| needed.contains(text(&package["id"])) && !package["source"].is_null())
        .map(|package| Package {
            name: format!("{} {}", text(&package["name"]), text(&package["version"])),
            licence: package["license"].as_str().unwrap_or_default().into(),
            linked: linked.contains(text(&package["id"])),
            directory: Path::new(text(&package["manifest_path"])).parent().expect("a file").into(),
        })
        .collect();
    packages.sort_by(|a, b| a.name.cmp(&b.name));
    packages
}

/// The crates, by their ids, that the library is linked of: what pg_topdown depends on, but macros, which run in the compiler.
fn linked(told: &Value) -> BTreeSet<&str> {
    let is_macro =
        |package: &&Value| all(&package["targets"]).any(|target| target["kind"][0] == "proc-macro");
    let macros: BTreeSet<&str> =
        all(&told["packages"]).filter(is_macro).map(|package| text(&package["id"])).collect();
    let nodes: BTreeMap<&str, &Value> =
        all(&told["resolve"]["nodes"]).map(|node| (text(&node["id"]), node)).collect();
    let ours = all(&told["packages"]).find(|package| package["name"] == "pg_topdown");
    let mut open = vec![text(&ours.expect("pg_topdown is a package")["id"])];
    let mut linked = BTreeSet::new();
    while let Some(id) = open.pop() {
        if macros.contains(id) || !linked.insert(id) {
            continue;
        }
        let normal = |needs: &&Value| all(&needs["dep_kinds"]).any(|kind| kind["kind"].is_null());
        open.extend(all(&nodes[id]["deps"]).filter(normal).map(|needs| text(&needs["pkg"])));
    }
    linked
}

/// The texts of the licences of what is linked.
pub fn document(packages: &[Package]) -> String {
    let mut document = String::from(
        "Third-party code in the library of pg_topdown\n\n\
         The library contains Rust's standard library (MIT OR Apache-2.0) and these crates, each under the licence it states.\n",
    );
    let mut standard: BTreeMap<&str, &str> = BTreeMap::new();
    for package in packages.iter().filter(|package| package.linked) {
        heading(&mut document, &format!("{}: {}", package.name, package.licence));
        let texts = package.texts();
        for (name, text) in &texts {
            write!(document, "--- {name}\n\n{}\n\n", text.trim()).expect("a string");
        }
        let missing = package.accepted().filter(|_| texts.is_empty()).unwrap_or_default();
        for id in missing {
            standard.insert(id.name, id.text());
            writeln!(document, "It brings no text: see the standard text of {} at the end.", id.name)
                .expect("a string");
        }
    }
    for (name, text) in standard {
        heading(&mut document, &format!("Standard text of {name}"));
        writeln!(document, "{}", text.trim()).expect("a string");
    }
    document
}

fn heading(document: &mut String, heading: &str) {
    write!(document, "\n{line}\n{heading}\n{line}\n\n", line = "=".repeat(78)).expect("a string");
}

fn all(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text in what cargo metadata says")
}
