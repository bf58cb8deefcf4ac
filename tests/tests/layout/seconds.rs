//! Whether a test decides by how long something took.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A time that is asked for, and the one bound that a test may have: how long it waits for what never comes.
const TAKEN: &str = "elapsed";
const GUARD: &str = "PATIENCE";

/// Whether an assertion of a Rust text compares how long something took, or a name that was given to it.
pub fn asserts_seconds(text: &str) -> bool {
    let tokens: TokenStream = text.parse().expect("not Rust");
    let mut names = vec![TAKEN.to_string()];
    named(tokens.clone(), &mut names);
    asserts(tokens, &names)
}

/// The names that `let` gives to what is computed of a time; not those of closures that look at one.
fn named(tokens: TokenStream, names: &mut Vec<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for statement in tokens.split(|token| matches!(token, TokenTree::Punct(p) if p.as_char() == ';')) {
        let binds = statement.iter().rposition(|token| matches!(token, TokenTree::Ident(i) if i == "let"));
        let Some(binding) = binds.map(|at| &statement[at..]) else { continue };
        let name = binding.iter().skip(1).find_map(|token| match token {
            TokenTree::Ident(name) if name != "mut" => Some(name.to_string()),
            _ => None,
        });
        let computed = binding.iter().filter(|token| !is_block(token)).cloned().collect();
        if mentions(computed, names) {
            names.extend(name);
        }
    }
    for token in tokens {
        if let TokenTree::Group(group) = token {
            named(group.stream(), names);
        }
    }
}

fn is_block(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
}

fn asserts(tokens: TokenStream, names: &[String]) -> bool {
    let mut is_assertion = false;
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => {
            let asserted = is_assertion && group.delimiter() == Delimiter::Parenthesis;
            let seconds = asserted
                && mentions(group.stream(), names)
                && !mentions(group.stream(), &[GUARD.to_string()]);
            is_assertion = false;
            seconds || asserts(group.stream(), names)
        }
        TokenTree::Ident(ident) => {
            is_assertion = ident.to_string().starts_with("assert");
            false
        }
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

fn mentions(tokens: TokenStream, names: &[String]) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => names.iter().any(|name| ident == name),
        TokenTree::Group(group) => mentions(group.stream(), names),
        _ => false,
    })
}

/// The limits of time that a SQL test sets: those under a second, which what is cancelled takes many times over, and those of
/// three minutes and more, which only end what would never end, decide nothing. The others.
pub fn limits_of_seconds(sql: &str) -> Vec<&str> {
    let limits = sql.lines().filter(|line| line.starts_with("SET statement_timeout"));
    let is_fine = |line: &&str| {
        let value = line.split('\'').nth(1).unwrap_or_default();
        let (number, unit) = value.split_at(value.find(|c: char| !c.is_ascii_digit()).unwrap_or(value.len()));
        match (number.parse::<u32>(), unit) {
            (Ok(number), "ms") => number < 1000,
            (Ok(number), "min") => number >= 3,
            _ => false,
        }
    };
    limits.filter(|line| !is_fine(line)).collect()
}

#[test]
fn is_seen_where_it_is() {
    let decides = ["let t = start.elapsed(); assert!(t < most);", "assert!(start.elapsed().as_secs() < 3);"];
    assert!(decides.iter().all(|text| asserts_seconds(&format!("fn f() {{ {text} }}"))));
    let waits = "fn f() { let work = |_| { start.elapsed() }; let r = share(work); assert!(r); assert!(start.elapsed() < PATIENCE); let t = start.elapsed(); println!(\"{t:?}\"); assert!(a < b); }";
    assert!(!asserts_seconds(waits));
    assert_eq!(
        limits_of_seconds(
            "SET statement_timeout TO '20s';\nSET statement_timeout = '3min';\nRESET statement_timeout;"
        )
        .len(),
        1
    );
}
