/**
 * The servers that all tests of a run share, started once whichever of Jest's projects come first: the embedded
 * ClickHouse and a redis-server, or containers of both where TEST_SERVERS=containers; and a cluster for those that ask.
 */
import { offerSharedCluster } from './shared-cluster.mjs';
import { startContainers } from './start-containers.mjs';
import { startLocalServers } from './start-local-servers.mjs';

/** @typedef {{ environment: Record<string, string>, stop: () => Promise<void> }} Servers */

/** @type {Promise<readonly Servers[]> | undefined} */
let servers;

/** Starts them, and leaves their addresses in the environment that the tests inherit. */
export async function startSharedServers() {
  const start = process.env['TEST_SERVERS'] === 'containers' ? startContainers : startLocalServers;
  servers ??= Promise.all([start(), offerSharedCluster()]);
  for (const { environment } of await servers) Object.assign(process.env, environment);
}

export async function stopSharedServers() {
  const stopping = servers;
  servers = undefined;
  for (const { stop } of (await stopping) ?? []) await stop();
}
