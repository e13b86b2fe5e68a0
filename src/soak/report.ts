import type { KindFigures, Tally } from './tally.js';

/** A fault that was tried. */
export interface TriedFault {
  readonly name: string;
  readonly recoveredMs: number;
}

export interface SoakResult {
  readonly minutes: number;
  readonly tally: Tally;
  readonly faults: readonly TriedFault[];
  /** Megabytes, at the start, after the first minute or so, and at the end. */
  readonly memory: readonly string[];
}

/** The result as tables of Markdown. */
export function reportOf({ minutes, tally, faults, memory }: SoakResult): string {
  return [
    `${tally.requests.toLocaleString('en')} requests in ${minutes} minutes; resident memory of the gateway ${memory.join(', ')} MB`,
    '',
    '| requests | number | answers | p50 | p99 | slowest |',
    '| --- | --: | --- | --: | --: | --: |',
    ...tally.figures().map(rowOf),
    '',
    '| ClickHouse | times | answers meanwhile | slowest recovery |',
    '| --- | --: | --- | --: |',
    ...faultRows(tally, faults),
    '',
    `answers that were late, incomplete or missing: ${tally.faults.length}`,
    ...tally.faults.map((fault) => `  ${fault}`),
  ].join('\n');
}

function rowOf({ kind, requests, answers, p50, p99, slowest }: KindFigures): string {
  const times = [p50, p99, slowest].map((ms) => `${ms.toFixed(1)} ms`);
  return `| ${[kind, requests.toLocaleString('en'), listOf(answers), ...times].join(' | ')} |`;
}

function faultRows(tally: Tally, faults: readonly TriedFault[]): readonly string[] {
  return [...new Set(faults.map(({ name }) => name))].map((name) => {
    const tried = faults.filter((fault) => fault.name === name);
    const slowest = Math.max(...tried.map(({ recoveredMs }) => recoveredMs));
    return `| ${[name, tried.length, listOf(tally.duringPhase(name)), `${slowest.toFixed(0)} ms`].join(' | ')} |`;
  });
}

function listOf(counts: ReadonlyMap<string, number>): string {
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  return sorted.map(([what, times]) => `${times.toLocaleString('en')} × ${what}`).join(', ');
}
