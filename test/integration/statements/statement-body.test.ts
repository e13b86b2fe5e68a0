import { ClickHouseError } from '@clickhouse/client';
import { once } from 'node:events';
import { Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { constants, gunzipSync } from 'node:zlib';

import { contentOfAll } from '../../../src/gateway/clickhouse/compressed-frames.js';
import {
  errorOfText,
  exceptionBlock,
  exceptionMark,
  EXCEPTION_TAG_HEADER,
} from '../../../src/gateway/clickhouse/exception-block.js';
import type { Failure } from '../../../src/gateway/errors.js';
import { searchOf } from '../../../src/gateway/clickhouse/ready-query.js';
import {
  hasEnd,
  StatementBody,
  transferStatement,
  WITH_END,
} from '../../../src/gateway/clickhouse/statement-body.js';
import { Abort } from '../../../src/gateway/query/signal.js';
import { useAdminClient } from '../../support/clickhouse.js';

const OWN_TEXT = 'Code: 395. DB::Exception: what the gateway says. (SOME_NAME) (version 26.7.2.1)';
const SECRET = 'zqx7 of another tenant';
/** Decodes what there is. */
const CUT = { finishFlush: constants.Z_SYNC_FLUSH };
/** Formats whose schema is in a file, and that the listener does not offer. */
const WITH_SCHEMA = /^(Template|Protobuf|CapnProto|AvroConfluent|MySQLWire|PostgreSQLWire)/;
/** Formats that write a result of one shape. */
const SHAPES: Readonly<Record<string, string>> = {
  Npy: 'number',
  RawBLOB: "concat(toString(number), ' ', hex(sipHash128(number)))",
  GeoJSON: 'number, (toFloat64(number), 1.)::Point AS geometry',
  Prometheus: "concat('metric', toString(number)) AS name, toFloat64(number) AS value",
  PNG: 'toUInt8(number % 250) AS r, toUInt8(1) AS g, toUInt8(2) AS b',
};

/** A client that keeps what it gets. */
const collecting = (chunks: Buffer[]): Writable =>
  new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk);
      done();
    },
  });

interface Received {
  /** What ClickHouse wrote, and what the client got: as they were sent, without compression. */
  readonly written: Buffer;
  readonly passed: Buffer;
  readonly tag: string;
  readonly status: number;
  /** Whether the client got anything. */
  readonly isOpened: boolean;
  readonly error: unknown;
}

