import { fileURLToPath } from 'node:url';

/** @import { StartedTestContainer, TestContainer } from 'testcontainers' */

const USERS_FILE = fileURLToPath(new URL('../../clickhouse-schema/users.d/querygate.xml', import.meta.url));
const USERS_FILE_IN_CONTAINER = '/etc/clickhouse-server/users.d/querygate.xml';
const PASSWORD = 'only-for-tests';

/** Starts ClickHouse and Redis in containers; CLICKHOUSE_IMAGE and REDIS_IMAGE select other images. */
export async function startContainers() {
  const { GenericContainer, Wait } = await import('testcontainers');
  const [clickhouse, redis] = await startAll([
    new GenericContainer(process.env['CLICKHOUSE_IMAGE'] ?? 'clickhouse/clickhouse-server:26.7')
      .withEnvironment({
        CLICKHOUSE_USER: 'querygate_admin',
        CLICKHOUSE_PASSWORD: PASSWORD,
        CLICKHOUSE_DEFAULT_ACCESS_MANAGEMENT: '1',
        QUERYGATE_CLICKHOUSE_PASSWORD: PASSWORD,
      })
      .withCopyFilesToContainer([{ source: USERS_FILE, target: USERS_FILE_IN_CONTAINER, mode: 0o644 }])
      .withExposedPorts(8123)
      .withWaitStrategy(Wait.forHttp('/ping', 8123)),
    new GenericContainer(process.env['REDIS_IMAGE'] ?? 'redis:8-alpine')
      .withExposedPorts(6379)
      .withWaitStrategy(Wait.forListeningPorts()),
  ]);
  return {
    environment: {
      TEST_CLICKHOUSE_URL: `http://${address(clickhouse, 8123)}`,
      TEST_CLICKHOUSE_USER: 'querygate_admin',
      TEST_CLICKHOUSE_PASSWORD: PASSWORD,
      TEST_CLICKHOUSE_READER_PASSWORD: PASSWORD,
      TEST_REDIS_URL: `redis://${address(redis, 6379)}`,
    },
    stop: async () => {
      await Promise.all([clickhouse.stop(), redis.stop()]);
    },
  };
}

/**
 * Starts two containers concurrently. If one fails, stops the other, because Jest runs no teardown after a failed set-up
 * and testcontainers' own reaper may be disabled.
 *
 * @param {readonly [TestContainer, TestContainer]} containers
 * @returns {Promise<[StartedTestContainer, StartedTestContainer]>}
 */
async function startAll([first, second]) {
  const results = await Promise.allSettled([first.start(), second.start()]);
  const [one, other] = results;
  if (one.status === 'fulfilled' && other.status === 'fulfilled') return [one.value, other.value];
  const started = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  await Promise.all(started.map((container) => container.stop()));
  throw results.find((result) => result.status === 'rejected')?.reason;
}

/**
 * @param {StartedTestContainer} container
 * @param {number} port
 */
function address(container, port) {
  return `${container.getHost()}:${container.getMappedPort(port)}`;
}
