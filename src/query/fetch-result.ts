import { bindSandboxedQuery } from '../endpoint/bind-sandboxed.js';
import { bindQuery } from '../endpoint/bind.js';
import { rowCap, type Endpoint } from '../endpoint/endpoint.js';
import { Failure } from '../errors.js';
import { FORMATS } from '../formats/formats.js';
import { JSON_REPRESENTATION, type Representation } from '../formats/representation.js';
import type { CacheKey } from './cache-key.js';
import { usableUntil, type EndpointQuery } from './call.js';
import { digestOf, encodeBodies } from './encode-bodies.js';
import { inOwnMemory, type EndpointResult, type Bodies } from './endpoint-result.js';
import type { Requester, Clock, RunQuery } from './ports.js';
import type { ResultStore } from './result-store.js';
import { pinnedParameters } from './row-scope.js';
import { SingleFlight } from './single-flight.js';
import { invalidParameters } from './validate-parameters.js';

/** A question that the cache could not answer. */
export interface FetchRequest extends EndpointQuery {
  readonly requestId: string;
  readonly signal: AbortSignal;
  /** Whether the answer has to be newer than the question, whatever others have or ask. */
  readonly refresh: boolean;
  readonly requester?: Requester | undefined;
}

export interface FetchedResult {
  readonly result: EndpointResult;
  /** Whether the query was somebody else's. */
  readonly isCollapsed: boolean;
}

/** @throws Failure */
export type FetchResult = (fetch: FetchRequest, key: CacheKey) => Promise<FetchedResult>;

/** Asks ClickHouse; the answer is stored when it is told. */
export type QueryClickHouse = (signal: AbortSignal) => Promise<EndpointResult>;

/**
 * Lets one of several gateways ask what all of them miss; the others get its answer, or its error.
 *
 * @param ask what the one that asks does.
 * @param until until when an answer is of use; milliseconds since 1970.
 */
export type CoalesceAcrossGateways = (
  key: CacheKey,
  signal: AbortSignal,
  runQuery: QueryClickHouse,
  until: (result: EndpointResult) => number,
) => Promise<FetchedResult>;

export interface FetchParts {
  readonly runQuery: RunQuery;
  readonly store: ResultStore;
  readonly coalesceAcrossGateways: CoalesceAcrossGateways;
  readonly clock: Clock;
  /** Told of each question that shared a query of another, and whose. */
  readonly onJoined: (where: 'process' | 'gateways') => void;
}

/** Asks ClickHouse once for equal questions at the same time, in this process and across gateways. */
export function createFetcher(parts: FetchParts): FetchResult {
  const singleFlight = new SingleFlight<FetchedResult>();
  return async (fetch, key) => {
    const { endpoint, refresh } = fetch;
    if (endpoint.settings.caching === 'disabled') {
      return { result: await queryClickHouse(parts, fetch), isCollapsed: false };
    }
    const until = (result: EndpointResult): number => usableUntil(result, endpoint);
    const share = refresh ? withoutCoalescing(parts.store) : parts.coalesceAcrossGateways;
    const flight = refresh ? `${key.hash} refresh` : key.hash;
    const { value, joined } = await singleFlight.join(
      flight,
      fetch,
      ({ signal: flightSignal, requester }) => {
        const runQuery: QueryClickHouse = (ownSignal) =>
          queryClickHouse(parts, { ...fetch, requester, signal: ownSignal });
        return share(key, flightSignal, runQuery, until);
      },
    );
    if (joined) parts.onJoined('process');
    else if (value.isCollapsed) parts.onJoined('gateways');
    return joined ? { ...value, isCollapsed: true } : value;
  };
}

async function queryClickHouse(
  { runQuery, clock }: FetchParts,
  fetch: FetchRequest,
): Promise<EndpointResult> {
  const { endpoint, values, scope, sandbox, requestId, signal, requester } = fetch;
  const { representation = JSON_REPRESENTATION } = fetch;
  const cap = rowCap(endpoint);
  const now = clock();
  const held = pinnedParameters(scope);
  const query = sandbox
    ? bindSandboxedQuery(endpoint, sandbox, values, held, now, cap + 1)
    : bindQuery(endpoint.query, values, held, now, cap + 1);
  try {
    const { body, ...facts } = await runQuery({
      query,
      columns: sandbox ? 'unknown' : endpoint.columns,
      representation,
      rowCap: cap,
      requestId,
      signal,
      requester,
      limits: endpoint.settings.queryLimits,
    });
    const { caching } = endpoint.settings;
    const lastsSeconds = caching === 'disabled' || facts.partial ? undefined : caching;
    const bodies =
      lastsSeconds === undefined ? { identity: body } : await bodiesToCache(body, representation);
    const createdAt = now.getTime();
    const expiresAt = lastsSeconds === undefined ? createdAt : createdAt + lastsSeconds * 1000;
    return { ...facts, createdAt, expiresAt, digest: digestOf(body), bodies };
  } catch (error) {
    throw blameParameters(endpoint, error);
  }
}

function bodiesToCache(body: Buffer, { format }: Representation): Promise<Bodies> | Bodies {
  return FORMATS[format].isCompressible ? encodeBodies(body) : { identity: inOwnMemory(body) };
}

/** Only ClickHouse knows whether a regular expression compiles; its refusal is the caller's problem, by name. */
function blameParameters(endpoint: Endpoint, error: unknown): unknown {
  if (!(error instanceof Failure) || error.code !== 'BAD_REGULAR_EXPRESSION') return error;
  const expressions = [...endpoint.parameters].filter(([, { kind }]) => kind === 'regular-expression');
  const problem = 'is not a regular expression that RE2 compiles';
  return invalidParameters(expressions.map(([param]) => ({ param, problem })));
}

/** One gateway alone: it asks, and stores what it is told. */
export function withoutCoalescing(store: ResultStore): CoalesceAcrossGateways {
  return async (key, signal, runQuery, until) => {
    const result = await runQuery(signal);
    if (!result.partial) await store.set(key, result, until(result));
    return { result, isCollapsed: false };
  };
}
