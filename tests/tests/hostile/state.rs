//! What must be as it was after a call: who the session is, its settings and what it holds; seen from
//! another session, the locks and snapshots it has, the roles of the server and the objects of the
//! database.

use super::world::Session;
use std::collections::BTreeSet;

/// Operators are qualified, here and below: the search path may be a hostile one.
const OF_SESSION: &str = "SELECT
    pg_catalog.concat_ws(' ', current_user, session_user, 'superuser:', pg_catalog.current_setting('is_superuser'),
      'flag:', COALESCE(pg_catalog.current_setting('evil.flag', true), '')),
    (SELECT pg_catalog.string_agg(pg_catalog.concat(name, '=', setting), E'\\n' ORDER BY name) FROM pg_catalog.pg_settings),
    pg_catalog.concat_ws(' ',
      'prepared:', (SELECT pg_catalog.count(*) FROM pg_catalog.pg_prepared_statements),
      'cursors:', (SELECT pg_catalog.count(*) FROM pg_catalog.pg_cursors),
      'listening:', (SELECT pg_catalog.count(*) FROM pg_catalog.pg_listening_channels()),
      'temporary:', (SELECT pg_catalog.count(*) FROM pg_catalog.pg_class
                     WHERE relnamespace OPERATOR(pg_catalog.=) pg_catalog.pg_my_temp_schema()))";

/// A session as it sees itself: what it is, its settings, what it holds.
#[derive(Clone, PartialEq)]
pub struct SessionState(Vec<String>);

impl SessionState {
    pub fn of(session: &mut Session) -> Result<SessionState, postgres::Error> {
        session.row(OF_SESSION).map(SessionState)
    }

    /// In words, what has become different.
    pub fn differences(&self, now: &SessionState) -> Vec<String> {
        let lines = |state: &SessionState| -> BTreeSet<String> {
            state.0.iter().flat_map(|part| part.split('\n')).map(String::from).collect()
        };
        let (before, now) = (lines(self), lines(now));
        before
            .difference(&now)
            .map(|line| format!("was {line}"))
            .chain(now.difference(&before).map(|line| format!("is {line}")))
            .collect()
    }
}

/// What the server has, seen by a superuser.
#[derive(Clone, Default)]
pub struct ServerState {
    /// When it started, and which process its checkpointer is: another one after a crash.
    pub server: String,
    pub roles: String,
    /// A digest, for most of the time nothing has changed.
    objects: String,
}

/// The roles of this world and of no other, their memberships, and what is set for them.
fn roles(suffix: &str) -> String {
    format!(
        "SELECT string_agg(line, E'\\n' ORDER BY line) FROM (
           SELECT concat_ws(' ', 'role', rolname, rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin, rolreplication, rolbypassrls, rolconfig)
             FROM pg_roles WHERE rolname !~ '_hostile_' OR rolname LIKE '%{suffix}'
           UNION ALL SELECT concat_ws(' ', 'member', m.roleid::regrole, m.member::regrole, m.admin_option) FROM pg_auth_members m
             WHERE m.member::regrole::text !~ '_hostile_' OR m.member::regrole::text LIKE '%{suffix}'
           UNION ALL SELECT concat_ws(' ', 'setting', setrole::regrole, setconfig) FROM pg_db_role_setting WHERE setdatabase = 0
             AND (setrole::regrole::text !~ '_hostile_' OR setrole::regrole::text LIKE '%{suffix}')) lines (line)"
    )
}

