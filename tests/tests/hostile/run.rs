//! Runs the calls in an environment, each in three ways, and says what is not as it was.

use super::state::{held, object_lines, ServerState, SessionState, NONE, RELEASES};
use super::world::{Environment, Session, World, REMAKE};
use client_tests::calls::{Call, Effect, CALLS};
use client_tests::is_long;
use std::fmt;
use std::time::Duration;

/// What may be held for a moment, and how often it is looked at before it counts as held.
const OF_A_MOMENT: &str = "holds state: idle xmin: xid: lock: virtualxid ExclusiveLock";
const LOOKS: usize = 50;

const DROP_MADE: &str =
    "DROP SCHEMA IF EXISTS made, made_private CASCADE; DROP TABLE IF EXISTS evil.applied CASCADE";

/// Who calls what is mallory's: herself, another plain role, the superuser.
pub const CALLERS: [&str; 3] = ["mallory", "reader", "root"];

/// How a call is made.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Way {
    /// A statement, which commits.
    Alone,
    /// In a transaction that goes on afterwards.
    InTransaction,
    /// In a PL/pgSQL block that catches errors: a real subtransaction.
    InBlock,
}

/// A hostile environment.
pub struct Hostile {
    pub name: String,
    /// What makes it so: who does what.
    pub install: Vec<(&'static str, String)>,
    /// What every caller's session begins with.
    pub session: &'static str,
    /// The least and the greatest value of the column `kind`.
    pub kind: (&'static str, &'static str),
    /// Which calls it can matter to.
    pub matters: fn(&Call) -> bool,
    /// Whether calls that are committed change more than releases, because they are made to.
    pub alters: bool,
    /// Whether everything is to work all the same.
    pub harmless: bool,
}

/// A case, of which a failure says which.
struct Case<'a> {
    environment: &'a str,
    function: &'a str,
    caller: &'a str,
    way: Way,
    sql: String,
}

impl fmt::Display for Case<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let sql: Vec<&str> = self.sql.split_whitespace().collect();
        write!(
            f,
            "({}, {}, {}) {:?}: {}",
            self.environment,
            self.function,
            self.caller,
            self.way,
            sql.join(" ")
        )
    }
}

/// What was found: how many cases were tried, how many calls succeeded, and what went wrong.
#[derive(Default)]
pub struct Report {
    pub cases: usize,
    pub succeeded: usize,
    pub failures: Vec<String>,
}

impl Report {
    pub fn add(&mut self, other: Report) {
        self.cases += other.cases;
        self.succeeded += other.succeeded;
        self.failures.extend(other.failures);
    }

    /// Panics if anything went wrong, and says what.
    pub fn conclude(&self) {
        println!("{} cases, in {} of which the call succeeded", self.cases, self.succeeded);
        assert!(
            self.failures.is_empty(),
            "{} of {} cases:\n{}",
            self.failures.len(),
            self.cases,
            self.failures.join("\n")
        );
    }
}

/// An environment while calls are made in it.
pub struct Runner<'w> {
    world: &'w World,
    pub environment: Environment<'w>,
    /// The superuser's session that looks on.
    pub observer: Session,
    before: ServerState,
    pub report: Report,
}

