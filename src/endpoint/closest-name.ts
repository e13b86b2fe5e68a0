/**
 * The name that a misspelt name probably means, for "did you mean": a similar name, else the plural or singular, else the only name
 * that begins with it. Undefined where there is none. Case makes no difference.
 */
export function closestName(misspelt: string, names: Iterable<string>): string | undefined {
  // Keys of a map can be read only once.
  const known = [...names];
  const lower = misspelt.toLowerCase();
  let closest: string | undefined;
  // A name of one letter is similar to any other such name.
  let least = misspelt.length < 2 ? 1 : Math.max(1, Math.floor(misspelt.length / 3)) + 1;
  for (const name of known) {
    const other = name.toLowerCase();
    const distance =
      singularsOf(lower).includes(other) || singularsOf(other).includes(lower)
        ? 1
        : // A distance is at least the difference in length, and of a name of 256 KiB takes seconds.
          Math.abs(lower.length - other.length) < least
          ? editDistance(lower, other)
          : least;
    if (distance < least) [closest, least] = [name, distance];
  }
  return closest ?? onlyBeginning(lower, known);
}

/** What a name would be in the singular, if it is a plural. */
const singularsOf = (name: string): readonly string[] =>
  [name.replace(/s$/, ''), name.replace(/es$/, ''), name.replace(/ies$/, 'y')].filter(
    (one) => one !== name && one !== '',
  );

/** Minimum letters of a prefix that identifies a name. */
const LEAST_BEGINNING = 3;

function onlyBeginning(lower: string, names: readonly string[]): string | undefined {
  const [found, another] = names.filter((name) => {
    const [short = '', long = ''] = [lower, name.toLowerCase()].sort((a, b) => a.length - b.length);
    return short.length >= LEAST_BEGINNING && long.startsWith(short);
  });
  return another === undefined ? found : undefined;
}

/** What to do about an unknown name: `did you mean city?`, else the names that there are. @param what names them: `columns` */
export function adviceFor(name: string, known: readonly string[], what: string): string {
  const closest = closestName(name, known);
  return closest === undefined ? `the ${what} are ${known.join(', ')}` : `did you mean ${closest}?`;
}

/**
 * Insertions, deletions, replacements and swaps of neighbours that turn one text into another (the optimal string alignment
 * distance, https://en.wikipedia.org/wiki/Damerau–Levenshtein_distance).
 */
function editDistance(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Infinity;
  for (let row = 1; row <= from.length; row += 1) {
    const distances = [row];
    rows.push(distances);
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = at(row - 1, column - 1) + (from[row - 1] === to[column - 1] ? 0 : 1);
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const swapped = isSwap ? at(row - 2, column - 2) + 1 : Infinity;
      distances.push(Math.min(at(row - 1, column) + 1, at(row, column - 1) + 1, replaced, swapped));
    }
  }
  return at(from.length, to.length);
}
