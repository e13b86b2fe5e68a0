import type { BoundQuery } from '../../endpoint/bind.js';
import { returnedColumns, type Endpoint } from '../../endpoint/endpoint.js';
import type { Values } from '../../endpoint/values.js';
import { Failure } from '../errors.js';
import { FORMATS } from '../formats/formats.js';
import { JSON_REPRESENTATION } from '../formats/representation.js';
import { bindCall, boundAt, capOf, readerOf } from './endpoint-query.js';
import type { CacheKey } from './cache-key.js';
import { usableUntil, type CacheDemand, type Call, type CallOutcome } from './call.js';
import { NO_VERSIONS, overVersions, type DataVersions, type VersionedQuery } from './data-versions.js';
import { bodiesOf, digestOf, isWorthCompressing } from './encode-bodies.js';
import { inOwnMemory, type EndpointResult } from './endpoint-result.js';
import type { PieceComposer } from './pieces/composer.js';
import type { KnownData } from './known-data.js';
import type { Clock, QueryRequest, RunQuery } from './ports.js';
import type { ResultStore } from './result-store.js';
import type { RowScope } from './row-scope.js';
import { bindExample } from './sample-values.js';
import type { Signal } from './signal.js';
import type { SingleFlight, SingleFlightCaller } from './single-flight.js';
import { invalidParameters } from './validate-parameters.js';

export interface FetchedResult extends Pick<CallOutcome, 'result' | 'isCollapsed' | 'callers'> {
  /** What the cache that gateways share had at first; it is the result where another gateway had stored it before. */
  readonly cached?: EndpointResult | undefined;
}

/** Runs the query in ClickHouse; does not store the result. */
export type QueryClickHouse = (signal: Signal) => Promise<EndpointResult>;

/** What a query throws whose rows go to one caller as they arrive: each other caller, of this gateway and of others, runs its own. */
export class NotShared extends Error {
  constructor() {
    super('the rows go to one caller');
  }
}

/**
 * Coalesces a query that several gateways miss at the same time: one gateway runs the query and stores the result;
 * the others get that result, or its error.
 *
 * @param newerThan for a refresh: only a result that is known since a later time counts; milliseconds since 1970.
 */
export type CoalesceAcrossGateways = (
  key: CacheKey,
  signal: Signal,
  queryClickHouse: QueryClickHouse,
  newerThan?: number,
) => Promise<FetchedResult>;

/** The parts of a gateway by which callers share the result of a query. */
export interface SharingParts {
  readonly store: ResultStore;
  /** Reads the local cache; absent where the store is no other one. */
  readonly find?: (hash: string, now?: number) => EndpointResult | undefined;
  /** The queries that run in this process. */
  readonly flights: SingleFlight<FetchedResult>;
  readonly coalesceAcrossGateways: CoalesceAcrossGateways;
  /** Called for each call that shared the query of another caller, with where that query ran. */
  readonly onJoined: (where: 'process' | 'gateways') => void;
  /** Absent: no result is cached until its data changes. */
  readonly dataVersions?: DataVersions | undefined;
  /** Called before a query of an endpoint is run. @throws Failure where it must not be */
  readonly requireRunnable?: ((endpoint: Endpoint, values?: Values, scope?: RowScope) => void) | undefined;
  readonly clock: Clock;
}

/** What the cache needs to know of what a caller waits for: a call, or a statement over several endpoints. */
export interface Wanted extends SingleFlightCaller {
  readonly demand: CacheDemand;
  /** What it reads of endpoints that cache until their data changes. */
  readonly reads: readonly VersionedQuery[];
  /** Queries ClickHouse. */
  readonly query: (context: SingleFlightCaller) => Promise<EndpointResult>;
}

/** The parts of a gateway by which it gets results that the cache does not have. */
export interface FetchParts extends SharingParts {
  readonly runQuery: RunQuery;
  /** Absent: no result is composed of pieces. */
  readonly composer?: PieceComposer | undefined;
}

/**
 * Gets a result that the local cache does not have: finds it in the one that gateways share, or queries ClickHouse once for identical
 * calls at the same time, in this process and across gateways. A call that demands a fresh one neither joins a running query nor takes
 * a cached result, except one that is known since a later time than `newerThan` (milliseconds since 1970) where that is given: another
 * gateway's refresh.
 *
 * @throws Failure
 */
export async function fetchResult(
  { store, flights, coalesceAcrossGateways, onJoined }: SharingParts,
  wanted: Wanted,
  key: CacheKey,
  newerThan?: number,
): Promise<FetchedResult> {
  const refresh = wanted.demand === 'fresh';
  const isAlone = refresh && newerThan === undefined;
  const coalesce = isAlone ? withoutCoalescing(store) : coalesceAcrossGateways;
  // A caller that demands a fresh result must not join a refresh, which may take one of another gateway and is charged apart.
  const workKey = refresh ? `${key.hash} ${isAlone ? 'fresh' : 'refresh'}` : key.hash;
  const { value, joined, callers } = await flights.join(workKey, wanted, ({ signal, requester }) =>
    coalesce(key, signal, (querySignal) => wanted.query({ requester, signal: querySignal }), newerThan),
  );
  // Another gateway had stored it before.
  if (!refresh && value.result === value.cached) return value;
  if (joined) onJoined('process');
  else if (value.isCollapsed) onJoined('gateways');
  // What another gateway queried is the cost of its callers.
  return value.isCollapsed
    ? value
    : { isCollapsed: joined, callers, result: value.result, cached: value.cached };
}

