import { ClockMonitor } from '../../../../src/gateway/server/clock-monitor.js';
import { RecordingLogger } from '../../../support/recording-logger.js';
import { SettableClock } from '../../../support/settable-clock.js';

describe('the clock of the gateway', () => {
  it('that is 30 seconds ahead of ClickHouse, or behind, is logged once with the seconds, and so is that it is right again', () => {
    const logger = new RecordingLogger();
    const time = new SettableClock();
    const { now } = time;
    const monitor = new ClockMonitor(time.clock, logger);
    const seconds = [29, 30, 28, 40, -29, NaN, -30].map((ahead) => {
      monitor.note('ch:8123', now - ahead * 1000);
      return monitor.aheadSeconds;
    });
    expect(seconds).toEqual([0, 30, 30, 40, 40, 40, -30]);
    monitor.note('other:8123', now);
    monitor.note('ch:8123', now - 1000);
    expect(monitor.aheadSeconds).toBe(0);
    expect(logger.lines).toMatchObject([
      { level: 'warn', fields: { server: 'ch:8123', aheadSeconds: 30 } },
      { level: 'info', fields: { server: 'ch:8123', aheadSeconds: 1 } },
    ]);
  });
});
