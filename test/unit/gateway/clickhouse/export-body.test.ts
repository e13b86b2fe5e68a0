import { Readable } from 'node:stream';
import fc from 'fast-check';

import { ExportBody, type ExportedBody } from '../../../../src/gateway/clickhouse/export-body.js';

const MARK = 'end0123456789abcdef';
const TAG = 'abcdefghijklmnop';
const LAST_LINE = `\n${MARK} 3 30 300 0.5`;
const EXCEPTION = `\r\n__exception__\r\n${TAG}\r\nCode: 395. DB::Exception: boom. (SOME_NAME)\r\n40 ${TAG}\r\n__exception__\r\n`;

const TEXT: ExportedBody = {
  start: Buffer.from('<'),
  mark: MARK,
  finish: (lines) => lines,
  isComplete: () => false,
  end: (figures) => Buffer.from(`>${figures?.rowCount ?? ''}`),
};
const FILE: ExportedBody = {
  start: Buffer.alloc(0),
  mark: undefined,
  finish: (lines) => lines,
  isComplete: (ends) => ends.toString().startsWith('HEAD') && ends.toString().endsWith('TAIL'),
  end: () => Buffer.alloc(0),
};

/** Text with line ends, in which rows of any length occur. */
const rows = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 3000 }), fc.constantFrom('a', 'é', '\u2028')), { maxLength: 30 })
  .map((lengths) => lengths.map(([length, character]) => character.repeat(length)).join('\n'));
const chunkSizes = fc.array(fc.integer({ min: 1, max: 2000 }), { minLength: 1, maxLength: 20 });

function cut(bytes: Buffer, sizes: readonly number[]): readonly Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

/** What a caller gets of a response that arrives in chunks, and the error with which it ends. */
async function receive(
  body: ExportedBody,
  text: string,
  sizes: readonly number[],
): Promise<{ readonly sent: string; readonly error: unknown; readonly bytes: number }> {
  const exported = new ExportBody(body, TAG, setImmediate);
  const chunks = cut(Buffer.from(text), sizes);
  const source = Readable.from(chunks);
  source.on('data', (chunk: Buffer) => {
    exported.scan(chunk);
  });
  const sent: Buffer[] = [];
  exported.on('data', (chunk: Buffer) => sent.push(chunk));
  source.pipe(exported);
  const error = await new Promise((resolve) => {
    exported.once('end', resolve).once('error', resolve);
  });
  return { sent: Buffer.concat(sent).toString(), error, bytes: exported.bytes };
}

describe('ExportBody', () => {
  it('sends all rows and their end, however the bytes arrive', async () => {
    await fc.assert(
      fc.asyncProperty(rows, chunkSizes, async (text, sizes) => {
        const { sent, error, bytes } = await receive(TEXT, text + LAST_LINE, sizes);
        expect([sent, error, bytes]).toEqual([`<${text}>3`, undefined, Buffer.byteLength(sent)]);
      }),
    );
  });

  it('gives whole characters to what finishes the text', async () => {
    const finish = (lines: Buffer): Buffer => Buffer.from(lines.toString());
    await fc.assert(
      fc.asyncProperty(rows, chunkSizes, async (text, sizes) => {
        const { sent } = await receive({ ...TEXT, finish }, text + LAST_LINE, sizes);
        expect(sent).toBe(`<${text}>3`);
      }),
    );
  });

  it('fails with an exception of ClickHouse, of which it sends nothing', async () => {
    await fc.assert(
      fc.asyncProperty(rows, chunkSizes, fc.constantFrom(TEXT, FILE), async (text, sizes, body) => {
        const { sent, error } = await receive(body, text + EXCEPTION, sizes);
        expect(error).toMatchObject({ code: '395' });
        expect(`<${text}`.startsWith(sent) || text.startsWith(sent.replace(/\uFFFD+$/, ''))).toBe(true);
      }),
    );
  });

  it('finds an exception whose mark is cut at any of its bytes', async () => {
    for (let at = 1; at < EXCEPTION.length; at += 1) {
      const { sent, error } = await receive(TEXT, `row\n${EXCEPTION}`, [4 + at, 1000]);
      expect([error, sent]).toMatchObject([{ code: '395' }, '<']);
    }
  });

  it('fails where the last line is missing, or has another mark', async () => {
    await fc.assert(
      fc.asyncProperty(rows, chunkSizes, async (text, sizes) => {
        for (const end of ['', '\nend 3 30 300 0.5', LAST_LINE.slice(0, -4), `${LAST_LINE}\nmore`]) {
          const { error } = await receive(TEXT, text + end, sizes);
          expect(error).toMatchObject({ code: 'CLICKHOUSE_ANSWER_BROKEN' });
        }
      }),
    );
  });

  it('fails with a row that is too long to be held', async () => {
    const { sent, error } = await receive(TEXT, `row\n${'x'.repeat(65 * 1024 * 1024)}${LAST_LINE}`, [65_536]);
    expect([sent, error]).toMatchObject(['<row\n', { code: 'RESULT_TOO_LARGE' }]);
  });

  it('fails with what finishes the text', async () => {
    const finish = (): Buffer => {
      throw new Error('too long');
    };
    for (const text of ['row', 'row\n'.repeat(1000)]) {
      const { error } = await receive({ ...TEXT, finish }, text + LAST_LINE, [2000]);
      expect(error).toMatchObject({ message: 'too long' });
    }
  });

  it('sends a file of any length that begins and ends as it must, and fails with any other', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 5000 }), chunkSizes, async (length, sizes) => {
        const file = `HEAD${'x'.repeat(length)}TAIL`;
        expect(await receive(FILE, file, sizes)).toMatchObject({ sent: file, error: undefined });
        for (const broken of [file.slice(0, -1), file.slice(1)]) {
          expect((await receive(FILE, broken, sizes)).error).toMatchObject({
            code: 'CLICKHOUSE_ANSWER_BROKEN',
          });
        }
      }),
    );
  });
});
