/**
 * Runs one request through a gateway's query execution, from the build, against a ClickHouse that never responds.
 *
 * Environment: REDIS_URL, CACHE_KEY_PREFIX; PROJECT, the value of usage.api-counts' `project`.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const build = fileURLToPath(new URL('../../dist/src', import.meta.url));
const { readConfig } = await import(path.join(build, 'config/config.js'));
const { loadEndpoints } = await import(path.join(build, 'endpoint/load-endpoints.js'));
const { openQueryExecution } = await import(path.join(build, 'server/open-query-execution.js'));
const { ENDPOINTS_FOLDER } = await import(path.join(build, 'project-files.js'));

const ignore = () => undefined;
const endpoints = await loadEndpoints(ENDPOINTS_FOLDER);
const runQuery = () => {
  process.stdout.write('querying\n');
  return new Promise(ignore);
};
const servers = [{ name: 'clickhouse.test:8123', runQuery, ping: () => Promise.resolve(true) }];
const logger = { error: ignore, warn: ignore, info: ignore, debug: ignore };
const clock = () => new Date();
const { executeCall } = await openQueryExecution(
  readConfig(process.env),
  { endpoints, servers, logger, clock },
  ignore,
);
await executeCall({
  endpoint: endpoints.find('usage.api-counts'),
  values: new Map([['project', process.env['PROJECT']]]),
  scope: '',
  requestId: 'endless',
  signal: new AbortController().signal,
  demand: 'any',
});
