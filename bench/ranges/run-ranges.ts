import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { generateApiKey } from '../../src/gateway/auth/api-key.js';
import type { ClickHouseConnection } from '../../src/gateway/clickhouse/connection.js';
import type { QueryClient } from '../../src/gateway/clickhouse/connect-clickhouse.js';
import { startTrickster } from '../gateway/peers.js';
import { formatCount, printMachine, printTable } from '../measuring/print.js';
import { startRedis } from '../servers/redis.js';
import { hasProgram } from '../servers/server-process.js';
import type { Stage } from '../stage.js';

const DAYS = 7;
/** Seconds between two questions of a dashboard. */
const EVERY_SECONDS = 10;
const QUESTIONS = 18;
/** The first questions of each way, which fill the cache: no figure has them. */
const FILLING = 2;
/** Rows that come in, in one insert a second; one a minute is of a time some days ago. */
const ROWS_PER_INSERT = 200;
const FIRST_REQUESTS = 12;
const HOUR = 3600;
const DAY = 24 * HOUR;

/** The ways to answer the question. */
const WAYS = {
  'windows.composed': { caching: 'until-changed', hasPieces: true },
  'windows.whole': { caching: 'until-changed', hasPieces: false },
  'windows.minute': { caching: '60', hasPieces: false },
} as const;

type Way = keyof typeof WAYS;
const NAMES = Object.keys(WAYS) as readonly Way[];

const endpoint = (name: Way, index: number): string => `/*
name: ${name}
id: 0b0d2c5a-7f0e-4e3a-8a43-3d1c7c1e036${index}
summary: Records by hour.
parameters:
  least: { kind: integer, required: true, description: Milliseconds at least. }
  from: { kind: timestamp, required: true, description: The begin. }
  to: { kind: timestamp, required: true, description: The end. }
columns: { hour: "DateTime('UTC')", n: UInt64, total: UInt64, slowest: UInt32 }
caching: ${WAYS[name].caching}
${WAYS[name].hasPieces ? 'pieces: { table: records, time: t, bucket: hour, from: from, to: to }' : ''}
example: { least: '0', from: '2026-01-01', to: '2026-01-02' }
*/
SELECT toStartOfHour(t) AS hour, count() AS n, sum(ms) AS total, max(ms) AS slowest
FROM records WHERE ms >= @least AND t >= @from AND t < @to GROUP BY hour ORDER BY hour
`;

/** The rows of an hour, by the hour in seconds since 1970. */
type Hours = ReadonlyMap<number, number>;

/** Asks one way for the hours of a window, whose ends are seconds since 1970. */
type Ask = (
  name: Way,
  window: Readonly<Record<'from' | 'to' | 'least', number>>,
  requestId: string,
) => Promise<Hours>;

interface Tally {
  readonly milliseconds: number[];
  /** Responses with another count than the table had, in an hour that was over. */
  wrong: number;
}

/** The servers, and how each way is asked. */
interface Asked {
  readonly ask: Ask;
  readonly askTrickster: ((from: number, to: number) => Promise<Hours>) | undefined;
  readonly stop: () => Promise<void>;
}

/**
 * Measures a dashboard that asks for a window of days by the hour, while rows come in: composed of pieces, as a whole, cached for a
 * minute and, where it is there, by Trickster. Prints tables.
 *
 * @param program the path of Trickster
 */
export async function runRanges(stage: Stage, rows: number, program: string | undefined): Promise<void> {
  const folder = path.join(stage.folder, 'ranges');
  const clickhouse = await stage.startClickHouse({ dataDir: path.join(folder, 'data') });
  const admin = stage.connect({ ...clickhouse.adminConnection, database: 'default' });
  await fill(admin, rows);
  const redis = hasProgram('redis-server') ? await startRedis(stage) : undefined;
  printMachine(
    `${formatCount(rows)} rows, a window of ${DAYS} days every ${EVERY_SECONDS} s, ${ROWS_PER_INSERT} rows a second; ${redis === undefined ? 'without Redis' : 'with Redis'}`,
  );
  const asked = await start(stage, { folder, connection: clickhouse.adminConnection, redis, program });
  await compareFirstRequests(asked.ask);
  const inserting = new AbortController();
  const inserts = insertUntil(inserting.signal, admin);
  const tallies = await askForWindows(asked, admin);
  inserting.abort();
  await inserts;
  await printTallies(tallies, admin);
  await asked.stop();
  await clickhouse.stop();
}

