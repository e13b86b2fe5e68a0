/**
 * Starts, once for the run, the servers that tests share: the embedded ClickHouse and a redis-server, or containers of
 * both where TEST_SERVERS=containers. Their addresses reach the tests through the environment.
 */
import { startContainers } from './start-containers.mjs';
import { startLocalServers } from './start-local-servers.mjs';

export default async function setUp() {
  // The projects of one run share the servers.
  globalThis.__servers ??=
    process.env['TEST_SERVERS'] === 'containers' ? startContainers() : startLocalServers();
  const { environment } = await globalThis.__servers;
  Object.assign(process.env, environment);
}