/// What lies in the database, wherever it is catalogued, who owns it and who may use it; schemas that
/// match the pattern, and what is in them, apart.
fn objects(but: &str) -> String {
    format!(
        "SELECT concat_ws(' ', 'schema', oid, nspname, nspowner, nspacl) AS line FROM pg_namespace WHERE nspname !~ '{but}' AND nspname !~ '^pg_(toast_)?temp_'
         UNION ALL SELECT concat_ws(' ', c.relkind, c.oid, c.oid::regclass, relowner, relacl, relrowsecurity, relhastriggers, relhasrules) FROM pg_class c
           JOIN pg_namespace n ON n.oid = relnamespace WHERE c.oid >= 16384 AND nspname !~ '{but}' AND relkind NOT IN ('t', 'i') AND nspname !~ '^pg_(toast_)?temp_'
         UNION ALL SELECT concat_ws(' ', 'function', p.oid, proname, proowner, proacl, prosecdef) FROM pg_proc p
           JOIN pg_namespace n ON n.oid = pronamespace WHERE p.oid >= 16384 AND nspname !~ '{but}'
         UNION ALL SELECT concat_ws(' ', 'type', t.oid, typname, typowner, typacl) FROM pg_type t
           JOIN pg_namespace n ON n.oid = typnamespace WHERE t.oid >= 16384 AND nspname !~ '{but}' AND nspname !~ '^pg_(toast_)?temp_'
         UNION ALL SELECT concat_ws(' ', 'operator', oid, oprname, oprowner) FROM pg_operator WHERE oid >= 16384
         UNION ALL SELECT concat_ws(' ', 'cast', oid) FROM pg_cast WHERE oid >= 16384
         UNION ALL SELECT concat_ws(' ', 'event trigger', evtname, evtenabled) FROM pg_event_trigger
         UNION ALL SELECT concat_ws(' ', 'default privileges', defaclrole, defaclnamespace, defaclobjtype, defaclacl) FROM pg_default_acl
         UNION ALL SELECT concat_ws(' ', 'setting', setdatabase, setrole, setconfig) FROM pg_db_role_setting
           JOIN pg_database d ON d.oid = setdatabase WHERE datname = current_database()
         UNION ALL SELECT concat_ws(' ', 'large object', oid) FROM pg_largeobject_metadata
         UNION ALL SELECT concat_ws(' ', 'database', datname, datdba, datacl) FROM pg_database WHERE datname = current_database()"
    )
}

/// Schemas that calls make or change, and that a comparison may leave out.
pub const NONE: &str = "^$";
pub const RELEASES: &str = "^(made|rel)(_private)?$";

impl ServerState {
    pub fn of(observer: &mut Session, suffix: &str, but: &str) -> Result<ServerState, postgres::Error> {
        let row = observer.row(&format!(
            "SELECT concat_ws(' ', pg_postmaster_start_time(), (SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer')),
               ({}), (SELECT md5(string_agg(line, ' ' ORDER BY line)) FROM ({}) o)",
            roles(suffix),
            objects(but)
        ))?;
        let [server, roles, objects] = row.try_into().expect("three columns");
        Ok(ServerState { server, roles, objects })
    }

    pub fn differences(&self, now: &ServerState) -> Vec<String> {
        let lines = |text: &str| -> BTreeSet<String> { text.split('\n').map(String::from).collect() };
        let mut found = Vec::new();
        if self.server != now.server {
            found.push(format!("the server crashed: {}, now {}", self.server, now.server));
        }
        if self.roles != now.roles {
            found.extend(lines(&now.roles).difference(&lines(&self.roles)).map(|line| format!("now {line}")));
            found
                .extend(lines(&self.roles).difference(&lines(&now.roles)).map(|line| format!("gone {line}")));
        }
        found
    }

    pub fn same_objects(&self, now: &ServerState) -> bool {
        self.objects == now.objects
    }
}

/// Every object's line, where it is to be said what has changed.
pub fn object_lines(observer: &mut Session, but: &str) -> BTreeSet<String> {
    let sql = format!("SELECT string_agg(line, E'\\n' ORDER BY line) FROM ({}) o", objects(but));
    let row = observer.row(&sql).expect("the observer answers");
    row.concat().split('\n').map(String::from).collect()
}

/// What an idle session still holds: locks, a snapshot, a transaction.
pub fn held(observer: &mut Session, pid: i32) -> Result<Vec<String>, postgres::Error> {
    let row = observer.row(&format!(
        "SELECT concat_ws(' ', 'state:', state, 'xmin:', backend_xmin, 'xid:', backend_xid),
           (SELECT string_agg(concat_ws(' ', 'lock:', locktype, relation::regclass, mode, classid, objid), ', ') FROM pg_locks l WHERE l.pid = a.pid)
         FROM pg_stat_activity a WHERE a.pid = {pid}"
    ))?;
    let idle = "state: idle xmin: xid:";
    Ok(match &row[..] {
        [state, locks] if state == idle && locks.is_empty() => vec![],
        [state, locks] => vec![format!("holds {state} {locks}")],
        _ => vec!["the session is gone".into()],
    })
}
