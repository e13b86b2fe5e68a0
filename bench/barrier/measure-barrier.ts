import { bindSandboxedQuery } from '../../src/endpoint/bind-sandboxed.js';
import type { BoundQuery } from '../../src/endpoint/bind.js';
import type { Endpoint } from '../../src/endpoint/endpoint.js';
import { OPERATORS } from '../../src/endpoint/figures.js';
import type { RunQuery } from '../../src/gateway/query/ports.js';
import { valuesOf } from '../data/endpoint-queries.js';
import { formatCount, formatMs, printTable } from '../measuring/print.js';
import { sampleInTurn } from '../measuring/sampling.js';
import { CALLERS_PROJECT } from './barrier-data.js';

/** As the builder writes it. */
const BARRIER = 'LIMIT 1000000000000';

const HOUR_MS = 3_600_000;
const HEADINGS = [
  'SELECT',
  'without',
  'rows read',
  'behind the barrier',
  'rows read',
  'range as parameter',
  'rows read',
];

/** A caller's SQL and its time range; `@` is the position of its own time filter, if any. */
const SELECTS = [
  {
    about: 'the last hour, newest 100 rows',
    hours: 1,
    sql: 'SELECT timestamp, event_message FROM edge_source @ ORDER BY timestamp DESC LIMIT 100',
  },
  {
    about: 'the last day, counts by hour',
    hours: 24,
    sql: 'SELECT toStartOfHour(timestamp) AS hour, count() AS n FROM edge_source @ GROUP BY hour ORDER BY hour',
  },
  {
    about: '90 days, rows with a word',
    hours: 90 * 24,
    sql: "SELECT count() AS n FROM edge_source WHERE event_message LIKE '%checkout%'",
  },
] as const;

/** Measures each SELECT in ClickHouse's own time: without the barrier, with it, and with the range as parameter. */
export async function measureBarrier(
  runQuery: RunQuery,
  endpoint: Endpoint,
  now: Date,
  rounds: number,
): Promise<void> {
  const lines: string[][] = [];
  for (const { about, hours, sql } of SELECTS) {
    const since = new Date(now.getTime() - hours * HOUR_MS).toISOString();
    const own = sql.replace('@', `WHERE timestamp > toDateTime64('${since.slice(0, -1)}', 6, 'UTC')`);
    const behindBarrier = bind(endpoint, own, {}, now);
    const byParameter = bind(endpoint, sql.replace('@', ''), { iso_timestamp_start: since }, now);
    const queries = [withoutBarrier(behindBarrier), behindBarrier, byParameter];
    const rowsRead: number[] = [];
    const variants = queries.map((query, variant) => async (): Promise<number> => {
      const { signal } = new AbortController();
      const requestId = 'bench-barrier';
      const { cost } = await runQuery({ query, columns: 'unknown', rowCap: 1000, requestId, signal });
      const { rowsRead: read, clickhouseMs } = cost.readBy(OPERATORS);
      rowsRead[variant] = read;
      return clickhouseMs;
    });
    const latencies = await sampleInTurn(rounds, variants);
    lines.push([
      about,
      ...latencies.flatMap(({ median }, variant) => [
        formatMs(median),
        formatCount(rowsRead[variant] ?? NaN),
      ]),
    ]);
  }
  printTable(HEADINGS, lines);
}

function bind(
  endpoint: Endpoint,
  sql: string,
  parameters: Readonly<Record<string, string>>,
  now: Date,
): BoundQuery {
  const all = { project: CALLERS_PROJECT, project_tier: 'ENTERPRISE', ...parameters };
  const select = { text: sql, reads: ['edge_source'] };
  return bindSandboxedQuery(endpoint, select, valuesOf(endpoint, all), new Set(), now, 1001);
}

/** The query without the barrier, with ClickHouse's own choice of PREWHERE. */
function withoutBarrier(query: BoundQuery): BoundQuery {
  return {
    ...query,
    text: query.text.replaceAll(BARRIER, ''),
    settings: { ...query.settings, optimize_move_to_prewhere: 1 },
  };
}
