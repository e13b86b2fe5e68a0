import { LocalStore } from '../../../../src/gateway/cache/local-store.js';
import { PurgeGuard } from '../../../../src/gateway/cache/purge-guard.js';
import { sampleResult, sampleKey } from '../../../support/sample-result.js';
import { SettableClock } from '../../../support/settable-clock.js';

const KEY = sampleKey('a query');
const SCOPES = [
  ['everything', {}],
  ['its endpoint', { endpointId: KEY.endpointId }],
  ['the result', KEY],
] as const;

describe('PurgeGuard', () => {
  let time: SettableClock;
  let store: LocalStore;
  let guard: PurgeGuard;

  beforeEach(() => {
    time = new SettableClock();
    store = new LocalStore(1e6, time.clock);
    guard = new PurgeGuard(store, time.clock);
  });

  it.each(SCOPES)('rejects a result whose query started before a purge of %s', async (_what, scope) => {
    const result = sampleResult({ createdAt: time.now });
    time.advance(10);
    await guard.purge({ ...scope, createdUntil: time.now });
    await guard.set(KEY, result, time.now + 60_000);
    expect(await guard.get(KEY)).toBeUndefined();
  });

  it.each(SCOPES)('rejects a result from before another gateway’s purge of %s', async (_what, scope) => {
    guard.note({ ...scope, createdUntil: time.now });
    guard.note({ ...scope, createdUntil: time.now - 1000 });
    await guard.set(KEY, sampleResult({ createdAt: time.now }), time.now + 60_000);
    expect(await guard.get(KEY)).toBeUndefined();
  });

  it('returns no purged result, even if its store has it again, and deletes it there', async () => {
    await guard.purge({ createdUntil: time.now });
    await store.set(KEY, sampleResult({ createdAt: time.now }), time.now + 60_000);
    expect(await guard.get(KEY)).toBeUndefined();
    expect(store.find(KEY.hash)).toBeUndefined();
  });

  it.each(SCOPES)(
    'accepts new results after a purge of %s by a clock that is an hour fast',
    async (_what, scope) => {
      const before = sampleResult({ createdAt: time.now });
      guard.note({ ...scope, createdUntil: time.now + 3_600_000 });
      await guard.set(KEY, before, time.now + 60_000);
      expect(await guard.get(KEY)).toBeUndefined();
      time.advance(5001);
      const after = sampleResult({ createdAt: time.now });
      await guard.set(KEY, after, time.now + 60_000);
      expect(await guard.get(KEY)).toEqual(after);
    },
  );

  it.each(SCOPES)(
    'accepts new results after a purge of %s before the clock was set back',
    async (_what, scope) => {
      time.advance(3_600_000);
      await guard.purge({ ...scope, createdUntil: time.now });
      time.advance(-3_600_000);
      const result = sampleResult({ createdAt: time.now });
      await guard.set(KEY, result, time.now + 60_000);
      expect(await guard.get(KEY)).toEqual(result);
      time.advance(1);
      await guard.purge({ ...scope, createdUntil: time.now });
      expect(await guard.get(KEY)).toBeUndefined();
    },
  );

  it('accepts a result that a purge does not concern', async () => {
    await guard.purge({ endpointId: '99999999-2222-4333-8444-555555555555', createdUntil: time.now });
    await guard.purge({ ...sampleKey('another query'), createdUntil: time.now });
    const result = sampleResult({ createdAt: time.now });
    await guard.set(KEY, result, time.now + 60_000);
    expect(await guard.get(KEY)).toEqual(result);
  });
});
