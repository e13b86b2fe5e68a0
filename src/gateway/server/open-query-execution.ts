import { UsageLedger } from '../warming/usage-ledger.js';
import type { Endpoints } from '../../endpoint/registry.js';
import type { ApiParts } from '../http/api-parts.js';
import type { StatementParts } from '../http/sql/run-statement.js';
import { RunningCalls } from '../http/call/running-calls.js';
import { Metrics } from '../observability/metrics.js';
import type { CacheUse } from '../observability/observed.js';
import { STATEMENTS } from '../query/cache-key.js';
import { executeCall, findStale, type OnOutcome, type QueryParts } from '../query/execute-call.js';
import type { ExportParts } from '../query/execute-export.js';
import { HitCounter } from '../query/hit-counts.js';
import type { OnBackgroundQuery } from '../query/ports.js';
import { SingleFlight } from '../query/single-flight.js';
import { createSandbox } from '../sandbox/sandbox.js';
import { DeferredCalls } from '../scheduler/deferred-calls.js';
import type { ServerPool } from '../scheduler/server-pool.js';
import { createStatementCheck } from '../tables/check-statement.js';
import { ServerVersion } from '../tables/server-version.js';
import { createZoneCheck } from '../tables/session-zone.js';
import type { Warmer } from '../warming/warmer.js';
import { openCache, type OpenCache } from './open-cache.js';
import type { OnClose } from './closers.js';
import { openScheduler, openLimiter, type QueryServer, type Scheduler } from './open-scheduler.js';
import { VersionReporter } from './version-reporter.js';
import type { OpenClickHouse } from './open-clickhouse.js';
import { openComposer } from './open-composer.js';
import type { ExecutionParts, SharedParts } from './shared-parts.js';
import { startWarming } from './start-warming.js';

/** Parameter sets that the usage ledger remembers, for each set that may be warmed. */
const REMEMBERED_SETS_PER_WARMED = 4;

/** The dependencies of the execution of queries. */
export interface QueryDependencies extends SharedParts, Pick<QueryParts, 'requireRunnable'> {
  /** The servers, each of which can run any query; at least one. */
  readonly servers: readonly QueryServer[];
  /** The connection of the user that reads the versions of tables, or why there is none. */
  readonly versions?: OpenClickHouse['versions'];
  /** Logs queries that no caller waits for. */
  readonly requestLog?: { readonly noteBackground: OnBackgroundQuery } | undefined;
}

/** The parts that execute queries, and their figures. */
export interface QueryExecution
  extends
    QueryParts,
    ExportParts,
    Pick<StatementParts, 'checkStatement' | 'checkZone' | 'runStatement' | 'serverVersion'>,
    Pick<ApiParts, 'checkSql' | 'runningCalls' | 'maxRangedBytes' | 'limiter'> {
  readonly find: NonNullable<QueryParts['find']>;
  readonly deferredCalls: DeferredCalls;
  readonly cache: OpenCache;
  readonly warmer: Warmer;
  readonly metrics: Metrics;
  readonly hits: HitCounter;
  readonly pool: ServerPool;
  /**
   * Moves the use of parameter sets to the endpoints that replaced others, and frees the memory of outdated results.
   *
   * @param outdated ids of endpoints that were removed or have another definition.
   */
  readonly adoptEndpoints: (outdated: ReadonlySet<string>) => void;
  /** Logs which endpoints cannot cache until their data changes, although they should. */
  readonly reportVersions: () => Promise<void>;
}

