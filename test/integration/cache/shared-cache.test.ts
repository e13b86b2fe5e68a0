import { encodeResult } from '../../../src/gateway/cache/result-codec.js';
import { RedisKeys } from '../../../src/gateway/coordination/redis-keys.js';
import { Failure } from '../../../src/gateway/errors.js';
import { keyOf } from '../../../src/gateway/query/cache-key.js';
import { FakeRunQuery } from '../../support/fake-run-query.js';
import { pollUntil } from '../../support/poll-until.js';
import { SAMPLE, sampleEndpoint } from '../../support/sample-endpoint.js';
import { sampleResult } from '../../support/sample-result.js';
import { SettableClock } from '../../support/settable-clock.js';
import { openTestExecution, type TestExecution } from '../../support/test-execution.js';
import { newPrefix, openTestRedis, sharedRedisUrl, type TestRedis } from '../../support/test-redis.js';
import { watchRedisCommands } from '../../support/watch-redis-commands.js';

const ENDPOINT = sampleEndpoint({ caching: 60, staleIfError: 300 });

/** The key of the call that `requestCity` makes. */
const KEY_OF_ROME = keyOf({ endpoint: ENDPOINT, values: new Map([['city', 'Rome']]), scope: '' });

/** A token that no gateway has. */
const NOBODY = 'f'.repeat(32);

let time: SettableClock;
let runQuery: FakeRunQuery;
let prefix: string;
let server: TestRedis;
let gateways: TestExecution[];

beforeEach(async () => {
  time = new SettableClock();
  runQuery = new FakeRunQuery();
  prefix = newPrefix();
  server = await openTestRedis();
  gateways = [];
});
afterEach(async () => {
  for (const { close } of gateways) await close();
  server.close();
});

const openGateway = async (): Promise<TestExecution> => {
  const environment = { REDIS_URL: sharedRedisUrl(), CACHE_KEY_PREFIX: prefix };
  const gateway = await openTestExecution({
    environment,
    runQuery,
    endpoints: [ENDPOINT],
    clock: time.clock,
  });
  gateways.push(gateway);
  return gateway;
};
const queryCount = (): number => runQuery.requests.length;
const entriesOf = ({ cache }: TestExecution): number =>
  cache.local.memoryUse().get(ENDPOINT.id)?.entries ?? 0;

