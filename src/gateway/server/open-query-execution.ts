import type { Config } from '../config/config.js';
import type { RowScope } from '../query/row-scope.js';
import { UsageLedger } from '../warming/usage-ledger.js';
import type { Values } from '../../endpoint/values.js';
import type { Endpoint } from '../../endpoint/endpoint.js';
import type { Endpoints } from '../../endpoint/registry.js';
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
import type { AnalyzeSql } from '../query/sandboxed-select.js';
import { DeferredCalls } from '../scheduler/deferred-calls.js';
import type { ServerPool } from '../scheduler/server-pool.js';
import type { Warmer, WarmerDependencies } from '../warming/warmer.js';
import { openCache, type OpenCache } from './open-cache.js';
import type { ClosingPart } from './closers.js';
import { openScheduler, openLimiter, type QueryServer, type Scheduler } from './open-scheduler.js';
import { EndpointVersions } from './endpoint-versions.js';
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
  readonly requireRunnable?: (endpoint: Endpoint, values: Values, scope: RowScope) => void;
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
  readonly analyzeSql: AnalyzeSql;
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
  { endpoints, servers, requireRunnable, versions, requestLog, logger, clock }: QueryDependencies,
  onClose: OnClose,
): Promise<QueryExecution> {
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
  const ofData = new EndpointVersions(versions, { ...shared, cache, metrics });
  onClose(ofData.close, { name: 'versions of tables', isBestEffort: true });
  const { dataVersions } = ofData;
  const scheduler = openScheduler(config, servers, logger);
  const { queue, pool, runQuery, analyzeSql } = scheduler;
  const limiter = openLimiter(cache.limits);
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
  const calls = openCalls(config, { ...shared, cache, fetchResult, dataVersions, onOutcome }, onClose);
  const warming = startWarming(config, {
    ...shared,
    ...{ cache, ledger, fetchResult, dataVersions },
    isBusy: () => queue.figures.waitingInteractive > 0,
    ...countedBy(metrics),
  });
  onClose(warming.stop, { name: 'warming', isBestEffort: true });
  observe(metrics, { endpoints, cache, scheduler });
  const { warmer } = warming;
  const adoptEndpoints = (outdated: ReadonlySet<string>): void => {
    ledger.adopt(endpoints);
    cache.local.drop(outdated);
    void ofData.report();
  };
  const exportAny = createExportExecutor({ runExport: scheduler.runExport, clock });
  return {
    executeExport: ifRunnable(exportAny, requireRunnable),
    ...calls,
    ...{ analyzeSql, onOutcome, cache, warmer },
    ...{ metrics, hits, limiter, pool, adoptEndpoints, reportVersions: ofData.report },
  };
}

/** Opens what executes calls, also those that go on after their request. */
function openCalls(
  config: Config,
  dependencies: Omit<CallExecutorDependencies, 'store'> & {
    readonly cache: OpenCache;
    readonly onBackground: OnBackgroundQuery | undefined;
  },
  onClose: OnClose,
): Pick<QueryExecution, 'executeCall' | 'deferredCalls'> {
  const { cache, clock, onBackground } = dependencies;
  const { store, local } = cache;
  const findLocal = (hash: string): EndpointResult | undefined => local.find(hash);
  const executeCall = createCallExecutor({ ...dependencies, store, findLocal });
  const deferredCalls = new DeferredCalls({
    ...{ executeCall, findStale: staleFinder({ store, clock }), board: cache.deferred },
    ...{ maxSeconds: config.queryTimeoutMs / 1000, onBackground, clock },
  });
  onClose(deferredCalls.close, { name: 'deferred calls' });
  return { executeCall, deferredCalls };
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
  requireRunnable: QueryDependencies['requireRunnable'] = () => undefined,
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

function countedBy(metrics: Metrics): Pick<WarmerDependencies, 'onStarted' | 'onRefreshed'> {
  return {
    onStarted: ({ name }, lateMs) => {
      metrics.time('warming_lateness_seconds', name, lateMs);
    },
    onRefreshed: ({ name }, outcome, ms) => {
      metrics.refreshed(name, outcome, ms);
    },
  };
}

function cacheUse(endpoints: Endpoints, { local }: OpenCache): readonly CacheUse[] {
  const use = local.memoryUse();
  return endpoints
    .all()
    .map(({ id, name }) => ({ endpoint: name, ...(use.get(id) ?? { entries: 0, bytes: 0 }) }));
}
