//! A report in a real browser: Chromium without a window renders it, says nothing to its console, asks nobody
//! for anything, whatever labels say, and shows what the pictures beside the README show, light and dark, but for what
//! other fonts and the day make of it.
//!
//! REPORT_PICTURES=1 makes these pictures anew.

use client_tests::people::{more_people, release_of_people};
use client_tests::{connect, skip, Database};
use png::{Decoder, Transformations};
use std::env;
use std::fs::{self, File};
use std::io::BufReader;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;

/// What is seen of a page.
const WINDOW: (u32, u32) = (860, 1500);

/// Chromium, under the names that it goes by.
fn chromium() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let folders: Vec<PathBuf> =
        env::var_os("PATH").map(|path| env::split_paths(&path).collect()).unwrap_or_default();
    names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|path| path.is_file())
}

/// A folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let folder = env::temp_dir().join(format!("pg_topdown_report_{}_{name}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// The report of a release, in a file.
fn report(db: &mut Database, release: &str, audience: &str, folder: &Path) -> PathBuf {
    let html: String = db
        .query_one("SELECT release_report($1::text::name, $2)", &[&release, &audience])
        .expect("a report")
        .get(0);
    let file = folder.join(format!("{release}_{audience}.html"));
    fs::write(&file, html).expect("a page");
    file
}

/// A picture of a page, and what the page said to its console.
fn rendered(chromium: &Path, page: &Path, dark: bool) -> (PathBuf, Vec<String>) {
    let picture = page.with_extension(if dark { "dark.png" } else { "png" });
    let mut command = Command::new(chromium);
    command
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"])
        .args([
            "--disable-background-networking",
            "--disable-component-update",
            "--force-device-scale-factor=1",
        ])
        .arg("--enable-logging=stderr")
        .arg(format!("--user-data-dir={}", page.with_extension("profile").display()))
        .arg(format!("--window-size={},{}", WINDOW.0, WINDOW.1))
        .arg(format!("--screenshot={}", picture.display()));
    if dark {
        command.args(["--force-dark-mode", "--blink-settings=preferredColorScheme=0"]);
    }
    // To a file: processes that it leaves behind would keep a pipe open.
    let log = page.with_extension("log");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(fs::File::create(&log).expect("a log"));
    let status = command.arg(format!("file://{}", page.display())).status().expect("chromium");
    let said = String::from_utf8_lossy(&fs::read(&log).expect("a log")).into_owned();
    assert!(status.success() && picture.is_file(), "{said}");
    (picture, said.lines().filter(|line| line.contains(":CONSOLE")).map(String::from).collect())
}

/// A picture's width, height, and the brightness of each pixel, from 0 to 255, row by row.
struct Picture {
    width: usize,
    height: usize,
    brightness: Vec<f64>,
}

