import { withDeadline } from '../../../src/scheduler/deadline.js';
import { ManualTimers } from './manual-timers.js';

describe('withDeadline', () => {
  let timers: ManualTimers;
  beforeEach(() => {
    timers = new ManualTimers();
  });

  it('is aborted at the deadline, with what the caller is told', async () => {
    const { signal } = withDeadline(new AbortController().signal, 2, timers.setTimer);
    await timers.advance(1999);
    expect(signal.aborted).toBe(false);
    await timers.advance(1);
    expect(signal.reason).toMatchObject({ code: 'WAIT_OVER', status: 504 });
  });

  it('is aborted when the caller’s signal is, with its reason', () => {
    const caller = new AbortController();
    const { signal } = withDeadline(caller.signal, 2, timers.setTimer);
    const gone = new Error('gone');
    caller.abort(gone);
    expect(signal.reason).toBe(gone);
  });

  it('leaves no timer when it is ended', () => {
    const { end } = withDeadline(new AbortController().signal, 2, timers.setTimer);
    end();
    expect(timers.size).toBe(0);
  });

  it('is not over at once for being far away', async () => {
    const { signal, end } = withDeadline(new AbortController().signal, 999_999_999);
    await new Promise((resolve) => setImmediate(resolve));
    expect(signal.aborted).toBe(false);
    end();
  });
});
