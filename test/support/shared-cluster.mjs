import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { importBuild } from './import-build.mjs';
import { startShards } from './start-shards.mjs';

/**
 * Offers the two-shard cluster that the tests of a run share. The first test that requests the connections starts the
 * cluster, because most runs need none.
 */
export async function offerSharedCluster() {
  /** @type {Promise<Awaited<ReturnType<typeof startCluster>>> | undefined} */
  let starting;
  const server = createServer((_request, response) => {
    starting ??= startCluster();
    starting.then(
      ({ connections }) => response.end(JSON.stringify(connections)),
      (error) => response.writeHead(500).end(String(error)),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    environment: { TEST_CLUSTER_URL: `http://127.0.0.1:${port}` },
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await (await starting?.catch(() => undefined))?.stop();
    },
  };
}

async function startCluster() {
  const { EmbeddedServer } = await importBuild('commands/embedded/embedded-server.js');
  const folder = await mkdtemp(path.join(tmpdir(), 'querygate-test-'));
  const shards = await startShards(EmbeddedServer, folder);
  return {
    connections: shards.map(({ adminConnection: admin, readerConnection: reader }) => ({ admin, reader })),
    stop: async () => {
      await Promise.all(shards.map((shard) => shard.stop()));
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
