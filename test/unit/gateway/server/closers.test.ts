import { Closers } from '../../../../src/gateway/server/closers.js';
import { RecordingLogger } from '../../../support/recording-logger.js';

describe('Closers', () => {
  const failing = (): Promise<void> => Promise.reject(new Error('broken'));

  it('closes every part in reverse order, even if one of them fails', async () => {
    const logger = new RecordingLogger();
    const closers = new Closers(logger);
    const closed: string[] = [];
    closers.add(() => void closed.push('first'), { name: 'first' });
    closers.add(failing, { name: 'second' });
    closers.add(
      () => {
        throw new Error('at once');
      },
      { name: 'third' },
    );
    closers.add(() => void closed.push('last'), { name: 'last' });
    await expect(closers.closeAll(0)).rejects.toThrow('did not close: third, second');
    expect(closed).toEqual(['last', 'first']);
  });

  it('logs the name of a part that does not close in time, and closes the others', async () => {
    const logger = new RecordingLogger();
    const closers = new Closers(logger, 10);
    let closed = false;
    closers.add(() => void (closed = true), { name: 'first' });
    closers.add(() => new Promise(() => undefined), { name: 'hanging' });
    await expect(closers.closeAll(0)).rejects.toThrow('did not close: hanging');
    expect(closed).toBe(true);
    expect(logger.lines).toMatchObject([
      {
        level: 'error',
        message: 'a part of the gateway did not close',
        fields: { part: 'hanging', error: 'it did not close within 10 ms' },
      },
    ]);
  });

  it('closes the parts that wait for requests at once, and all others after them', async () => {
    const closers = new Closers(new RecordingLogger(), 1000);
    const events: string[] = [];
    const draining = (name: string) => async (): Promise<void> => {
      events.push(`${name} begins`);
      await Promise.resolve();
      events.push(`${name} ends`);
    };
    closers.add(draining('one'), { name: 'one', drains: true });
    closers.add(() => void events.push('admin'), { name: 'admin' });
    closers.add(draining('two'), { name: 'two', drains: true });
    await closers.closeAll(0);
    expect(events).toEqual(['two begins', 'one begins', 'two ends', 'one ends', 'admin']);
  });

  it('resolves if only best-effort parts fail', async () => {
    const closers = new Closers(new RecordingLogger());
    closers.add(failing, { name: 'tracing', isBestEffort: true });
    await expect(closers.closeAll(0)).resolves.toBeUndefined();
  });

  it('closes each part once, however often it is called', async () => {
    const closers = new Closers(new RecordingLogger());
    let times = 0;
    closers.add(() => void (times += 1), { name: 'part' });
    await Promise.all([closers.closeAll(0), closers.closeAll(0)]);
    await closers.closeAll(0);
    expect(times).toBe(1);
  });

  it('passes the drain time to each part', async () => {
    const closers = new Closers(new RecordingLogger());
    const received: number[] = [];
    closers.add((drainMs) => void received.push(drainMs), { name: 'part', drains: true });
    await closers.closeAll(1234);
    expect(received).toEqual([1234]);
  });
});
