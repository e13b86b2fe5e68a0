import fc from 'fast-check';
import { createHash } from 'node:crypto';

import { frameOf } from '../../../../src/gateway/clickhouse/compressed-frames.js';
import { exceptionBlock } from '../../../../src/gateway/clickhouse/exception-block.js';
import { StatementBody } from '../../../../src/gateway/clickhouse/statement-body.js';
import type { Failure } from '../../../../src/gateway/errors.js';
import { brokenResponse } from '../../../../src/gateway/formats/broken-response.js';

const TAG = 'abcdefghijklmnop';
const EXCEPTION = exceptionBlock(TAG, 'Code: 395. DB::Exception: boom of another. (SOME_NAME) (version 1)');
const OWN_TEXT = 'Code: 1002. DB::Exception: what the gateway says. (UNKNOWN_EXCEPTION) (version 1)';
const HELD = 256 * 1024;

/** Bytes that do not repeat. */
function bytesOf(length: number): Buffer {
  return createHash('shake256', { outputLength: length }).update(String(length)).digest();
}

/** A frame whose checksum, which nobody here reads, is missing. */
function frame(content: Buffer): Buffer {
  const header = Buffer.alloc(25, 0x02);
  header.writeUInt32LE(9 + content.length, 17);
  header.writeUInt32LE(content.length, 21);
  return Buffer.concat([header, content]);
}

interface Options {
  readonly tag?: string | undefined;
  readonly isFramed?: boolean;
  readonly hasEnd?: boolean;
  readonly mayBeEmpty?: boolean;
  readonly brokenBy?: Error;
  readonly wholeBytes?: number;
}

/** What a client gets of bytes that arrive in chunks of these sizes. */
async function receive(
  bytes: Buffer,
  sizes: readonly number[],
  { tag = TAG, isFramed = false, hasEnd = true, mayBeEmpty = true, brokenBy, wholeBytes }: Options = {},
): Promise<{ readonly sent: Buffer; readonly body: StatementBody }> {
  const body = new StatementBody({
    tag: tag === 'none' ? undefined : tag,
    ...{ isFramed, hasEnd, mayBeEmpty },
    textOf: () => OWN_TEXT,
    takeTurn: setImmediate,
    wholeBytes,
  });
  const sent: Buffer[] = [];
  body.on('data', (chunk: Buffer) => sent.push(chunk));
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    body.write(bytes.subarray(at, at + size));
    at += size;
  }
  if (brokenBy) body.breakOff(brokenBy);
  else body.end();
  await new Promise((resolve) => body.once('end', resolve));
  return { sent: Buffer.concat(sent), body };
}

const sizes = fc.array(fc.integer({ min: 200, max: 70_000 }), { minLength: 1, maxLength: 8 });
const lengths = fc.integer({ min: 0, max: 3 * HELD });
/** A body of frames of these lengths. */
const framed = (contents: readonly number[]): Buffer =>
  Buffer.concat(contents.map((length) => frame(bytesOf(24 + length))));
const contents = fc.array(fc.integer({ min: 0, max: 1500 }), { maxLength: 30 });