interface Servers {
  readonly folder: string;
  readonly connection: ClickHouseConnection;
  readonly redis: string | undefined;
  readonly program: string | undefined;
}

async function start(stage: Stage, { folder, connection, redis, program }: Servers): Promise<Asked> {
  await mkdir(path.join(folder, 'endpoints'), { recursive: true });
  for (const [index, name] of NAMES.entries())
    await writeFile(path.join(folder, 'endpoints', `${name}.sql`), endpoint(name, index));
  const apiKey = generateApiKey();
  const { username, password } = connection;
  const gateway = await stage.startGateway(connection, {
    ...{ API_KEY: apiKey, PROJECT_DIR: folder },
    ...{ CLICKHOUSE_VERSIONS_USER: username, CLICKHOUSE_VERSIONS_PASSWORD: password },
    ...(redis !== undefined && { REDIS_URL: redis, CACHE_KEY_PREFIX: 'ranges:' }),
  });
  const ask: Ask = async (name, { from, to, least }, id) => {
    const query = `least=${least}&from=${isoOf(from)}&to=${isoOf(to)}`;
    const response = await fetch(`${gateway.url}/api/endpoints/query/${name}?${query}`, {
      headers: { 'X-API-KEY': apiKey, 'X-Request-Id': id },
    });
    const { result } = (await response.json()) as {
      readonly result: readonly { readonly hour: string; readonly n: number | string }[];
    };
    return new Map(result.map(({ hour, n }) => [Date.parse(hour) / 1000, Number(n)]));
  };
  const trickster =
    program === undefined ? undefined : await startTrickster({ stage, clickhouse: connection }, program);
  return {
    ask,
    askTrickster: trickster && ((from, to) => askByTrickster(trickster.url, from, to)),
    stop: async () => {
      await gateway.stop();
      await trickster?.stop();
    },
  };
}

async function askByTrickster(url: string, from: number, to: number): Promise<Hours> {
  const text = `SELECT toStartOfHour(t) AS hour, count() AS n FROM logs.records WHERE hour >= ${from} AND hour < ${to} GROUP BY hour ORDER BY hour FORMAT JSON`;
  const response = await fetch(`${url}/?database=logs&query=${encodeURIComponent(text)}`);
  const { data } = (await response.json()) as {
    readonly data: readonly { readonly hour: string; readonly n: string }[];
  };
  return new Map(data.map(({ hour, n }) => [Date.parse(`${hour.replace(' ', 'T')}Z`) / 1000, Number(n)]));
}

/** Asks each way in turn for the window that ends now, again and again. */
async function askForWindows(
  { ask, askTrickster }: Asked,
  admin: QueryClient,
): Promise<ReadonlyMap<string, Tally>> {
  const tallies = new Map<string, Tally>();
  for (let question = 0; question < QUESTIONS; question += 1) {
    const next = delay(EVERY_SECONDS * 1000);
    const to = Math.floor(Date.now() / 1000);
    const from = to - DAYS * DAY;
    const ways: readonly (readonly [string, () => Promise<Hours>])[] = [
      ...NAMES.map((name) => {
        return [name, () => ask(name, { from, to, least: 0 }, `ranges-${name}-${question}`)] as const;
      }),
      ...(askTrickster ? [['Trickster', () => askTrickster(from, to)] as const] : []),
    ];
    for (const [name, run] of rotated(ways, question)) {
      const tally = tallies.get(name) ?? { milliseconds: [], wrong: 0 };
      tallies.set(name, tally);
      const before = await truth(admin);
      const started = performance.now();
      const hours = await run();
      tally.milliseconds.push(performance.now() - started);
      if (isWrong(hours, { before, after: await truth(admin) }, to)) tally.wrong += 1;
    }
    await next;
  }
  return tallies;
}

const isoOf = (seconds: number): string => encodeURIComponent(new Date(seconds * 1000).toISOString());

const rotated = <T>(items: readonly T[], by: number): readonly T[] =>
  items.map((_, index) => items[(index + by) % items.length] as T);

