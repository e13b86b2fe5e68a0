import { ExportingGateway } from '../support/exporting-gateway.js';
import { SettableClock } from '../support/settable-clock.js';

const DAYS_MS = 2 * 86_400_000;

it('a gateway whose clock is two days ahead of ClickHouse is ready with a warning, in the log too, until it is right again', async () => {
  const time = new SettableClock();
  time.advance(DAYS_MS);
  const opened = await ExportingGateway.open({}, time.clock);
  const { gateway, logger } = opened;
  const readiness = async (): Promise<readonly unknown[]> => {
    const response = await fetch(`${gateway.url}/health/ready`);
    return [response.status, await response.json()];
  };
  const ofClock = (): readonly unknown[] =>
    logger.lines.flatMap(({ level, message }) => (message.includes('clock') ? [level] : []));
  try {
    expect(ofClock()).toEqual(['warn']);
    const warning = expect.stringMatching(/17\d{4} seconds ahead of that of ClickHouse/) as string;
    expect(await readiness()).toEqual([200, { status: 'ready', warnings: [warning] }]);
    time.advance(-DAYS_MS);
    expect(await readiness()).toEqual([200, { status: 'ready' }]);
    expect(ofClock()).toEqual(['warn', 'info']);
  } finally {
    await opened.close();
  }
});
