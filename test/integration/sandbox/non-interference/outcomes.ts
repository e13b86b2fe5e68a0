import { bindSandboxedQuery } from '../../../../src/endpoint/bind-sandboxed.js';
import { withSettings, type Endpoint } from '../../../../src/endpoint/endpoint.js';
import { Failure } from '../../../../src/gateway/errors.js';
import { representationOf } from '../../../../src/gateway/formats/representation.js';
import type { RunQuery } from '../../../../src/gateway/query/ports.js';
import type { SandboxedSelect } from '../../../../src/gateway/query/sandboxed-select.js';
import { validateParameters } from '../../../../src/gateway/query/validate-parameters.js';
import { rawParameters } from '../../../support/raw-parameters.js';
import { HIDDEN, NOW, PARAMETERS, type Hidden } from './hidden-rows.js';
import type { Statement } from './statements.js';
import { referenceEndpoints } from '../../../support/reference-project.js';

/** As the builder writes it. */
const BARRIER = 'LIMIT 1000000000000';

const ROW_CAP = 50;
/** Number of statements that run concurrently. */
const CONCURRENCY = 4;
/** Tests the barrier without the setting that protects sandboxed queries in addition. */
const BARRIER_ALONE = { optimize_move_to_prewhere: 1 };

/** The endpoint with nine parts, with sandboxing enabled. */
export async function sandboxedLogs(): Promise<Endpoint> {
  const endpoint = (await referenceEndpoints()).find('logs.all');
  if (!endpoint) throw new Error('there is no endpoint logs.all');
  return withSettings(endpoint, { sandboxing: 'enabled' });
}

/** Returns status and body of the result of a SELECT that the sandbox accepted, as one text. */
export type OutcomeOf = (select: SandboxedSelect) => Promise<string>;

/** Runs a SELECT as a call does, without HTTP; optionally without the barriers, to prove that leaks are detected. */
export function outcomesOn(endpoint: Endpoint, runQuery: RunQuery, hasBarriers = true): OutcomeOf {
  const values = validateParameters(endpoint, rawParameters(PARAMETERS));
  const pinned = new Set(['project']);
  return async (select) => {
    const bound = bindSandboxedQuery(endpoint, select, values, pinned, NOW, ROW_CAP + 1);
    const query = hasBarriers ? bound.text : bound.text.replaceAll(BARRIER, '');
    try {
      const { body, truncated } = await runQuery({
        query: { ...bound, text: query, settings: { ...bound.settings, ...BARRIER_ALONE } },
        columns: 'unknown',
        representation: representationOf('json-table'),
        rowCap: ROW_CAP,
        requestId: 'non-interference',
        signal: new AbortController().signal,
      });
      return `200 ${body.toString()} ${String(truncated)}`;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return `${error.status} ${error.code} ${error.message}`;
    }
  };
}

/** A statement whose outcome depends on rows that the caller must not see, with its outcome in each case. */
export type Leak = Statement & Readonly<Record<Hidden, string>>;

export interface Comparison {
  readonly leaks: readonly Leak[];
  /** Number of statements that returned rows. */
  readonly succeeded: number;
}

/**
 * Runs each statement in each case.
 *
 * @param fill fills the tables for a case.
 */
export async function compareOutcomes<Item extends Statement>(
  statements: readonly Item[],
  fill: (hidden: Hidden) => Promise<void>,
  outcomeOf: (statement: Item) => Promise<string>,
): Promise<Comparison> {
  const outcomes = {} as Record<Hidden, readonly string[]>;
  for (const hidden of HIDDEN) {
    await fill(hidden);
    outcomes[hidden] = await forAll(statements, outcomeOf);
  }
  const leaks = statements.flatMap(({ shape, sql }, index): readonly Leak[] => {
    const [absent = '', harmless = '', poisonous = ''] = HIDDEN.map((hidden) => outcomes[hidden][index]);
    const isSame = absent === harmless && absent === poisonous;
    return isSame ? [] : [{ ...statements[index], shape, sql, absent, harmless, poisonous }];
  });
  return { leaks, succeeded: outcomes.absent.filter((outcome) => outcome.startsWith('200')).length };
}

/** Maps the items in order, several at a time. */
export async function forAll<Item, Result>(
  items: readonly Item[],
  resultOf: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const remaining = items.entries();
  const work = async (): Promise<void> => {
    for (const [index, item] of remaining) results[index] = await resultOf(item);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return results;
}
