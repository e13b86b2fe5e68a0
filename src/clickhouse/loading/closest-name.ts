/** The name that is most probably meant by a misspelt one; undefined if none is close. */
export function closestName(misspelt: string, names: Iterable<string>): string | undefined {
  let closest: string | undefined;
  let least = Infinity;
  for (const name of names) {
    const longer = Math.max(name.length, misspelt.length);
    // Two names are close if at most a third of the characters must be changed.
    if (Math.abs(name.length - misspelt.length) > longer / 3) continue;
    const distance = editDistance(misspelt.toLowerCase(), name.toLowerCase());
    if (distance >= least || distance > longer / 3) continue;
    closest = name;
    least = distance;
  }
  return closest;
}

/** Fewest insertions, deletions, substitutions and swaps of neighbours (optimal string alignment). */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const substitution = (last[column - 1] ?? 0) + Number(from[row - 1] !== to[column - 1]);
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const swap = isSwap ? (beforeLast[column - 2] ?? 0) + 1 : Infinity;
      current.push(Math.min(substitution, swap, (last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    [beforeLast, last] = [last, current];
  }
  return last[to.length] ?? 0;
}
