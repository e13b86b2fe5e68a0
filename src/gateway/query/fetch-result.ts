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
  /** First result found in the shared cache. It equals `result` where another gateway had stored that. */
  readonly cached?: EndpointResult | undefined;
}

/** Runs the query in ClickHouse. It does not store the result. */
export type QueryClickHouse = (signal: Signal) => Promise<EndpointResult>;

/** Error of a query whose rows go to one caller as they arrive. Each other caller, of any gateway, runs its own query. */
export class NotShared extends Error {
  constructor() {
    super('the rows go to one caller');
  }
}

/**
 * Coalesces a query that several gateways miss at the same time. One gateway runs the query and stores the result. The others get that
 * result, or its error.
 *
 * @param newerThan for a refresh: accept only a result that is known since a later time; milliseconds since 1970.
 */
export type CoalesceAcrossGateways = (
  key: CacheKey,
  signal: Signal,
  queryClickHouse: QueryClickHouse,
  newerThan?: number,
) => Promise<FetchedResult>;

/** Dependencies through which callers share the result of a query. */
export interface SharingParts {
  readonly store: ResultStore;
  /** Reads the local cache. Absent where the store has no other tier. */
  readonly find?: (hash: string, now?: number) => EndpointResult | undefined;
  /** Queries that run in this process. */
  readonly flights: SingleFlight<FetchedResult>;
  readonly coalesceAcrossGateways: CoalesceAcrossGateways;
  /** Called for each call that shared the query of another caller. `where` says where that query ran. */
  readonly onJoined: (where: 'process' | 'gateways') => void;
  /** Absent where no result is cached until its data changes. */
  readonly dataVersions?: DataVersions | undefined;
  /** Called before a query of an endpoint runs. @throws Failure where it must not run */
  readonly requireRunnable?: ((endpoint: Endpoint, values?: Values, scope?: RowScope) => void) | undefined;
  readonly clock: Clock;
}

/** Facts about a call or statement that the cache needs. A statement can read several endpoints. */
export interface Wanted extends SingleFlightCaller {
  readonly demand: CacheDemand;
  /** Reads of endpoints that cache until their data changes. */
  readonly reads: readonly VersionedQuery[];
  /** Queries ClickHouse. */
  readonly query: (context: SingleFlightCaller) => Promise<EndpointResult>;
}

/** Dependencies for results that the cache does not have. */
export interface FetchParts extends SharingParts {
  readonly runQuery: RunQuery;
  /** Absent where no result is composed of pieces. */
  readonly composer?: PieceComposer | undefined;
}

/**
 * Gets a result that the local cache does not have. Finds it in the shared cache, or queries ClickHouse once for identical calls at the
 * same time, in this process and across gateways. A call that demands a fresh result neither joins a running query nor takes a cached
 * result. With `newerThan` (milliseconds since 1970) it takes a result that is known since a later time: that of another gateway's refresh.
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
  // A caller that demands a fresh result must not join a refresh, which may take another gateway's result and is charged separately.
  const workKey = refresh ? `${key.hash} ${isAlone ? 'fresh' : 'refresh'}` : key.hash;
  const { value, joined, callers } = await flights.join(workKey, wanted, ({ signal, requester }) =>
    coalesce(key, signal, (querySignal) => wanted.query({ requester, signal: querySignal }), newerThan),
  );
  // Another gateway had stored the result before.
  if (!refresh && value.result === value.cached) return value;
  if (joined) onJoined('process');
  else if (value.isCollapsed) onJoined('gateways');
  // The callers of the gateway that ran the query pay for it.
  return value.isCollapsed
    ? value
    : { isCollapsed: joined, callers, result: value.result, cached: value.cached };
}

/** What a call needs from the cache. @param key key with the lifetime of its result */
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

/** Request of a call's query at a time. */
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
    // Other modules set these in copies. They exist here because V8 has no fast way to add a property to a copy.
    onResponse: undefined,
    spentMs: undefined,
    traceHeaders: undefined,
  };
}

/** Query of the endpoint itself, without the caller's own SQL. */
function definitionOf(call: Call, now: Date): Pick<QueryRequest, 'query' | 'columns'> {
  const { endpoint, values, scope } = call;
  const bound = bindCall({ endpoint, values, scope });
  return { query: boundAt(bound, now, capOf(call)), columns: returnedColumns(endpoint, values) };
}

/** Whether a result may contain cached pieces. */
const isComposable = ({ endpoint: { pieces, settings }, demand }: Call): boolean =>
  pieces !== undefined && settings.untilChanged !== undefined && demand !== 'fresh';

/** Result with its lifetime, and with its bytes for the cache or for one response. */
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

/** Bytes of a result that is not cached. Equal rows have the same digest, so that 304 is possible. */
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

/** Names the parameters that are regular expressions, because only ClickHouse can say whether one compiles. */
export function blameParameters(endpoint: Endpoint, error: unknown): unknown {
  if (!(error instanceof Failure) || error.code !== 'BAD_REGULAR_EXPRESSION') return error;
  const declared = [...endpoint.parameters];
  const expressions = declared.filter(([, { kind }]) => kind.startsWith('regular-expression'));
  // Without such a parameter, the query uses a string as an expression. It may be any of them.
  const blamed =
    expressions.length > 0 ? expressions : declared.filter(([, { kind }]) => kind.startsWith('string'));
  const problem = 'is not a regular expression that RE2 compiles';
  return invalidParameters(blamed.map(([param]) => ({ param, problem })));
}

/** Runs the query and stores the result: for a single gateway, and for refreshes. */
export function withoutCoalescing(store: ResultStore): CoalesceAcrossGateways {
  return async (key, signal, query) => {
    const result = await query(signal);
    if (!result.partial) await store.set(key, result, usableUntil(result, key));
    return { result, isCollapsed: false };
  };
}
