import path from 'node:path';
import { fileURLToPath } from 'node:url';

const USERS_FILE = fileURLToPath(new URL('../../clickhouse-schema/users.d/querygate.xml', import.meta.url));
const PASSWORD = 'only-for-tests';

/** ClickHouse and Redis in containers; CLICKHOUSE_IMAGE and REDIS_IMAGE name other images. */
export async function startContainers() {
  const { GenericContainer, Wait } = await import('testcontainers');
  const clickhouse = new GenericContainer(
    process.env['CLICKHOUSE_IMAGE'] ?? 'clickhouse/clickhouse-server:26.7',
  )
    .withEnvironment({
      CLICKHOUSE_USER: 'querygate_admin',
      CLICKHOUSE_PASSWORD: PASSWORD,
      CLICKHOUSE_DEFAULT_ACCESS_MANAGEMENT: '1',
      QUERYGATE_CLICKHOUSE_PASSWORD: PASSWORD,
    })
    .withCopyFilesToContainer([
      { source: USERS_FILE, target: path.posix.join('/etc/clickhouse-server/users.d', 'querygate.xml') },
    ])
    .withExposedPorts(8123)
    .withWaitStrategy(Wait.forHttp('/ping', 8123))
    .start();
  const redis = new GenericContainer(process.env['REDIS_IMAGE'] ?? 'redis:8-alpine')
    .withExposedPorts(6379)
    .withWaitStrategy(Wait.forListeningPorts())
    .start();
  const [clickhouseContainer, redisContainer] = await Promise.all([clickhouse, redis]);
  const address = (
    /** @type {import('testcontainers').StartedTestContainer} */ container,
    /** @type {number} */ port,
  ) => `${container.getHost()}:${container.getMappedPort(port)}`;
  return {
    environment: {
      TEST_CLICKHOUSE_URL: `http://${address(clickhouseContainer, 8123)}`,
      TEST_CLICKHOUSE_USER: 'querygate_admin',
      TEST_CLICKHOUSE_PASSWORD: PASSWORD,
      TEST_CLICKHOUSE_READER_PASSWORD: PASSWORD,
      TEST_REDIS_URL: `redis://${address(redisContainer, 6379)}`,
    },
    stop: async () => {
      await Promise.all([clickhouseContainer.stop(), redisContainer.stop()]);
    },
  };
}
