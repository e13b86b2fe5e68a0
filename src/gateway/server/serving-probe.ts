import type { QueryClient } from '../clickhouse/connect-clickhouse.js';
import { READ_ONLY } from '../clickhouse/describe-columns.js';
import { limitSettings, type RunnerLimits } from '../clickhouse/query-settings.js';
import { translateClickHouseError } from '../clickhouse/translate-error.js';
import type { Logger } from '../observability/logger.js';
import type { RunQuery } from '../query/ports.js';
import type { OpenServer } from './open-clickhouse.js';
import type { QueryServer } from './open-scheduler.js';

/** Milliseconds after a successful query of a call in which no probe is needed. */
const CALL_COUNTS_MS = 30_000;
/** Minimum milliseconds between two probes. */
const PROBE_COUNTS_MS = 10_000;
const PROBE_TIMEOUT_MS = 3000;

/** Errors of the probe that say nothing about calls: ClickHouse is busy, and other calls of this user run. */
const OF_LOAD = new Set([
  'CLICKHOUSE_BUSY',
  'QUERY_TIMEOUT',
  'QUERY_NEEDS_TOO_MUCH_MEMORY',
  'CLICKHOUSE_UNREACHABLE',
]);

/**
 * Whether a query with the gateway's user, settings and limits works on any server. A recent successful call proves that. Without
 * one, a probe runs a query when the state is requested. Logs when queries begin to fail, and when they work again.
 */
export class ServingProbe {
  private succeededAt = -Infinity;
  private probedAt = -Infinity;
  private found: string | undefined;
  private probing: Promise<void> | undefined;

  constructor(
    private readonly servers: readonly OpenServer[],
    private readonly limits: RunnerLimits,
    private readonly logger: Logger,
  ) {}

  /** Returns the servers with a `runQuery` that records successes. */
  observe(servers: readonly QueryServer[]): readonly QueryServer[] {
    return servers.map((server) => {
      const runQuery: RunQuery = async (request) => {
        const result = await server.runQuery(request);
        this.succeededAt = performance.now();
        return result;
      };
      return Object.assign({}, server, { runQuery });
    });
  }

  /** Why no call can succeed, and what to do; undefined where one can succeed, as far as known. Never rejects. */
  readonly problem = async (): Promise<string | undefined> => {
    const now = performance.now();
    if (now - this.succeededAt < CALL_COUNTS_MS) return undefined;
    if (now - this.probedAt >= PROBE_COUNTS_MS)
      this.probing ??= this.probe().finally(() => (this.probing = undefined));
    await this.probing;
    return this.found;
  };

  private async probe(): Promise<void> {
    this.probedAt = performance.now();
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    const problems = await Promise.all(
      this.servers.map(async ({ name, client }) => {
        const problem = await this.query(client, signal).then(() => undefined, problemOf);
        return problem === undefined ? undefined : `${name}: ${problem}`;
      }),
    );
    const found = problems.every((problem) => problem !== undefined) ? problems.join('; ') : undefined;
    if (found !== this.found) {
      if (found === undefined) this.logger.info('queries of this gateway work again');
      else this.logger.error('queries of this gateway fail: it is not ready', { problem: found });
    }
    this.found = found;
  }

  /** Runs a query that reads nothing, with the settings and limits of calls. */
  private async query(client: QueryClient, signal: AbortSignal): Promise<void> {
    const { limits } = this;
    const result = await client.query({
      query: 'SELECT 1 AS one',
      format: 'JSONEachRow',
      abort_signal: signal,
      clickhouse_settings: { ...READ_ONLY, ...limitSettings(limits, limits.timeoutMs) },
    });
    const [row] = await result.json<{ readonly one?: unknown }>();
    if (row?.one !== 1) throw new TypeError('the server is no ClickHouse');
  }
}

/** The problem that an error proves, without text of ClickHouse; undefined where the error says nothing about other queries. */
function problemOf(error: unknown): string | undefined {
  const { code, details } = translateClickHouseError(error);
  if (code === 'CLICKHOUSE_ANSWER_BROKEN') return 'the server does not respond as ClickHouse does';
  return OF_LOAD.has(code) ? undefined : details.diagnosis;
}
