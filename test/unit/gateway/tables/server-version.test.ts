import { ServerVersion } from '../../../../src/gateway/tables/server-version.js';
import { SettableClock } from '../../../support/settable-clock.js';

describe('ServerVersion', () => {
  it('lets one statement a second wait for a ClickHouse that does not respond, once it has a version', async () => {
    const time = new SettableClock();
    let read: () => Promise<unknown> = () => Promise.resolve(['26.1']);
    let reads = 0;
    const version = new ServerVersion(<T>() => {
      reads += 1;
      return read() as Promise<T>;
    }, time.clock);
    await version.read();
    time.advance(600_000);
    let fail: (error: Error) => void = () => undefined;
    read = () => new Promise((_resolve, reject) => (fail = reject));
    const waiting = version.read();
    await version.read();
    fail(new Error('away'));
    await waiting;
    await version.read();
    expect([reads, version.known]).toEqual([2, '26.1']);
    time.advance(1000);
    read = () => Promise.resolve(['26.2']);
    await version.read();
    expect([reads, version.known]).toEqual([3, '26.2']);
  });

  it('fails, and is read again, while ClickHouse never responded', async () => {
    let reads = 0;
    const version = new ServerVersion(
      () => Promise.reject(new Error(`away ${(reads += 1)}`)),
      new SettableClock().clock,
    );
    await expect(version.read()).rejects.toThrow('away 1');
    await expect(version.read()).rejects.toThrow('away 2');
  });
});
