import path from 'node:path';

import { freePort } from './free-port.mjs';
import { REFERENCE_GRANTS } from './reference-grants.mjs';

/** @typedef {typeof import('../../src/commands/embedded/embedded-server.js').EmbeddedServer} EmbeddedServers */
/** @typedef {import('../../src/commands/embedded/embedded-server.js').EmbeddedServer} EmbeddedServer */

/** Name of the cluster in `remote_servers`. */
export const CLUSTER = 'lab';

/**
 * Starts two servers as two shards of a cluster, without a schema.
 *
 * @param {EmbeddedServers} EmbeddedServer of the build or of the source
 * @param {string} folder data folder of both servers
 * @returns {Promise<[EmbeddedServer, EmbeddedServer]>}
 */
export async function startShards(EmbeddedServer, folder) {
  const ports = [await freePort(), await freePort()];
  const [first, second] = await Promise.all(
    [0, 1].map(async (index) => {
      const server = await EmbeddedServer.start({
        dataDir: path.join(folder, `shard-${index + 1}`),
        database: 'logs',
        grants: REFERENCE_GRANTS,
        onCrash: () => undefined,
        extraConfig: clusterConfig(ports, index),
      });
      await listenForOthers(server);
      return server;
    }),
  );
  if (!first || !second) throw new Error('two shards did not start');
  return [first, second];
}

/**
 * Makes a shard reachable for the other shards; the embedded server itself listens for HTTP only.
 *
 * @param {Pick<EmbeddedServer, 'adminConnection'>} server
 */
export async function listenForOthers({ adminConnection: { url, username, password } }) {
  // Before the first migration the gateway's database does not exist.
  const response = await fetch(new URL('/?database=default', url), {
    method: 'POST',
    headers: { 'X-ClickHouse-User': username, 'X-ClickHouse-Key': password },
    body: 'SYSTEM START LISTEN TCP',
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
}

/**
 * The configuration of a cluster's server in docs/clusters.md, as far as this engine supports it.
 *
 * @param {readonly number[]} ports
 * @param {number} index
 */
function clusterConfig(ports, index) {
  const shards = ports.map(
    (port) =>
      `<shard><internal_replication>true</internal_replication>` +
      `<replica><host>127.0.0.1</host><port>${port}</port></replica></shard>`,
  );
  return `<clickhouse>
    <tcp_port>${ports[index]}</tcp_port>
    <macros><shard>${index + 1}</shard><replica>1</replica></macros>
    <remote_servers><${CLUSTER}><secret>of the tests</secret>${shards.join('')}</${CLUSTER}></remote_servers>
  </clickhouse>`;
}
