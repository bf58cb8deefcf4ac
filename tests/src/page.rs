//! A report's page taken apart: what it says, piece by piece in its order, each with the headings that it stands under, and what its
//! pictures are made of. It reads what the page's own writer makes: tags are closed, and `<`, `>`, `&` and `"` are escaped.

/// Something that the page says: a heading, a paragraph, a cell, a caption.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// The heading of its section; none above the first.
    pub section: String,
    /// The column that it is about, where it is about one.
    pub column: String,
    /// The tag.
    pub tag: String,
    /// The number of its row on the page, and its place in that; 0 outside of tables.
    pub row: usize,
    pub place: usize,
    /// Whether its row is of what is above the cut.
    pub above: bool,
    /// Its text; ` | ` stands before each part of a bar.
    pub text: String,
    /// The styles of what is in it: of bars their parts' classes and widths.
    pub styles: Vec<(String, String)>,
}

/// A text or a rectangle in a picture.
#[derive(Debug, Clone)]
pub struct Drawn {
    pub section: String,
    pub column: String,
    /// `text` or `rect`.
    pub tag: String,
    pub attributes: Vec<(String, String)>,
    pub text: String,
}

impl Drawn {
    /// What an attribute says.
    pub fn attribute(&self, name: &str) -> &str {
        value(&self.attributes, name)
    }

    /// A number that an attribute says.
    pub fn number(&self, name: &str) -> f64 {
        let said = self.attribute(name);
        said.parse().unwrap_or_else(|_| panic!("{name} of {self:?} is no number"))
    }
}

/// What a page says, and what it draws.
#[derive(Debug, Default)]
pub struct Page {
    pub pieces: Vec<Piece>,
    pub drawn: Vec<Drawn>,
}

/// What holds a text of its own.
const PIECES: [&str; 9] = ["h1", "h2", "h3", "p", "dt", "dd", "th", "td", "figcaption"];

impl Page {
    /// Takes a page apart.
    pub fn new(html: &str) -> Page {
        let mut page = Page::default();
        let body = html.split_once("<body>").expect("a body").1;
        let (mut section, mut column, mut row, mut place, mut above) =
            (String::new(), String::new(), 0, 0, false);
        let mut open: Option<Piece> = None;
        for part in body.split('<').skip(1) {
            let (tag, text) = part.split_once('>').expect("a tag ends");
            let (name, attributes) = attributes(tag);
            let drawn = Drawn {
                section: section.clone(),
                column: column.clone(),
                tag: name.to_string(),
                attributes: attributes.clone(),
                text: plain(text).trim().to_string(),
            };
            match name {
                "tr" => (row, place, above) = (row + 1, 0, value(&attributes, "class") == "above"),
                "text" | "rect" => page.drawn.push(drawn),
                "div" if value(&attributes, "role") == "img" => page.drawn.push(drawn),
                _ if PIECES.contains(&name) => {
                    assert!(open.is_none(), "{name} within {open:?}");
                    let in_table = matches!(name, "th" | "td");
                    place += usize::from(in_table);
                    open = Some(Piece {
                        section: section.clone(),
                        column: column.clone(),
                        tag: name.into(),
                        row: if in_table { row } else { 0 },
                        place: if in_table { place } else { 0 },
                        above: in_table && above,
                        text: String::new(),
                        styles: vec![(
                            value(&attributes, "class").into(),
                            value(&attributes, "style").into(),
                        )],
                    });
                }
                _ => {}
            }
            if let Some(piece) = &mut open {
                if name == "i" {
                    piece.text += " | ";
                    piece
                        .styles
                        .push((value(&attributes, "class").into(), value(&attributes, "style").into()));
                }
                piece.text += &plain(text);
            } else if !matches!(name, "text") {
                assert_eq!(plain(text).trim(), "", "a text that is in nothing, behind <{tag}>");
            }
            if name.strip_prefix('/').is_some_and(|name| PIECES.contains(&name)) {
                let mut piece = open.take().expect("what ends has begun");
                match piece.tag.as_str() {
                    "h2" => (section, column) = (piece.text.clone(), String::new()),
                    "h3" => column = piece.text.clone(),
                    _ => {}
                }
                // A heading stands under itself.
                (piece.section, piece.column) = (section.clone(), column.clone());
                page.pieces.push(piece);
            }
        }
        page
    }

    /// What the pictures of a section, or of one of its columns, are made of.
    pub fn drawn<'a>(
        &'a self,
        tag: &'a str,
        section: &'a str,
        column: &'a str,
    ) -> impl Iterator<Item = &'a Drawn> {
        self.drawn.iter().filter(move |d| {
            (d.tag.as_str(), d.section.as_str(), d.column.as_str()) == (tag, section, column)
        })
    }
}

/// The name of a tag, and its attributes.
fn attributes(tag: &str) -> (&str, Vec<(String, String)>) {
    let (name, mut rest) = tag.split_once(' ').unwrap_or((tag.trim_end_matches('/'), ""));
    let mut all = Vec::new();
    while let Some((attribute, said)) = rest.split_once("=\"") {
        let (said, next) = said.split_once('"').expect("a value ends");
        all.push((attribute.trim().to_string(), plain(said)));
        rest = next;
    }
    (name, all)
}

fn value<'a>(attributes: &'a [(String, String)], name: &str) -> &'a str {
    attributes.iter().find(|(attribute, _)| attribute == name).map_or("", |(_, value)| value)
}

/// A text as it was before it was escaped.
fn plain(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}
