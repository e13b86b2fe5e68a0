/**
 * The servers that all tests of a run share. Whichever Jest project comes first starts them: the embedded ClickHouse and a
 * redis-server, or containers of both if TEST_SERVERS=containers; and a cluster for the tests that request it.
 */
import { offerSharedCluster } from './shared-cluster.mjs';
import { startContainers } from './start-containers.mjs';
import { startLocalServers } from './start-local-servers.mjs';

/** @typedef {{ environment: Record<string, string>, stop: () => Promise<void> }} Servers */

/** @type {Promise<readonly Servers[]> | undefined} */
let servers;

/** Starts the servers, and sets their addresses in the environment that the tests inherit. */
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
