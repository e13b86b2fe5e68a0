import { Failure } from '../../../../src/gateway/errors.js';
import type { Call, CallOutcome } from '../../../../src/gateway/query/call.js';
import { keyOf, type CacheKey } from '../../../../src/gateway/query/cache-key.js';
import type { BackgroundQuery, DeferredBoard } from '../../../../src/gateway/query/ports.js';
import { EVERY_ROW } from '../../../../src/gateway/query/row-scope.js';
import { Abort } from '../../../../src/gateway/query/signal.js';
import {
  DeferredCalls,
  type Deferral,
  type StillRunning,
} from '../../../../src/gateway/scheduler/deferred-calls.js';
import { sampleEndpoint } from '../../../support/sample-endpoint.js';
import { sampleResult } from '../../../support/sample-result.js';
import { ManualTimers, settled } from './manual-timers.js';

const MISS: CallOutcome = {
  result: sampleResult({ createdAt: 0 }),
  status: 'MISS',
  isStored: true,
  isCollapsed: false,
  callers: 1,
};

/** Calls of one endpoint, whose executions a test ends. */
class Harness {
  readonly timers = new ManualTimers();
  readonly started: {
    readonly call: Call;
    readonly key: CacheKey;
    end: (outcome: CallOutcome) => void;
    fail: (error: Error) => void;
  }[] = [];
  readonly reported: BackgroundQuery[] = [];
  stale: CallOutcome | undefined;
  readonly calls: DeferredCalls;

  constructor(board?: DeferredBoard) {
    this.calls = new DeferredCalls({
      executeCall: (call, key) =>
        new Promise((resolve, reject) => {
          this.started.push({ call, key, end: resolve, fail: reject });
          call.signal.addEventListener('abort', () => {
            reject(call.signal.reason as Error);
          });
        }),
      findStale: () => Promise.resolve(this.stale),
      board,
      onBackground: (query) => this.reported.push(query),
      maxSeconds: 30,
      clock: this.timers.clock,
      setTimer: this.timers.setTimer,
    });
  }

  /** Sends a request that waits for five seconds. */
  request(
    options: Partial<Deferral> & { readonly caching?: 'disabled'; readonly signal?: Abort } = {},
  ): Promise<CallOutcome | StillRunning> {
    const { caching, signal = new Abort(), ...deferral } = options;
    const endpoint = sampleEndpoint(caching ? { caching } : {});
    const call: Call = {
      ...{ endpoint, values: new Map(), scope: EVERY_ROW, requestId: 'r', signal, demand: 'any' },
    };
    const outcome = this.calls.execute(call, keyOf(call), {
      ...{ caller: 'one', max: 2, seconds: 5, onStart: () => undefined },
      ...deferral,
    });
    outcome.catch(() => undefined);
    return outcome;
  }

  /** Lets a request end without a result. */
  async deferred(options: Parameters<Harness['request']>[0] = {}): Promise<unknown> {
    const outcome = this.request(options);
    await this.timers.advance(5000);
    return outcome;
  }
}

/** What another gateway would share: nothing, but for what a test says. */
const boardWith = (shared: Partial<DeferredBoard> = {}): DeferredBoard => ({
  want: () => Promise.resolve(undefined),
  isWanted: () => Promise.resolve(false),
  fail: () => Promise.resolve(),
  ...shared,
});

const RUNNING = { since: Date.parse('2026-05-17T10:05:03.000Z'), timeLimitSeconds: 30 };
const TIMED_OUT = new Failure('QUERY_TIMEOUT', 'Too slow.');

it('returns a result that comes in time as an ordinary one, and forgets it', async () => {
  const harness = new Harness();
  const outcome = harness.request();
  await settled();
  harness.started[0]?.end(MISS);
  expect(await outcome).toBe(MISS);
  expect([harness.timers.size, harness.reported]).toEqual([0, []]);
});

it('goes on after its request, which the same request joins; the query has a row of its own', async () => {
  const harness = new Harness();
  expect(await harness.deferred()).toEqual(RUNNING);
  const other = harness.request();
  const again = harness.request();
  await settled();
  harness.started[0]?.end(MISS);
  expect(await Promise.all([other, again])).toEqual(
    Array(2).fill({ ...MISS, isCollapsed: true, callers: 0 }),
  );
  expect(harness.started).toHaveLength(1);
  expect(harness.reported).toEqual([
    expect.objectContaining({ purpose: 'deferred', caller: 'one', endpoint: 'sample', callers: 1 }),
  ]);
  await settled();
  expect(harness.timers.size).toBe(0);
});

it('keeps a result for the next request, once', async () => {
  const harness = new Harness();
  await harness.deferred();
  harness.started[0]?.end(MISS);
  await harness.timers.advance(59_000);
  expect(await harness.request()).toMatchObject({ status: 'MISS' });
  void harness.request();
  await settled();
  expect(harness.started).toHaveLength(2);
});

it.each([
  ['the result', (harness: Harness) => harness.started[0]?.end(MISS)],
  ['the call', () => undefined],
])('forgets %s that nobody wants for 60 seconds', async (_what, end) => {
  const harness = new Harness();
  await harness.deferred();
  end(harness);
  await harness.timers.advance(60_000);
  expect([harness.timers.size, harness.started[0]?.call.signal.aborted]).toEqual([0, true]);
  void harness.request();
  await settled();
  expect(harness.started).toHaveLength(2);
});

