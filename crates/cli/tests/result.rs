//! Result objects are what their type says: read into it and written again, they are the same bytes.

mod common;

use std::path::Path;

use common::Folder;
use surefoot_verify::ResultObject;

/// Commands on the examples; `{}` is their folder.
const COMMANDS: [&str; 45] = [
    "check {}/parking/model.jani --properties {}/parking/properties.jani",
    "check {}/parking/properties.jani",
    "explore {}/reservoir/model.jani --properties {}/reservoir/properties.jani",
    "simulate {}/reservoir/model.jani --properties {}/reservoir/properties.jani",
    "simulate {}/parking/model.jani",
    "verify {}/parking/model.jani --properties {}/parking/properties.jani",
    "verify {}/reservoir/model.jani --properties {}/reservoir/properties.jani",
    "verify {}/reservoir/model.jani --properties {}/reservoir/properties.jani --engine bmc",
    "verify {}/lift/model.jani --properties {}/lift/properties.jani --engine cegar",
    "verify {}/lift/model.jani --properties {}/lift/properties.jani --engine cegar --max-iterations 1",
    "verify {}/reservoir/model.jani --properties {}/reservoir/properties.jani --engine cegar --falsify on",
    "verify {}/lift/model.jani --properties {}/lift/properties.jani --time-limit 0",
    "verify {}/nothing.jani",
    "verify {}/reservoir/model.jani --properties {}/reservoir/probabilities.jani --property 0",
    "bounds {}/reservoir/model.jani --properties {}/reservoir/probabilities.jani --property 0",
    "bounds {}/reservoir/model.jani --properties {}/reservoir/properties.jani --exact",
    "bounds {}/reservoir/model.jani --properties {}/reservoir/properties.jani --engine partial",
    "bounds {}/reservoir/model.jani --properties {}/reservoir/properties.jani --engine cegar --precision 0.01",
    "bounds {}/reservoir/model.jani --properties {}/reservoir/properties.jani --engine cegar --algorithm paper",
    "replay bounds.json {}/reservoir/model.jani --properties {}/reservoir/properties.jani",
    "abstract {}/parking/model.jani --properties {}/parking/properties.jani --predicates {}/parking/predicates.json",
    "abstract {}/lift/model.jani --properties {}/lift/properties.jani --ignore-predicates --deadlocks --filter off",
    "abstract {}/reservoir/model.jani --properties {}/reservoir/properties.jani --ignore-predicates --graph g.json",
    "ctl {}/thermostat/model.jani --policy {}/thermostat/thermostat.policy.json --formula AX^2(temperature>18)",
    "ctl {}/thermostat/model.jani --policy {}/thermostat/thermostat.policy.json --formula AX^4(temperature>19)",
    "ctl {}/thermostat/model.jani --policy {}/thermostat/thermostat.policy.json --formula EF[<=3](temperature>100)",
    "decide {}/parking/queries.json --network {}/parking/driver.nnet",
    "decide {}/parking/brakes.vnnlib --network {}/parking/driver.nnet",
    "decide {}/parking/model.jani --network {}/parking/driver.nnet",
    "induce {}/reservoir/model.jani --properties {}/reservoir/properties.jani --out m.drn",
    "induce {}/reservoir/model.jani --properties {}/reservoir/properties.jani --out m.drn --time-limit 0",
    "encode {}/reservoir/model.jani --properties {}/reservoir/properties.jani --target storm --out e.jani",
    "encode {}/reservoir/model.jani --properties {}/reservoir/properties.jani --target nuxmv --out e.smv",
    "replay result.json {}/reservoir/model.jani --properties {}/reservoir/properties.jani",
    "replay result.json {}/reservoir/model.jani --properties {}/reservoir/properties.jani --policy {}/reservoir/careful.jani2nnet",
    "diff {}/reservoir/model.jani --policy {}/reservoir/careful.jani2nnet --policy {}/reservoir/careless.jani2nnet",
    "diff {}/reservoir/model.jani --policy {}/reservoir/careful.jani2nnet --policy {}/reservoir/careless.jani2nnet --region true",
    "diff {}/reservoir/model.jani --policy {}/reservoir/careful.jani2nnet --policy {}/reservoir/careful.jani2nnet",
    "diff {}/reservoir/model.jani --policy {}/reservoir/careful.jani2nnet --policy {}/reservoir/careless.jani2nnet --prove",
    "zoo list",
    "zoo generate blocksworld --out zoo",
    "zoo generate nowhere --out zoo",
    "zoo predicates {}/parking/model.jani --properties {}/parking/properties.jani --count 4 --out p.json",
    "zoo train {}/reservoir/model.jani --properties {}/reservoir/properties.jani --steps 30 --run-steps 20 --runs 5 --out t",
    "zoo distil verticalcas detail=1 --hidden 4 --updates 2 --batch 4 --states 5 --runs 5 --out v",
];

#[test]
fn what_is_written_is_read_and_written_again() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").display().to_string();
    let folder = Folder::new();
    let words =
        |command: &str| -> Vec<String> { command.split(' ').map(|word| word.replace("{}", &examples)).collect() };
    let run = |command: &str, more: &[&str]| {
        let words = words(command);
        let words: Vec<&str> = words.iter().map(String::as_str).chain(more.iter().copied()).collect();
        folder.run(&words)
    };
    run(COMMANDS[6], &["--json", "result.json"]);
    run(COMMANDS[15], &["--json", "bounds.json"]);
    let mut with_body = 0;
    for command in COMMANDS {
        let ran = run(command, &["--json", "-", "--quiet"]);
        let object: ResultObject =
            serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{command}: {error}\n{}", ran.out));
        assert_eq!(object.format, surefoot_verify::result::FORMAT);
        assert_eq!(object.error.is_some(), ran.code == 2 && !command.starts_with("check"), "{command}");
        let again = serde_json::to_string_pretty(&object).unwrap();
        assert_eq!(format!("{again}\n"), ran.out, "{command}");
        with_body += usize::from(object.body.is_some());
    }
    assert_eq!(with_body, COMMANDS.len() - 4, "errors, and a limit of no time, have none");
}

#[test]
fn results_of_another_format_are_refused() {
    let folder = Folder::new();
    let ran = folder.run(&["zoo", "list", "--json", "-", "--quiet"]);
    let read = |text: &str| serde_json::from_str::<ResultObject>(text).map_err(|error| error.to_string());
    // One from before formats had numbers.
    assert_eq!(read(&ran.out.replace("  \"format\": 1,\n", "")), read(&ran.out));
    let later = read(&ran.out.replace("\"format\": 1", "\"format\": 2")).unwrap_err();
    assert!(later.contains("format 2"), "{later}");
    let other = read(&ran.out.replace("\"seed\": 0", "\"seed\": \"none\"")).unwrap_err();
    assert!(other.contains("the result's \"seed\": expected a number, found text"), "{other}");
    let other = read(&ran.out.replace("\"command\": \"zoo list\"", "\"command\": \"none\"")).unwrap_err();
    assert!(other.contains("\"none\" is not one of the words that results have there"), "{other}");
}
