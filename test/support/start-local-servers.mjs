import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { importBuild } from './import-build.mjs';
import { REFERENCE_GRANTS } from './reference-grants.mjs';
import { startRedis } from './start-redis.mjs';

/** Starts the embedded ClickHouse of the build and Debian's redis-server, on free ports and in a new folder. */
export async function startLocalServers() {
  const { EmbeddedServer } = await importBuild('commands/embedded/embedded-server.js');
  const folder = await mkdtemp(path.join(tmpdir(), 'querygate-test-'));
  const redis = await startRedis(path.join(folder, 'redis'));
  const clickhouse = await EmbeddedServer.start({
    dataDir: path.join(folder, 'clickhouse'),
    database: 'default',
    grants: REFERENCE_GRANTS,
    onCrash: (/** @type {string} */ lastOutput) =>
      process.stderr.write(`the test server ended: ${lastOutput}\n`),
  });
  const { url, username, password } = clickhouse.adminConnection;
  return {
    environment: {
      TEST_CLICKHOUSE_URL: url,
      TEST_CLICKHOUSE_USER: username,
      TEST_CLICKHOUSE_PASSWORD: password,
      TEST_CLICKHOUSE_READER_PASSWORD: clickhouse.readerConnection.password,
      TEST_REDIS_URL: redis.url,
    },
    stop: async () => {
      await clickhouse.stop();
      await redis.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
