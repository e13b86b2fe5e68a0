import { pingServersOnce } from '../../../src/server/first-ping.js';
import type { Ping } from '../../../src/server/open-scheduler.js';
import { pingAny } from '../../../src/server/ping-any.js';
import { RecordingLogger } from '../../support/recording-logger.js';

const up: Ping = () => Promise.resolve(true);
const refuses: Ping = () => Promise.reject(new Error('ECONNREFUSED'));
const unwell: Ping = () => Promise.resolve(false);
const isSilent: Ping = (signal) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => {
      reject(new Error('aborted'));
    });
  });
const named = (...pings: readonly Ping[]): readonly { name: string; ping: Ping }[] =>
  pings.map((ping, n) => ({ name: `server-${n}:8123`, ping }));

describe('pingServersOnce', () => {
  it('warns of each server that does not answer, and waits for none longer than it is told', async () => {
    const logger = new RecordingLogger();
    const limit = new AbortController();
    const answers = pingServersOnce(named(up, refuses, unwell, isSilent), logger, limit.signal);
    limit.abort();
    expect(await answers).toBe(true);
    expect(logger.lines.map(({ level, fields }) => [level, fields['server']])).toEqual([
      ['warn', 'server-1:8123'],
      ['warn', 'server-2:8123'],
      ['warn', 'server-3:8123'],
    ]);
    expect(logger.lines[0]?.fields['check']).toContain('CLICKHOUSE_URL');
  });

  it('tells where none answers, and is quiet where all do', async () => {
    const logger = new RecordingLogger();
    expect(await pingServersOnce(named(up, up), logger)).toBe(true);
    expect(logger.lines).toEqual([]);
    expect(await pingServersOnce(named(refuses, unwell), logger)).toBe(false);
  });
});

describe('pingAny', () => {
  const { signal } = new AbortController();

  it('is content with one, and does not wait for a silent one', async () => {
    expect(await pingAny(named(isSilent, refuses, up), signal)).toBe(true);
  });

  it('is a no where all refuse', async () => {
    expect(await pingAny(named(refuses, unwell), signal)).toBe(false);
  });
});
