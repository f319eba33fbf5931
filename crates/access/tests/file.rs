//! Files of tokens: what they say, and what is said of those that are wrong.

use access::{Problem, Role, Scope, Token, Tokens, Wrong};
use proptest::prelude::*;

fn token(seed: u8) -> Token {
    Token::of([seed; 32])
}

fn hash(seed: u8) -> String {
    token(seed).hash().to_string()
}

#[test]
fn tokens_permit_what_their_lines_say() {
    let text = format!(
        "# who may see what\n\ngrafana read {} router/ core-\n  backup@a\tadmin  {}\r\n#x\nrrd write {}",
        hash(1),
        hash(2),
        hash(3)
    );
    let tokens = Tokens::parse(text.as_bytes()).unwrap();
    let names: Vec<&str> = tokens.grants().iter().map(|grant| grant.name.as_str()).collect();
    assert_eq!(names, ["grafana", "backup@a", "rrd"]);
    let found = tokens.find(&token(1)).unwrap();
    assert_eq!((found.name.as_str(), found.role), ("grafana", Role::Read));
    assert_eq!(found.scope, Scope::of(vec!["router/".into(), "core-".into()]));
    let found = tokens.find(&token(2)).unwrap();
    assert_eq!((found.role, found.scope.is_everything()), (Role::Admin, true));
    assert_eq!(tokens.find(&token(3)).unwrap().role, Role::Write);
    assert!(tokens.find(&token(4)).is_none());
    // What is shown of them is what is read.
    let lines: String = tokens.grants().iter().map(|grant| format!("{grant}\n")).collect();
    let again = Tokens::parse(lines.as_bytes()).unwrap();
    assert_eq!(again.find(&token(1)).unwrap().to_string(), tokens.grants()[0].to_string());
}

#[test]
fn names_of_certificates_and_of_proxies_are_kept_apart() {
    let text =
        format!("anna admin proxy\nhost.example read cert router/\ngrafana read {}", hash(1));
    let tokens = Tokens::parse(text.as_bytes()).unwrap();
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    assert_eq!(tokens.of_proxy("anna").unwrap().role, Role::Admin);
    let found = tokens.of_certificate(&names(&["other", "host.example"])).unwrap();
    assert_eq!((found.role, found.scope.prefixes()), (Role::Read, &names(&["router/"])[..]));
    for name in ["host.example", "grafana", "ANNA", ""] {
        assert!(tokens.of_proxy(name).is_none(), "{name}");
    }
    assert!(tokens.of_certificate(&names(&["anna", "grafana", ""])).is_none());
    assert!(tokens.of_certificate(&[]).is_none());
    let lines: String = tokens.grants().iter().map(|grant| format!("{grant}\n")).collect();
    assert_eq!(lines, format!("{text}\n"));
}

#[test]
fn an_empty_file_permits_nothing() {
    let tokens = Tokens::parse(b"# none yet\n").unwrap();
    assert!(tokens.grants().is_empty() && tokens.find(&token(1)).is_none());
}

#[test]
fn roles_include_lesser_ones() {
    assert!(Role::Admin.includes(Role::Write) && Role::Write.includes(Role::Read));
    assert!(!Role::Read.includes(Role::Write) && !Role::Write.includes(Role::Admin));
    assert!(Role::ALL.iter().all(|role| Role::named(role.name()) == Some(*role)));
}

#[test]
fn mistakes_are_named_with_their_line_and_no_secret() {
    let (one, secret) = (hash(1), token(1).reveal().to_owned());
    for (text, line, problem) in [
        ("\na read".to_owned(), 2, Problem::Short(2)),
        (format!("a root {one}"), 1, Problem::Role("root".into())),
        (format!("a {secret} read"), 1, Problem::Role("something longer".into())),
        (format!("a,b read {one}"), 1, Problem::Name),
        (format!("a read {secret}"), 1, Problem::Hash),
        (format!("a read {}", one.to_uppercase()), 1, Problem::Hash),
        (format!("a read {one}\na read {}", hash(2)), 2, Problem::NameTwice("a".into())),
        (format!("a read {one}\n\nb read {one}"), 3, Problem::HashTwice("b".into())),
    ] {
        let wrong = Tokens::parse(text.as_bytes()).unwrap_err();
        assert_eq!(wrong, Wrong { line, problem }, "{text}");
        assert!(!wrong.to_string().contains(&secret), "{wrong}");
    }
    assert_eq!(Tokens::parse(b"a read \xff").unwrap_err().problem, Problem::NotText);
}

proptest! {
    #[test]
    fn no_bytes_are_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), text in ".*") {
        let _ = Tokens::parse(&bytes); // whatever it says
        let _ = Tokens::parse(text.as_bytes());
        prop_assert!(Token::read(&text).is_none());
    }

    #[test]
    fn what_is_limited_sees_no_other_name(prefix in "[a-z]{1,5}/?", name in "[a-z./]{0,12}") {
        let scope = Scope::of(vec![prefix.clone()]);
        if scope.sees(&name) {
            let whole = format!("/{name}/");
            prop_assert!(name.starts_with(&prefix) && !whole.contains("/../"));
            // Every directory on the way is seen, too.
            for (end, _) in name.match_indices('/') {
                prop_assert!(scope.sees_directory(&name[..end]), "{}", &name[..end]);
            }
        }
    }
}
