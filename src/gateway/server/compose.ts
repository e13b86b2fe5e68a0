import type { Server } from 'node:http';

import { EndpointAnalyses } from '../analysis/endpoint-analyses.js';
import type { Config } from '../config/config.js';
import type { Endpoint } from '../../endpoint/endpoint.js';
import type { Endpoints } from '../../endpoint/registry.js';
import { ServedEndpoints } from '../../endpoint/served-endpoints.js';
import { createAdminApp } from '../http/admin/admin-app.js';
import type { AdminParts } from '../http/admin/admin-parts.js';
import { connectionsOf } from '../http/transport/connections.js';
import type { DevelopmentSource } from '../http/describe/development-routes.js';
import { drain } from '../http/transport/drain.js';
import { createHttpServer } from '../http/transport/server.js';
import type { Logger } from '../observability/logger.js';
import { openTracing } from '../observability/open-tracing.js';
import { CONSOLE_FOLDER } from '../../package-files.js';
import type { Clock } from '../query/ports.js';
import { ClockMonitor } from './clock-monitor.js';
import { Closers, type OnClose } from './closers.js';
import { createListener, type PublicParts } from './create-listener.js';
import { pingAny, pingServersOnce } from './first-ping.js';
import { openAccess } from './open-access.js';
import { openClickHouse, type OpenClickHouse } from './open-clickhouse.js';
import { diskProbe } from './disk-probe.js';
import { listen } from './listen.js';
import { openOverrides } from './open-overrides.js';
import { openQueryExecution, type QueryExecution } from './open-query-execution.js';
import { openReloader } from './open-reloader.js';
import { openRequestLog, type OpenRequestLog } from './open-request-log.js';
import { openSql, type ListeningParts } from './open-sql.js';
import { whyNotReady } from './readiness.js';
import { ServingProbe } from './serving-probe.js';
import { endpointsLoader, type ProjectEndpointsOptions } from './project-endpoints.js';
import { queryServers } from './query-servers.js';
import type { Reload, ReloadOptions } from './reloader.js';
import { warnOfOtherVersion } from './warn-of-other-version.js';

/** Timeout of a ping; short, so that a readiness probe gets a response in time when ClickHouse hangs. */
const PING_TIMEOUT_MS = 1000;

/** A running gateway. */
export interface Gateway {
  readonly url: string;
  /** URL of the admin API; undefined if it is not configured. */
  readonly adminUrl: string | undefined;
  /** URL of the listener on which endpoints are tables; undefined if it is not configured. */
  readonly sqlUrl: string | undefined;
  readonly endpoints: Endpoints;
  /** Loads the endpoint files again and serves them in place of the earlier ones, all or nothing. Never rejects. */
  readonly reload: (options?: ReloadOptions) => Promise<Reload>;
  /** Deletes every cached result. */
  readonly purge: () => Promise<unknown>;
  /** The key generated for this run, if none is configured. */
  readonly generatedKey: string | undefined;
  /** Whether any ClickHouse server responded at start-up. */
  readonly hasClickHouse: boolean;
  /**
   * Stops accepting requests, finishes running ones, and closes every part, each within its deadline.
   *
   * @param drainMs how long requests may take; SHUTDOWN_TIMEOUT_SECONDS is the maximum and the default.
   * @throws Error that names the parts that did not close.
   */
  readonly close: (drainMs?: number) => Promise<void>;
}

export interface GatewayDependencies {
  readonly logger: Logger;
  readonly clock: Clock;
  /** Destination of the log's lines, where lines can be lost. */
  readonly output?: { readonly lost: number } | undefined;
  /** Whether the limits of endpoints do not apply: with the fixed clock of a test, no window would end. */
  readonly withoutLimits?: boolean;
  /** How endpoint files are loaded, and the listener for reloads; by default those of `development`. */
  readonly files?: Pick<Development, 'loading' | 'onReload'> | undefined;
  /** Present in a development server. */
  readonly development?: Development;
}

/** What a development server changes in a gateway, and the state that it publishes. */
export interface Development extends DevelopmentSource {
  /** How endpoint files are loaded. For a file with a problem the earlier endpoint is served, and other files are not affected. */
  readonly loading: ProjectEndpointsOptions;
  /** Called once ClickHouse is open, before the endpoints are loaded once more and requests are served. */
  readonly onOpened: (clickhouse: OpenClickHouse) => void;
  readonly onReload: (outcome: Reload) => void;
  readonly analyses: EndpointAnalyses;
}

/**
 * The composition root: opens and connects every part, and listens.
 *
 * @throws Error that an operator can act on, after closing the parts that were opened.
 */
export async function openGateway(config: Config, dependencies: GatewayDependencies): Promise<Gateway> {
  const closers = new Closers(dependencies.logger);
  const { shutdownTimeoutMs } = config;
  try {
    const gateway = await open(config, { files: dependencies.development, ...dependencies }, closers.add);
    const close = (drainMs = shutdownTimeoutMs): Promise<void> =>
      closers.closeAll(Math.min(drainMs, shutdownTimeoutMs));
    return { ...gateway, close };
  } catch (error) {
    // Failures to close are in the log; the caller needs the reason why the gateway did not open.
    await closers.closeAll(0).catch(() => undefined);
    throw error;
  }
}

