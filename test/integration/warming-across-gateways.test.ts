import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import request from 'supertest';

import { EndpointRegistry } from '../../src/endpoint/registry.js';
import { representationOf } from '../../src/gateway/formats/representation.js';
import { RedisKeys } from '../../src/gateway/coordination/redis-keys.js';
import { Failure } from '../../src/gateway/errors.js';
import { createAdminApp } from '../../src/gateway/http/admin/admin-app.js';
import { FakeRunQuery } from '../support/fake-run-query.js';
import { pollUntil } from '../support/poll-until.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { sampleEndpoint } from '../support/sample-endpoint.js';
import { AheadClock, SharedGateway } from '../support/shared-gateway.js';
import { startRedis } from '../support/start-redis.mjs';
import { noKeys } from '../support/test-credentials.js';

const INTERVAL = 300;
const ENDPOINT = sampleEndpoint({ caching: 900, warming: INTERVAL });

let folder: string;
let redis: Awaited<ReturnType<typeof startRedis>>;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'querygate-test-'));
  redis = await startRedis(folder);
});
afterAll(async () => {
  await redis.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a test's body with several gateways that share a Redis of their own. */
async function withGateways(
  count: number,
  use: (gateways: readonly SharedGateway[], clock: AheadClock, keys: RedisKeys) => Promise<void>,
  redisUrl = redis.url,
): Promise<void> {
  const clock = new AheadClock();
  const keyPrefix = `${randomBytes(6).toString('hex')}:`;
  const options = { redisUrl, keyPrefix, clock, endpoints: [ENDPOINT] };
  const gateways = await Promise.all(Array.from({ length: count }, () => SharedGateway.open(options)));
  try {
    await Promise.all(gateways.map((gateway) => gateway.round()));
    await use(gateways, clock, new RedisKeys(keyPrefix));
  } finally {
    for (const gateway of gateways) await gateway.close();
  }
}

const refreshesOf = (gateways: readonly SharedGateway[]): readonly unknown[] =>
  gateways.flatMap(({ refreshed }) => refreshed);

const roundOf = async (gateways: readonly SharedGateway[]): Promise<void> => {
  await Promise.all(gateways.map((gateway) => gateway.round()));
};

/** When the result of a city, which a gateway serves as a hit, was queried. */
const createdAt = async (gateway: SharedGateway, city: string): Promise<number> => {
  const { status, result } = await gateway.outcome(ENDPOINT, city);
  expect(status).toBe('HIT');
  return result.createdAt;
};

describe('gateways that share a Redis', () => {
  it('refresh what is in use at several of them once, and what is in use at one of them there', async () => {
    await withGateways(3, async (gateways, clock) => {
      const [one, other, third] = gateways;
      for (const gateway of [one, other]) await gateway?.send(ENDPOINT, 'Oslo');
      await third?.send(ENDPOINT, 'Rome');
      clock.advance(INTERVAL);
      for (let round = 0; round < 3; round += 1) await roundOf(gateways);
      expect(refreshesOf(gateways).toSorted()).toEqual(['Oslo', 'Rome']);
      expect(third?.refreshed).toEqual(['Rome']);
    });
  });

  it('have each the newer result in memory that one of them queried', async () => {
    await withGateways(2, async (gateways, clock) => {
      for (const gateway of gateways) await gateway.send(ENDPOINT, 'Rome');
      const due = clock.advance(INTERVAL);
      await roundOf(gateways);
      const times = await Promise.all(gateways.map((gateway) => createdAt(gateway, 'Rome')));
      expect(new Set(times).size).toBe(1);
      expect(times[0]).toBeGreaterThanOrEqual(due);
    });
  });

  it('refresh a set in the representations that are in use', async () => {
    await withGateways(2, async (gateways, clock) => {
      const [one, other] = gateways;
      const csv = representationOf('csv', { formulaSafe: true });
      await one?.send(ENDPOINT, 'Rome', csv);
      await other?.send(ENDPOINT, 'Rome');
      clock.advance(INTERVAL);
      await roundOf(gateways);
      const warmed = gateways.map(({ runQuery }) => runQuery.requests.at(-1)?.representation?.name);
      expect(warmed).toEqual(['csv;formula-safe', 'json']);
    });
  });

  it('have no miss for a set in use when its first result expires', async () => {
    await withGateways(2, async (gateways, clock) => {
      for (const gateway of gateways) await gateway.send(ENDPOINT, 'Rome');
      for (let interval = 0; interval < 4; interval += 1) {
        clock.advance(INTERVAL);
        for (const gateway of gateways) expect(await gateway.send(ENDPOINT, 'Rome')).toBe('HIT');
        await roundOf(gateways);
      }
      expect(refreshesOf(gateways)).toHaveLength(4);
    });
  });

  it('send one failing query an interval, also where they look one after another', async () => {
    await withGateways(3, async (gateways, clock, keys) => {
      for (const gateway of gateways) {
        await gateway.send(ENDPOINT, 'Rome');
        gateway.runQuery.fail(new Failure('CLICKHOUSE_BUSY', 'It is busy.'));
      }
      const [first, ...others] = gateways;
      clock.advance(INTERVAL);
      await first?.round();
      const [set] = first?.execution.warmer.state() ?? [];
      const failure = keys.failure({ endpointId: ENDPOINT.id, hash: set?.hash ?? '' }, 'refresh');
      const client = new Redis(redis.url);
      await client.pexpire(failure, 60_000);
      for (const gateway of others) await gateway.round();
      // Who finds a failure does not prolong it.
      const milliseconds = await client.pttl(failure);
      client.disconnect();
      expect(milliseconds).toBeGreaterThan(10_000);
      expect(refreshesOf(gateways)).toEqual(['Rome']);
      for (const { execution } of gateways)
        expect(execution.warmer.state()).toMatchObject([{ warmed: { failures: 1 } }]);
    });
  });

  it('take a result that took longer than it is fresh', async () => {
    await withGateways(2, async (gateways, clock) => {
      for (const gateway of gateways) {
        await gateway.send(ENDPOINT, 'Rome');
        gateway.runQuery.respondWith((request) => {
          clock.advance(ENDPOINT.settings.warming * 4);
          return new FakeRunQuery().run(request);
        });
      }
      clock.advance(INTERVAL);
      await roundOf(gateways);
      expect(refreshesOf(gateways)).toEqual(['Rome']);
    });
  });

  it('keep a set that was used since the older of two results was queried, whenever it took them', async () => {
    await withGateways(2, async ([one, other], clock) => {
      if (!one || !other) throw new Error('there are not two gateways');
      for (const gateway of [one, other]) await gateway.send(ENDPOINT, 'Rome');
      clock.advance(20);
      await one.execution.warmer.tick({ all: true });
      clock.advance(INTERVAL - 70);
      await other.send(ENDPOINT, 'Rome');
      // It takes the result of the other, which is due 20 seconds later, and refreshes it then.
      for (const seconds of [50, 21, 1]) {
        clock.advance(seconds);
        await other.round();
      }
      expect(other.refreshed).toEqual(['Rome']);
      expect(other.execution.warmer.state()).toHaveLength(1);
    });
  });

  it.concurrent('go on with a refresh whose gateway has crashed, when its lease is over', async () => {
    await withGateways(1, async ([gateway], clock, keys) => {
      if (!gateway) throw new Error('there is no gateway');
      const client = new Redis(redis.url);
      await gateway.send(ENDPOINT, 'Rome');
      const [set] = gateway.execution.warmer.state();
      const lock = keys.lock({ endpointId: ENDPOINT.id, hash: set?.hash ?? '' }, 'refresh');
      await client.set(lock, '0'.repeat(32), 'PX', 300);
      client.disconnect();
      clock.advance(INTERVAL);
      await gateway.round();
      expect(gateway.refreshed).toEqual(['Rome']);
    });
  });

  it('refresh at the demand of an operator also what another has refreshed', async () => {
    await withGateways(2, async (gateways, clock) => {
      for (const gateway of gateways) await gateway.send(ENDPOINT, 'Rome');
      clock.advance(1);
      for (const gateway of gateways) await gateway.execution.warmer.tick({ all: true });
      expect(refreshesOf(gateways)).toEqual(['Rome', 'Rome']);
    });
  });

  it.concurrent('each refresh on their own while Redis does not respond', async () => {
    const stalled = await startRedis(path.join(folder, 'stalled'));
    const unreachable = async (gateways: readonly SharedGateway[], clock: AheadClock): Promise<void> => {
      stalled.child.kill('SIGSTOP');
      for (const gateway of gateways) await gateway.send(ENDPOINT, 'Rome');
      clock.advance(INTERVAL);
      await roundOf(gateways);
      expect(refreshesOf(gateways)).toEqual(['Rome', 'Rome']);
      stalled.child.kill('SIGCONT');
    };
    try {
      await withGateways(2, unreachable, stalled.url);
    } finally {
      await stalled.stop();
    }
  });

  it('stop refreshing a set that no caller uses any more', async () => {
    await withGateways(2, async (gateways, clock) => {
      for (const gateway of gateways) await gateway.send(ENDPOINT, 'Rome');
      for (let interval = 0; interval < 5; interval += 1) {
        clock.advance(INTERVAL);
        await roundOf(gateways);
      }
      expect(refreshesOf(gateways)).toEqual(['Rome', 'Rome']);
      for (const { execution } of gateways) expect(execution.warmer.state()).toEqual([]);
    });
  });

  it('drop a cached result within a second when one of them purges it', async () => {
    await withGateways(2, async ([one, other], clock) => {
      if (!one || !other) throw new Error('there are not two gateways');
      await one.send(ENDPOINT, 'Rome');
      expect(await other.send(ENDPOINT, 'Rome')).toBe('HIT');
      clock.advance(1);
      const endpoints = new EndpointRegistry([ENDPOINT]);
      const app = createAdminApp({
        ...one.execution,
        ...noKeys(() => new Date()),
        endpoints,
        logger: new RecordingLogger(),
      });
      await request(app)
        .post('/cache/purge')
        .send({ endpoint: 'sample', parameters: { city: 'Rome' } })
        .expect(200);
      const { local: memory } = other.execution.cache;
      await pollUntil('the other gateway drops it', () => memory.memoryUse().size === 0 || undefined, 1000);
      clock.advance(1);
      expect(await other.send(ENDPOINT, 'Rome')).toBe('MISS');
    });
  });
});
