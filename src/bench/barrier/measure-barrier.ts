import { BARRIER, bindSandboxedQuery } from '../../endpoint/bind-sandboxed.js';
import type { BoundQuery } from '../../endpoint/bind.js';
import type { Endpoint } from '../../endpoint/endpoint.js';
import type { RunQuery } from '../../execution/ports.js';
import { validateParameters } from '../../execution/validate-parameters.js';
import { summarise } from '../latency.js';
import { CALLERS_PROJECT } from './barrier-data.js';

const HOUR_MS = 3_600_000;

/** What a caller's SQL reads: how far back, and what it makes of that; `@` stands for its own filter of time, if any. */
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

/** One way to run a SELECT: milliseconds in ClickHouse, and rows that it read. */
interface WayCost {
  readonly medianMs: number;
  readonly rowsRead: number;
}

export interface BarrierCost {
  readonly about: string;
  /** As it would be without the barrier, and with ClickHouse's own choice of PREWHERE. */
  readonly without: WayCost;
  readonly behindBarrier: WayCost;
  /** The range in the endpoint's parameters, which are inside the barrier. */
  readonly byParameter: WayCost;
}

/** Measures each SELECT in three ways, in turn, so that a drift of the machine's speed hits all. */
export async function measureBarrier(
  runQuery: RunQuery,
  endpoint: Endpoint,
  now: Date,
  rounds: number,
): Promise<readonly BarrierCost[]> {
  const costs: BarrierCost[] = [];
  for (const { about, hours, sql } of SELECTS) {
    const since = new Date(now.getTime() - hours * HOUR_MS).toISOString();
    const own = sql.replace('@', `WHERE timestamp > toDateTime64('${since.slice(0, -1)}', 6, 'UTC')`);
    const behindBarrier = bind(endpoint, own, {}, now);
    const ways = [
      withoutBarrier(behindBarrier),
      behindBarrier,
      bind(endpoint, sql.replace('@', ''), { iso_timestamp_start: since }, now),
    ];
    const samples: [number[], number[], number[]] = [[], [], []];
    const rowsRead = [0, 0, 0];
    for (let round = -1; round < rounds; round += 1) {
      for (const [index, query] of ways.entries()) {
        const cost = await run(runQuery, query);
        rowsRead[index] = cost.rowsRead;
        if (round >= 0) samples[index as 0 | 1 | 2].push(cost.clickhouseMs);
      }
    }
    const costOf = (way: 0 | 1 | 2): WayCost => ({
      medianMs: summarise(samples[way]).median,
      rowsRead: rowsRead[way] ?? 0,
    });
    costs.push({ about, without: costOf(0), behindBarrier: costOf(1), byParameter: costOf(2) });
  }
  return costs;
}

/** One line a SELECT. */
export function barrierTable(costs: readonly BarrierCost[]): string {
  const cell = ({ medianMs, rowsRead }: WayCost): string =>
    `${medianMs.toFixed(1)} ms | ${rowsRead.toLocaleString('en')}`;
  return [
    '| SELECT | without | rows read | behind the barrier | rows read | range as parameter | rows read |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: |',
    ...costs.map(
      ({ about, without, behindBarrier, byParameter }) =>
        `| ${about} | ${[without, behindBarrier, byParameter].map(cell).join(' | ')} |`,
    ),
  ].join('\n');
}

function bind(
  endpoint: Endpoint,
  sql: string,
  parameters: Readonly<Record<string, string>>,
  now: Date,
): BoundQuery {
  const all = { project: CALLERS_PROJECT, project_tier: 'ENTERPRISE', ...parameters };
  const raw = new Map(Object.entries(all).map(([name, text]) => [name, { text, times: 1 }]));
  const select = { text: sql, reads: ['edge_source'] };
  return bindSandboxedQuery(endpoint, select, validateParameters(endpoint, raw), new Set(), now, 1001);
}

function withoutBarrier(query: BoundQuery): BoundQuery {
  return {
    ...query,
    text: query.text.replaceAll(BARRIER, ''),
    settings: { ...query.settings, optimize_move_to_prewhere: 1 },
  };
}

async function run(
  runQuery: RunQuery,
  query: BoundQuery,
): Promise<{ readonly clickhouseMs: number; readonly rowsRead: number }> {
  const { signal } = new AbortController();
  return runQuery({ query, columns: 'unknown', rowCap: 1000, requestId: 'bench-barrier', signal });
}
