import { setImmediate } from 'node:timers/promises';

import type { QueryData } from '../../../../src/gateway/versions/query-data.js';
import type { TablesVersion } from '../../../../src/gateway/versions/read-version.js';
import { TableVersions } from '../../../../src/gateway/versions/table-versions.js';

const DATA: QueryData = {
  tables: ['logs.a'],
  objects: ['logs.a'],
  computed: new Map(),
  definitions: 'logs.a 1',
};

const versionOf = (version: string): TablesVersion => ({
  ...{ version, base: 'base', server: 'one', definitions: DATA.definitions, partitions: {} },
});

/** Versions of tables whose reads end when the test ends them. */
class Reads {
  private readonly running: PromiseWithResolversOf<TablesVersion>[] = [];
  /** Milliseconds of both clocks. */
  now = 10_000;
  /** Milliseconds by which the clock is ahead of the steady one. */
  ahead = 0;
  readonly versions = new TableVersions({
    read: () => {
      const read = withResolvers<TablesVersion>();
      this.running.push(read);
      return read.promise;
    },
    shared: undefined,
    clock: () => new Date(this.now + this.ahead),
    steadyClock: () => this.now,
    onRead: () => undefined,
  });

  get count(): number {
    return this.running.length;
  }

  /** Ends a read, once it has begun. */
  async end(index: number, version: string | Error): Promise<void> {
    await setImmediate();
    if (version instanceof Error) this.running[index]?.reject(version);
    else this.running[index]?.resolve(versionOf(version));
  }
}

interface PromiseWithResolversOf<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: Error) => void;
}

function withResolvers<T>(): PromiseWithResolversOf<T> {
  let [resolve, reject]: [(value: T) => void, (reason: Error) => void] = [() => undefined, () => undefined];
  const promise = new Promise<T>((onResolved, onRejected) => ([resolve, reject] = [onResolved, onRejected]));
  return { promise, resolve, reject };
}

const A_SECOND = { maxAgeMs: 1000 };

describe('TableVersions', () => {
  it('reads once for all who want a version that is not older than a second', async () => {
    const reads = new Reads();
    const wanted = [reads.versions.get(DATA, A_SECOND)];
    await setImmediate();
    reads.now += 999;
    wanted.push(reads.versions.get(DATA, A_SECOND));
    await reads.end(0, 'first');
    expect((await Promise.all(wanted)).map(({ tables }) => tables.version)).toEqual(['first', 'first']);
    expect((await reads.versions.get(DATA, A_SECOND)).readAt).toBe(10_000);
    expect(reads.count).toBe(1);
  });

  it('waits for no read that began longer ago than that', async () => {
    const reads = new Reads();
    const slow = reads.versions.get(DATA, A_SECOND);
    await setImmediate();
    reads.now += 1001;
    const wanted = reads.versions.get(DATA, A_SECOND);
    await reads.end(1, 'second');
    expect(await wanted).toMatchObject({ readAt: 11_001, tables: { version: 'second' } });
    await reads.end(0, 'first');
    expect(await slow).toMatchObject({ readAt: 10_000 });
    // The one that began later counts, whichever ends first.
    expect(await reads.versions.get(DATA, A_SECOND)).toMatchObject({ tables: { version: 'second' } });
  });

  it('waits for no read whose version would be too old after the clock was set forward', async () => {
    const reads = new Reads();
    const earlier = reads.versions.get(DATA, A_SECOND);
    await setImmediate();
    reads.ahead = 1000;
    const wanted = reads.versions.get(DATA, A_SECOND);
    await reads.end(1, 'second');
    expect(await wanted).toMatchObject({ readAt: 11_000, tables: { version: 'second' } });
    await reads.end(0, 'first');
    await earlier;
  });

  it('reads again for those who want a read that begins now', async () => {
    const reads = new Reads();
    const first = reads.versions.get(DATA, A_SECOND);
    await setImmediate();
    reads.now += 1;
    const second = reads.versions.get(DATA, { ...A_SECOND, notBefore: reads.now });
    await reads.end(0, 'first');
    await reads.end(1, 'second');
    expect([(await first).tables.version, (await second).tables.version]).toEqual(['first', 'second']);
  });

  it('lets no caller wait within a second of a read that failed', async () => {
    const reads = new Reads();
    const failing = reads.versions.get(DATA, A_SECOND);
    await reads.end(0, new Error('away'));
    await expect(failing).rejects.toThrow('away');
    await expect(reads.versions.get(DATA, A_SECOND)).rejects.toThrow('the last read failed');
    reads.now += 1000;
    const later = reads.versions.get(DATA, A_SECOND);
    await reads.end(1, 'second');
    expect((await later).tables.version).toBe('second');
  });

  it('takes tables for moving from a query that found them changed until two reads agree', async () => {
    const reads = new Reads();
    reads.versions.noteChange(DATA);
    for (const [index, version] of ['a', 'b', 'b'].entries()) {
      expect(reads.versions.isMoving(DATA)).toBe(true);
      const read = reads.versions.get(DATA, A_SECOND);
      await reads.end(index, version);
      await read;
      reads.now += 1000;
    }
    expect(reads.versions.isMoving(DATA)).toBe(false);
  });
});
