import {
  GatewaysUsage,
  type GatewaysUsageDependencies,
} from '../../../../src/gateway/coordination/gateways-usage.js';
import type { PublishedUsage } from '../../../../src/gateway/coordination/redis-usage.js';
import { UsageLedger } from '../../../../src/gateway/coordination/usage-ledger.js';
import { EndpointRegistry } from '../../../../src/endpoint/registry.js';
import { keyOf } from '../../../../src/gateway/query/cache-key.js';
import type { EndpointQuery } from '../../../../src/gateway/query/endpoint-query.js';
import { validateParameters } from '../../../../src/gateway/query/validate-parameters.js';
import { costOf, resultOf } from '../../../support/fake-run-query.js';
import { rawParameters } from '../../../support/raw-parameters.js';
import { sampleEndpoint } from '../../../support/sample-endpoint.js';
import { TestClock } from '../../../support/test-clock.js';
import { requestCities, refreshedCities, WarmedGateway } from '../../../support/warmed-gateway.js';

type UsageBoard = GatewaysUsageDependencies['board'];

const HOUR = 3600;
const TEN_MINUTES = 600;
const INTERVAL = 300;
const ENDPOINT = sampleEndpoint({ caching: 900, warming: INTERVAL });

describe('warming after the clock was set back by an hour', () => {
  let gateway: WarmedGateway;
  const setBack = (): void => {
    gateway.clock.advance(-HOUR);
  };
  beforeEach(() => {
    gateway = new WarmedGateway([ENDPOINT]);
  });

  it('refreshes a set at once, because its result is from the future, and then at the interval', async () => {
    await requestCities(gateway, ENDPOINT, ['Rome']);
    setBack();
    await gateway.pass(1);
    expect(refreshedCities(gateway)).toEqual(['Rome']);
    expect((await gateway.send(ENDPOINT, { city: 'Rome' })).status).toBe('HIT');
    await gateway.pass(INTERVAL - 2 * INTERVAL * 0.1);
    expect(gateway.refreshes).toHaveLength(1);
    await gateway.pass(2 * INTERVAL * 0.1 + 1);
    expect(gateway.refreshes).toHaveLength(2);
  });

  it('counts a new use of a set that was refreshed in that hour', async () => {
    gateway.use(ENDPOINT, { city: 'Rome' });
    await gateway.pass(2 * INTERVAL + 1);
    setBack();
    await gateway.send(ENDPOINT, { city: 'Rome' });
    const before = gateway.refreshes.length;
    await gateway.pass(2 * INTERVAL + 1);
    expect(gateway.refreshes.length).toBe(before + 2);
  });

  it('stops after two refreshes of a set that is not used again', async () => {
    await requestCities(gateway, ENDPOINT, ['Rome']);
    setBack();
    await gateway.pass(HOUR);
    expect(gateway.refreshes).toHaveLength(2);
  });

  it('retries at once a set whose refresh failed in that hour', async () => {
    gateway.declare(ENDPOINT);
    gateway.respond = () => Promise.reject(new Error('ClickHouse is unreachable'));
    await gateway.pass(1);
    setBack();
    gateway.respond = () => Promise.resolve(resultOf([]));
    await gateway.pass(1);
    expect(gateway.outcomes).toEqual(['sample failed', 'sample ok']);
  });
});

/** The publications of all gateways, in memory. */
class Board implements UsageBoard {
  private readonly written = new Map<string, string>();

  readonly write = ({ gateway, json }: PublishedUsage): Promise<true> => {
    this.written.set(gateway, json);
    return Promise.resolve(true);
  };

  readonly readOthers = (_endpointId: string, own: string): Promise<readonly string[]> =>
    Promise.resolve([...this.written].filter(([gateway]) => gateway !== own).map(([, json]) => json));
}

class UsingGateway {
  readonly clock = new TestClock();
  readonly usage: GatewaysUsage;
  private readonly ledger = new UsageLedger(10);

  constructor(board: UsageBoard) {
    const endpoints = new EndpointRegistry([ENDPOINT]);
    this.usage = new GatewaysUsage({
      board,
      ledger: this.ledger,
      endpoints,
      maxSets: 10,
      clock: this.clock.read,
    });
  }

  request(city: string): void {
    const values = validateParameters(ENDPOINT, rawParameters({ city }));
    const query: EndpointQuery = { endpoint: ENDPOINT, values, scope: '' };
    const { milliseconds } = this.clock;
    this.ledger.count(keyOf(query), query, milliseconds, { createdAt: milliseconds, cost: costOf({}) });
  }
}

describe('GatewaysUsage', () => {
  it('treats a use by a gateway whose clock is ten minutes fast as a use now, without a result', async () => {
    const board = new Board();
    const [fast, correct] = [new UsingGateway(board), new UsingGateway(board)];
    fast.clock.advance(TEN_MINUTES);
    fast.request('Rome');
    await fast.usage.publish();
    const now = correct.clock.milliseconds;
    expect(await correct.usage.sets(ENDPOINT.id)).toMatchObject([{ lastUsedAt: now, createdAt: 0 }]);
  });

  it('publishes sets that were used before the clock was set back', async () => {
    const board = new Board();
    const [one, other] = [new UsingGateway(board), new UsingGateway(board)];
    one.request('Rome');
    one.clock.advance(-HOUR);
    other.clock.advance(-HOUR);
    await one.usage.publish();
    expect(await other.usage.sets(ENDPOINT.id)).toMatchObject([{ uses: 1 }]);
  });

  it('lists a forgotten set that is used again after the clock was set back', async () => {
    const gateway = new UsingGateway(new Board());
    gateway.request('Rome');
    const [set] = await gateway.usage.sets(ENDPOINT.id);
    if (!set) throw new Error('no set is in use');
    gateway.usage.forget(set.key);
    gateway.clock.advance(-HOUR);
    gateway.request('Rome');
    expect(await gateway.usage.sets(ENDPOINT.id)).toMatchObject([{ uses: 1 }]);
  });
});
