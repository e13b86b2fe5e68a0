import fc from 'fast-check';

import { LineSplitter, type Line } from '../../../../src/commands/loading/line-splitter.js';
import type { RejectedLine } from '../../../../src/commands/loading/load-report.js';

function split(parts: readonly (string | Buffer)[], maxLineBytes?: number): (Line | RejectedLine)[] {
  const splitter = new LineSplitter({ ...(maxLineBytes !== undefined && { maxLineBytes }) });
  return [...parts.flatMap((part) => splitter.push(Buffer.from(part))), ...splitter.end()];
}

describe('LineSplitter', () => {
  it('numbers lines from 1 and omits blank lines', () => {
    expect(split(['a\n\n  \nb\n'])).toEqual([
      { line: 1, text: 'a' },
      { line: 4, text: 'b' },
    ]);
  });

  it('delivers a last line without a line break', () => {
    expect(split(['a\nb'])).toEqual([
      { line: 1, text: 'a' },
      { line: 2, text: 'b' },
    ]);
  });

  it('treats CRLF as a line break and preserves a carriage return inside a line', () => {
    expect(split(['a\rb\r\n\r\nc\r\n'])).toEqual([
      { line: 1, text: 'a\rb' },
      { line: 3, text: 'c' },
    ]);
  });

  it('removes a byte order mark only at the start', () => {
    expect(split(['\ufeffa\n\ufeffb'])).toEqual([
      { line: 1, text: 'a' },
      { line: 2, text: '\ufeffb' },
    ]);
  });

  it('rejects a line that is not UTF-8 and continues with the next', () => {
    expect(split([Buffer.from([0x61, 0xff, 0x0a, 0x62])])).toEqual([
      { line: 1, reason: 'not valid UTF-8' },
      { line: 2, text: 'b' },
    ]);
  });

  it('rejects a line above the maximum length, at any chunk boundaries, and continues with the next', () => {
    expect(split(['12', '34', '5678\n', '1234\n', '12345'], 4)).toEqual([
      { line: 1, reason: 'longer than 4 bytes' },
      { line: 2, text: '1234' },
      { line: 3, reason: 'longer than 4 bytes' },
    ]);
  });

  it('returns the same lines for any chunk size', () => {
    const text = fc.stringMatching(/^[a\n\ré漢😀]{0,40}$/u);
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 7 }), (content, size) => {
        const bytes = Buffer.from(content);
        const parts: Buffer[] = [];
        for (let at = 0; at < bytes.length; at += size) parts.push(bytes.subarray(at, at + size));
        expect(split(parts)).toEqual(split([bytes]));
      }),
    );
  });
});
