import type { Endpoint } from '../../endpoint/endpoint.js';
import type { QueryCost } from '../../endpoint/limit-rules.js';
import { differenceOf, haveOtherColumns, varyingColumns } from './difference-of-runs.js';
import type { RecordedCall } from './recorded-calls.js';
import { isSameQuery, runCall, type CallRunner, type CallResult } from './run-call.js';

/** How often a pair is run where its rows change meanwhile. */
const ATTEMPTS = 3;

/** How often both versions must return their rows again before a difference counts: an approximate quantile varies by itself. */
const CONFIRMATIONS = 2;

/**
 * How a call is with the second version. `new`: only that has the endpoint. `failed`: both versions fail. `moving`: the rows of a version change by themselves, so
 * that nothing can be said.
 */
export type Verdict = 'equal' | 'differs' | 'error' | 'repaired' | 'new' | 'failed' | 'moving';

export interface ReplayedCall {
  readonly call: RecordedCall;
  readonly verdict: Verdict;
  /** Text for people; empty where the call is equal. */
  readonly explanation: string;
  readonly before: QueryCost;
  readonly after: QueryCost;
  /** Whether the second version has rows. Without rows, equality proves little. */
  readonly hasRows: boolean;
}

/** The two versions of an endpoint; absent where a version does not have it. */
export interface Versions {
  readonly before: Endpoint | undefined;
  readonly after: Endpoint | undefined;
}

/**
 * Runs a call with both versions, one right after the other. A difference counts where each version, run in turn with the other,
 * returns its rows again: else the data has changed, or the query does not always return the same, and the pair is run again.
 */
async function replayCall(
  call: RecordedCall,
  { before, after }: Versions,
  run: (version: Endpoint | undefined) => Promise<CallResult>,
  isFirst: boolean,
): Promise<ReplayedCall> {
  const both = [() => run(before), () => run(after)] as const;
  for (let attempt = 1; ; attempt += 1) {
    const [first, second] = await inTurn(isFirst, both);
    const hasRows = 'rows' in second && second.rows.length > 0;
    const about = { call, before: first.cost, after: second.cost, hasRows };
    if (!before && 'rows' in second) return { ...about, verdict: 'new', explanation: '' };
    if ('error' in first && 'error' in second)
      return {
        ...about,
        verdict: 'failed',
        explanation: `both versions fail, this one with ${second.error}`,
      };
    const difference = differenceOf(first, second);
    if (difference === '') return { ...about, verdict: 'equal', explanation: '' };
    const explanation = await confirmed(difference, [first, second], both);
    if (explanation !== undefined) return { ...about, verdict: verdictOf(first, second), explanation };
    if (attempt === ATTEMPTS) return { ...about, verdict: 'moving', explanation: '' };
  }
}

type Ran = readonly [CallResult, CallResult];
type Both = readonly [() => Promise<CallResult>, () => Promise<CallResult>];

/**
 * The difference that remains after both versions have run again, without the columns whose values vary between runs; undefined where
 * none remains, or where nothing can be compared.
 */
async function confirmed(
  difference: string,
  [first, second]: Ran,
  versions: Both,
): Promise<string | undefined> {
  // No data changes the columns of a result.
  if (haveOtherColumns(first, second)) return difference;
  const areRows = 'rows' in first && 'rows' in second;
  const varying = new Set<string>();
  for (let time = 0; time < CONFIRMATIONS; time += 1) {
    for (const [index, version] of versions.entries()) {
      const columns = varyingColumns(index === 0 ? first : second, await version());
      if (columns === 'other kind') return undefined;
      // Where one version fails, the rows of the other are not compared.
      if (!areRows) continue;
      if (columns === 'other rows') return undefined;
      for (const column of columns) varying.add(column);
    }
  }
  return differenceOf(first, second, varying) || undefined;
}

/** Each version first in turn: what runs first reads the data from the disk for both. */
async function inTurn(isFirst: boolean, [one, other]: Both): Promise<Ran> {
  if (isFirst) return [await one(), await other()];
  const second = await other();
  return [await one(), second];
}

function verdictOf(before: CallResult, after: CallResult): Verdict {
  if ('error' in after) return 'error';
  return 'error' in before ? 'repaired' : 'differs';
}

/** What was found of one endpoint. */
export interface ReplayedEndpoint {
  readonly endpoint: string;
  /** Calls for which both versions send the same query, so that nothing was run. */
  readonly same: number;
  readonly replayed: readonly ReplayedCall[];
}

export interface ReplayOptions extends CallRunner {
  /** Milliseconds in ClickHouse after which no call is begun. */
  readonly budgetMs: number;
  readonly versionsOf: (endpoint: string) => Versions;
  /** Called after each query. */
  readonly onRan?: (endpoint: string, cost: QueryCost) => void;
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
  const { budgetMs, versionsOf, onRan, onReplayed } = options;
  const found = new Map<string, { same: number; readonly replayed: ReplayedCall[] }>();
  const covered = { distinct: 0, calls: 0 };
  let spentMs = 0;
  for (const [index, call] of calls.entries()) {
    const versions = versionsOf(call.endpoint);
    const isSame = isSameQuery([versions.before, versions.after], call, options);
    if (!isSame && spentMs >= budgetMs) continue;
    const of = found.get(call.endpoint) ?? { same: 0, replayed: [] };
    found.set(call.endpoint, of);
    if (isSame) of.same += 1;
    else {
      const run = async (version: Endpoint | undefined): Promise<CallResult> => {
        if (spentMs >= budgetMs) throw new BudgetEnded();
        const ran = await runCall(version, call, options);
        spentMs += ran.cost.clickhouseMs;
        onRan?.(call.endpoint, ran.cost);
        return ran;
      };
      const replayed = await replayCall(call, versions, run, index % 2 === 0).catch(unlessBudgetEnded);
      if (!replayed) continue;
      of.replayed.push(replayed);
      onReplayed?.(replayed);
    }
    covered.distinct += 1;
    covered.calls += call.calls;
  }
  const endpoints = [...found].map(([endpoint, of]) => ({ endpoint, ...of }));
  return { endpoints: endpoints.sort((a, b) => (a.endpoint < b.endpoint ? -1 : 1)), spentMs, covered };
}

/** Ends a call in the middle of its pairs; what was found until then is not said. */
class BudgetEnded extends Error {
  override readonly name = 'BudgetEnded';
}

function unlessBudgetEnded(error: unknown): undefined {
  if (!(error instanceof BudgetEnded)) throw error;
}
