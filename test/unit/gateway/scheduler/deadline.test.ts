import { withDeadline } from '../../../../src/gateway/scheduler/deadline.js';
import { ManualTimers } from './manual-timers.js';

describe('withDeadline', () => {
  let timers: ManualTimers;
  beforeEach(() => {
    timers = new ManualTimers();
  });

  it('aborts at the deadline with WAIT_OVER', async () => {
    const { signal } = withDeadline(new AbortController().signal, 2, timers.setTimer);
    await timers.advance(1999);
    expect(signal.aborted).toBe(false);
    await timers.advance(1);
    expect(signal.reason).toMatchObject({ code: 'WAIT_OVER', status: 504 });
  });

  it('aborts when the caller’s signal aborts, with the same reason', () => {
    const caller = new AbortController();
    const { signal } = withDeadline(caller.signal, 2, timers.setTimer);
    const reason = new Error('disconnected');
    caller.abort(reason);
    expect(signal.reason).toBe(reason);
  });

  it('leaves no timer after its end', () => {
    const { end } = withDeadline(new AbortController().signal, 2, timers.setTimer);
    end();
    expect(timers.size).toBe(0);
  });

  it('does not abort at once when the deadline is very far away', async () => {
    const { signal, end } = withDeadline(new AbortController().signal, 999_999_999);
    await new Promise((resolve) => setImmediate(resolve));
    expect(signal.aborted).toBe(false);
    end();
  });
});
