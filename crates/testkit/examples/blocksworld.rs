//! Prints the dropping Blocksworld: `blocksworld BLOCKS COST_BOUND`.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark driver")]

fn main() {
    let mut arguments = std::env::args().skip(1).map(|a| a.parse::<u32>().unwrap());
    let (blocks, bound) = (arguments.next().unwrap(), arguments.next().unwrap());
    println!("{}", surefoot_testkit::blocksworld::dropping_blocksworld(blocks as usize, bound));
}
