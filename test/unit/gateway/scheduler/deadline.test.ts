import { Abort } from '../../../../src/gateway/query/signal.js';
import { withDeadline } from '../../../../src/gateway/scheduler/deadline.js';
import { ManualTimers } from './manual-timers.js';

describe('withDeadline', () => {
  const timers = new ManualTimers();

  it('aborts at the deadline with WAIT_OVER', async () => {
    const signal = withDeadline(new Abort(), 2, timers.setTimer);
    await timers.advance(1999);
    expect(signal.aborted).toBe(false);
    await timers.advance(1);
    expect(signal.reason).toMatchObject({ code: 'WAIT_OVER', status: 504 });
  });

  it('leaves no timer after its end', () => {
    withDeadline(new Abort(), 2, timers.setTimer).end();
    expect(timers.size).toBe(0);
  });

  it('does not abort at once when the deadline is very far away', async () => {
    const signal = withDeadline(new Abort(), 999_999_999);
    await new Promise((resolve) => setImmediate(resolve));
    expect(signal.aborted).toBe(false);
    signal.end();
  });
});
