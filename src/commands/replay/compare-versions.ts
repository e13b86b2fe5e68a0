import type { Endpoint } from '../../endpoint/endpoint.js';
import type { QueryCost } from '../../endpoint/limit-rules.js';
import { compareRows, type Comparison } from '../endpoint-tests/compare-rows.js';
import { differenceText } from '../endpoint-tests/difference-text.js';
import type { RecordedCall } from './recorded-calls.js';
import { isSameDefinition, runCall, type CallRunner, type RanCall, type RanWithRows } from './run-call.js';

/** How much a value of a Float type may differ, as a share of it: another order of additions changes its last digits. */
export const FLOAT_TOLERANCE = 1e-9;

/** How often a pair is run where its data changes meanwhile. */
const ATTEMPTS = 3;

/** How a call is with the second version: `moving` where its data changes all the time, so that nothing can be said. */
export type Verdict = 'equal' | 'differs' | 'error' | 'repaired' | 'moving';

export interface ReplayedCall {
  readonly call: RecordedCall;
  readonly verdict: Verdict;
  /** For people; empty where the call is equal. */
  readonly explanation: string;
  readonly before: QueryCost;
  readonly after: QueryCost;
}

/** The two versions of an endpoint; absent where a version does not have it. */
export interface Versions {
  readonly before: Endpoint | undefined;
  readonly after: Endpoint | undefined;
}

/**
 * Runs a call with both versions, one right after the other. A difference counts where the first version returns the same rows
 * before and after the second: else the data has changed, and the pair is run again.
 */
export async function replayCall(
  call: RecordedCall,
  { before, after }: Versions,
  runner: CallRunner,
  isFirst: boolean,
): Promise<ReplayedCall> {
  let [first, second] = await inTurn(isFirst, [
    () => runCall(before, call, runner),
    () => runCall(after, call, runner),
  ]);
  for (let attempt = 1; ; attempt += 1) {
    const costs = { before: first.cost, after: second.cost };
    const explanation = differenceOf(first, second);
    if (explanation === '') return { call, verdict: 'equal', explanation, ...costs };
    const again = await runCall(before, call, runner);
    const isStill = differenceOf(first, again) === '';
    if (isStill) return { call, verdict: verdictOf(first, second), explanation, ...costs };
    if (attempt === ATTEMPTS) return { call, verdict: 'moving', explanation: '', ...costs };
    [first, second] = [again, await runCall(after, call, runner)];
  }
}

/** Each version first in turn: what runs first reads the data from the disk for both. */
async function inTurn<T>(
  isFirst: boolean,
  [one, other]: readonly [() => Promise<T>, () => Promise<T>],
): Promise<[T, T]> {
  if (isFirst) return [await one(), await other()];
  const second = await other();
  return [await one(), second];
}

function verdictOf(before: RanCall, after: RanCall): Verdict {
  if ('error' in after) return 'error';
  return 'error' in before ? 'repaired' : 'differs';
}

/** How the second result is different, for people; empty where it is not. */
function differenceOf(before: RanCall, after: RanCall): string {
  if ('error' in after) {
    if ('error' in before)
      return before.error === after.error ? '' : `it failed with ${before.error}, now with ${after.error}`;
    return `it fails with ${after.error}`;
  }
  if ('error' in before) return `it failed with ${before.error}, and now has rows`;
  const ofColumns = differenceOfColumns(before, after);
  return ofColumns === '' ? differenceOfRows(before, after) : ofColumns;
}

function differenceOfColumns({ types: before }: RanWithRows, { types: after }: RanWithRows): string {
  const [one, other] = [before, after].map((types) =>
    [...types].map(([name, type]) => `${name} ${type}`).join(', '),
  );
  return one === other ? '' : `the columns were ${one}; they are ${other}`;
}

function differenceOfRows(before: RanWithRows, after: RanWithRows): string {
  if (JSON.stringify(before.rows) === JSON.stringify(after.rows) && before.isTruncated === after.isTruncated)
    return '';
  const how: Comparison = { isOrdered: true, floatTolerance: FLOAT_TOLERANCE, types: before.types };
  const found = compareRows(before.rows, after.rows, how);
  if (found.differences.length > 0) return differenceText(found, how);
  if (before.isTruncated === after.isTruncated) return '';
  return `the result was ${before.isTruncated ? '' : 'not '}cut at the row cap, and is ${after.isTruncated ? '' : 'not '}now`;
}

/** What was found of one endpoint. */
export interface ReplayedEndpoint {
  readonly endpoint: string;
  /** Whether both versions are the same, so that nothing was run. */
  readonly isSame: boolean;
  readonly replayed: readonly ReplayedCall[];
}

export interface ReplayOptions extends CallRunner {
  /** Milliseconds in ClickHouse after which no call is begun. */
  readonly budgetMs: number;
  readonly versionsOf: (endpoint: string) => Versions;
  /** Called after each call. */
  readonly onReplayed?: (replayed: ReplayedCall) => void;
}

export interface Replay {
  readonly endpoints: readonly ReplayedEndpoint[];
  /** Milliseconds in ClickHouse. */
  readonly spentMs: number;
  /** Distinct calls and all calls, of both, how many the replay covers. */
  readonly covered: { readonly distinct: number; readonly calls: number };
}

/** Runs calls with both versions of their endpoints, in the order in which they are given, within a budget. */
export async function replayCalls(calls: readonly RecordedCall[], options: ReplayOptions): Promise<Replay> {
  const { budgetMs, versionsOf, onReplayed } = options;
  const found = new Map<string, { readonly isSame: boolean; readonly replayed: ReplayedCall[] }>();
  const covered = { distinct: 0, calls: 0 };
  let spentMs = 0;
  for (const [index, call] of calls.entries()) {
    const versions = versionsOf(call.endpoint);
    const isSame = isSameDefinition(versions.before, versions.after);
    if (!isSame && spentMs >= budgetMs) continue;
    const of = found.get(call.endpoint) ?? { isSame, replayed: [] };
    found.set(call.endpoint, of);
    covered.distinct += 1;
    covered.calls += call.calls;
    if (isSame) continue;
    const replayed = await replayCall(call, versions, options, index % 2 === 0);
    spentMs += replayed.before.clickhouseMs + replayed.after.clickhouseMs;
    of.replayed.push(replayed);
    onReplayed?.(replayed);
  }
  const endpoints = [...found].map(([endpoint, of]) => ({ endpoint, ...of }));
  return { endpoints: endpoints.sort((a, b) => (a.endpoint < b.endpoint ? -1 : 1)), spentMs, covered };
}
