import { LocalStore } from '../../../../src/gateway/cache/local-store.js';
import { bodiesOf } from '../../../../src/gateway/query/encode-bodies.js';
import type { Compressed } from '../../../../src/gateway/query/endpoint-result.js';
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

  describe('a result whose encodings are pending', () => {
    const body = Buffer.alloc(2000);
    const [br, gzip] = [Buffer.alloc(100), Buffer.alloc(200)];
    /** Encodings that were asked for; compressing them ends with `finish`. */
    const compressible = (createdAt = time.now) => {
      const asked: Compressed[] = [];
      const waiting: (() => void)[] = [];
      const compressTo = (encoding: Compressed, bytes: Buffer) => (): Promise<Buffer> => {
        asked.push(encoding);
        return new Promise((resolve) => {
          waiting.push(() => {
            resolve(bytes);
          });
        });
      };
      const bodies = bodiesOf(body, { br: compressTo('br', br), gzip: compressTo('gzip', gzip) });
      const finish = async (): Promise<void> => {
        for (const each of waiting.splice(0)) each();
        await turn();
      };
      return { result: sampleResult({ createdAt, bodies }), asked, finish };
    };
    const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    const bytesIn = (store: LocalStore): number => [...store.memoryUse().values()][0]?.bytes ?? 0;

    it('is compressed in no encoding until somebody asks for one, which counts and is kept', async () => {
      const store = new LocalStore(1e6, time.clock);
      const { result: stored, asked, finish } = compressible();
      await store.set(sampleKey('a'), stored, time.now + 60_000);
      await turn();
      expect([asked, bytesIn(store)]).toEqual([[], 2000]);
      void store.find(sampleKey('a').hash)?.bodies.pending?.in('gzip');
      await finish();
      const cached = store.find(sampleKey('a').hash);
      expect(cached?.bodies).toMatchObject({ identity: body, gzip });
      expect([asked, bytesIn(store)]).toEqual([['gzip'], 2200]);
      void cached?.bodies.pending?.in('br');
      await finish();
      expect(store.find(sampleKey('a').hash)?.bodies).toEqual({ identity: body, br, gzip });
      expect([asked, bytesIn(store)]).toEqual([['gzip', 'br'], 2300]);
    });

    it('has encodings that were ready before it was stored', async () => {
      const store = new LocalStore(1e6, time.clock);
      const { result: stored, finish } = compressible();
      void stored.bodies.pending?.in('br');
      await finish();
      await store.set(sampleKey('a'), stored, time.now + 60_000);
      expect(store.find(sampleKey('a').hash)?.bodies.br).toBe(br);
    });

    it('is soon compressed in the encodings that were asked for of the result before', async () => {
      const store = new LocalStore(1e6, time.clock);
      const [first, second] = [compressible(), compressible(time.now + 1)];
      await store.set(sampleKey('a'), first.result, time.now + 60_000);
      void first.result.bodies.pending?.in('br');
      await first.finish();
      await store.set(sampleKey('a'), second.result, time.now + 60_000);
      await turn();
      expect(second.asked).toEqual(['br']);
      await second.finish();
      expect(store.find(sampleKey('a').hash)).toMatchObject({ createdAt: time.now + 1, bodies: { br } });
    });

    it('is not stored again when it was purged or replaced meanwhile', async () => {
      const store = new LocalStore(1e6, time.clock);
      const [purged, replaced] = [compressible(), compressible()];
      await store.set(sampleKey('purged'), purged.result, time.now + 60_000);
      await store.set(sampleKey('replaced'), replaced.result, time.now + 60_000);
      for (const each of [purged, replaced]) void each.result.bodies.pending?.in('br');
      await store.purge({ hash: sampleKey('purged').hash });
      await store.set(sampleKey('replaced'), result, time.now + 60_000);
      for (const each of [purged, replaced]) await each.finish();
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
