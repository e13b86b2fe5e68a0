import { firstRow } from '../measuring/first-row.js';
import { print } from '../measuring/print.js';
import type { ServerProcess } from '../servers/server-process.js';
import type { Environment, Stage } from '../stage.js';
import { startDeployed, type Build, type Deployment } from './deployed-gateway.js';
import { HIT_TARGET } from './hit-subjects.js';

const REQUESTS = 1000;

/** Prints how many queries identical requests cause on a cold cache: for one gateway, and for two that share a Redis. */
export async function countColdQueries(
  deployment: Deployment & { readonly redisUrl: string | undefined },
  build: Build,
  apiKey: string,
): Promise<void> {
  await countQueries(deployment, build, apiKey, 'one gateway', [{}]);
  if (deployment.redisUrl === undefined) return;
  const shared = { REDIS_URL: deployment.redisUrl, CACHE_KEY_PREFIX: 'cold:' };
  await countQueries(deployment, build, apiKey, 'two gateways sharing a Redis', [shared, shared]);
}

async function countQueries(
  deployment: Deployment,
  build: Build,
  apiKey: string,
  name: string,
  environments: readonly Environment[],
): Promise<void> {
  const gateways: ServerProcess[] = [];
  for (const environment of environments) {
    gateways.push(await startDeployed(deployment, build, environment));
  }
  const since = new Date();
  const urls = Array.from(
    { length: REQUESTS },
    (_, n) => `${gateways[n % gateways.length]?.url ?? ''}${HIT_TARGET}`,
  );
  const responses = await Promise.all(urls.map((url) => fetch(url, { headers: { 'X-API-KEY': apiKey } })));
  const statuses = [...new Set(responses.map(({ status }) => status))].join(', ');
  const queries = await queriesSince(deployment.stage, build, since);
  print(
    `${REQUESTS} identical concurrent requests on a cold cache, ${name}: queries: ${queries}; statuses ${statuses}`,
  );
  for (const gateway of gateways) await gateway.stop();
}

/** Queries for requests that ClickHouse has started, from its own log; only these have a log_comment. */
async function queriesSince(stage: Stage, { clickhouse }: Build, since: Date): Promise<string | undefined> {
  const client = stage.connect(clickhouse.adminConnection);
  await client.command({ query: 'SYSTEM FLUSH LOGS' });
  const query = `
    SELECT count() FROM system.query_log
    WHERE type = 'QueryStart' AND user = 'querygate' AND log_comment != '' AND event_time_microseconds >= {since:DateTime64(3, 'UTC')}`;
  return (await firstRow(client, query, { since }))[0];
}
