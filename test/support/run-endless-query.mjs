/**
 * Runs one request through a gateway's query execution, from the build, against a ClickHouse that never responds.
 *
 * Environment: REDIS_URL, CACHE_KEY_PREFIX; PROJECT, the value of usage.api-counts' `project`.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const build = fileURLToPath(new URL('../../dist', import.meta.url));
const { readConfig } = await import(path.join(build, 'gateway/config/config.js'));
const { loadProjectEndpoints } = await import(path.join(build, 'gateway/server/project-endpoints.js'));
const { executeCall } = await import(path.join(build, 'gateway/query/execute-call.js'));
const { openQueryExecution } = await import(path.join(build, 'gateway/server/open-query-execution.js'));

const ignore = () => undefined;
const config = readConfig({ ...process.env, PROJECT_DIR: path.dirname(build) });
const endpoints = await loadProjectEndpoints(config);
const runQuery = () => {
  process.stdout.write('querying\n');
  return new Promise(ignore);
};
const servers = [{ name: 'clickhouse.test:8123', runQuery, ping: () => Promise.resolve(true) }];
const logger = { error: ignore, warn: ignore, info: ignore, debug: ignore };
const clock = () => new Date();
const parts = await openQueryExecution({ config, endpoints, servers, logger, clock }, ignore);
await executeCall(parts, {
  endpoint: endpoints.find('usage.api-counts'),
  values: new Map([['project', process.env['PROJECT']]]),
  scope: '',
  requestId: 'endless',
  signal: new AbortController().signal,
  demand: 'any',
});
