import { setTimeout as delay } from 'node:timers/promises';
import type { ClickHouseClient } from '@clickhouse/client';

import { generateApiKey } from '../../src/gateway/auth/api-key.js';
import type { ClickHouseConnection } from '../../src/gateway/clickhouse/connection.js';
import { prepareDatabase } from '../../src/commands/demo-data/prepare-database.js';
import type { EndpointRegistry } from '../../src/endpoint/registry.js';
import { findProjects, queriesAbout } from '../data/endpoint-queries.js';
import { FILLINGS, fillTable } from '../data/fill-tables.js';
import { firstRow } from '../measuring/first-row.js';
import { formatCount, print, printMachine } from '../measuring/print.js';
import { timed } from '../measuring/sampling.js';
import type { Stage } from '../stage.js';
import { handlersConfig } from './clickhouse-handlers.js';
import { measureQuery, type QueryMeasurement } from './measure-query.js';
import { measureWriting, type Databases } from './measure-writing.js';
import { createPlainTable, fillPlainTable } from './plain-tables.js';
import { printGrowth, printQueries } from './print-queries.js';
import { REFERENCE, referenceEndpoints } from '../reference-project.js';

export interface ScaleOptions {
  readonly rows: number;
  readonly rounds: number;
  readonly data?: string;
  readonly makeOnly?: boolean;
}

interface Server {
  readonly stage: Stage;
  readonly connection: ClickHouseConnection;
  readonly client: ClickHouseClient;
  readonly endpoints: EndpointRegistry;
}

const MAX_AGE_MINUTES = 180;

/** Generates the data of each size, measures every query on it, and prints the tables. */
export async function runScale({ rows, rounds, data, makeOnly }: ScaleOptions, stage: Stage): Promise<void> {
  const endpoints = await referenceEndpoints();
  const { adminConnection: connection } = await stage.startClickHouse({
    ...(data !== undefined && { dataDir: data }),
    database: 'default',
    extraConfig: handlersConfig(endpoints),
  });
  const server = { stage, connection, client: stage.connect(connection), endpoints };
  printMachine(`${rounds} calls each`);
  const bySize = new Map<number, readonly QueryMeasurement[]>();
  for (const size of sizesUpTo(rows)) {
    const databases = { database: `scale_${size}`, plain: `plain_${size}` };
    await fillSize(server, databases, size);
    if (makeOnly) continue;
    await untilMerged(server.client);
    const measured = await measureSize(server, databases, rounds);
    bySize.set(size, measured);
    print(`\n${formatCount(size)} rows a table`);
    printQueries(measured);
    if (size === rows) await measureWriting(server.client, connection, databases);
  }
  if (bySize.size > 1) printGrowth(bySize);
}

/** All of the rows, and a hundredth and a tenth of them where these are at least a million. */
const sizesUpTo = (rows: number): readonly number[] =>
  [rows / 100, rows / 10, rows].filter((size) => size === rows || size >= 1_000_000).map(Math.round);

/** Fills the empty tables. @throws Error if a table is partly filled. */
async function fillSize(
  { stage, connection, client }: Server,
  { database, plain }: Databases,
  size: number,
): Promise<void> {
  const own = { ...connection, database };
  await prepareDatabase(own, { schemaFolder: REFERENCE.schemaFolder });
  const end = new Date();
  for (const filling of FILLINGS) {
    const { table } = filling;
    const has = [await rowsOf(client, database, table), await rowsOf(client, plain, table)];
    if (has.every((rows) => rows === size)) continue;
    if (has.some((rows) => rows > 0)) {
      throw new Error(`${database}.${table} is incomplete: empty the data folder and start again`);
    }
    const milliseconds = await timed(async () => {
      await fillTable(stage.connect(own), filling, size, end);
      await createPlainTable(client, plain, database, table);
      await fillPlainTable(client, plain, database, table);
    });
    const seconds = Math.round(milliseconds / 1000);
    print(`inserted ${formatCount(size)} rows into ${table}, in each of the two databases, in ${seconds} s`);
  }
}

async function rowsOf(client: ClickHouseClient, database: string, table: string): Promise<number> {
  const [rows] = await firstRow(
    client,
    'SELECT sum(rows) FROM system.parts WHERE active AND database = {database:String} AND table = {table:String}',
    { database, table },
  );
  return Number(rows);
}

async function measureSize(
  { stage, connection, client, endpoints }: Server,
  { database, plain }: Databases,
  rounds: number,
): Promise<readonly QueryMeasurement[]> {
  const clickhouse = { ...connection, database };
  const own = stage.connect(clickhouse);
  await refuseOldData(own);
  const apiKey = generateApiKey();
  const gateway = await stage.startGateway(clickhouse, { API_KEY: apiKey, CLICKHOUSE_DATABASE: database });
  const queries = queriesAbout(await findProjects(own));
  const servers = {
    endpoints,
    gateway: { url: gateway.url, apiKey },
    clickhouse,
    client,
    plainDatabase: plain,
  };
  const measured: QueryMeasurement[] = [];
  for (const [index, query] of queries.entries()) {
    measured.push(await measureQuery(servers, query, index, rounds));
  }
  await gateway.stop();
  return measured;
}

/** Waits at most ten minutes for background merges, which would compete for the cores. */
async function untilMerged(client: ClickHouseClient): Promise<void> {
  for (let seconds = 0; seconds < 600; seconds += 1) {
    const [running] = await firstRow(client, 'SELECT count() FROM system.merges');
    if (Number(running) === 0) return;
    await delay(1000);
  }
}

/** Queries read the days up to now: on old data they would find less and less, and seem ever faster. */
async function refuseOldData(client: ClickHouseClient): Promise<void> {
  const query = "SELECT dateDiff('minute', max(timestamp), now64(6, 'UTC')) FROM edge_logs";
  const minutes = Number((await firstRow(client, query))[0]);
  if (minutes > MAX_AGE_MINUTES) {
    throw new Error(
      `The data ends ${minutes} minutes ago, but must end at most ${MAX_AGE_MINUTES} minutes ago: empty the data folder`,
    );
  }
}