it('goes on while a caller wants it at another gateway', async () => {
  let isWanted = true;
  const harness = new Harness(boardWith({ isWanted: () => Promise.resolve(isWanted) }));
  await harness.deferred();
  await harness.timers.advance(60_000);
  expect(harness.started[0]?.call.signal.aborted).toBe(false);
  isWanted = false;
  await harness.timers.advance(60_000);
  expect(harness.started[0]?.call.signal.aborted).toBe(true);
});

it('reports a failure to each request for 10 seconds, at every gateway', async () => {
  const failures: unknown[] = [];
  const harness = new Harness(
    boardWith({ fail: (...published) => Promise.resolve(void failures.push(published)) }),
  );
  await harness.deferred();
  harness.started[0]?.fail(TIMED_OUT);
  await harness.timers.advance(9000);
  await expect(harness.request()).rejects.toBe(TIMED_OUT);
  await expect(harness.request()).rejects.toBe(TIMED_OUT);
  expect(failures).toEqual([[expect.stringMatching(/^[0-9a-f]{64}$/), TIMED_OUT, 10]]);
  await harness.timers.advance(10_000);
  void harness.request();
  await settled();
  expect(harness.started).toHaveLength(2);
});

it('reports the failure of another gateway, and does not start the query', async () => {
  const harness = new Harness(boardWith({ want: () => Promise.resolve(TIMED_OUT) }));
  await expect(harness.request()).rejects.toBe(TIMED_OUT);
  expect(harness.started).toEqual([]);
});

it.each([
  ['a failure of which no request was told to repeat', false, TIMED_OUT],
  ['a rejection by a limit', true, new Failure('LIMIT_EXCEEDED', 'Too many.')],
])('does not keep %s', async (_what, isDeferred, failure) => {
  const harness = new Harness();
  const first = isDeferred ? harness.deferred() : harness.request();
  if (isDeferred) await first;
  else await settled();
  harness.started[0]?.fail(failure);
  if (!isDeferred) await expect(first).rejects.toBe(failure);
  await settled();
  void harness.request();
  await settled();
  expect(harness.started).toHaveLength(2);
});

it('returns a stale result in time, and goes on', async () => {
  const harness = new Harness();
  harness.stale = { ...MISS, status: 'STALE' };
  expect(await harness.deferred()).toBe(harness.stale);
  expect(harness.started[0]?.call.signal.aborted).toBe(false);
});

it('goes on where the client disconnects', async () => {
  const harness = new Harness();
  const signal = new Abort();
  const outcome = harness.request({ signal });
  await settled();
  const gone = new Failure('CALLER_GONE', 'Gone.');
  signal.abort(gone);
  await expect(outcome).rejects.toBe(gone);
  const again = harness.request();
  await settled();
  harness.started[0]?.end(MISS);
  expect(await again).toMatchObject({ status: 'MISS' });
});

it('executes a call beyond the caller’s own as without the preference', async () => {
  const harness = new Harness();
  for (const request of ['a', 'b']) void harness.request({ request });
  await settled();
  const third = harness.request({ request: 'c' });
  const ofOther = harness.request({ request: 'c', caller: 'other' });
  await harness.timers.advance(5000);
  await expect(third).rejects.toMatchObject({ code: 'WAIT_OVER' });
  expect(await ofOther).toEqual(RUNNING);
  expect(harness.started.map(({ call }) => call.signal.aborted)).toEqual([false, false, true, false]);
});

it('stores a result of an endpoint without a cache for its caller alone', async () => {
  const harness = new Harness();
  for (const caller of ['one', 'other', 'one']) void harness.request({ caller, caching: 'disabled' });
  await settled();
  const lifetime = { cachingMs: 60_000, confirmableMs: 0, staleMs: 0 };
  expect(harness.started.map(({ key }) => key)).toMatchObject([lifetime, lifetime]);
  expect(new Set(harness.started.map(({ key }) => key.hash)).size).toBe(2);
  harness.started[0]?.end(MISS);
  expect(await harness.request({ caching: 'disabled' })).toMatchObject({ status: 'BYPASS', isStored: false });
});

it('forgets the results that began first where all are too large together, and never the newest', async () => {
  const harness = new Harness();
  const large = (megabytes: number): CallOutcome => {
    const identity = Buffer.alloc(0);
    Object.defineProperty(identity, 'length', { value: megabytes * 1024 * 1024 });
    return { ...MISS, result: { ...MISS.result, bodies: { identity } } };
  };
  const requests = ['a', 'b', 'c'];
  for (const request of requests) void harness.request({ request, max: 10 });
  await harness.timers.advance(5000);
  for (const [at, megabytes] of [20, 60, 300].entries()) {
    harness.started[at]?.end(large(megabytes));
    await settled();
  }
  await harness.request({ request: 'c' });
  for (const request of ['a', 'b']) void harness.request({ request, max: 10 });
  await settled();
  // The first two began again.
  expect(harness.started).toHaveLength(5);
});

it('cancels all calls when the gateway closes, without a failure for those who repeat them', async () => {
  const published: unknown[] = [];
  const harness = new Harness(
    boardWith({
      isWanted: () => Promise.resolve(true),
      fail: (...failure) => Promise.resolve(void published.push(failure)),
    }),
  );
  await harness.deferred();
  const waiting = harness.request();
  await settled();
  harness.calls.close();
  await expect(waiting).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
  await settled();
  expect([published, harness.timers.size]).toEqual([[], 0]);
});