/** Opens and connects cache, coalescing, scheduler, limits and warming. */
export async function openQueryExecution(
  { requireRunnable, requestLog, versions, servers, ...opened }: QueryDependencies,
  onClose: OnClose,
): Promise<QueryExecution> {
  const { config, endpoints, logger, clock } = opened;
  const metrics = new Metrics();
  const hits = new HitCounter();
  const ledger = new UsageLedger(REMEMBERED_SETS_PER_WARMED * Math.max(1, config.warming.maxSets));
  const shared: ExecutionParts = { ...opened, metrics, hits, onBackground: requestLog?.noteBackground };
  const cache = await openCache(shared);
  onClose(cache.close, { name: 'cache', isBestEffort: true });
  const ofData = new VersionReporter(versions, shared, cache);
  onClose(ofData.close, { name: 'versions of tables', isBestEffort: true });
  const { dataVersions } = ofData;
  const scheduler = openScheduler(config, servers, logger);
  const { queue, pool, runQuery, runExport } = scheduler;
  const parts = {
    ...{ runQuery, runExport, requireRunnable, dataVersions, clock, metrics, hits },
    store: cache.store,
    find: (hash: string, now?: number) => cache.local.find(hash, now),
    flights: new SingleFlight(),
    coalesceAcrossGateways: cache.coalesceAcrossGateways,
    composer: openComposer(shared, runQuery, cache, dataVersions),
    onJoined: (where: 'process' | 'gateways') => {
      metrics.count('coalesced_waiters_total', { where });
    },
    onOutcome: countOutcomes(shared, ledger),
  } satisfies Partial<QueryExecution>;
  const deferredCalls = new DeferredCalls({
    executeCall: (call, key) => executeCall(parts, call, key),
    findStale: (key) => findStale(parts, key),
    board: cache.deferred,
    maxSeconds: config.queryTimeoutMs / 1000,
    ...{ onBackground: shared.onBackground, clock },
  });
  onClose(deferredCalls.close, { name: 'deferred calls' });
  const isBusy = (): boolean => queue.figures.waitingInteractive > 0;
  const warming = startWarming(shared, parts, { cache, ledger, isBusy });
  onClose(warming.stop, { name: 'warming', isBestEffort: true });
  observe(metrics, endpoints, cache, scheduler);
  const checkSql = createSandbox(scheduler.analyzeSql);
  return {
    ...{ deferredCalls, cache, pool, warmer: warming.warmer },
    checkSql: async (endpoint, ...rest) => {
      requireRunnable?.(endpoint);
      return checkSql(endpoint, ...rest);
    },
    ...statementParts(scheduler, shared),
    runningCalls: new RunningCalls(clock),
    ...{ maxRangedBytes: cache.maxEntryBytes, limiter: openLimiter(cache.limits) },
    adoptEndpoints: (outdated) => {
      ledger.adopt(endpoints);
      cache.local.drop(outdated);
      void ofData.report();
    },
    reportVersions: ofData.report,
    ...parts,
  };
}

/** The parts that check and run statements over tables. */
const statementParts = ({ analyzeSql, runStatement }: Scheduler, { clock }: SharedParts) => ({
  checkStatement: createStatementCheck(analyzeSql),
  checkZone: createZoneCheck(analyzeSql),
  serverVersion: new ServerVersion(analyzeSql, clock),
  runStatement,
});

/** Counts how calls are served, and notes which parameter sets are in use. */
function countOutcomes({ endpoints, hits, clock }: ExecutionParts, ledger: UsageLedger): OnOutcome {
  return (query, key, { result, status }) => {
    // Not warmed: sandboxed queries, with which a caller could fill the ledger, later pages, and queries of a replaced endpoint.
    if (!query.sandbox && !query.page && query.pageRows === undefined && endpoints.has(query.endpoint))
      ledger.count(key, query, clock().getTime(), result);
    hits.count(key.endpointId, status);
  };
}

/** Registers the figures that are read at each scrape. */
function observe(
  metrics: Metrics,
  endpoints: Endpoints,
  cache: OpenCache,
  { queue, exportQueue, statementQueue, pool }: Scheduler,
): void {
  metrics.observe('cacheUse', () => cacheUse(endpoints, cache));
  metrics.observe('redis', cache.redisState);
  metrics.observe('queries', () => queue.figures);
  metrics.observe('pool', () => pool.figures);
  metrics.observe('exports', () => exportQueue.figures);
  metrics.observe('statements', () => statementQueue.figures);
}

function cacheUse(endpoints: Endpoints, { local }: OpenCache): readonly CacheUse[] {
  const use = local.memoryUse();
  const statements = use.has(STATEMENTS) ? [{ id: STATEMENTS, name: STATEMENTS }] : [];
  return [...endpoints.all(), ...statements].map(({ id, name }) => ({
    endpoint: name,
    ...(use.get(id) ?? { entries: 0, bytes: 0 }),
  }));
}
