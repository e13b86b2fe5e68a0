import { pingAny, pingServersOnce } from '../../../../src/gateway/server/first-ping.js';
import type { Ping } from '../../../../src/gateway/server/open-scheduler.js';
import { RecordingLogger } from '../../../support/recording-logger.js';

const up: Ping = () => Promise.resolve(true);
const fails: Ping = () => Promise.reject(new Error('ECONNREFUSED'));
const notReady: Ping = () => Promise.resolve(false);
const hangs: Ping = (signal) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => {
      reject(new Error('aborted'));
    });
  });
const named = (...pings: readonly Ping[]): readonly { name: string; ping: Ping }[] =>
  pings.map((ping, n) => ({ name: `server-${n}:8123`, ping }));

describe('pingServersOnce', () => {
  it('logs a warning for each server that does not respond, and stops waiting when its signal is aborted', async () => {
    const logger = new RecordingLogger();
    const limit = new AbortController();
    const responds = pingServersOnce(named(up, fails, notReady, hangs), logger, limit.signal);
    limit.abort();
    expect(await responds).toBe(true);
    expect(logger.lines.map(({ level, fields }) => [level, fields['server']])).toEqual([
      ['warn', 'server-1:8123'],
      ['warn', 'server-2:8123'],
      ['warn', 'server-3:8123'],
    ]);
    expect(logger.lines[0]?.fields['check']).toContain('CLICKHOUSE_URL');
  });

  it('returns false if no server responds, and logs nothing if all respond', async () => {
    const logger = new RecordingLogger();
    expect(await pingServersOnce(named(up, up), logger)).toBe(true);
    expect(logger.lines).toEqual([]);
    expect(await pingServersOnce(named(fails, notReady), logger)).toBe(false);
  });
});

describe('pingAny', () => {
  const { signal } = new AbortController();

  it('returns true with the first response, without waiting for a hanging server', async () => {
    expect(await pingAny(named(hangs, fails, up), signal)).toBe(true);
  });

  it('returns false if every ping fails', async () => {
    expect(await pingAny(named(fails, notReady), signal)).toBe(false);
  });
});
