//! The documentation as its tests see it: README.md and the pages under docs/, which are Markdown.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A page.
pub struct Page {
    /// Its path from the root of the repository.
    pub path: String,
    pub text: String,
}

/// A block of SQL.
pub struct Sql {
    pub text: String,
    /// The SQLSTATE with which it has to fail.
    pub fails: Option<String>,
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// README.md and the pages under docs/, by path.
pub fn pages() -> Vec<Page> {
    let mut paths = vec![root().join("README.md")];
    let mut folders = vec![root().join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                paths.push(path);
            }
        }
    }
    paths.sort();
    let page = |path: PathBuf| Page {
        text: fs::read_to_string(&path).unwrap(),
        path: path.strip_prefix(root()).unwrap().to_str().unwrap().into(),
    };
    paths.into_iter().map(page).collect()
}

impl Page {
    fn events(&self) -> impl Iterator<Item = Event<'_>> {
        Parser::new_ext(&self.text, Options::ENABLE_TABLES)
    }

    /// Its blocks of SQL, in their order: those whose language is `sql`; `sql error 22023` has to fail.
    pub fn sql(&self) -> Vec<Sql> {
        let (mut blocks, mut within) = (Vec::new(), false);
        for event in self.events() {
            match event {
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                    let mut words = info.split_whitespace();
                    within = words.next() == Some("sql");
                    if within {
                        let fails = words.skip_while(|word| *word != "error").nth(1).map(String::from);
                        blocks.push(Sql { text: String::new(), fails });
                    }
                }
                Event::Text(text) if within => blocks.last_mut().unwrap().text.push_str(&text),
                Event::End(TagEnd::CodeBlock) => within = false,
                _ => {}
            }
        }
        blocks
    }

    /// The files whose SQL comes before the page's: `<!-- setup: sql/examples/visits.sql -->`.
    pub fn setup(&self) -> Vec<PathBuf> {
        let files = self.text.split("<!-- setup: ").skip(1);
        files.map(|rest| root().join(rest.split(" -->").next().unwrap())).collect()
    }

    /// Where its links lead, those to other sites left out.
    pub fn links(&self) -> Vec<String> {
        let link = |event| match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                Some(dest_url.to_string())
            }
            _ => None,
        };
        self.events().filter_map(link).filter(|url| !url.contains("://")).collect()
    }

    /// Its headings.
    pub fn headings(&self) -> Vec<(HeadingLevel, String)> {
        let (mut headings, mut within) = (Vec::new(), false);
        for event in self.events() {
            match event {
                Event::Start(Tag::Heading { level, .. }) => {
                    within = true;
                    headings.push((level, String::new()));
                }
                Event::Text(text) | Event::Code(text) if within => {
                    headings.last_mut().unwrap().1.push_str(&text)
                }
                Event::End(TagEnd::Heading(_)) => within = false,
                _ => {}
            }
        }
        headings
    }

    /// The anchors of its headings, as GitHub and mdBook make them.
    pub fn anchors(&self) -> BTreeSet<String> {
        let anchor = |(_, heading): (HeadingLevel, String)| {
            let kept = heading.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
            kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
        };
        self.headings().into_iter().map(anchor).collect()
    }

    /// Lines of prose that are longer, with their numbers: code, tables and lines that are one link are no prose.
    pub fn long_lines(&self, most: usize) -> Vec<usize> {
        let mut code = false;
        let long = |(number, line): (usize, &str)| {
            if line.starts_with("```") {
                code = !code;
            }
            let prose = !code && !line.starts_with("    ") && !line.trim_start().starts_with('|');
            (prose && line.chars().count() > most).then_some(number)
        };
        (1..).zip(self.text.lines()).filter_map(long).collect()
    }
}
