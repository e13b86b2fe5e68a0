import { ClickHouseError } from '@clickhouse/client';
import { Command, Option } from 'commander';

import type { QueryClient } from '../../gateway/clickhouse/connect-clickhouse.js';
import { readConfig } from '../../gateway/config/config.js';
import { USAGE_ENDPOINT, USAGE_GROUPS, type UsageGroup } from '../../gateway/observability/usage-endpoint.js';
import { EXIT_CODES_HELP } from './exit-codes.js';
import { bindOwn, rowsOf, withRequestLog, type OwnRow } from './own-endpoint.js';
import { withProjectOption } from './project-option.js';
import { printWarning, runCommand } from './run-command.js';
import { printable, textTable } from './text-table.js';

/** `querygate usage`: what calls cost. */
export function usageCommand(): Command {
  return withProjectOption(new Command('usage'))
    .description('Prints what calls cost in ClickHouse, from the daily sums over the request log.')
    .addOption(new Option('--by <group>', 'what a row is of').choices(USAGE_GROUPS).default('key'))
    .option('--since <duration or time>', 'how far back; whole days, in UTC', '7d')
    .addOption(new Option('--json', 'print the rows as JSON').conflicts('csv'))
    .option('--csv', 'print the rows as CSV')
    .addHelpText('after', HELP)
    .action((options: UsageOptions) => runCommand((signal) => runUsage(options, signal)));
}

/** The options of `querygate usage`, as commander parses them. */
interface UsageOptions {
  readonly by: UsageGroup;
  readonly since: string;
  readonly json?: boolean;
  readonly csv?: boolean;
}

/** A row of the endpoint `gateway.usage`, with the CPU time where it is known. */
type UsageRow = Readonly<Record<string, string | number | null>>;

async function runUsage({ by, since, json, csv }: UsageOptions, signal: AbortSignal): Promise<void> {
  const usage = bindOwn(USAGE_ENDPOINT, ['since', since], { by });
  const rows = await withRequestLog(readConfig(process.env), signal, async (client) => {
    const [found, cpu] = [
      await rowsOf<OwnRow>(client, usage, signal),
      await readCpu(client, { by, since: usage.parameters['since'] }, signal),
    ];
    return found.map((row): UsageRow => ({ ...row, ...(cpu && { cpu_ms: cpu.get(keyOf(row)) ?? null }) }));
  });
  if (json) process.stdout.write(`${JSON.stringify({ usage: rows }, undefined, 2)}\n`);
  else process.stdout.write(csv ? asCsv(rows) : asTable(by, rows));
}

/** What a row of the log of requests is of. */
const GROUPS: Readonly<Record<UsageGroup, string>> = {
  key: 'r.key_name',
  endpoint: 'r.endpoint',
  day: 'toString(toDate(r.timestamp))',
};

const keyOf = ({ name, purpose }: OwnRow): string => `${String(purpose)} ${String(name)}`;

/**
 * CPU milliseconds of the queries that requests caused, by group; undefined where the user may not read ClickHouse's log of
 * queries, or the server has none.
 */
async function readCpu(
  client: QueryClient,
  { by, since }: { readonly by: UsageGroup; readonly since: unknown },
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number> | undefined> {
  const text = `
    SELECT toString(${GROUPS[by]}) AS name, r.purpose AS purpose, round(sum(q.cpu_ms), 3) AS cpu_ms
    FROM gateway_requests AS r
    INNER JOIN (
      SELECT query_id, sum(ProfileEvents['UserTimeMicroseconds'] + ProfileEvents['SystemTimeMicroseconds']) / 1000 AS cpu_ms
      FROM system.query_log
      WHERE event_date >= toDate({since:String}) AND type != 'QueryStart' AND is_initial_query
      GROUP BY query_id
    ) AS q ON q.query_id = r.query_id
    WHERE r.timestamp >= toDate({since:String}) AND r.query_id != ''
    GROUP BY name, purpose`;
  try {
    const parameters = { since: String(since).slice(0, '2026-01-01'.length) };
    const rows = await rowsOf<OwnRow>(client, { text, parameters }, signal);
    return new Map(rows.map((row) => [keyOf(row), Number(row['cpu_ms'])]));
  } catch (error) {
    if (!(error instanceof ClickHouseError)) throw error;
    const { type = 'error', code } = error;
    printWarning(`CPU time is not shown, because system.query_log cannot be read: ${type} (${code})`);
    return undefined;
  }
}

function asTable(by: UsageGroup, rows: readonly UsageRow[]): string {
  const names = Object.keys(rows[0] ?? {});
  const headings = names.map((name) => (name === 'name' ? by : name).replaceAll('_', ' ').toUpperCase());
  const cells = rows.map((row) =>
    names.map((name) => {
      const value = row[name] ?? '-';
      return typeof value === 'number' ? String(Math.round(value)) : printable(value === '' ? '-' : value);
    }),
  );
  if (rows.length === 0) return 'No calls.\n';
  return textTable([headings, ...cells], new Set(names.map((_name, column) => column).slice(2)));
}

/** The columns where there are no rows. */
const NO_USAGE: UsageRow = {
  ...{ name: '', purpose: '', requests: 0, hits: 0, errors: 0, rows_read: 0, bytes_read: 0 },
  ...{ clickhouse_ms: 0, bytes_sent: 0 },
};

function asCsv(rows: readonly UsageRow[]): string {
  const names = Object.keys(rows[0] ?? NO_USAGE);
  const cellOf = (value: string | number | null | undefined): string =>
    typeof value === 'string' ? `"${value.replaceAll('"', '""')}"` : String(value ?? '');
  return [names, ...rows.map((row) => names.map((name) => row[name]))]
    .map((cells) => `${cells.map(cellOf).join(',')}\r\n`)
    .join('');
}

const HELP = `
Rows, bytes and milliseconds of a query that several calls waited for count in equal parts for each of them. Queries for which no
call waits have a purpose of their own: warming, verification, replay, deferred. CPU milliseconds are those of the queries that requests
caused, from system.query_log of the server that responds, where the user may read it.

Examples:
  querygate usage
  querygate usage --by endpoint --since 30d
  querygate usage --by day --since 2026-05-01 --csv
${EXIT_CODES_HELP}`;
