import { LocalStore } from '../../../../src/gateway/cache/local-store.js';
import type { Bodies, EndpointResult } from '../../../../src/gateway/query/endpoint-result.js';
import { sampleResult, sampleKey } from '../../../support/sample-result.js';
import { SettableClock } from '../../../support/settable-clock.js';

const ENTRY_BYTES = 10_000;
const OVERHEAD_BYTES = 2048;

describe('LocalStore', () => {
  const time = new SettableClock();
  const result = sampleResult({ createdAt: time.now, bodies: { identity: Buffer.alloc(ENTRY_BYTES) } });
  const fill = async (store: LocalStore, from: number, count: number): Promise<void> => {
    for (let n = from; n < from + count; n += 1) {
      await store.set(sampleKey(String(n)), result, time.now + 60_000);
    }
  };
  const entriesOf = (store: LocalStore): number =>
    [...store.memoryUse().values()].reduce((sum, { entries }) => sum + entries, 0);

  it('stays within its bytes, and reports each evicted result', async () => {
    let evicted = 0;
    const store = new LocalStore(100 * (ENTRY_BYTES + OVERHEAD_BYTES), time.clock, () => (evicted += 1));
    await fill(store, 0, 100);
    expect([entriesOf(store), evicted]).toEqual([100, 0]);
    await fill(store, 100, 30);
    expect([entriesOf(store), evicted]).toEqual([100, 30]);
    expect([...store.memoryUse().values()]).toEqual([{ entries: 100, bytes: 100 * ENTRY_BYTES }]);
  });

  it('evicts the least recently used result', async () => {
    const store = new LocalStore(3 * (ENTRY_BYTES + OVERHEAD_BYTES), time.clock);
    await fill(store, 0, 3);
    await store.get(sampleKey('0'));
    await fill(store, 3, 1);
    const cached = await Promise.all(['0', '1', '2', '3'].map((text) => store.get(sampleKey(text))));
    expect(cached.map((found) => found !== undefined)).toEqual([true, false, true, true]);
  });

  it('drops the entries of some endpoints only', async () => {
    const store = new LocalStore(1e6, time.clock);
    const keys = ['a', 'b'].map((endpointId) => ({ ...sampleKey(endpointId), endpointId }));
    for (const key of keys) await store.set(key, result, time.now + 60_000);
    store.drop(new Set(['b', 'c']));
    expect([...store.memoryUse().keys()]).toEqual(['a']);
  });

  it('counts all encodings, and an overhead for tiny results', async () => {
    const store = new LocalStore(10 * OVERHEAD_BYTES + 100, time.clock);
    const tiny = sampleResult({ createdAt: time.now, bodies: { identity: Buffer.alloc(0) } });
    for (let n = 0; n < 1000; n += 1) await store.set(sampleKey(String(n)), tiny, time.now + 60_000);
    expect(entriesOf(store)).toBe(10);
    const part = Buffer.alloc(4 * OVERHEAD_BYTES);
    await store.set(
      sampleKey('encoded'),
      sampleResult({ createdAt: time.now, bodies: { identity: part, gzip: part, br: part } }),
      time.now + 60_000,
    );
    expect(await store.get(sampleKey('encoded'))).toBeUndefined();
  });

  describe('a result that is being compressed', () => {
    const part = Buffer.alloc(100);
    const compressing = (): { result: EndpointResult; compress: () => void } => {
      let compress = (): void => undefined;
      const complete = new Promise<Bodies>((resolve) => {
        compress = () => {
          resolve({ identity: part, gzip: part, br: part });
        };
      });
      const pending = { in: () => Promise.resolve(part), complete: () => complete };
      return {
        result: sampleResult({ createdAt: time.now, bodies: { identity: part, pending } }),
        compress,
      };
    };
    const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

    it('is found at once, and has all encodings, which count, when they are ready', async () => {
      const store = new LocalStore(1e6, time.clock);
      const { result: incomplete, compress } = compressing();
      await store.set(sampleKey('a'), incomplete, time.now + 60_000);
      await turn();
      expect(await store.get(sampleKey('a'))).toBe(incomplete);
      compress();
      await turn();
      const bodies = { identity: part, gzip: part, br: part };
      expect(await store.get(sampleKey('a'))).toEqual({ ...incomplete, bodies });
      expect([...store.memoryUse().values()]).toEqual([{ entries: 1, bytes: 300 }]);
    });

    it('is not stored again when it was purged or replaced meanwhile', async () => {
      const store = new LocalStore(1e6, time.clock);
      const [purged, replaced] = [compressing(), compressing()];
      await store.set(sampleKey('purged'), purged.result, time.now + 60_000);
      await store.set(sampleKey('replaced'), replaced.result, time.now + 60_000);
      await turn();
      await store.purge({ hash: sampleKey('purged').hash });
      await store.set(sampleKey('replaced'), result, time.now + 60_000);
      purged.compress();
      replaced.compress();
      await turn();
      expect(await store.get(sampleKey('purged'))).toBeUndefined();
      expect(await store.get(sampleKey('replaced'))).toBe(result);
    });
  });

  it('reports no eviction when a result is replaced, purged or expired', async () => {
    let evicted = 0;
    const store = new LocalStore(1e6, time.clock, () => (evicted += 1));
    await fill(store, 0, 3);
    await fill(store, 0, 1);
    await store.purge(sampleKey('1'));
    time.advance(60_000);
    expect(await store.get(sampleKey('2'))).toBeUndefined();
    expect(evicted).toBe(0);
  });

  it('purges all results of an endpoint, and leaves those of others', async () => {
    const store = new LocalStore(1e8, time.clock);
    const endpoints = ['11111111-2222-4333-8444-555555555555', '99999999-2222-4333-8444-555555555555'];
    for (let n = 0; n < 1000; n += 1) {
      await store.set(sampleKey(String(n), endpoints[n % 2]), result, time.now + 60_000);
    }
    await store.purge({ endpointId: endpoints[0] ?? '' });
    expect([...store.memoryUse()]).toEqual([[endpoints[1], { entries: 500, bytes: 500 * ENTRY_BYTES }]]);
  });

  it('leaves results that are newer than the purge', async () => {
    const store = new LocalStore(1e6, time.clock);
    await fill(store, 0, 1);
    await store.purge({ createdUntil: result.createdAt - 1 });
    expect(entriesOf(store)).toBe(1);
    await store.purge({ createdUntil: result.createdAt });
    expect(entriesOf(store)).toBe(0);
  });
});