/** What a call waits for. @param key with the lifetime of its result */
export function wantedOf(parts: FetchParts, call: Call, key: CacheKey): Wanted {
  const { endpoint, values, scope, demand, signal, requester } = call;
  return {
    reads: readsOf(call),
    query: (context) => {
      parts.requireRunnable?.(endpoint, values, scope);
      return queryClickHouse(parts, { ...call, ...context }, key);
    },
    ...{ demand, signal, requester },
  };
}

const readsOf = (call: Call): Wanted['reads'] => (call.endpoint.settings.untilChanged ? [call] : []);

async function queryClickHouse(
  { runQuery, dataVersions = NO_VERSIONS, composer, clock }: FetchParts,
  call: Call,
  key: CacheKey,
): Promise<EndpointResult> {
  const { bound = bindCall(call) } = call;
  const now = clock();
  try {
    if (isComposable(call)) {
      const composed = await composer?.compose(call, bound, (of, data) => requestOf(call, of, now, data));
      if (composed) {
        const { body, ...facts } = composed;
        return resultOf(call, key, { truncated: false, ...facts }, body);
      }
    }
    const { ran, ...data } = await overVersions(
      dataVersions,
      readsOf({ ...call, bound }),
      now.getTime(),
      ([known]) => known,
      (known) => runQuery(requestOf(call, bound, now, known)),
    );
    const { body, equalBytes, ...facts } = ran;
    return resultOf(call, key, { createdAt: now.getTime(), ...data, ...facts }, body, equalBytes);
  } catch (error) {
    throw blameParameters(call.endpoint, error);
  }
}

/** The request of a call's query at a time. */
export function requestOf(
  call: Call,
  bound: BoundQuery,
  now: Date,
  data: KnownData | undefined,
): QueryRequest {
  const { endpoint, values, sandbox, page, representation = JSON_REPRESENTATION } = call;
  const { requestId, signal, requester } = call;
  const cap = capOf(call);
  return {
    query: boundAt(bound, page ? new Date(page.now) : now, cap + 1),
    columns: sandbox ? 'unknown' : returnedColumns(endpoint, values),
    definition: sandbox && (() => definitionOf(call, now)),
    page: sandbox || !endpoint.pages ? undefined : { order: endpoint.pages.order, last: page?.last },
    representation,
    rowCap: cap,
    reader: readerOf(call),
    requestId,
    signal,
    requester,
    limits: endpoint.settings.queryLimits,
    data,
    exampleOf: sandbox ? undefined : (isAlike) => bindExample(call, isAlike, now),
    // What others set in copies. V8 has no fast way to add a property to a copy.
    onResponse: undefined,
    spentMs: undefined,
    traceHeaders: undefined,
  };
}

/** The query of the endpoint itself. */
function definitionOf(call: Call, now: Date): Pick<QueryRequest, 'query' | 'columns'> {
  const { endpoint, values, scope } = call;
  const bound = bindCall({ endpoint, values, scope });
  return { query: boundAt(bound, now, capOf(call)), columns: returnedColumns(endpoint, values) };
}

/** Whether kept pieces may be in a result. */
const isComposable = ({ endpoint: { pieces, settings }, demand }: Call): boolean =>
  pieces !== undefined && settings.untilChanged !== undefined && demand !== 'fresh';

/** The result with its lifetime and its bytes as they are cached, or are sent once. */
function resultOf(
  { representation = JSON_REPRESENTATION }: Call,
  { cachingMs }: CacheKey,
  created: Omit<EndpointResult, 'expiresAt' | 'digest' | 'bodies'>,
  body: Buffer,
  equalBytes?: number,
): EndpointResult {
  const { createdAt, partial } = created;
  const { isCompressible } = FORMATS[representation.format];
  if (cachingMs === 0 || partial)
    return { expiresAt: createdAt, ...created, ...onceSent(body, isCompressible, equalBytes) };
  return {
    expiresAt: createdAt + cachingMs,
    digest: digestOf(body),
    bodies: isCompressible ? bodiesOf(body) : { identity: inOwnMemory(body) },
    ...created,
  };
}

/** The bytes of a result that is not cached. Equal rows have the same digest, so that 304 is possible for them. */
function onceSent(
  body: Buffer,
  isCompressible: boolean,
  equalBytes: number | undefined,
): Pick<EndpointResult, 'digest' | 'hasWeakDigest' | 'bodies'> {
  return {
    digest: digestOf(body.subarray(0, equalBytes)),
    bodies: {
      identity: body,
      ...(isCompressible && isWorthCompressing(body) && { isEncodedWhenSent: true }),
    },
    ...(equalBytes !== undefined && { hasWeakDigest: true }),
  };
}

/** Names the parameters that are regular expressions, because only ClickHouse finds out whether one compiles. */
export function blameParameters(endpoint: Endpoint, error: unknown): unknown {
  if (!(error instanceof Failure) || error.code !== 'BAD_REGULAR_EXPRESSION') return error;
  const declared = [...endpoint.parameters];
  const expressions = declared.filter(([, { kind }]) => kind.startsWith('regular-expression'));
  // A text that the query uses as an expression can be any of them.
  const blamed =
    expressions.length > 0 ? expressions : declared.filter(([, { kind }]) => kind.startsWith('string'));
  const problem = 'is not a regular expression that RE2 compiles';
  return invalidParameters(blamed.map(([param]) => ({ param, problem })));
}

/** For a gateway alone, and for refreshes: runs the query and stores the result. */
export function withoutCoalescing(store: ResultStore): CoalesceAcrossGateways {
  return async (key, signal, query) => {
    const result = await query(signal);
    if (!result.partial) await store.set(key, result, usableUntil(result, key));
    return { result, isCollapsed: false };
  };
}
