import type { Endpoint } from '../../endpoint/endpoint.js';
import { OPERATORS } from '../../endpoint/figures.js';
import type { QueryCost } from '../../endpoint/limit-rules.js';
import { ERRORS, Failure } from '../../gateway/errors.js';
import { representationOf } from '../../gateway/formats/representation.js';
import { bindCall } from '../../gateway/query/endpoint-query.js';
import { requestOf } from '../../gateway/query/fetch-result.js';
import type { QueryRequest } from '../../gateway/query/ports.js';
import type { RawParameter } from '../../gateway/query/raw-parameters.js';
import { pinsIn } from '../../gateway/query/row-scope.js';
import { NO_COST } from '../../gateway/query/sum-of-costs.js';
import { callOf, type CallTools } from '../clickhouse/call-tools.js';
import { parseExactly } from '../endpoint-tests/call-endpoint.js';
import type { Row } from '../endpoint-tests/test-file.js';
import type { RecordedCall } from './recorded-calls.js';

/** What a call got from one version of an endpoint. */
export type CallResult = ResultRows | { readonly error: string; readonly cost: QueryCost };

export interface ResultRows {
  readonly rows: readonly Row[];
  /** ClickHouse types by name, in the order of the columns. */
  readonly types: ReadonlyMap<string, string>;
  readonly isTruncated: boolean;
  readonly cost: QueryCost;
}

const JSON_TABLE = representationOf('json-table');

/** What recorded calls run with: one time for all of them. */
export type CallRunner = Omit<CallTools, 'client'>;

/** Runs a call with one version of its endpoint. Rejects only where it was aborted. */
export async function runCall(
  endpoint: Endpoint | undefined,
  call: RecordedCall,
  runner: CallRunner,
): Promise<CallResult> {
  if (!endpoint) return { error: 'ENDPOINT_NOT_FOUND: there is no endpoint of this name', cost: NO_COST };
  const started = performance.now();
  try {
    const result = await runner.runQuery(requestFor(endpoint, call, runner));
    const { meta, data } = parseExactly(result.body.toString()) as {
      readonly meta: readonly { readonly name: string; readonly type: string }[];
      readonly data: readonly Row[];
    };
    return {
      rows: data,
      types: new Map(meta.map(({ name, type }) => [name, type])),
      isTruncated: result.truncated,
      cost: result.cost.readBy(OPERATORS),
    };
  } catch (error) {
    runner.signal.throwIfAborted();
    // While ClickHouse does not respond, no version can be blamed.
    if (!(error instanceof Failure) || ERRORS[error.code].status === 503) throw error;
    const { param, problem } = error.details.problems?.[0] ?? {};
    const detail =
      param === undefined ? (error.details.diagnosis ?? error.message) : `${param} ${String(problem)}`;
    // ClickHouse does not report the cost of a failed query.
    return {
      error: `${error.code}: ${detail}`,
      cost: { ...NO_COST, clickhouseMs: performance.now() - started },
    };
  }
}

/** The request of a call. @throws Failure where its parameters are invalid */
function requestFor(
  endpoint: Endpoint,
  call: RecordedCall,
  runner: Omit<CallRunner, 'runQuery'>,
): QueryRequest {
  const raw = parametersOf(call);
  const unknown = [...raw.keys()].filter((name) => !endpoint.parameters.has(name));
  if (unknown.length > 0)
    throw new Failure('INVALID_PARAMETERS', `It declares no parameter ${unknown.join(', ')}.`);
  const facts = { scope: call.pins, representation: JSON_TABLE, requestId: 'querygate-replay' };
  const read = callOf(endpoint, raw, runner, facts);
  return requestOf(read, bindCall(read), runner.now(), undefined);
}

/** The parameters that a caller sent, with those that its key pins. */
function parametersOf({ parameters, pins }: RecordedCall): ReadonlyMap<string, RawParameter> {
  const sent = JSON.parse(parameters) as readonly (readonly [string, string | readonly string[]])[];
  return new Map(
    [...sent, ...pinsIn(pins)].map(([name, value]) => [
      name,
      typeof value === 'string' ? { text: value, times: 1 } : { text: undefined, items: value, times: 1 },
    ]),
  );
}

/**
 * Whether two versions of an endpoint send the same query for a call, and write its rows in the same form, so that nothing need run. A
 * changed description alone is not a difference.
 */
export function isSameQuery(
  endpoints: readonly (Endpoint | undefined)[],
  call: RecordedCall,
  runner: Omit<CallRunner, 'runQuery'>,
): boolean {
  try {
    const [one, other] = endpoints.map((endpoint) => {
      if (!endpoint) throw new Failure('ENDPOINT_NOT_FOUND', 'There is no endpoint of this name.');
      const { query, columns, page, rowCap, limits } = requestFor(endpoint, call, runner);
      return JSON.stringify([query, columns === 'unknown' ? [] : [...columns], page, rowCap, limits]);
    });
    return one === other;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}
