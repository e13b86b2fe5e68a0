import { ClickHouseError, type ClickHouseClient } from '@clickhouse/client';

import { parametersAfter, queryOfLast } from '../../endpoint/after-last-row.js';
import { bindQuery, type BoundQuery } from '../../endpoint/bind.js';
import { unquote } from '../../endpoint/quote-sql.js';
import { tokenize } from '../../endpoint/sql-file/select/tokens.js';
import { Failure } from '../errors.js';
import type { QueryRequest, RequestedPage } from '../query/ports.js';
import { nativeSignal, type Signal } from '../query/signal.js';
import { readTree, type TreeNode } from '../facts/tree.js';
import { isOfDefinition } from './definition-errors.js';
import { describe, rowsOf, type DescribeOptions } from './describe-columns.js';
import { errorNames } from './error-names.js';
import { explained } from './explain-error.js';
import { invalidEndpoint } from './invalid-endpoint.js';
import { limitSettings, merged, narrowLimits, safetySettings, type RunnerLimits } from './query-settings.js';
import { mayBeOfValues } from './translate-error.js';
import { FAILING, failingByValues, readsRows } from './values-in-tree.js';

/** Completes the failure of a query with its cause, for callers, and with advice for operators. Never rejects. */
export type ExplainFailure = (failure: Failure, request: QueryRequest, signal: Signal) => Promise<Failure>;

/** Creates the function that explains failures of one server. */
export function createExplainer(client: ClickHouseClient, maxLimits: RunnerLimits): ExplainFailure {
  const nameOf = errorNames(client);
  return async (failure, request, signal) => {
    const known = await explained(failure, request, nameOf);
    const limits = narrowLimits(maxLimits, request.limits);
    const settings = limitSettings(limits, limits.timeoutMs);
    const options = { client, signal: nativeSignal(signal), settings };
    const { cause, diagnosis } = known.details;
    if (await isOfCursor(cause, request.page, options)) return foreignCursor(cause);
    // If ClickHouse does not analyse the query, nothing is proven.
    const message = await rejection(known, request, options).catch(() => undefined);
    if (message === undefined) {
      const optionsOf = (query: BoundQuery): DescribeOptions => ofQuery(query, options);
      return (await invalidEndpoint(known, request, nameOf, optionsOf).catch(() => undefined)) ?? known;
    }
    return new Failure('VALUES_REJECTED', message, { cause, ...(diagnosis !== undefined && { diagnosis }) });
  };
}

const REJECTED =
  'The query of this endpoint cannot use these values, although it can use those of its example. Correct the values.';
const DIVIDES_BY_ZERO =
  'The query of this endpoint divides by one of these values, which is zero. Correct it.';

/**
 * Problem of the values of a request, if they alone can have caused the failure. Undefined where that is not proven. The analysis depends
 * on constants, never on rows.
 */
async function rejection(
  { details: { cause } }: Failure,
  { query, exampleOf }: QueryRequest,
  options: DescribeOptions,
): Promise<string | undefined> {
  if (!(cause instanceof ClickHouseError) || !exampleOf || !mayBeOfValues(cause)) return undefined;
  const { code } = cause;
  const failing = await failingIn(code, query, options);
  if (failing.size > 0) {
    const ofExample = await failingIn(code, exampleOf(false), options);
    const messages = [...failing].filter((message) => !ofExample.has(message));
    if (messages.length > 0) return messages.join('; ') || DIVIDES_BY_ZERO;
  }
  if (readsRows(await treeOf(0, query, options), 'table')) return undefined;
  const found = await describe(query, ofQuery(query, options)).catch((error: unknown) => error);
  if (!(found instanceof ClickHouseError) || found.code !== code) return undefined;
  // A mistake in an optional part is one of the definition. The example may lack that part, so it gets the same parameters.
  const example = exampleOf(isOfDefinition(code));
  await describe(example, ofQuery(example, options));
  return REJECTED;
}

/** Whether the cursor of a page has a value that no row can have. Without `LINK_SECRET`, callers can make such cursors. */
async function isOfCursor(
  cause: unknown,
  page: RequestedPage | undefined,
  options: DescribeOptions,
): Promise<boolean> {
  if (!page?.last || !(cause instanceof ClickHouseError) || !mayBeOfValues(cause)) return false;
  const values = new Map(parametersAfter(page.order, page.last));
  const query = bindQuery(queryOfLast(page.order), values, new Set(), new Date(0), 1);
  const found = await describe(query, ofQuery(query, options)).catch((error: unknown) => error);
  return found instanceof ClickHouseError && found.code === cause.code;
}

const OF_NO_ROW =
  'is of no row of this endpoint: send the value of X-Next-Cursor or next_cursor of the page before';

const foreignCursor = (cause: unknown): Failure =>
  new Failure('INVALID_CURSOR', `Invalid cursor: cursor ${OF_NO_ROW}.`, {
    cause,
    problems: [{ param: 'cursor', problem: OF_NO_ROW }],
  });

/** Messages of the functions that fail through the values of a query. Empty where ClickHouse does not analyse the query with them. */
async function failingIn(
  code: string,
  query: BoundQuery,
  options: DescribeOptions,
): Promise<ReadonlySet<string>> {
  const kind = FAILING[code];
  const tree = kind && (await treeOf(1, query, options).catch(() => undefined));
  return kind && tree ? failingByValues(tree, kind, literalsOf(query)) : new Set();
}

async function treeOf(passes: 0 | 1, query: BoundQuery, options: DescribeOptions): Promise<TreeNode> {
  const text = `EXPLAIN QUERY TREE run_passes = ${passes} ${query.text}`;
  const rows = await rowsOf<{ readonly explain: string }>(text, query, ofQuery(query, options));
  return readTree(rows.map(({ explain }) => explain));
}

/** Options under which the query itself runs: with the filters of its tenant, and without secret values in logs. */
function ofQuery(query: BoundQuery, { settings, ...options }: DescribeOptions): DescribeOptions {
  return { ...options, settings: merged([safetySettings(query), query.settings, settings]) };
}

/** String literals that the author wrote. A bound query has no value in its text. */
function literalsOf({ text }: BoundQuery): ReadonlySet<string> {
  const strings = tokenize(text).filter(({ kind }) => kind === 'string');
  return new Set(strings.map(({ start, end }) => unquote(text.slice(start, end))));
}