impl<'w> Runner<'w> {
    /// A fresh environment with the hostility installed.
    pub fn new(world: &'w World, install: &[(&str, String)]) -> Result<Runner<'w>, String> {
        let environment = world.environment();
        for (who, sql) in install {
            environment.session(who).batch(sql).map_err(|error| format!("{error:?}"))?;
        }
        let mut observer = environment.session("root");
        // Event triggers are not for what cleans up.
        observer.must("SET session_replication_role = replica; SET search_path = pg_catalog");
        let before = ServerState::of(&mut observer, &world.names.suffix, NONE).expect("the server answers");
        Ok(Runner { world, environment, observer, before, report: Report::default() })
    }

    /// A caller's session, and what it is like.
    pub fn session(&self, who: &str, begin: &str) -> (Session, SessionState) {
        let mut session = self.environment.session(who);
        // Both libraries are loaded then, and their settings there.
        session.must("SELECT public.k_anonymity(ARRAY['a'], 2); DO 'BEGIN END'");
        session.must(begin);
        session.heard();
        let state = SessionState::of(&mut session).expect("a session answers");
        (session, state)
    }

    /// Looks on once more; another observer, if the server threw the first out.
    fn server(&mut self, but: &str) -> ServerState {
        loop {
            match ServerState::of(&mut self.observer, &self.world.names.suffix, but) {
                Ok(state) => return state,
                Err(error) if error.is_closed() => {
                    self.observer = self.environment.session("root");
                    self.observer
                        .must("SET session_replication_role = replica; SET search_path = pg_catalog");
                }
                Err(error) => panic!("the observer cannot see: {error:?}"),
            }
        }
    }

    /// What is not as it was, of the roles, the server and the database; `made` is dropped first.
    pub fn compare(&mut self, made: bool, changed: bool, faults: &mut Vec<String>) {
        if made && self.observer.batch(DROP_MADE).is_err() {
            // The observer has been thrown out with everybody.
            self.server(NONE);
            self.observer.must(DROP_MADE);
        }
        let now = self.server(NONE);
        faults.extend(self.before.differences(&now));
        if !self.before.same_objects(&now) && !changed {
            faults.push("objects of the database have changed".into());
        }
        let lent = self.before.roles != now.roles;
        self.before = now;
        if lent {
            self.world.reset_roles();
            self.before = self.server(NONE);
        }
    }

    /// Makes anew what mallory had, after it was dropped.
    pub fn restore(&mut self) {
        self.environment.restore();
        self.before = self.server(NONE);
    }

    /// Whether somebody's own SELECT of what a call reads already runs mallory's functions with that one's rights:
    /// then a recount, or an export, does, for who is not the release's owner; but with nobody else's rights.
    fn lent_by_selecting(&mut self, who: &str, reads: &[&str]) -> bool {
        if reads.is_empty() {
            return false;
        }
        let (mut session, _) = self.session(who, "");
        for relation in reads {
            let _ = session.batch(&format!("SELECT * FROM {relation}"));
        }
        let lent = !told(&session.heard()).is_empty();
        drop(session);
        self.compare(false, true, &mut Vec::new());
        lent
    }

    /// What an idle session holds that it should not. A transaction's own lock is looked at more than once: a session that
    /// waits is made to catch up with others' changes of the catalogs, which takes a transaction of a moment.
    pub fn held(&mut self, session: &Session) -> Vec<String> {
        let mut look = || {
            held(&mut self.observer, session.pid)
                .unwrap_or_else(|error| vec![format!("the server crashed: {error}")])
        };
        let mut seen = look();
        for _ in 0..LOOKS {
            if seen != [OF_A_MOMENT] {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
            seen = look();
        }
        seen
    }
}

/// What an error says that it must not: a fault of ours, a crash, a stack.
pub fn fault(error: &postgres::Error) -> Option<String> {
    let Some(error) = error.as_db_error() else { return Some(format!("the connection is lost: {error}")) };
    let (code, message) = (error.code().code(), error.message());
    let detail = error.detail().unwrap_or_default();
    let bad = code.starts_with("XX") || code.starts_with("57") || message.contains("ESCAPED");
    let stack = message.contains("panicked") || detail.contains(".rs:");
    (bad || stack).then(|| format!("{code} {message} {detail}"))
}

/// What a notice says that it must not: rights that were lent, things that PostgreSQL found left.
pub fn told(notices: &[String]) -> Vec<String> {
    let bad = |n: &&String| {
        n.contains("BAIT") || n.contains("leak") || n.contains("SPI stack") || n.contains("still referenced")
    };
    let mut all: Vec<String> = notices.iter().filter(bad).cloned().collect();
    all.dedup();
    all
}

/// The call within a block that catches what it raises, and sees who it is then.
fn block(sql: &str) -> String {
    let perform = sql.strip_prefix("SELECT").map(|query| format!("PERFORM{query}"));
    let perform = perform.unwrap_or_else(|| sql.to_string());
    format!(
        "DO $block$ BEGIN
           BEGIN {perform};
           EXCEPTION WHEN OTHERS THEN
             IF pg_catalog.starts_with(SQLSTATE, 'XX') THEN RAISE; END IF;
           END;
           IF current_user OPERATOR(pg_catalog.<>) session_user THEN
             RAISE EXCEPTION 'ESCAPED: the session goes on as %', current_user;
           END IF;
         END $block$"
    )
}

/// Makes a call, and says whether it succeeded, and what is wrong in the session since.
fn perform(
    session: &mut Session,
    before: &SessionState,
    way: Way,
    sql: &str,
    keep: bool,
) -> (bool, Vec<String>) {
    let mut faults = Vec::new();
    if way != Way::Alone {
        faults.extend(session.batch("BEGIN").err().map(|error| format!("BEGIN: {error}")));
    }
    let result = match way {
        Way::Alone | Way::InTransaction => session.batch(sql),
        Way::InBlock => session.batch(&block(sql)),
    };
    faults.extend(result.as_ref().err().and_then(fault));
    if way != Way::Alone {
        if result.is_ok() {
            faults.extend(changed(session, before, "in the transaction"));
        }
        let end = if keep { "COMMIT" } else { "ROLLBACK" };
        faults.extend(session.batch(end).err().as_ref().and_then(fault));
    }
    faults.extend(changed(session, before, "afterwards"));
    faults.extend(told(&session.heard()));
    (result.is_ok(), faults)
}

pub fn changed(session: &mut Session, before: &SessionState, when: &str) -> Vec<String> {
    match SessionState::of(session) {
        Ok(now) if now == *before => vec![],
        Ok(now) => before.differences(&now).iter().map(|line| format!("{when} the session {line}")).collect(),
        Err(error) => vec![format!("{when} the session does not answer: {error}")],
    }
}

/// Makes a sixth of the calls that an environment can matter to as the superuser, and an eighteenth of them as one of the others, in
/// one way; all as every caller where nothing is hostile. With LONG=1 every call in every way.
pub fn run(world: &World, hostile: &Hostile) -> Report {
    let mut runner = match Runner::new(world, &hostile.install) {
        Ok(runner) => runner,
        Err(fault) => {
            return Report {
                failures: vec![format!("{} cannot be made: {fault}", hostile.name)],
                ..Report::default()
            }
        }
    };
    let all = hostile.harmless || is_long();
    let of: usize = if all { 1 } else { 18 };
    let mut turn = hostile.name.len();
    for (number, caller) in CALLERS.into_iter().enumerate() {
        if !all && caller != "root" && number != hostile.name.len() % 2 {
            continue;
        }
        let (mut session, mut state) = runner.session(caller, hostile.session);
        let calls = CALLS.iter().filter(|call| (hostile.matters)(call)).enumerate();
        let offset = number + hostile.name.len();
        let of = if caller == "root" { of.div_ceil(3) } else { of };
        for (i, call) in calls.filter(|(i, _)| (i + offset).is_multiple_of(of)) {
            turn += 1;
            let sql = call.sql().replace(":a", hostile.kind.0).replace(":c", hostile.kind.1);
            let ways = ways(call, caller, turn);
            let ways = if is_long() { &ways[..] } else { &ways[(i / of) % ways.len()..][..1] };
            for &way in ways {
                let case = Case {
                    environment: &hostile.name,
                    function: call.function,
                    caller,
                    way,
                    sql: sql.clone(),
                };
                if !runner.case(&mut session, &state, call, &case, hostile) {
                    (session, state) = runner.session(caller, hostile.session);
                }
            }
        }
    }
    runner.report
}

/// Makes the superuser's calls, every twentieth in turn and all with LONG=1, in environments that are all of one database, in
/// which the release is made anew for each.
pub fn run_in_turn(world: &World, environments: &[Hostile]) -> Report {
    let mut runner = Runner::new(world, &[]).expect("nothing is installed");
    let (mut session, mut state) = runner.session("root", "");
    let mut mallory = runner.environment.session("mallory");
    for (turn, hostile) in environments.iter().enumerate() {
        mallory.must(REMAKE);
        if let Err(error) = hostile.install.iter().try_for_each(|(_, sql)| mallory.batch(sql)) {
            runner.report.failures.push(format!("{} cannot be made: {error:?}", hostile.name));
            continue;
        }
        runner.before = runner.server(NONE);
        let calls = CALLS.iter().filter(|call| (hostile.matters)(call)).enumerate();
        let of = if is_long() { 1 } else { 20 };
        for (i, call) in calls.filter(|(i, _)| (turn + i).is_multiple_of(of)) {
            let number = (turn + i) / of;
            let sql = call.sql().replace(":a", hostile.kind.0).replace(":c", hostile.kind.1);
            let way = match call.effect {
                _ if call.is_procedure() => Way::Alone,
                Effect::Nothing if number.is_multiple_of(3) => Way::Alone,
                _ if number.is_multiple_of(4) => Way::InTransaction,
                _ => Way::InBlock,
            };
            let case = Case { environment: &hostile.name, function: call.function, caller: "root", way, sql };
            if !runner.case(&mut session, &state, call, &case, hostile) {
                (session, state) = runner.session("root", "");
            }
        }
    }
    runner.report
}

impl Runner<'_> {
    /// One case; false if the session is no longer what it was.
    fn case(
        &mut self,
        session: &mut Session,
        state: &SessionState,
        call: &Call,
        case: &Case,
        hostile: &Hostile,
    ) -> bool {
        let reads = match call.function {
            "release_verify" | "release_assert" => &["rel.people"][..],
            "release_export" => &["rel.people", "rel.cut", "rel.about"],
            _ => &[],
        };
        let as_selected = case.caller == "reader" && self.lent_by_selecting(case.caller, reads);
        let keep = case.way == Way::Alone || call.effect == Effect::Nothing;
        let changes = case.way == Way::Alone && call.effect == Effect::Changes;
        let outside = changes.then(|| object_lines(&mut self.observer, RELEASES));
        let (succeeded, mut faults) = perform(session, state, case.way, &case.sql, keep);
        faults.extend(self.held(session));
        self.compare(
            case.way == Way::Alone && call.effect == Effect::Makes,
            changes || hostile.alters,
            &mut faults,
        );
        if let Some(outside) = outside.filter(|_| !hostile.alters) {
            let now = object_lines(&mut self.observer, RELEASES);
            faults.extend(now.difference(&outside).map(|line| format!("now there is {line}")));
            faults.extend(outside.difference(&now).map(|line| format!("gone is {line}")));
        }
        if as_selected {
            let own =
                |fault: &String| fault.contains("taken by reader") || fault.contains(" reader_hostile_");
            faults.retain(|fault| !own(fault));
        }
        if hostile.harmless && case.caller == "mallory" && call.works && !succeeded {
            faults.push("it does not work".into());
        }
        self.report.cases += 1;
        self.report.succeeded += usize::from(succeeded && case.way != Way::InBlock);
        if !faults.is_empty() {
            self.report.failures.push(format!("{case}\n    {}", faults.join("\n    ")));
        }
        faults.is_empty()
    }
}

/// In which ways a call is made: as the superuser alone and, in turn, in one of the two others. What
/// changes the release is rolled back but for the last time of all.
fn ways(call: &Call, caller: &str, turn: usize) -> Vec<Way> {
    let other = if turn.is_multiple_of(2) { Way::InTransaction } else { Way::InBlock };
    match (call.effect, caller) {
        // Elsewhere it is refused.
        _ if call.is_procedure() && caller != "root" => vec![Way::Alone],
        (Effect::Pure, _) => vec![Way::Alone],
        (Effect::Changes, "root") => vec![other, Way::Alone],
        (Effect::Changes, _) => vec![other],
        (_, "root") => vec![Way::Alone, other],
        _ => vec![Way::Alone],
    }
}