async function open(
  config: Config,
  { logger, clock, output, development, files, withoutLimits = false }: GatewayDependencies,
  onClose: OnClose,
): Promise<Omit<Gateway, 'close'>> {
  warnOfOtherVersion(config.project, logger);
  const loader = endpointsLoader(config, files?.loading, withoutLimits);
  const first = await loader.load();
  const endpoints = new ServedEndpoints(first.endpoints);
  const shared = { config, endpoints, logger, clock };
  const access = await openAccess(shared);
  onClose(access.keys.close, { name: 'keys' });
  // The SDK is loaded only if tracing is configured, because loading it takes longer than the rest of the start.
  const tracing = config.tracing && (await openTracing(config.tracing));
  if (tracing) onClose(() => tracing.close(), { name: 'tracing', isBestEffort: true });
  const clickhouse = await openClickHouse(config, { endpoints: endpoints.all(), logger, clock });
  onClose(clickhouse.close, { name: 'ClickHouse' });
  const overrides = await openOverrides(clickhouse.servers, endpoints, logger);
  const requestLog = openRequestLog(clickhouse.logConnections, config, shared);
  if (requestLog) onClose(requestLog.close, { name: 'request log', isBestEffort: true });
  const clocks = new ClockMonitor(clock, logger);
  const probe = new ServingProbe(clickhouse.servers, config.queryLimits, logger);
  const servers = probe.observe(queryServers(clickhouse.servers, config, tracing, clocks));
  const analyses = development?.analyses ?? new EndpointAnalyses();
  const { requireRunnable } = analyses;
  const { versions } = clickhouse;
  const parts = { ...shared, servers, requireRunnable, versions, requestLog, tracing };
  const execution = await openQueryExecution(parts, onClose);
  overrides.follow(execution);
  observeLogs(execution, output, requestLog);
  const loaded = { loader, first, analyses, clickhouse, execution, files, development };
  const { reloader, analysing } = openReloader({ ...shared, ...loaded }, access.keys);
  onClose(analysing.close, { name: 'analysis of endpoints', isBestEffort: true });
  if (development) {
    development.onOpened(clickhouse);
    await reloader.reload();
  }
  const gateway = {
    reloader,
    rejectionsOf: (endpoint: Endpoint) => analyses.rejectionsOf(endpoint),
    isClickHouseUp: () => pingAny(servers, AbortSignal.timeout(PING_TIMEOUT_MS)),
    whyNotReady: () => whyNotReady({ overrides, probe, analysing, analyses, endpoints }),
    aheadSeconds: () => clocks.aheadSeconds,
    hasFullDisk: diskProbe(clickhouse.servers, logger),
    development,
    onListening: countConnections(execution.metrics),
    ...parts,
    ...access,
    ...execution,
  };
  const adminUrl = config.admin && (await openAdminApi(gateway, config.admin, onClose));
  const url = await openPublicApi(gateway, onClose);
  const sqlUrl = await openSql(gateway, onClose);
  const hasClickHouse = await pingServersOnce(servers, logger);
  analysing.start();
  void reportAtStart(execution, requestLog, hasClickHouse ? probe : undefined);
  const reload: Gateway['reload'] = (options) => reloader.reload(options);
  const { generatedKey } = access.keys;
  const purge = (): Promise<unknown> => execution.cache.purge({});
  return { url, adminUrl, sqlUrl, endpoints, reload, purge, generatedKey, hasClickHouse };
}

/** Tries each ClickHouse user once, so that the log names problems before a call needs the user. */
async function reportAtStart(
  { reportVersions }: Pick<QueryExecution, 'reportVersions'>,
  requestLog: OpenRequestLog | undefined,
  probe: ServingProbe | undefined,
): Promise<void> {
  await Promise.all([probe?.problem(), requestLog?.requestLog.check(), reportVersions()]);
}

function observeLogs(
  { metrics }: Pick<QueryExecution, 'metrics'>,
  output: GatewayDependencies['output'],
  requestLog: OpenRequestLog | undefined,
): void {
  if (output) metrics.observe('log', () => output);
  if (requestLog) metrics.observe('requestLog', () => requestLog.requestLog);
}

function countConnections(metrics: QueryExecution['metrics']): ListeningParts['onListening'] {
  const servers: Server[] = [];
  metrics.observe('connections', () => servers.map(connectionsOf));
  return (server) => servers.push(server);
}

/** Opens the public API; returns its URL. */
async function openPublicApi(
  parts: Omit<PublicParts, 'isDraining'> & ListeningParts,
  onClose: OnClose,
): Promise<string> {
  const { config, onListening, logger } = parts;
  let draining = false;
  const listener = createListener({ isDraining: () => draining, ...parts });
  const server = createHttpServer(listener, logger, { maxConnections: config.maxConnections });
  onListening(server);
  const url = await listen(server, config);
  onClose(
    async (drainMs) => {
      draining = true;
      await drain(server, drainMs);
      listener.reportRequests();
    },
    { name: 'HTTP server', drains: true },
  );
  return url;
}

/** Opens the admin API; returns its URL. */
async function openAdminApi(
  parts: Omit<AdminParts, 'consoleFolder' | 'hosts' | 'publicUrl'> & { readonly config: Config },
  { hosts, ...where }: NonNullable<Config['admin']>,
  onClose: OnClose,
): Promise<string> {
  const { publicUrl, maxConnections } = parts.config;
  const app = createAdminApp({ hosts, publicUrl, consoleFolder: CONSOLE_FOLDER, ...parts });
  const admin = createHttpServer(app, parts.logger, { maxConnections });
  const url = await listen(admin, where);
  onClose(() => drain(admin, 0), { name: 'admin API' });
  return url;
}
