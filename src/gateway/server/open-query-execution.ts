import type { Config } from '../config/config.js';
import type { RowScope } from '../query/row-scope.js';
import { UsageLedger } from '../warming/usage-ledger.js';
import type { Values } from '../../endpoint/values.js';
import type { Endpoint } from '../../endpoint/endpoint.js';
import type { Endpoints } from '../../endpoint/registry.js';
import { RunningCalls } from '../http/call/running-calls.js';
import type { Limiter } from '../limits/limiter.js';
import type { Logger } from '../observability/logger.js';
import { Metrics } from '../observability/metrics.js';
import type { CacheUse } from '../observability/observed.js';
import {
  createCallExecutor,
  staleFinder,
  type CallExecutorDependencies,
  type ExecuteCall,
  type OnOutcome,
} from '../query/execute-call.js';
import type { EndpointQuery } from '../query/endpoint-query.js';
import type { EndpointResult } from '../query/endpoint-result.js';
import { createExportExecutor, type ExecuteExport } from '../query/execute-export.js';
import { createFetcher } from '../query/fetch-result.js';
import { HitCounter } from '../query/hit-counts.js';
import type { Clock, OnBackgroundQuery } from '../query/ports.js';
import type { CheckSql } from '../query/sandboxed-select.js';
import { createSandbox } from '../sandbox/sandbox.js';
import { DeferredCalls } from '../scheduler/deferred-calls.js';
import type { ServerPool } from '../scheduler/server-pool.js';
import type { Warmer } from '../warming/warmer.js';
import { openCache, type OpenCache } from './open-cache.js';
import type { ClosingPart } from './closers.js';
import { openScheduler, openLimiter, type QueryServer, type Scheduler } from './open-scheduler.js';
import { VersionReporter } from './version-reporter.js';
import type { OpenClickHouse } from './open-clickhouse.js';
import { openComposer } from './open-composer.js';
import { startWarming } from './start-warming.js';

/** How many sets the usage ledger remembers for each set that may be warmed. */
const REMEMBERED_SETS_PER_WARMED = 4;

