// Chance that can be had again: the same seed and step give the same number, whatever happened in between.

/** A number of at least 0 and below 1 that depends on two whole numbers alone (a step of SplitMix32 on both, mixed as in MurmurHash3). */
function chanceAt(seed, step) {
  let mixed = (Math.imul(seed | 0, 0x9e3779b1) ^ Math.imul((step | 0) + 1, 0x85ebca6b)) | 0;
  for (const [shift, factor] of [[16, 0x21f0aaad], [15, 0x735a2d97], [15, 1]]) mixed = Math.imul(mixed ^ (mixed >>> shift), factor);
  return (mixed >>> 0) / 2 ** 32;
}

/** The entry on which a number of 0 to 1 falls, when each has its weight; null if none has any. */
function fallOn(entries, weights, chance) {
  const sum = weights.reduce((all, weight) => all + weight, 0);
  if (!(sum > 0)) return null;
  let left = chance * sum;
  for (let i = 0; i < entries.length; i++) {
    left -= weights[i];
    if (left < 0) return entries[i];
  }
  return entries[weights.findLastIndex((weight) => weight > 0)]; // rounding
}

/** What happens by chance among the moves of a state: each move is as likely as any other, then its outcomes are as the model says. */
function moveByChance(moves, seed, step) {
  const move = fallOn(moves, moves.map(() => 1), chanceAt(seed, 2 * step));
  if (!move) return null;
  // Of several states with one probability each is as likely as any other: the model leaves that choice open.
  const outcome = fallOn(move.outcomes, move.outcomes.map((each) => each.p / each.one_of), chanceAt(seed, 2 * step + 1));
  return outcome && { move, outcome };
}
