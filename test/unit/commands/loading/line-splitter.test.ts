import fc from 'fast-check';

import {
  LineSplitter,
  type Line,
  type RejectedLine,
} from '../../../../src/commands/loading/line-splitter.js';

function split(parts: readonly (string | Buffer)[], maxLineBytes?: number): (Line | RejectedLine)[] {
  const splitter = new LineSplitter(maxLineBytes);
  return [...parts.flatMap((part) => splitter.push(Buffer.from(part))), ...splitter.end()];
}

describe('LineSplitter', () => {
  it('numbers lines from 1, and keeps what a quoted field could contain', () => {
    expect(split(['a\n\nb\rc\r\nd'])).toEqual([
      { line: 1, text: 'a' },
      { line: 2, text: '' },
      { line: 3, text: 'b\rc\r' },
      { line: 4, text: 'd' },
    ]);
  });

  it('removes a byte order mark only at the start', () => {
    expect(split(['\ufeffa\n\ufeffb'])).toEqual([
      { line: 1, text: 'a' },
      { line: 2, text: '\ufeffb' },
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