describe('StatementBody', () => {
  const client = useAdminClient();
  let formats: readonly string[];
  beforeAll(async () => {
    const result = await client.query({
      query: 'SELECT name FROM system.formats WHERE is_output ORDER BY name',
      format: 'JSONCompactEachRow',
    });
    const names = (await result.json<readonly [string]>()).map(([name]) => name);
    formats = names.filter((name) => !WITH_SCHEMA.test(name));
  });

  async function receive(body: string, isFramed: boolean, settings = ''): Promise<Received> {
    const { signal } = new Abort();
    const search = `http_response_buffer_size=1&max_threads=1&http_write_exception_in_output_format=0&${isFramed ? 'compress=1' : searchOf(WITH_END.settings)}&${settings}`;
    const headersSent = isFramed ? {} : WITH_END.headers;
    const response = await client.openQuery({ search, body, signal, headers: headersSent });
    const { statusCode: status = 0, headers } = response;
    if (status !== 200) {
      const sent = await buffer(response);
      const answer = hasEnd(response) ? gunzipSync(sent) : sent;
      const text = isFramed ? contentOfAll(answer) : answer;
      const error = errorOfText(String(text));
      return { written: answer, passed: Buffer.alloc(0), tag: '', status, isOpened: false, error };
    }
    const clickhouse: Buffer[] = [];
    const got: Buffer[] = [];
    response.on('data', (chunk: Buffer) => clickhouse.push(chunk));
    const statement = new StatementBody({
      tag: headers[EXCEPTION_TAG_HEADER]?.toString(),
      ...{ isFramed, hasEnd: hasEnd(response), mayBeEmpty: true },
      textOf: () => OWN_TEXT,
      takeTurn: setImmediate,
    });
    let isOpened = false;
    const error = await transferStatement(response, statement, signal, () => {
      isOpened = true;
      return [collecting(got)];
    }).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    const plain = (bytes: Buffer): Buffer =>
      isFramed ? (contentOfAll(bytes) ?? Buffer.from('no frames')) : bytes;
    return {
      written: hasEnd(response)
        ? gunzipSync(Buffer.concat(clickhouse), CUT)
        : plain(Buffer.concat(clickhouse)),
      passed: plain(Buffer.concat(got)),
      tag: statement.tag,
      ...{ status, isOpened, error },
    };
  }

  const select = (format: string, rows: number, failsAt?: number): string => {
    const columns =
      SHAPES[format] ?? "number, hex(sipHash128(number)) AS text, toDate('2026-01-01') + number % 9 AS day";
    const where = failsAt === undefined ? '' : `WHERE NOT throwIf(number = ${failsAt}, '${SECRET}')`;
    return `SELECT ${columns} FROM numbers(${rows}) ${where} FORMAT ${format} SETTINGS max_block_size = 1000`;
  };

  it('passes complete results in every format as ClickHouse wrote them', async () => {
    expect(formats.length).toBeGreaterThan(60);
    for (const format of formats)
      for (const isFramed of [false, true])
        for (const rows of [0, 1, 5_000]) {
          const { written, passed, error, status } = await receive(select(format, rows), isFramed);
          const what = `${format} ${isFramed} ${rows} ${String(error)}`;
          expect([what, status, error, passed.equals(written)]).toEqual([what, 200, undefined, true]);
        }
  });

  it('ends a result that fails after many bytes with the text of the gateway, without a byte of ClickHouse’s', async () => {
    const late: string[] = [];
    for (const format of formats)
      for (const isFramed of [false, true]) {
        const { written, passed, error, tag, isOpened } = await receive(
          select(format, 30_000, 29_000),
          isFramed,
        );
        const what = `${format} ${isFramed}`;
        expect([what, error]).toMatchObject([what, { code: '395' }]);
        expect(error).toBeInstanceOf(ClickHouseError);
        if (!isOpened) continue;
        late.push(what);
        const block = exceptionBlock(tag, OWN_TEXT);
        expect([what, passed.subarray(-block.length).toString()]).toEqual([what, block.toString()]);
        const before = passed.subarray(0, -block.length);
        const end = written.lastIndexOf(Buffer.concat([Buffer.from('\r\n'), exceptionMark(tag)]));
        expect([what, before.length > 0, end > before.length]).toEqual([what, true, true]);
        expect([what, written.subarray(0, before.length).equals(before)]).toEqual([what, true]);
        expect([what, written.includes(SECRET), passed.includes('zqx7')]).toEqual([what, true, false]);
      }
    expect(late.length).toBeGreaterThan(80);
  });

  it('opens no response where a statement fails before the bytes that are held back were exceeded', async () => {
    const few = `SELECT number, throwIf(number = 4000, '${SECRET}') FROM numbers(9000) FORMAT RowBinary SETTINGS max_block_size = 100, output_format_parallel_formatting = 0`;
    const many = select('TabSeparated', 30_000, 29_000);
    const cases = [
      { sql: few, settings: '' },
      { sql: few, settings: 'wait_end_of_query=1' },
      { sql: many, settings: 'wait_end_of_query=1' },
    ];
    for (const isFramed of [false, true])
      for (const { sql, settings } of cases) {
        const received = await receive(sql, isFramed, settings);
        // ClickHouse waits for a whole frame, or for more bytes in gzip.
        expect(received).toMatchObject({ error: { code: '395' }, isOpened: false, status: 500 });
        expect(received.passed).toHaveLength(0);
      }
  });

  it('reads the code of an exception whose text ClickHouse cuts off', async () => {
    const sql = select('CSV', 60_000, 59_000).replace(SECRET, 'x'.repeat(30_000));
    for (const isFramed of [false, true]) {
      const { error, passed, written } = await receive(sql, isFramed);
      expect([error, passed.includes('xxx'), written.includes('(SOME_NAME)')]).toMatchObject([
        { code: '395' },
        false,
        false,
      ]);
      expect(passed.toString()).toContain(OWN_TEXT);
    }
  });

  it('is an error where something before ClickHouse has removed Accept-Encoding', async () => {
    const { error } = await receive(select('CSV', 10), false, 'enable_http_compression=0');
    const diagnosis =
      '… bytes of a result without their end; what stands before ClickHouse must keep Accept-Encoding';
    expect(error).toMatchObject({ code: 'CLICKHOUSE_ANSWER_BROKEN' });
    expect((error as Failure).details.diagnosis?.replace(/^[1-9]\d*/, '…')).toBe(diagnosis);
  });

  it('leaves no query behind where no response can be opened', async () => {
    const { signal } = new Abort();
    const sql = 'SELECT number FROM numbers(100000000) FORMAT TabSeparated';
    const response = await client.openQuery({ search: '', body: sql, signal });
    const options = {
      tag: undefined,
      isFramed: false,
      hasEnd: false,
      mayBeEmpty: true,
      textOf: () => OWN_TEXT,
      takeTurn: setImmediate,
    };
    const closed = once(response, 'close');
    const transfer = transferStatement(response, new StatementBody(options), signal, () => {
      throw new Error('the client has left');
    });
    await expect(transfer).rejects.toThrow('the client has left');
    await closed;
    expect(response.complete).toBe(false);
  });
});