async function fill(admin: QueryClient, rows: number): Promise<void> {
  await admin.command({ query: 'CREATE DATABASE IF NOT EXISTS logs' });
  await admin.command({
    query:
      "CREATE TABLE logs.records (t DateTime('UTC'), ms UInt32) ENGINE = MergeTree PARTITION BY toYYYYMMDD(t) ORDER BY t",
  });
  const since = Math.floor(Date.now() / 1000) - (DAYS + 1) * DAY;
  await admin.command({
    query: `INSERT INTO logs.records SELECT toDateTime(${since} + intDiv(number * ${(DAYS + 1) * DAY}, ${rows}), 'UTC'), number % 1000 FROM numbers(${rows})`,
  });
  await admin.command({ query: 'OPTIMIZE TABLE logs.records FINAL' });
}

/** Inserts rows of now, and late ones. */
async function insertUntil(signal: AbortSignal, admin: QueryClient): Promise<void> {
  for (let insert = 0; !signal.aborted; insert += 1) {
    const late = insert % 60 === 59 ? (1 + (insert % 6)) * DAY : 0;
    const at = Math.floor(Date.now() / 1000) - late;
    await admin.command({
      query: `INSERT INTO logs.records SELECT toDateTime(${at}, 'UTC'), number FROM numbers(${ROWS_PER_INSERT})`,
    });
    await delay(1000);
  }
}

/** Compares a first request, which keeps pieces, with one that keeps none: each of other records. */
async function compareFirstRequests(ask: Ask): Promise<void> {
  const times = { 'windows.composed': [] as number[], 'windows.whole': [] as number[] };
  const to = Math.floor(Date.now() / 1000);
  for (let round = 0; round < FIRST_REQUESTS; round += 1) {
    for (const name of rotated(['windows.composed', 'windows.whole'] as const, round)) {
      const started = performance.now();
      await ask(name, { from: to - DAYS * DAY, to, least: round + 1 }, `first-${name}-${round}`);
      times[name].push(performance.now() - started);
    }
  }
  printTable(
    ['first request', 'median'],
    Object.entries(times).map(([name, of]) => [name, `${median(of).toFixed(0)} ms`]),
  );
}

async function truth(admin: QueryClient): Promise<Hours> {
  const response = await admin.query({
    query:
      'SELECT toUnixTimestamp(toStartOfHour(t)) AS hour, toUInt32(count()) AS n FROM logs.records GROUP BY hour',
    format: 'JSONEachRow',
  });
  const rows = await response.json<{ readonly hour: number; readonly n: number }>();
  return new Map(rows.map(({ hour, n }) => [hour, n]));
}

/** Whether an hour that is wholly in the window has fewer rows than before the request, or more than after it. */
function isWrong(
  hours: Hours,
  { before, after }: Readonly<Record<'before' | 'after', Hours>>,
  now: number,
): boolean {
  return [...after].some(([hour, most]) => {
    if (hour < now - DAYS * DAY + HOUR || hour + HOUR > now) return false;
    const n = hours.get(hour) ?? 0;
    return n < (before.get(hour) ?? 0) || n > most;
  });
}

async function printTallies(tallies: ReadonlyMap<string, Tally>, admin: QueryClient): Promise<void> {
  await admin.command({ query: 'SYSTEM FLUSH LOGS' });
  const response = await admin.query({
    query:
      "SELECT substring(log_comment, 8) AS id, toUInt64(sum(read_rows)) AS rows FROM system.query_log WHERE type = 'QueryFinish' AND startsWith(log_comment, 'ranges-windows') GROUP BY id",
    format: 'JSONEachRow',
    clickhouse_settings: { output_format_json_quote_64bit_integers: 0 },
  });
  const read = await response.json<{ readonly id: string; readonly rows: number }>();
  const rowsOf = (name: string): number => {
    const of = read.filter(
      ({ id }) => id.startsWith(`${name}-`) && Number(id.slice(name.length + 1)) >= FILLING,
    );
    return of.reduce((sum, { rows }) => sum + rows, 0) / (QUESTIONS - FILLING);
  };
  printTable(
    ['answered by', 'median', 'slowest', 'rows read per question', 'wrong responses'],
    [...tallies].map(([name, { milliseconds, wrong }]) => [
      name,
      `${median(milliseconds.slice(FILLING)).toFixed(1)} ms`,
      `${Math.max(...milliseconds.slice(FILLING)).toFixed(1)} ms`,
      name === 'Trickster' ? '' : formatCount(Math.round(rowsOf(name))),
      `${wrong} of ${milliseconds.length}`,
    ]),
  );
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}
