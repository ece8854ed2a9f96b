//! Options.

use super::harness::{Case, base, case, run};

fn line(line: &'static str) -> Case {
    case(line, line).json("m.jani", &base()).not("-- -").not("unexpected argument").not("invalid digit")
}

#[test]
fn options() {
    run(
        "options",
        vec![
            line("bounds m.jani --precision -1").says("a number above 0"),
            line("bounds m.jani --precision 0").says("a number above 0"),
            line("bounds m.jani --precision nan").says("a number above 0"),
            line("bounds m.jani --p-max -1").says("from 0 to 1"),
            line("bounds m.jani --p-max 2").says("from 0 to 1"),
            line("bounds m.jani --p-max half").says("from 0 to 1"),
            line("verify m.jani --seed -1").says("a whole number from 0"),
            line("verify m.jani --seed 99999999999999999999999").says("a whole number from 0"),
            line("verify m.jani --threads -1").says("1 to 1024"),
            line("verify m.jani --threads 0").says("1 to 1024"),
            line("verify m.jani --threads 100000").says("1 to 1024"),
            line("verify m.jani --threads two").says("1 to 1024"),
            line("verify m.jani --memory-limit -1").says("megabytes"),
            line("verify m.jani --memory-limit 1.5").says("megabytes"),
            line("verify m.jani --memory-limit 1GB").says("megabytes"),
            line("verify m.jani --time-limit -1").says("a number of seconds"),
            line("verify m.jani --time-limit 1m").says("a number of seconds"),
            line("verify m.jani --time-limit inf").says("a number of seconds"),
            line("verify m.jani --engine bmc --max-depth -1").says("a whole number from 0"),
            line("verify m.jani --engine cegar --max-iterations -1").says("0 or more"),
            line("verify m.jani --engine cegar --preset verix --epsilon -1").says("above 0 and at most 1"),
            line("verify m.jani --engine cegar --preset verix --epsilon 2").says("above 0 and at most 1"),
            line("simulate m.jani --runs -1").says("0 or more"),
            line("simulate m.jani --steps -1").says("0 or more"),
            line("simulate m.jani --runs ten").says("0 or more"),
            line("abstract m.jani --max-states -1").says("0 or more"),
            line("ctl m.jani --jobs -1").says("1 to 1024"),
            line("zoo predicates m.jani --out o.json --count -1").says("0 or more"),
            line("verify m.jani --formula x").says("option of `surefoot ctl`"),
            line("verify m.jani --p-max 0.5").says("option of `surefoot bounds`"),
            line("explore m.jani --engine bmc").says("`surefoot verify`, `surefoot bounds`"),
            line("verify m.jani --network n.nnet").says("option of `surefoot decide`"),
            line("check m.jani --runs 3").says("option of `surefoot simulate`"),
            line("verify m.jani --graph g.json").says("option of `surefoot abstract`"),
            line("zoo list --variables x").says("option of `surefoot zoo predicates`"),
            line("verify m.jani --polciy p").says("did you mean '--policy'?"),
            line("verify m.jani --frobnicate").says("`surefoot verify --help`"),
            line("verify m.jani -x").says("has no option '-x'"),
            line("--quiet").says("option of `surefoot check`"),
            line("frobnicate").says("frobnicate"),
            line("verfy m.jani").says("verify"),
            line("verify").says("<MODEL>"),
            line("verify m.jani --engine x").says("there is no engine 'x'"),
            line("verify m.jani --max-depth 3").says("--max-depth is for --engine bmc"),
            line("verify m.jani --filter maybe").says("maybe"),
            line("verify m.jani --seed 1 --seed 2").says("cannot be used multiple times"),
            line("verify m.jani --json no/such/folder.json").says("there is no folder no/such"),
            line("verify m.jani --json .").says("it is a directory"),
            line("verify m.jani --goal-terminal").says("--goal-terminal needs").says("help:"),
            line("induce m.jani --out x.xyz").says("xyz"),
            line("induce m.jani --out no/x.drn").says("cannot write no/x.drn: there is no such place for a file"),
            line("abstract m.jani --ignore-predicates --graph g.xyz").says("g.xyz"),
            line("ctl m.jani --method fast").says("fast"),
            line("simulate m.jani --runs 0").code(0),
        ],
    );
}
