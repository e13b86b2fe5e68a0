import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { RedisClient } from '../../../src/gateway/coordination/redis-connection.js';
import { OPERATORS } from '../../../src/endpoint/figures.js';
import type { LimitRules } from '../../../src/endpoint/limit-rules.js';
import { unitsLeft, type Subject } from '../../../src/gateway/limits/limit-state.js';
import { isAdmitted, openLimitingGateway, type LimitingGateway } from '../../support/limiting-gateway.js';
import { pollUntil } from '../../support/poll-until.js';
import { respondWithGarbage, forwardTo } from '../../support/redis-stand-in.js';
import { startRedis } from '../../support/start-redis.mjs';
import { newPrefix, sharedRedisUrl } from '../../support/test-redis.js';

const COST = { rowsRead: 100, bytesRead: 1000, clickhouseMs: 1.2 };

const closers: (() => unknown)[] = [];
let prefix: string;

beforeEach(() => {
  prefix = newPrefix();
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** The limits of a gateway with its own connection; all gateways of a test share a prefix. */
const open = async (url = sharedRedisUrl(), permitMs = 30_000): Promise<LimitingGateway> => {
  const gateway = await openLimitingGateway({ url, prefix, permitMs });
  closers.push(() => {
    gateway.client.disconnect();
  });
  return gateway;
};

const startOwn = async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'querygate-test-'));
  const server = await startRedis(folder);
  closers.push(() => rm(folder, { recursive: true, force: true }), server.stop);
  return server;
};

const key = (rules: LimitRules, name = 'reports'): Subject => ({ kind: 'key', name, rules });
const perMinute = (quota: number) => ({ quota, window: 60 });

const count = async (attempts: Promise<boolean>[]): Promise<number> =>
  (await Promise.all(attempts)).filter(Boolean).length;
const admitTimes = (gateways: readonly LimitingGateway[], times: number, subjects: readonly Subject[]) =>
  count(
    Array.from({ length: times }, (_each, n) =>
      isAdmitted(() => gateways[n % gateways.length]?.limiter.admitRequest(subjects)),
    ),
  );

describe('Limits of gateways that share a Redis', () => {
  it('admit together exactly the quota of a flood', async () => {
    const gateways = [await open(), await open()];
    expect(await admitTimes(gateways, 500, [key({ requests: perMinute(50) })])).toBe(50);
  });

  it('set an expiry on every key in Redis, and use only keys with the prefix', async () => {
    const { limiter, client } = await open();
    const subject = key({ requests: perMinute(5), rowsRead: perMinute(500), concurrent: 2 });
    await limiter.admitRequest([subject]);
    await (await limiter.admitQuery([subject])).settle(COST);
    await limiter.admitQuery([subject]);
    const names = await client.keys(`${prefix}*`);
    expect(names.sort()).toEqual(
      ['limit:key:reports:requests:60', 'limit:key:reports:rowsRead:60', 'running:key:reports'].map(
        (name) => prefix + name,
      ),
    );
    for (const name of names) expect(await client.pttl(name)).toBeGreaterThan(0);
  });

  it('undo the counts of the other limits if one limit rejects', async () => {
    const [a, b] = [await open(), await open()];
    const endpoint: Subject = { kind: 'endpoint', name: 'logs.all', rules: { requests: perMinute(2) } };
    const caller = key({ requests: perMinute(10) });
    await a.limiter.admitRequest([endpoint]);
    await b.limiter.admitRequest([endpoint]);
    // The first gateway does not know yet that the endpoint's quota is used up.
    expect(await isAdmitted(() => a.limiter.admitRequest([caller, endpoint]))).toBe(false);
    expect(await b.limiter.admitRequest([caller])).toMatchObject([{ remaining: 9 }]);
  });

  it('begin a new window when the old one ends', async () => {
    const [a, b] = [await open(), await open()];
    const subject = key({ requests: { quota: 2, window: 4 } });
    expect(await admitTimes([a, b], 6, [subject])).toBe(2);
    await pollUntil(
      'a request is admitted again',
      async () => (await isAdmitted(() => b.limiter.admitRequest([subject]))) || undefined,
    );
  });

  it('charge a query’s cost to all, and reject the next query on every gateway', async () => {
    const [a, b] = [await open(), await open()];
    const subject = key({ rowsRead: perMinute(150) });
    await (await a.limiter.admitQuery([subject])).settle(COST);
    const permit = await b.limiter.admitQuery([subject]);
    expect(permit.states.map((state) => unitsLeft(state, OPERATORS))).toEqual([50]);
    await permit.settle(COST);
    expect(await isAdmitted(() => a.limiter.admitQuery([subject]))).toBe(false);
  });

  it('allow exactly the configured number of concurrent queries', async () => {
    const gateways = [await open(), await open()];
    const subject = key({ concurrent: 7 });
    const permits = await Promise.allSettled(
      Array.from({ length: 100 }, async (_each, n) => gateways[n % 2]?.limiter.admitQuery([subject])),
    );
    const granted = permits.flatMap((permit) => (permit.status === 'fulfilled' ? [permit.value] : []));
    expect(granted).toHaveLength(7);
    for (const permit of granted) await permit?.settle();
    expect(await gateways[0]?.client.keys(`${prefix}*`)).toEqual([]);
  });

  it('get back the permits of a gateway that died', async () => {
    const dead = await open(sharedRedisUrl(), 300);
    const alive = await open(sharedRedisUrl(), 300);
    const subject = key({ concurrent: 1 });
    await dead.limiter.admitQuery([subject]);
    dead.client.disconnect();
    expect(await isAdmitted(() => alive.limiter.admitQuery([subject]))).toBe(false);
    await pollUntil(
      'the permit is released',
      async () => (await isAdmitted(() => alive.limiter.admitQuery([subject]))) || undefined,
    );
  });
});

