//! The generated part of the reference: each function's signature and comment, out of the install script. In a page they stand
//! between `<!-- generated: tds_anonymize -->` and `<!-- end -->`.

use crate::book::root;
use std::collections::BTreeMap;
use std::fs;

/// A function of the install script.
pub struct Function {
    pub signature: String,
    pub arguments: Vec<String>,
    pub comment: String,
}

/// The pages with generated parts.
pub const PAGES: &[&str] =
    &["docs/reference/functions.md", "docs/reference/models.md", "docs/reference/maskings.md"];

/// The functions that a page of the reference has to tell of, by name: those of a type's own and of casts are not called.
pub fn functions() -> BTreeMap<String, Function> {
    let path = root().join(format!("sql/pg_topdown--{}.sql", env!("CARGO_PKG_VERSION")));
    let script = fs::read_to_string(path).unwrap();
    let mut functions = BTreeMap::new();
    let blocks = script.split("CREATE FUNCTION \"").skip(1).map(|block| (block, true));
    let blocks = blocks.chain(script.split("CREATE PROCEDURE \"").skip(1).map(|block| (block, false)));
    for (block, is_function) in blocks {
        let (name, rest) = block.split_once('"').unwrap();
        let ours = [
            "masking_in",
            "masking_out",
            "privacy_model_in",
            "privacy_model_out",
            "maskings",
            "privacy_models",
        ];
        if ours.contains(&name) {
            continue;
        }
        let (declared, _) = rest.split_once("\nLANGUAGE c").unwrap();
        let declared = match is_function {
            true => declared.rsplit_once('\n').map_or(declared, |(declared, _volatility)| declared),
            false => declared,
        };
        let declared = declared.replace('"', "").replace('\t', "  ");
        let arguments = declared.split(") RETURNS").next().unwrap().trim_end_matches(')').lines().skip(1);
        let arguments =
            arguments.filter_map(|line| line.split_whitespace().next()).map(String::from).collect();
        let declared = ["INT", "TEXT"].iter().fold(declared, |text, ty| {
            let lower = ty.to_lowercase();
            text.replace(&format!(" {ty}"), &format!(" {lower}"))
        });
        let comment =
            format!("COMMENT ON {} {name} IS '", if is_function { "FUNCTION" } else { "PROCEDURE" });
        let comment = script.split_once(&comment).map_or("", |(_, rest)| rest.split_once("';").unwrap().0);
        let comment = comment.replace("''", "'");
        let signature = format!("{name}{declared}");
        functions.insert(name.to_string(), Function { signature, arguments, comment });
    }
    functions
}

/// A page with its generated parts made anew.
pub fn generated(page: &str) -> String {
    let functions = functions();
    let mut parts = page.split("<!-- generated: ");
    let mut made = parts.next().unwrap().to_string();
    for part in parts {
        let (name, rest) = part.split_once(" -->").unwrap();
        let (_, rest) = rest.split_once("<!-- end -->").unwrap_or_else(|| panic!("{name} has no end"));
        let Function { signature, comment, .. } =
            functions.get(name).unwrap_or_else(|| panic!("there is no function {name}"));
        let comment = wrapped(&format!("*{comment}*"));
        made += &format!(
            "<!-- generated: {name} -->\n\n```text\n{signature}\n```\n\n{comment}\n\n<!-- end -->{rest}"
        );
    }
    made
}

/// A paragraph in lines of at most 120 characters.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().unwrap();
        if line.chars().count() + 1 + word.chars().count() > 120 {
            lines.push(word.to_string());
        } else {
            *line += if line.is_empty() { "" } else { " " };
            *line += word;
        }
    }
    lines.join("\n")
}
