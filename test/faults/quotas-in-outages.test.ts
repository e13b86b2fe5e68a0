import type { Subject } from '../../src/gateway/limits/limit-state.js';
import { freezeProcess } from '../support/freeze-process.js';
import { isAdmitted, openLimitingGateway, type LimitingGateway } from '../support/limiting-gateway.js';
import { pollUntil } from '../support/poll-until.js';
import { Started } from '../support/started.js';

const QUOTA = 1000;
const OUTAGES = 4;
const limited = (name: string, quota: number): Subject => ({
  kind: 'key',
  name,
  rules: { requests: { quota, window: 3600 } },
});
const REPORTS = limited('reports', QUOTA);

/** Ends a Redis, and returns what brings it back. */
type Outage = () => Promise<() => void>;
type Outages = (started: Started, redis: Awaited<ReturnType<Started['redis']>>) => Outage;

const stops: Outages =
  (_started, { child }) =>
  async () => {
    await freezeProcess(child.pid ?? 0);
    return () => child.kill('SIGCONT');
  };
/** It comes back without data. */
const isKilled: Outages = (started, redis) => {
  let { stop } = redis;
  return async () => {
    await stop();
    return () => (stop = started.redisAgain(redis));
  };
};

/** Sends requests in groups at once; returns how many were admitted. */
const send = async ({ limiter }: LimitingGateway, times: number): Promise<number> => {
  let admitted = 0;
  for (let n = 0; n < times; n += 20) {
    const group = Array.from({ length: 20 }, () => isAdmitted(() => limiter.admitRequest([REPORTS])));
    admitted += (await Promise.all(group)).filter(Boolean).length;
  }
  return admitted;
};
const untilUsed = ({ limiter, breaker }: LimitingGateway): Promise<unknown> =>
  pollUntil('the gateway uses Redis again', async () => {
    const [state] = await limiter.admitRequest([limited('another', 1_000_000_000)]);
    return (state !== undefined && breaker.state === 'closed') || undefined;
  });

describe.each([1, 3])('a quota that %d gateways share', (count) => {
  it.each([
    ['stops and continues', stops],
    ['is killed and comes back empty', isKilled],
  ] as const)('is spent at most once by each, however often Redis %s', (_what, outages) =>
    Started.during(async (started) => {
      const redis = await started.redis();
      const outage = outages(started, redis);
      const open = async (): Promise<LimitingGateway> => {
        const gateway = await openLimitingGateway({ url: redis.url, prefix: 'outages:' });
        started.add(() => {
          gateway.client.disconnect();
        });
        return gateway;
      };
      const gateways = await Promise.all(Array.from({ length: count }, open));
      const admitted = gateways.map(() => 0);
      const sendAll = async (times: number): Promise<void> => {
        for (const [n, gateway] of gateways.entries())
          admitted[n] = (admitted[n] ?? 0) + (await send(gateway, times));
      };
      await sendAll(60);
      for (let n = 0; n < OUTAGES; n += 1) {
        const end = await outage();
        await sendAll(400);
        end();
        for (const gateway of gateways) await untilUsed(gateway);
        await sendAll(60);
      }
      for (const spent of admitted) expect(spent).toBeLessThanOrEqual(QUOTA);
      expect(admitted.reduce((sum, spent) => sum + spent, 0)).toBeGreaterThanOrEqual(0.9 * QUOTA);
      const other = await open();
      await pollUntil('what was spent in outages is paid', async () => {
        await sendAll(20);
        return !(await isAdmitted(() => other.limiter.admitRequest([REPORTS]))) || undefined;
      });
    }),
  );
});