fn picture(file: &Path) -> Picture {
    let mut decoder = Decoder::new(BufReader::new(File::open(file).expect("a picture")));
    decoder.set_transformations(Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().unwrap_or_else(|fault| panic!("{}: {fault}", file.display()));
    let mut pixels = vec![0; reader.output_buffer_size().expect("its size")];
    let frame = reader.next_frame(&mut pixels).expect("its pixels");
    let pixels = pixels[..frame.buffer_size()].chunks(frame.color_type.samples());
    let brightness = pixels.map(|pixel| match *pixel {
        [red, green, blue, ..] => {
            0.2126 * f64::from(red) + 0.7152 * f64::from(green) + 0.0722 * f64::from(blue)
        }
        [gray, ..] => gray.into(),
        [] => unreachable!("a pixel has a color"),
    });
    Picture { width: frame.width as usize, height: frame.height as usize, brightness: brightness.collect() }
}

/// The mean difference of the brightness of blocks of two pictures, from 0 to 255.
fn difference(one: &Picture, other: &Picture) -> f64 {
    const BLOCK: usize = 20;
    assert_eq!((one.width, one.height), (other.width, other.height));
    let mean = |of: &Picture, x: usize, y: usize| {
        let pixels = (0..BLOCK * BLOCK).map(|i| of.brightness[(y + i / BLOCK) * of.width + x + i % BLOCK]);
        pixels.sum::<f64>() / (BLOCK * BLOCK) as f64
    };
    let (across, down) = (one.width / BLOCK, one.height / BLOCK);
    let blocks = (0..across * down).map(|i| (i % across * BLOCK, i / across * BLOCK));
    blocks.map(|(x, y)| (mean(one, x, y) - mean(other, x, y)).abs()).sum::<f64>() / (across * down) as f64
}

#[test]
fn as_in_the_readme() {
    let Some(chromium) = chromium() else { return skip("there is no Chromium: no report was rendered") };
    let mut db = connect();
    db.batch_execute(
        "SET client_min_messages = error;
         CREATE TABLE people (number bigint GENERATED ALWAYS AS IDENTITY, age int, sex text, education text, postcode text,
                              illness text);
         CREATE TABLE education (child text, parent text);
         INSERT INTO education VALUES ('School', 'Any'), ('University', 'Any'), ('9th', 'School'), ('10th', 'School'),
           ('Bachelor', 'University'), ('Graduate', 'University'), ('Master', 'Graduate'), ('Doctorate', 'Graduate')",
    )
    .expect("a source");
    more_people(&mut db, 1, 4000);
    // Not all of an age have one illness, and no group has.
    let others = "UPDATE people SET illness = (ARRAY['heart', 'back', 'none'])[1 + number * 7919 / 13 % 3] WHERE number * 31 / 7 % 5 = 0";
    db.batch_execute(others).expect("other illnesses");
    let (k, l) = ("20)]", "20), l_diversity(ARRAY['age', 'sex', 'education', 'postcode'], 'illness', 2)]");
    db.query_one(&release_of_people("people_open", 20).replace(k, l), &[]).expect("a release");
    let one = "SELECT count(*) FROM (SELECT FROM people_open.people GROUP BY age, sex, education, postcode
                                     HAVING count(DISTINCT illness) < 2) g";
    assert_eq!(db.query_one(one, &[]).expect("groups").get::<_, i64>(0), 0);
    let folder = folder("readme");
    let page = report(&mut db, "people_open", "owner", &folder);
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let mut seen = Vec::new();
    for (dark, kept) in [(false, "report.png"), (true, "report-dark.png")] {
        let (file, console) = rendered(&chromium, &page, dark);
        assert_eq!(console, Vec::<String>::new());
        if env::var_os("REPORT_PICTURES").is_some() {
            fs::copy(&file, docs.join(kept)).expect("a picture");
        }
        let differs = difference(&picture(&file), &picture(&docs.join(kept)));
        assert!(differs < 6.0, "{kept}: {differs}");
        seen.push(picture(&file));
    }
    assert!(difference(&seen[0], &seen[1]) > 100.0, "dark is light");
    fs::remove_dir_all(folder).expect("the folder");
}

#[test]
fn nothing_leaves_the_page() {
    let Some(chromium) = chromium() else { return skip("there is no Chromium: no report was rendered") };
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/seen", listener.local_addr().expect("an address"));
    let (heard, asked) = channel();
    // Who asks gets no answer, and does not wait for one.
    thread::spawn(move || listener.incoming().try_for_each(|stream| heard.send(stream.is_ok())));
    let mut db = connect();
    let label = |n: usize| {
        let forms = [
            format!("<img src={url}>"),
            format!("\"><script>fetch('{url}')</script>"),
            format!("</style><style>@import '{url}';"),
            format!("<svg onload=\"fetch('{url}')\">"),
        ];
        forms[n % forms.len()].replace('\'', "''")
    };
    let labels: Vec<String> = (0..4).map(|n| format!("'{}'", label(n))).collect();
    db.batch_execute(&format!(
        "SET client_min_messages = error;
         CREATE TABLE hostile AS SELECT (ARRAY[{0}])[1 + i % 4] AS a, (ARRAY[{0}])[1 + i % 3] AS class, i % 9 AS n FROM generate_series(1, 400) i;
         SELECT tds_anonymize('hostile', 'hostile_open', ARRAY[k_anonymity(ARRAY['a', 'n'], 10)], class => 'class')",
        labels.join(", ")
    ))
    .expect("a release");
    let folder = folder("hostile");
    for audience in ["owner", "recipient"] {
        let page = report(&mut db, "hostile_open", audience, &folder);
        assert_eq!(rendered(&chromium, &page, false).1, Vec::<String>::new());
    }
    assert!(asked.try_recv().is_err(), "somebody was asked for something");
    // Who would ask is heard: the same label as a page.
    let page = folder.join("asks.html");
    fs::write(&page, format!("<img src={url}>")).expect("a page");
    rendered(&chromium, &page, false);
    assert!(asked.try_recv().is_ok(), "nobody is heard");
    fs::remove_dir_all(folder).expect("the folder");
}
