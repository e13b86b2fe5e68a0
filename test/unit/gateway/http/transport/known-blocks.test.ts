import { KnownBlocks, VERSION } from '../../../../../src/gateway/http/transport/known-blocks.js';

const blockOf = (lines: string): string => `${VERSION}Host: gateway\r\n${lines}\r\n`;

describe('KnownBlocks', () => {
  it('keeps the latest blocks, of a few megabytes together', () => {
    const blocks = new KnownBlocks();
    const long = (number: number): string => blockOf(`X-Long: ${number} ${'x'.repeat(8000)}\r\n`);
    for (let number = 0; number < 1000; number += 1)
      blocks.learn(long(number), { headers: {}, rawHeaders: [] });
    const kept = Array.from({ length: 1000 }, (_, number) => blocks.find(long(number)) !== undefined);
    expect(kept.indexOf(true)).toBe(1000 - Math.floor((4 * 1024 * 1024) / (2000 + 4 * long(999).length)));
    expect(kept.slice(kept.indexOf(true))).not.toContain(false);
  });

  it('takes only plain lines of proxies for ones that may differ, each once and in its spelling', () => {
    const blocks = new KnownBlocks();
    const lines = 'X-Request-Id: a\r\nAccept: */*\r\ntraceparent: b\r\n';
    const rawHeaders = ['Host', 'gateway', 'X-Request-Id', 'a', 'Accept', '*/*', 'traceparent', 'b'];
    const headers = { host: 'gateway', 'x-request-id': 'a', accept: '*/*', traceparent: 'b' };
    blocks.learn(blockOf(lines), { headers, rawHeaders });
    expect(blocks.find(blockOf('X-Request-Id: c d\r\nAccept: */*\r\ntraceparent: e:f\r\n'))).toEqual({
      headers: { host: 'gateway', 'x-request-id': 'c d', accept: '*/*', traceparent: 'e:f' },
      rawHeaders: ['Host', 'gateway', 'X-Request-Id', 'c d', 'Accept', '*/*', 'traceparent', 'e:f'],
    });
    expect(headers['x-request-id']).toBe('a');
    for (const [from, to] of [
      ['X-Request-Id', 'x-request-id'],
      ['X-Request-Id: a', 'X-Request-Id:a'],
      ['X-Request-Id: a', 'X-Request-Id:  a'],
      ['X-Request-Id: a', 'X-Request-Id: a '],
      ['X-Request-Id: a', 'X-Request-Id: a  b'],
      ['X-Request-Id: a', 'X-Request-Id: a\tb'],
      ['X-Request-Id: a', 'X-Request-Id: \xe9'],
      ['X-Request-Id: a', 'X-Request-Id: a\0'],
      ['X-Request-Id: a', 'X-Request-Id: a\r\n b'],
      ['X-Request-Id: a', 'X-Request-Id: a\r\n\tb'],
      ['X-Request-Id: a', 'X-Request-Id: a\nb: c'],
      ['X-Request-Id: a', 'X-Request-Id: '],
      ['X-Request-Id: a', 'X-Request-Id: a\r\nX-Request-Id: b'],
      ['X-Request-Id: a\r\n', ''],
      ['traceparent: b', 'tracestate: b'],
      ['*/*', '*'],
    ] as const)
      expect([to, blocks.find(blockOf(lines.replace(from, to)))]).toEqual([to, undefined]);
  });
});
