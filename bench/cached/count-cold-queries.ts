import { generateApiKey } from '../../src/auth/api-key.js';
import type { EmbeddedServer } from '../../src/clickhouse/embedded/embedded-server.js';
import { firstRow } from '../measuring/first-row.js';
import { print } from '../measuring/print.js';
import type { ServerProcess } from '../servers/server-process.js';
import type { Environment, Stage } from '../stage.js';
import { TARGET } from './compare-hits.js';

const REQUESTS = 1000;

/** Prints how many queries identical requests cause on a cold cache: for one gateway, and for two that share a Redis. */
export async function countColdQueries(
  stage: Stage,
  clickhouse: EmbeddedServer,
  redis: string | undefined,
): Promise<void> {
  await countQueries(stage, clickhouse, 'one gateway', [{}]);
  if (redis === undefined) {
    print('two gateways sharing a Redis: not measured without --redis redis://…');
    return;
  }
  const shared = { REDIS_URL: redis, CACHE_KEY_PREFIX: `${generateApiKey().slice(3, 11)}:` };
  await countQueries(stage, clickhouse, 'two gateways sharing a Redis', [shared, shared]);
}

async function countQueries(
  stage: Stage,
  clickhouse: EmbeddedServer,
  name: string,
  environments: readonly Environment[],
): Promise<void> {
  const apiKey = generateApiKey();
  const gateways: ServerProcess[] = [];
  for (const environment of environments) {
    gateways.push(await stage.startGateway(clickhouse.readerConnection, { API_KEY: apiKey, ...environment }));
  }
  const since = new Date();
  const urls = Array.from(
    { length: REQUESTS },
    (_, n) => `${gateways[n % gateways.length]?.url ?? ''}${TARGET}`,
  );
  const responses = await Promise.all(urls.map((url) => fetch(url, { headers: { 'X-API-KEY': apiKey } })));
  const statuses = [...new Set(responses.map(({ status }) => status))].join(', ');
  const queries = await queriesSince(stage, clickhouse, since);
  print(
    `${REQUESTS} identical concurrent requests on a cold cache, ${name}: queries: ${queries}; statuses ${statuses}`,
  );
  for (const gateway of gateways) await gateway.stop();
}

/** Queries of endpoints that ClickHouse has started, from its own log. */
async function queriesSince(
  stage: Stage,
  { adminConnection }: EmbeddedServer,
  since: Date,
): Promise<string | undefined> {
  const client = stage.connect(adminConnection);
  await client.command({ query: 'SYSTEM FLUSH LOGS' });
  const query = `
    SELECT count() FROM system.query_log
    WHERE type = 'QueryStart' AND user = 'querygate' AND event_time_microseconds >= {since:DateTime64(3, 'UTC')}`;
  return (await firstRow(client, query, { since }))[0];
}