export interface QueryDependencies {
  readonly endpoints: Endpoints;
  /** At least one; each can run any query. */
  readonly servers: readonly QueryServer[];
  /** Called before a query of an endpoint is run. @throws Failure where it must not be */
  readonly requireRunnable?: (endpoint: Endpoint, values?: Values, scope?: RowScope) => void;
  /** The connection of a user that may read the versions of tables, or why there is none. */
  readonly versions?: OpenClickHouse['versions'];
  /** Takes the queries for which no caller waits. */
  readonly requestLog?: { readonly noteBackground: OnBackgroundQuery } | undefined;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** The parts that execute queries, and their figures. */
export interface QueryExecution {
  readonly executeCall: ExecuteCall;
  readonly executeExport: ExecuteExport;
  readonly deferredCalls: DeferredCalls;
  /** Checks callers' own SQL. */
  readonly checkSql: CheckSql;
  readonly runningCalls: RunningCalls;
  /** Reads the local cache; `now` is milliseconds since 1970. */
  readonly find: (hash: string, now?: number) => EndpointResult | undefined;
  /** Bytes of a result up to which every gateway finds it in the cache. */
  readonly maxRangedBytes: number;
  readonly onOutcome: OnOutcome;
  readonly cache: OpenCache;
  readonly warmer: Warmer;
  readonly metrics: Metrics;
  readonly hits: HitCounter;
  readonly limiter: Limiter;
  readonly pool: ServerPool;
  /**
   * Continues the use of parameter sets with endpoints that were replaced, and frees the memory of results that are outdated.
   *
   * @param outdated ids of endpoints that were removed or have another definition.
   */
  readonly adoptEndpoints: (outdated: ReadonlySet<string>) => void;
  /** Logs which endpoints cannot cache until their data changes, although they should. */
  readonly reportVersions: () => Promise<void>;
}

type OnClose = (close: () => Promise<void> | void, part: ClosingPart) => void;

/** Opens and connects cache, coalescing, scheduler, limits and warming. */
export async function openQueryExecution(
  config: Config,
  { requireRunnable = () => undefined, requestLog, ...dependencies }: QueryDependencies,
  onClose: OnClose,
): Promise<QueryExecution> {
  const { endpoints, servers, logger, clock } = dependencies;
  const metrics = new Metrics();
  const hits = new HitCounter();
  const ledger = new UsageLedger(REMEMBERED_SETS_PER_WARMED * Math.max(1, config.warming.maxSets));
  const shared = { endpoints, logger, clock, onBackground: requestLog?.noteBackground };
  const cache = await openCache(config, {
    ...shared,
    onEvicted: () => {
      metrics.count('cache_evictions_total', {});
    },
    onSharedHit: ({ endpointId }) => {
      hits.countSharedHit(endpointId);
    },
  });
  onClose(cache.close, { name: 'cache', isBestEffort: true });
  const ofData = new VersionReporter(dependencies.versions, { ...shared, cache, metrics });
  onClose(ofData.close, { name: 'versions of tables', isBestEffort: true });
  const { dataVersions } = ofData;
  const scheduler = openScheduler(config, servers, logger);
  const { queue, pool, runQuery } = scheduler;
  const fetchAny = createFetcher({
    ...{ runQuery, store: cache.store, dataVersions },
    coalesceAcrossGateways: cache.coalesceAcrossGateways,
    composer: openComposer({ ...shared, runQuery, cache, dataVersions, hits, metrics }),
    clock,
    onJoined: (where) => {
      metrics.count('coalesced_waiters_total', { where });
    },
  });
  const fetchResult = ifRunnable(fetchAny, requireRunnable);
  const onOutcome = countOutcomes({ endpoints, ledger, hits, clock });
  const ofCalls = { ...shared, cache, scheduler, requireRunnable, fetchResult, dataVersions, onOutcome };
  const calls = openCalls(config, ofCalls, onClose);
  const warming = startWarming(config, {
    ...shared,
    ...{ cache, ledger, fetchResult, dataVersions },
    isBusy: () => queue.figures.waitingInteractive > 0,
    metrics,
  });
  onClose(warming.stop, { name: 'warming', isBestEffort: true });
  observe(metrics, { endpoints, cache, scheduler });
  const adoptEndpoints = (outdated: ReadonlySet<string>): void => {
    ledger.adopt(endpoints);
    cache.local.drop(outdated);
    void ofData.report();
  };
  return {
    ...calls,
    ...{ onOutcome, cache, warmer: warming.warmer },
    limiter: openLimiter(cache.limits),
    ...{ metrics, hits, pool, adoptEndpoints, reportVersions: ofData.report },
  };
}

/** What runs calls. */
type Calls = Pick<
  QueryExecution,
  'executeCall' | 'executeExport' | 'deferredCalls' | 'checkSql' | 'runningCalls' | 'find' | 'maxRangedBytes'
>;

/** Opens what executes calls, also those that go on after their request. */
function openCalls(
  config: Config,
  dependencies: Omit<CallExecutorDependencies, 'store'> & {
    readonly cache: OpenCache;
    readonly scheduler: Scheduler;
    readonly requireRunnable: NonNullable<QueryDependencies['requireRunnable']>;
    readonly onBackground: OnBackgroundQuery | undefined;
  },
  onClose: OnClose,
): Calls {
  const { cache, scheduler, requireRunnable, clock, onBackground } = dependencies;
  const { store, local, maxEntryBytes: maxRangedBytes } = cache;
  const find: Calls['find'] = (hash, now) => local.find(hash, now);
  const executeCall = createCallExecutor({ ...dependencies, store, findLocal: find });
  const deferredCalls = new DeferredCalls({
    ...{ executeCall, findStale: staleFinder({ store, clock }), board: cache.deferred },
    ...{ maxSeconds: config.queryTimeoutMs / 1000, onBackground, clock },
  });
  onClose(deferredCalls.close, { name: 'deferred calls' });
  const checkAny = createSandbox(scheduler.analyzeSql);
  return {
    executeExport: ifRunnable(
      createExportExecutor({ runExport: scheduler.runExport, clock }),
      requireRunnable,
    ),
    checkSql: async (endpoint, ...rest) => {
      requireRunnable(endpoint);
      return checkAny(endpoint, ...rest);
    },
    runningCalls: new RunningCalls(clock),
    ...{ executeCall, deferredCalls, find, maxRangedBytes },
  };
}

/** Counts how calls are served, and notes which parameter sets are in use. */
function countOutcomes({
  endpoints,
  ledger,
  hits,
  clock,
}: Pick<QueryDependencies, 'endpoints' | 'clock'> & {
  readonly ledger: UsageLedger;
  readonly hits: HitCounter;
}): OnOutcome {
  return (query, key, { result, status }) => {
    // Sandboxed queries are not warmed: a caller could fill the ledger with them. Nor are later pages, or those of a replaced endpoint.
    if (!query.sandbox && !query.page && query.pageRows === undefined && endpoints.has(query.endpoint))
      ledger.count(key, query, clock().getTime(), result);
    hits.count(key.endpointId, status);
  };
}

/** Makes a function of a call reject those of endpoints whose queries cannot run. */
function ifRunnable<Call extends EndpointQuery, More extends readonly unknown[], Result>(
  run: (call: Call, ...more: More) => Promise<Result>,
  requireRunnable: NonNullable<QueryDependencies['requireRunnable']>,
): (call: Call, ...more: More) => Promise<Result> {
  return async (call, ...more) => {
    requireRunnable(call.endpoint, call.values, call.scope);
    return run(call, ...more);
  };
}

/** Adds the figures that are read at each scrape. */
function observe(
  metrics: Metrics,
  {
    endpoints,
    cache,
    scheduler: { queue, exportQueue, pool },
  }: Pick<QueryDependencies, 'endpoints'> & { readonly cache: OpenCache; readonly scheduler: Scheduler },
): void {
  metrics.observe('cacheUse', () => cacheUse(endpoints, cache));
  metrics.observe('isRedisOpen', cache.isRedisOpen);
  metrics.observe('queries', () => queue.figures);
  metrics.observe('pool', () => pool.figures);
  metrics.observe('exports', () => exportQueue.figures);
}

function cacheUse(endpoints: Endpoints, { local }: OpenCache): readonly CacheUse[] {
  const use = local.memoryUse();
  return endpoints
    .all()
    .map(({ id, name }) => ({ endpoint: name, ...(use.get(id) ?? { entries: 0, bytes: 0 }) }));
}
