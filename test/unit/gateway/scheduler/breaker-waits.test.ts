import { Failure, type FailureDetails } from '../../../../src/gateway/errors.js';
import type { RunQuery } from '../../../../src/gateway/query/ports.js';
import { ServerBreaker } from '../../../../src/gateway/scheduler/server-breaker.js';
import { ServerPool } from '../../../../src/gateway/scheduler/server-pool.js';
import { FakeRunQuery } from '../../../support/fake-run-query.js';
import { ManualTimers } from './manual-timers.js';
import { sampleRequest, runOn } from './sample-request.js';

describe('a failure that says when to try again', () => {
  let timers: ManualTimers;
  let runQuery: FakeRunQuery;
  let breaker: ServerBreaker;
  let run: RunQuery;
  let pings: number;

  beforeEach(() => {
    timers = new ManualTimers();
    runQuery = new FakeRunQuery();
    pings = 0;
    const ping = (): Promise<boolean> => Promise.resolve((pings += 1) > 0);
    const { clock, setTimer } = timers;
    breaker = new ServerBreaker({ ping, clock, setTimer, onChange: () => undefined });
    const pool = new ServerPool([{ name: 'only', runQuery: runQuery.run, breaker }], clock);
    run = runOn(pool);
  });

  const failWith = async (details: FailureDetails): Promise<void> => {
    runQuery.fail(new Failure('CLICKHOUSE_UNAVAILABLE', 'no', details));
    await expect(run(sampleRequest('q'))).rejects.toMatchObject({ code: 'CLICKHOUSE_UNAVAILABLE' });
    runQuery.returnRows([]);
  };

  it('opens the breaker for that long, whose rejections say how long it still waits', async () => {
    await failWith({ retryAfterSeconds: 20 });
    await timers.advance(12_500);
    await expect(run(sampleRequest('q'))).rejects.toMatchObject({
      code: 'CLICKHOUSE_UNAVAILABLE',
      details: { retryAfterSeconds: 8 },
    });
    expect([pings, runQuery.requests.length]).toEqual([0, 1]);
    await timers.advance(7500);
    await run(sampleRequest('q'));
    expect([pings, breaker.isOpen]).toEqual([1, false]);
  });

  it('opens it for five minutes at most', async () => {
    await failWith({ retryAfterSeconds: 86_400 });
    await timers.advance(299_999);
    await expect(run(sampleRequest('q'))).rejects.toMatchObject({ details: { retryAfterSeconds: 1 } });
    await timers.advance(1);
    await run(sampleRequest('q'));
  });

  it('counts as a lost connection where it does not say it', async () => {
    await failWith({ retryAfterSeconds: 1 });
    await failWith({});
    expect(breaker.isOpen).toBe(false);
    await failWith({});
    expect(breaker.isOpen).toBe(true);
  });
});