describe('StatementBody', () => {
  it('passes complete bytes, however they arrive', async () => {
    await fc.assert(
      fc.asyncProperty(lengths, sizes, async (length, each) => {
        const bytes = bytesOf(length);
        const { sent, body } = await receive(bytes, each);
        expect([sent.equals(bytes), body.bytes, body.failure]).toEqual([true, length, undefined]);
      }),
      { numRuns: 40 },
    );
  });

  it('passes complete frames, however they arrive', async () => {
    await fc.assert(
      fc.asyncProperty(contents, sizes, async (each, cuts) => {
        const bytes = framed(each);
        const { sent, body } = await receive(bytes, cuts, { isFramed: true });
        expect([sent.equals(bytes), body.failure]).toEqual([true, undefined]);
      }),
      { numRuns: 40 },
    );
  });

  it('keeps a complete result up to a size, and passes a longer one', async () => {
    const most = fc.integer({ min: 0, max: 3 * HELD });
    await fc.assert(
      fc.asyncProperty(lengths, most, sizes, async (length, wholeBytes, each) => {
        const bytes = bytesOf(length);
        const { sent, body } = await receive(bytes, each, { wholeBytes });
        expect(body.whole !== undefined).toBe(length <= wholeBytes);
        expect((body.whole ?? sent).equals(bytes)).toBe(true);
        expect([body.bytes, sent.length]).toEqual(body.whole ? [0, 0] : [length, length]);
      }),
      { numRuns: 40 },
    );
  });

  it('rejects bytes that show no end, and no bytes where there are rows', async () => {
    const failures = [
      [0, { hasEnd: false }],
      [1, { hasEnd: false }],
      [HELD + 1, { hasEnd: false }],
      [0, { mayBeEmpty: false }],
      [0, { isFramed: true, mayBeEmpty: false }],
    ] as const;
    const failed = failures.map(async ([length, how]) => (await receive(bytesOf(length), [200], how)).body);
    const bodies = (await Promise.all(failed)).map(({ failure }) => failure as Failure | undefined);
    const codes = bodies.map((failure) => failure?.code);
    expect(codes).toEqual([undefined, ...failures.slice(1).map(() => 'CLICKHOUSE_ANSWER_BROKEN')]);
    const lengthsSaid = bodies
      .slice(1)
      .map((failure) => Number.parseInt(failure?.details.diagnosis ?? '', 10));
    expect(lengthsSaid).toEqual(failures.slice(1).map(([length]) => length));
  });

  it('keeps no result that fails', async () => {
    const bytes = Buffer.concat([bytesOf(1000), EXCEPTION]);
    const { body } = await receive(bytes, [100], { wholeBytes: HELD });
    expect([body.whole, body.failure]).toEqual([undefined, expect.objectContaining({ code: '395' })]);
  });

  it('ends with the text of the gateway where an exception ends the bytes', async () => {
    await fc.assert(
      fc.asyncProperty(lengths, sizes, fc.boolean(), async (length, each, isOrderly) => {
        const bytes = bytesOf(length);
        const options = isOrderly ? {} : { brokenBy: new Error('aborted') };
        const { sent, body } = await receive(Buffer.concat([bytes, EXCEPTION]), each, options);
        expect(body.failure).toMatchObject({ code: '395' });
        if (body.bytes === 0) return;
        const own = exceptionBlock(TAG, OWN_TEXT);
        const before = sent.subarray(0, -own.length);
        expect(sent.subarray(before.length).equals(own)).toBe(true);
        expect(before.equals(bytes.subarray(0, before.length))).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it('ends with a frame where the last frame is an exception', async () => {
    const bytes = Buffer.concat([
      ...Array.from({ length: 400 }, () => frame(bytesOf(1000))),
      frame(EXCEPTION),
    ]);
    for (const size of [1, 17, 1024, 100_000]) {
      const { sent, body } = await receive(bytes, [size], { isFramed: true });
      expect(body.failure).toMatchObject({ code: '395' });
      const own = frameOf(exceptionBlock(TAG, OWN_TEXT));
      expect(sent.subarray(-own.length).equals(own)).toBe(true);
      expect((sent.length - own.length) % 1025).toBe(0);
    }
  });

  it('holds the last frame, whatever its length', async () => {
    const body = new StatementBody({
      tag: TAG,
      ...{ isFramed: true, hasEnd: false, mayBeEmpty: true },
      textOf: () => OWN_TEXT,
      takeTurn: setImmediate,
    });
    body.write(frame(bytesOf(2 * HELD)));
    expect(body.bytes).toBe(0);
    body.write(frame(bytesOf(HELD)));
    await body.started;
    expect(body.bytes).toBe(2 * HELD + 25);
  });

  it('is broken where frames end too early, or are none', async () => {
    const frames = framed([1000, 2000]);
    const huge = Buffer.alloc(3 * HELD, 0xff);
    for (const bytes of [frames.subarray(0, -1), Buffer.concat([frames, Buffer.alloc(10)]), huge]) {
      const { sent, body } = await receive(bytes, [5000], { isFramed: true });
      expect([sent.length, body.failure]).toMatchObject([0, { code: 'CLICKHOUSE_ANSWER_BROKEN' }]);
    }
  });

  it('sends nothing that was held where it is broken off', async () => {
    const reason = brokenResponse('closed');
    for (const isFramed of [false, true]) {
      const few = await receive(framed([1000]), [100], { isFramed, brokenBy: reason });
      expect([few.sent.length, few.body.failure]).toEqual([0, reason]);
      const bytes = framed(Array.from({ length: 400 }, () => 1000));
      const many = await receive(bytes, [1000], { isFramed, brokenBy: reason });
      expect(many.body.failure).toBe(reason);
      expect(many.sent.length).toBeGreaterThan(1000);
      expect(many.sent.length).toBeLessThan(bytes.length - HELD + 1000);
    }
  });

  it('has a tag of its own where ClickHouse sends none, and reads no exception then', async () => {
    const { sent, body } = await receive(EXCEPTION, [10], { tag: 'none' });
    expect(body.tag).toMatch(/^[a-z]{16}$/);
    expect([sent.equals(EXCEPTION), body.failure]).toEqual([true, undefined]);
  });

  it('gives others their turn', async () => {
    let turns = 0;
    const body = new StatementBody({
      ...{ tag: TAG, isFramed: false, hasEnd: true, mayBeEmpty: true, textOf: () => OWN_TEXT },
      takeTurn: (resume) => {
        turns += 1;
        setImmediate(resume);
      },
    });
    body.resume();
    for (let index = 0; index < 16; index += 1) body.write(bytesOf(64 * 1024));
    body.end();
    await new Promise((resolve) => body.once('end', resolve));
    expect(turns).toBe(4);
  });
});
