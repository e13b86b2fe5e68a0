import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import request from 'supertest';

import { EndpointRegistry } from '../../src/endpoint/registry.js';
import { representationOf } from '../../src/gateway/formats/representation.js';
import { RedisKeys } from '../../src/gateway/coordination/redis-keys.js';
import { createAdminApp } from '../../src/gateway/http/admin/admin-app.js';
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

const leaderOf = (gateways: readonly SharedGateway[]): SharedGateway | undefined =>
  gateways.find(({ isLeader }) => isLeader);

async function untilLed(
  gateways: readonly SharedGateway[],
): Promise<{ leader: SharedGateway; others: readonly SharedGateway[] }> {
  const leader = await pollUntil('one gateway leads', () => leaderOf(gateways));
  return { leader, others: gateways.filter((gateway) => gateway !== leader) };
}

const refreshesOf = (gateways: readonly SharedGateway[]): readonly unknown[] =>
  gateways.flatMap(({ refreshed }) => refreshed);

describe('gateways that share a Redis', () => {
  it('have one leader, and the same one for as long as it lives', async () => {
    await withGateways(3, async (gateways) => {
      const { leader } = await untilLed(gateways);
      for (let round = 0; round < 20; round += 1) {
        await Promise.all(gateways.map((gateway) => gateway.round()));
        expect(gateways.filter(({ isLeader }) => isLeader)).toEqual([leader]);
      }
    });
  });

  it('warm the parameter sets in use on any of them, each set once and by the leader, for all of them', async () => {
    await withGateways(3, async (gateways, clock) => {
      const { leader, others } = await untilLed(gateways);
      const [one, other] = others;
      await one?.send(ENDPOINT, 'Rome');
      await one?.send(ENDPOINT, 'Oslo');
      await other?.send(ENDPOINT, 'Oslo');
      await leader.send(ENDPOINT, 'Paris');
      for (const gateway of gateways) await gateway.round();
      clock.advance(INTERVAL);
      for (let round = 0; round < 3; round += 1) {
        await Promise.all(gateways.map((gateway) => gateway.round()));
      }
      expect([...leader.refreshed].toSorted()).toEqual(['Oslo', 'Paris', 'Rome']);
      expect(refreshesOf(others)).toEqual([]);
    });
  });

  it('warm a set in the representations that are in use on any of them', async () => {
    await withGateways(2, async (gateways, clock) => {
      const { leader, others } = await untilLed(gateways);
      const [other] = others;
      const csv = representationOf('csv', { formulaSafe: true });
      await other?.send(ENDPOINT, 'Rome', csv);
      await other?.send(ENDPOINT, 'Rome');
      for (const gateway of gateways) await gateway.round();
      clock.advance(INTERVAL);
      for (const gateway of gateways) await gateway.round();
      await leader.round();
      const warmed = leader.runQuery.requests.map(({ representation }) => representation?.name);
      expect(warmed.toSorted()).toEqual(['csv;formula-safe', 'json']);
    });
  });

  it('have no miss for a set in use when its first result expires', async () => {
    await withGateways(2, async (gateways, clock) => {
      const { leader, others } = await untilLed(gateways);
      const [other] = others;
      await other?.send(ENDPOINT, 'Rome');
      for (const gateway of gateways) await gateway.round();
      for (let interval = 0; interval < 4; interval += 1) {
        clock.advance(INTERVAL);
        expect(await other?.send(ENDPOINT, 'Rome')).toBe('HIT');
        for (const gateway of gateways) await gateway.round();
      }
      expect(leader.refreshed.length).toBeGreaterThanOrEqual(3);
      expect(other?.runQuery.requests).toHaveLength(1);
    });
  });

  it('have a new leader as soon as the old one has closed', async () => {
    await withGateways(2, async (gateways) => {
      const { leader, others } = await untilLed(gateways);
      await leader.close();
      await others[0]?.round();
      expect(others[0]?.isLeader).toBe(true);
    });
  });

  it.concurrent('have a new leader, which warms, after the old one has stalled', async () => {
    await withGateways(2, async (gateways, clock, keys) => {
      const client = new Redis(redis.url);
      const { leader, others } = await untilLed(gateways);
      await leader.send(ENDPOINT, 'Rome');
      await leader.round();
      const token = await client.get(keys.leader);
      await leader.stall();
      const isReplaced = async (): Promise<true | undefined> => {
        const now = await client.get(keys.leader);
        return (now !== null && now !== token) || undefined;
      };
      await pollUntil('another gateway has the lease', isReplaced);
      client.disconnect();
      const { leader: next } = await untilLed(others);
      // Where Redis replied too late, only the next attempt ends that it leads on its own.
      await pollUntil('the old leader knows that it lost its lease', async () => {
        await leader.execution.cache.synchronize();
        return !leader.isLeader || undefined;
      });
      clock.advance(INTERVAL);
      await next.round();
      expect(next.refreshed).toEqual(['Rome']);
      await leader.round();
      expect(refreshesOf([leader])).toEqual([]);
    });
  });

  it.concurrent(
    'each warm on their own while Redis does not respond, and have one leader when it responds again',
    async () => {
      const stalled = await startRedis(path.join(folder, 'stalled'));
      const unreachable = async (gateways: readonly SharedGateway[], clock: AheadClock): Promise<void> => {
        await untilLed(gateways);
        stalled.child.kill('SIGSTOP');
        for (const gateway of gateways) await gateway.send(ENDPOINT, 'Rome');
        await pollUntil('each leads', () => gateways.every(({ isLeader }) => isLeader) || undefined);
        clock.advance(INTERVAL);
        for (const gateway of gateways) await gateway.round();
        expect(refreshesOf(gateways)).toEqual(['Rome', 'Rome']);
        stalled.child.kill('SIGCONT');
        await pollUntil(
          'one leads',
          () => gateways.filter(({ isLeader }) => isLeader).length === 1 || undefined,
        );
      };
      try {
        await withGateways(2, unreachable, stalled.url);
      } finally {
        await stalled.stop();
      }
    },
  );

  it('stop warming a set that no gateway serves any more', async () => {
    await withGateways(2, async (gateways, clock) => {
      const { leader, others } = await untilLed(gateways);
      await others[0]?.send(ENDPOINT, 'Rome');
      await others[0]?.round();
      for (let interval = 0; interval < 5; interval += 1) {
        clock.advance(INTERVAL);
        await leader.round();
      }
      expect(leader.refreshed).toEqual(['Rome', 'Rome']);
      expect(await leader.execution.warmer.state()).toEqual([]);
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
