import { cpus } from 'node:os';

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Describes the machine of the measurement. */
export function printMachine(more: string): void {
  const cores = cpus();
  print(`${cores.length} cores, ${cores[0]?.model ?? ''}; node ${process.version}; ${more}`);
}

/** A figure with its unit, or with a spread in parentheses. */
const FIGURE = /^-?\d[\d.,]*(?: (?:ms|µs|MB|%))?(?: \([\d.,–]+\))?$/;

/** Prints a Markdown table; columns of figures are right-aligned. */
export function printTable(
  headings: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): void {
  const rule = headings.map((_, column) =>
    rows.some((cells) => FIGURE.test(String(cells[column]))) ? '--:' : '---',
  );
  print(['', ...[headings, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`)].join('\n'));
}

export const formatMs = (value: number): string =>
  Number.isNaN(value) ? '' : `${value.toFixed(value < 10 ? 2 : 1)} ms`;
export const formatCount = (value: number): string => value.toLocaleString('en');
export const formatMegabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(bytes < 10e6 ? 1 : 0)} MB`;

/** Counts by name as text, the most frequent first. */
export function listCounts(counts: ReadonlyMap<string, number>): string {
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  return sorted.map(([what, times]) => `${formatCount(times)} × ${what}`).join(', ');
}

/** Increments a count. */
export function countOne(counts: Map<string, number>, what: string | number): void {
  counts.set(String(what), (counts.get(String(what)) ?? 0) + 1);
}
