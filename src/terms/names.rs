//! What a column's name says of what it holds: whose a row is, who somebody is, what is to be protected. A guess in
//! English, by the words that the name is made of; nothing rests on it but advice.

/// Words for persons.
const PERSONS: [&str; 31] = [
    "patient",
    "person",
    "customer",
    "cust",
    "client",
    "member",
    "user",
    "employee",
    "emp",
    "student",
    "pupil",
    "subject",
    "citizen",
    "insured",
    "passenger",
    "individual",
    "participant",
    "respondent",
    "resident",
    "worker",
    "player",
    "applicant",
    "borrower",
    "holder",
    "donor",
    "guest",
    "visitor",
    "voter",
    "tenant",
    "mrn",
    "ssn",
];

/// Words for what tells one thing from another.
const KEYS: [&str; 14] =
    ["id", "ids", "uid", "uuid", "guid", "key", "nr", "no", "num", "number", "ref", "pk", "sk", "rowname"];

/// Words for who somebody is.
const IDENTITIES: [&str; 17] = [
    "surname",
    "lastname",
    "firstname",
    "forename",
    "fullname",
    "username",
    "email",
    "mail",
    "phone",
    "telephone",
    "mobile",
    "fax",
    "ssn",
    "iban",
    "passport",
    "nickname",
    "login",
];

/// What stands before "name" in the name of a person's.
const WHOSE_NAME: [&str; 7] = ["last", "first", "given", "family", "full", "middle", "user"];

/// Words for what is to be protected.
const SENSITIVE: [&str; 18] = [
    "illness",
    "disease",
    "diagnosis",
    "diagnoses",
    "icd",
    "icd9",
    "icd10",
    "symptom",
    "symptoms",
    "disorder",
    "medication",
    "therapy",
    "hiv",
    "income",
    "salary",
    "wage",
    "wages",
    "debt",
];

/// Words for places that have a code.
const PLACES: [&str; 7] = ["zip", "zipcode", "postcode", "postal", "plz", "cep", "pincode"];

/// Whether a name says whose a row is: patient_id, customerKey, emp_no, person.
pub fn is_key_of_persons(name: &str) -> bool {
    let words = words(name);
    let person = |word: &str| {
        PERSONS.contains(&word) || word.strip_suffix('s').is_some_and(|one| PERSONS.contains(&one))
    };
    let joined = |word: &str| KEYS.iter().any(|key| word.strip_suffix(key).is_some_and(person));
    let said: Vec<&str> = words.iter().map(String::as_str).filter(|word| !KEYS.contains(word)).collect();
    !said.is_empty() && said.iter().all(|word| person(word) || joined(word))
}

/// Whether a name speaks of persons.
pub fn is_of_persons(name: &str) -> bool {
    let is = |word: &String| PERSONS.contains(&word.trim_end_matches('s'));
    words(name).iter().any(is)
}

/// Whether a name says that it tells one thing from another: id, order_no, visitKey, pid.
pub fn is_key(name: &str) -> bool {
    let words = words(name);
    let joined = words.len() == 1 && words[0].len() == 3 && words[0].ends_with("id");
    joined || words.iter().any(|word| KEYS.contains(&word.as_str())) || is_key_of_persons(name)
}

/// Whether a name says nothing but that it is a key: id, key, pid.
pub fn is_bare_key(name: &str) -> bool {
    is_key(name) && words(name).len() == 1 && !is_key_of_persons(name)
}

/// Whether a name says that it tells who somebody is: email, last_name.
pub fn is_identity(name: &str) -> bool {
    let words = words(name);
    let of_name = |pair: &[String]| WHOSE_NAME.contains(&pair[0].as_str()) && pair[1] == "name";
    words.iter().any(|word| IDENTITIES.contains(&word.as_str())) || words.windows(2).any(of_name)
}

/// Whether a name says that it is what is to be protected: illness, diagnosis.
pub fn is_sensitive(name: &str) -> bool {
    words(name).iter().any(|word| SENSITIVE.contains(&word.as_str()))
}

/// Whether a name says that it is the code of a place: zip, postal_code.
pub fn is_code_of_a_place(name: &str) -> bool {
    words(name).iter().any(|word| PLACES.contains(&word.as_str()))
}

/// The words of a name, in small letters: of patientId, patient-id and PATIENT_ID the same.
fn words(name: &str) -> Vec<String> {
    let (mut words, mut word) = (Vec::new(), String::new());
    let mut before = false;
    for c in name.chars() {
        // A capital begins a word, but not after another one.
        if !c.is_alphanumeric() || c.is_uppercase() && before {
            words.push(std::mem::take(&mut word));
        }
        before = c.is_lowercase() || c.is_numeric();
        word.extend(c.is_alphanumeric().then(|| c.to_lowercase()).into_iter().flatten());
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_names() {
        assert_eq!(words("patientId"), ["patient", "id"]);
        assert_eq!(words("PATIENT_ID"), ["patient", "id"]);
        assert_eq!(words(" home.dest2"), ["home", "dest2"]);
        assert!(words("").is_empty() && words("_-").is_empty());
    }

    #[test]
    fn whose_a_row_is() {
        for name in [
            "patient_id",
            "patientId",
            "patient",
            "Customers_Key",
            "emp_no",
            "empno",
            "userid",
            "mrn",
            "PassengerId",
        ] {
            assert!(is_key_of_persons(name), "{name}");
        }
        for name in
            ["patient_age", "passenger_count", "id", "member_type", "superuser_x", "number", "visit_id", ""]
        {
            assert!(!is_key_of_persons(name), "{name}");
        }
        assert!(is_of_persons("hospital patients") && !is_of_persons("airports"));
    }

    #[test]
    fn other_names() {
        for name in ["id", "order_no", "visitKey", "pid", "patient", "row_number"] {
            assert!(is_key(name), "{name}");
        }
        assert!(
            is_bare_key("ID") && is_bare_key("pid") && !is_bare_key("product_id") && !is_bare_key("patient")
        );
        assert!(!is_key("covid") && !is_key("age") && !is_key("paid"));
        assert!(is_identity("last_name") && is_identity("eMail") && is_identity("LastName"));
        assert!(!is_identity("name") && !is_identity("country_name"));
        assert!(is_sensitive("main_diagnosis") && !is_sensitive("stays"));
        assert!(
            is_code_of_a_place("postal_code") && is_code_of_a_place("ZIP") && !is_code_of_a_place("gzip")
        );
    }
}
