import { Console } from 'node:console';
import { Writable } from 'node:stream';

import {
  createLineLogger,
  createLogger,
  describeError,
  type Logger,
} from '../../../../src/gateway/observability/logger.js';

/** The first lines that a logger writes to standard output. */
async function linesOf(
  options: { readonly level: string; readonly readable: boolean; readonly count: number },
  use: (logger: Logger) => void,
): Promise<readonly string[]> {
  const before = globalThis.console;
  const lines: string[] = [];
  const written = new Promise<void>((resolve) => {
    const stdout = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        lines.push(chunk.toString());
        if (lines.length === options.count) resolve();
        done();
      },
    });
    globalThis.console = new Console({ stdout });
  });
  try {
    use(createLogger(options.level, options.readable));
    await written;
  } finally {
    globalThis.console = before;
  }
  return lines;
}

describe('createLogger', () => {
  it('writes one line of JSON for each message, with its fields', async () => {
    const lines = await linesOf({ level: 'info', readable: false, count: 2 }, (logger) => {
      logger.info('request', { requestId: 'r-1', status: 200, rows: undefined });
      logger.error('it broke\nbadly', { code: 'INTERNAL' });
    });
    const [first, second] = lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    expect(first).toEqual({
      level: 'info',
      message: 'request',
      requestId: 'r-1',
      status: 200,
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string,
    });
    expect(second).toMatchObject({ level: 'error', message: 'it broke\nbadly', code: 'INTERNAL' });
    for (const line of lines) expect(line.trimEnd()).not.toContain('\n');
  });

  it('omits messages below its level', async () => {
    const lines = await linesOf({ level: 'warn', readable: false, count: 2 }, (logger) => {
      logger.debug('one');
      logger.info('two');
      logger.warn('three');
      logger.error('four');
    });
    expect(lines.map((line) => (JSON.parse(line) as { message: string }).message)).toEqual(['three', 'four']);
  });

  it('writes readable lines on a terminal', async () => {
    const [line] = await linesOf({ level: 'info', readable: true, count: 1 }, (logger) => {
      logger.info('request', { endpoint: 'logs.all', status: 200, key: undefined });
    });
    expect(line).toMatch(/^\d\d:\d\d:\d\d\.\d{3} .*info.* {2}request {2}endpoint=logs\.all {2}status=200\n$/);
  });
});

describe('createLineLogger', () => {
  const linesOfLineLogger = (level: string, use: (logger: Logger) => void): readonly object[] => {
    const lines: string[] = [];
    use(createLineLogger(level, { write: (line) => lines.push(line) }));
    for (const line of lines) expect(line.indexOf('\n')).toBe(line.length - 1);
    return lines.map((line) => JSON.parse(line) as object);
  };

  it('writes requests and events as lines of the same form, in their order', () => {
    const written = linesOfLineLogger('info', (logger) => {
      logger.request('info', { requestId: 'r-1', path: '/a"b\nc', rows: undefined });
      logger.info('request', { requestId: 'r-1', path: '/a"b\nc', rows: undefined });
    });
    const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
    const line = { level: 'info', message: 'request', requestId: 'r-1', path: '/a"b\nc', timestamp };
    expect(written).toEqual([line, line]);
  });

  it('omits requests below its level', () => {
    const written = linesOfLineLogger('warn', (logger) => {
      logger.request('debug', { requestId: 'r-1' });
      logger.request('info', { requestId: 'r-2' });
      logger.request('error', { requestId: 'r-3' });
    });
    expect(written).toEqual([expect.objectContaining({ requestId: 'r-3', level: 'error' })]);
  });
});

describe('describeError', () => {
  it('returns message, type, code and stack of an error, and of its cause', () => {
    const cause = Object.assign(new Error('inner'), { type: 'UNKNOWN_TABLE', code: '60' });
    const fields = describeError(new Error('outer', { cause }));
    expect(fields).toMatchObject({
      error: 'outer',
      cause: { error: 'inner', type: 'UNKNOWN_TABLE', code: '60' },
    });
    expect(fields['stack']).toContain('outer');
  });

  it('returns the text of a value that is not an error', () => {
    expect(describeError('boom')).toEqual({ error: 'boom' });
  });
});
