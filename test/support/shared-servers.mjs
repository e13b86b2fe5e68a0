/**
 * The servers that all tests of a run share, started once whichever of Jest's projects come first: the embedded
 * ClickHouse and a redis-server, or containers of both where TEST_SERVERS=containers.
 */
import { startContainers } from './start-containers.mjs';
import { startLocalServers } from './start-local-servers.mjs';

/** @typedef {{ environment: Record<string, string>, stop: () => Promise<void> }} Servers */

/** @type {Promise<Servers> | undefined} */
let servers;

/** Starts them, and leaves their addresses in the environment that the tests inherit. */
export async function startSharedServers() {
  servers ??= process.env['TEST_SERVERS'] === 'containers' ? startContainers() : startLocalServers();
  Object.assign(process.env, (await servers).environment);
}

export async function stopSharedServers() {
  const stopping = servers;
  servers = undefined;
  await (await stopping)?.stop();
}