describe('gateways that share a Redis', () => {
  it('serve each other’s results with their true age', async () => {
    const [first, second] = [await openGateway(), await openGateway()];
    const { result } = await first.requestCity('Rome');
    time.advance(30_000);
    const fromShared = await second.requestCity('Rome');
    expect([fromShared.status, fromShared.result]).toEqual(['HIT', result]);
    time.advance(30_000);
    expect((await second.requestCity('Rome')).status).toBe('MISS');
    // The first gateway's own entry has expired too; the second one's is in Redis.
    expect((await first.requestCity('Rome')).status).toBe('HIT');
    expect(queryCount()).toBe(2);
  });

  it('run one query together where what is stored begins as a fresh result, and is none', async () => {
    const gateways = [await openGateway(), await openGateway()];
    const name = new RedisKeys(prefix).result(KEY_OF_ROME);
    const bytes = encodeResult(KEY_OF_ROME, sampleResult({ createdAt: time.now }));
    await server.client.set(name, bytes.subarray(0, -1));
    await Promise.all(gateways.map(({ requestCity }) => requestCity('Rome')));
    expect(queryCount()).toBe(1);
  });

  it('send Redis two commands for a miss and one for a hit, and wait for one', async () => {
    const [first, second] = [await openGateway(), await openGateway()];
    const sent: string[] = [];
    const stop = watchRedisCommands((line) => {
      const [, command] = /^\S+ \[\d+ [^l\]][^\]]*\] "(\w+)"/.exec(line) ?? [];
      if (command !== undefined && line.includes(KEY_OF_ROME.hash)) sent.push(command);
    });
    const isWatched = async (): Promise<true | undefined> => {
      await server.client.set(`${prefix}${KEY_OF_ROME.hash}`, '', 'PX', 1);
      return sent.length > 0 || undefined;
    };
    await pollUntil('the commands are watched', isWatched);
    sent.length = 0;
    for (const [{ requestCity }, ms, status] of [
      [first, 0, 'MISS'],
      [second, 30_000, 'HIT'],
      [second, 30_000, 'MISS'],
      [first, 0, 'HIT'],
    ] as const) {
      time.advance(ms);
      expect((await requestCity('Rome')).status).toBe(status);
    }
    await pollUntil('all commands are there', () => sent.length >= 6 || undefined);
    stop();
    expect(sent).toHaveLength(6);
  });

  it('serve stale results while ClickHouse fails, also from a new gateway, and never past usableUntil', async () => {
    const first = await openGateway();
    const { result } = await first.requestCity('Rome');
    time.advance(60_000 + 200_000);
    runQuery.fail(new Failure('CLICKHOUSE_UNREACHABLE', 'It is unreachable.'));
    const second = await openGateway();
    for (const { requestCity } of [first, second]) {
      const stale = await requestCity('Rome');
      expect([stale.status, stale.result]).toEqual(['STALE', result]);
    }
    time.advance(100_000);
    for (const { requestCity } of [first, second]) {
      await expect(requestCity('Rome')).rejects.toMatchObject({ code: 'CLICKHOUSE_UNREACHABLE' });
    }
  });

  it('drop what one of them purges within a second', async () => {
    const [first, second] = [await openGateway(), await openGateway()];
    for (const city of ['Rome', 'Oslo'])
      for (const { requestCity } of [first, second]) await requestCity(city);
    expect([queryCount(), entriesOf(second)]).toEqual([2, 2]);
    await first.cache.purge({ endpointId: SAMPLE.id });
    expect(entriesOf(first)).toBe(0);
    await pollUntil('the other gateway has purged', () => entriesOf(second) === 0 || undefined, 1000);
    time.advance(1);
    expect((await second.requestCity('Rome')).status).toBe('MISS');
  });

  it('continue if another program writes to their channel and their keys', async () => {
    const gateway = await openGateway();
    await gateway.requestCity('Rome');
    const keys = new RedisKeys(prefix);
    const garbage = ['', 'no JSON', 'null', '7', '"text"', '{', '[]x'];
    for (const message of garbage) {
      await server.client.hset(keys.purges, message, message);
      await server.client.publish(keys.purges, message);
    }
    await server.client.publish(keys.purges, JSON.stringify({ hash: 'heard' }));
    const late = await openGateway();
    expect((await late.requestCity('Rome')).status).toBe('HIT');
    // A purge among the garbage still arrives, also at a gateway that started later.
    await gateway.cache.purge({});
    await pollUntil('the late gateway has purged', () => entriesOf(late) === 0 || undefined, 1000);
    expect(gateway.logger.lines).toEqual([]);
  });

  it('ignore a purge whose time is not a number', async () => {
    const gateway = await openGateway();
    for (const city of ['Rome', 'Oslo']) await gateway.requestCity(city);
    const { hash } = KEY_OF_ROME;
    const keys = new RedisKeys(prefix);
    await pollUntil('the gateway has subscribed', async () => {
      const [, subscribers] = await server.client.pubsub('NUMSUB', keys.purges);
      return subscribers === 1 || undefined;
    });
    const untimed = [
      {},
      [],
      { endpointId: SAMPLE.id },
      { createdUntil: null },
      { createdUntil: '9'.repeat(15) },
    ];
    // Messages arrive in order, so the valid purge of one entry is the last.
    for (const scope of [...untimed, { hash, createdUntil: time.now }]) {
      await server.client.publish(keys.purges, JSON.stringify(scope));
    }
    await pollUntil('the gateway has purged', () => entriesOf(gateway) < 2 || undefined, 1000);
    expect(entriesOf(gateway)).toBe(1);
  });

  it('query themselves if the leader’s stored failure is invalid', async () => {
    const gateway = await openGateway();
    const { endpointId, hash } = KEY_OF_ROME;
    const keys = new RedisKeys(prefix);
    await server.client.set(keys.lock({ endpointId, hash }, 'miss'), NOBODY, 'PX', 300);
    await server.client.set(keys.failure({ endpointId, hash }, NOBODY), '{"code":"NO_SUCH_CODE"}', 'EX', 60);
    expect((await gateway.requestCity('Rome')).status).toBe('MISS');
  });
});
