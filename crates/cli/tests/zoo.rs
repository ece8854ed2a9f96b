//! `zoo`: lists domains and generates instances that the other commands read.

mod common;

use common::Folder;
use serde_json::Value;

fn domains(folder: &Folder) -> Vec<Value> {
    let (code, object) = folder.run_json(&["zoo", "list"]);
    assert_eq!(code, 0);
    object["domains"].as_array().expect("domains").clone()
}

#[test]
fn every_domain_generates_without_parameters() {
    let folder = Folder::new();
    let listed = folder.run(&["zoo", "list"]).out;
    for domain in domains(&folder) {
        let name = domain["name"].as_str().expect("a name");
        assert!(listed.contains(&format!("{name}: ")), "{listed}");
        let ran = folder.run(&["zoo", "generate", name, "--out", name]);
        assert_eq!((ran.code, &*ran.err), (0, ""));
        assert!(ran.out.starts_with("done: wrote model.jani, properties.jani"), "{}", ran.out);
        let (model, properties) = (format!("{name}/model.jani"), format!("{name}/properties.jani"));
        let ran = folder.run(&["check", &model, "--properties", &properties]);
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
        assert!(!ran.err.contains("warning"), "{}", ran.err);
    }
}

#[test]
fn replaced_files_are_named() {
    let folder = Folder::new();
    let domains = domains(&folder);
    let Some(name) = domains.first().and_then(|domain| domain["name"].as_str()) else { return };
    let (code, object) = folder.run_json(&["zoo", "generate", name, "--out", "a/b"]);
    assert_eq!((code, &object["replaced"]), (0, &Value::Array(vec![])));
    let files = object["files"].clone();
    let ran = folder.run(&["zoo", "generate", name, "--out", "a/b"]);
    assert!(ran.err.contains("notice: in a/b, model.jani, properties.jani"), "{}", ran.err);
    let (_, object) = folder.run_json(&["zoo", "generate", name, "--out", "a/b"]);
    assert_eq!(object["replaced"], files);
}

#[test]
fn wrong_use_ends_with_two() {
    let folder = Folder::new();
    folder.write("file", "");
    let name = domains(&folder).first().and_then(|d| d["name"].as_str().map(str::to_owned)).unwrap_or_default();
    let cases: [(&[&str], &str); 6] = [
        (&["zoo"], "Usage"),
        (&["zoo", "generate", &name], "--out"),
        (&["zoo", "generate", "nowhere", "--out", "d"], "there is no domain 'nowhere'"),
        (&["zoo", "list", "nowhere"], "there is no domain 'nowhere'"),
        (&["zoo", "generate", &name, "wings=2", "--out", "d"], "has no parameter 'wings'"),
        (&["zoo", "generate", &name, "--out", "file"], "cannot write into file"),
    ];
    for (args, expected) in cases {
        if name.is_empty() && args.contains(&&*name) {
            continue;
        }
        let ran = folder.run(args);
        assert_eq!((ran.code, &*ran.out), (2, ""), "{args:?}: {}", ran.err);
        assert!(ran.err.contains(expected), "{args:?}: {}", ran.err);
    }
    assert!(!folder.path().join("d").exists());
}