describe('Limits when Redis is in trouble', () => {
  /** Each request ends, and the gateway enforces the limit alone. */
  const holdsAlone = async (gateway: LimitingGateway, name: string): Promise<void> => {
    const subject = key({ requests: perMinute(5), concurrent: 1, rowsRead: perMinute(1000) }, name);
    let admitted = 0;
    for (let n = 0; n < 10; n += 1) {
      if (await isAdmitted(() => gateway.limiter.admitRequest([subject]))) admitted += 1;
    }
    expect(admitted).toBe(5);
    const permit = await gateway.limiter.admitQuery([subject]);
    expect(await isAdmitted(() => gateway.limiter.admitQuery([subject]))).toBe(false);
    await permit.settle(COST);
  };

  it('continue from the last known counts when it is killed', async () => {
    const server = await startOwn();
    const gateway = await open(server.url);
    const subject = key({ requests: perMinute(5) });
    expect(await admitTimes([gateway], 3, [subject])).toBe(3);
    await server.stop();
    expect(await admitTimes([gateway], 5, [subject])).toBe(2);
    await holdsAlone(gateway, 'another');
  });

  it('apply while it stalls, and are counted together again afterwards', async () => {
    const server = await startOwn();
    const gateways = [await open(server.url), await open(server.url)];
    server.child.kill('SIGSTOP');
    for (const [n, gateway] of gateways.entries()) await holdsAlone(gateway, `stalled ${n}`);
    server.child.kill('SIGCONT');
    await pollUntil('both gateways use Redis again', async () => {
      for (const { limiter } of gateways) await limiter.admitRequest([key({ requests: perMinute(10_000) })]);
      return (
        gateways.every(({ client, breaker }) => client.status === 'ready' && breaker.state === 'closed') ||
        undefined
      );
    });
    expect(await admitTimes(gateways, 20, [key({ requests: perMinute(6) }, 'afterwards')])).toBe(6);
  });

  it('apply when it is full', async () => {
    const server = await startOwn();
    const gateway = await open(server.url);
    await gateway.client.config('SET', 'maxmemory', '1');
    await holdsAlone(gateway, 'full');
  });

  it('apply when another program responds in its place', async () => {
    const garbage = await respondWithGarbage('+OK\r\n');
    closers.push(garbage.close);
    await holdsAlone(await open(garbage.url), 'garbage');
  });

  it('apply when its connections stall silently', async () => {
    const server = await startOwn();
    const between = await forwardTo(server.port);
    closers.push(between.close);
    const gateway = await open(between.url);
    between.stallConnections();
    await holdsAlone(gateway, 'lost');
  });

  it.each([
    ['a string', (client: RedisClient, name: string) => client.set(name, 'rubbish')],
    ['a list', (client: RedisClient, name: string) => client.rpush(name, 'a')],
  ])('apply when a count’s key contains %s', async (_what, poison) => {
    const gateway = await open();
    for (const counted of ['requests', 'rowsRead']) {
      await poison(gateway.client, gateway.keys.limit(`key:poisoned:${counted}:60`));
    }
    await gateway.client.set(gateway.keys.permits('key:poisoned'), 'rubbish');
    await holdsAlone(gateway, 'poisoned');
  });
});
