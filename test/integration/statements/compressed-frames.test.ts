import { hash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';

import { cityHash128, LEAST_HASHED } from '../../../src/gateway/clickhouse/city-hash.js';
import {
  contentOf,
  contentOfAll,
  FrameCutter,
  frameOf,
} from '../../../src/gateway/clickhouse/compressed-frames.js';
import { Abort } from '../../../src/gateway/query/signal.js';
import { useAdminClient } from '../../support/clickhouse.js';

describe('Compressed frames', () => {
  const client = useAdminClient();

  const ask = async (search: string, body: string | Buffer): Promise<Buffer> =>
    buffer(await client.openQuery({ search, body, signal: new Abort().signal }));
  /** Writes a frame for each row. */
  const askForFrames = (select: string): Promise<Buffer> =>
    ask('compress=1&max_block_size=1&max_threads=1&http_response_buffer_size=1', `${select} FORMAT RawBLOB`);

  it('have the checksum that ClickHouse writes, at any length', async () => {
    const response = await askForFrames(
      'SELECT randomString(number < 600 ? number : number * 37) FROM numbers(1, 700)',
    );
    const frames = new FrameCutter().cut(response);
    const checked = frames.map((frame) => frame.subarray(16));
    expect(frames.length).toBeGreaterThan(690);
    expect(checked[0]?.length).toBeLessThan(LEAST_HASHED);
    for (const [index, bytes] of checked.entries()) {
      if (bytes.length < LEAST_HASHED) expect(() => cityHash128(bytes)).toThrow(RangeError);
      else expect([index, cityHash128(bytes)]).toEqual([index, frames[index]?.subarray(0, 16)]);
    }
  });

  it('have the content that ClickHouse compressed', async () => {
    const rows = [
      "repeat('ab', number * number)",
      'repeat(hex(number), number)',
      "arrayStringConcat(range(number), ' ')",
      'randomString(number)',
      "concat(randomString(number), repeat('x', number * 100), randomString(300))",
    ];
    for (const row of rows) {
      // One query, because random text differs each time.
      const framed = await askForFrames(
        `SELECT concat(text, hex(SHA256(text))) FROM (SELECT ${row} AS text FROM numbers(1, 400))`,
      );
      for (const frame of new FrameCutter().cut(framed)) {
        const content = contentOf(frame)?.toString('latin1') ?? '';
        const [text, digest] = [content.slice(0, -64), content.slice(-64)];
        expect([row, hash('sha256', Buffer.from(text, 'latin1')).toUpperCase()]).toEqual([row, digest]);
      }
    }
  });

  it('are accepted by ClickHouse where they were made here', async () => {
    for (let length = 24; length < 400; length += 1) {
      const sql = `SELECT ${length}`.padEnd(length);
      const frame = frameOf(Buffer.from(sql));
      // JDBC reads no other method.
      expect(frame[16]).toBe(0x82);
      expect((await ask('decompress=1', frame)).toString()).toBe(`${length}\n`);
    }
    const long = `SELECT '${'é'.repeat(5000)}'`;
    expect((await ask('decompress=1', frameOf(Buffer.from(long)))).length).toBe(10_001);
  });

  it('carry the text of an error', async () => {
    const response = await ask('compress=1', 'SELECT nothing_has_this_name');
    expect(contentOfAll(response)?.toString()).toMatch(/^Code: 47\. DB::Exception: Unknown expression/);
    expect(contentOfAll(response.subarray(0, -1))).toBeUndefined();
    expect(contentOfAll(Buffer.from('Code: 47. DB::Exception: not in a frame'))).toBeUndefined();
  });
});
