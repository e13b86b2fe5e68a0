import { ClickHouseError, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

import { contentOfAll } from '../../../src/gateway/clickhouse/compressed-frames.js';
import { connectClickHouse, type QueryClient } from '../../../src/gateway/clickhouse/connect-clickhouse.js';
import { exceptionBlock, EXCEPTION_TAG_HEADER } from '../../../src/gateway/clickhouse/exception-block.js';
import { requireRows } from '../../../src/gateway/clickhouse/require-rows.js';
import { QueryMeter } from '../../../src/gateway/clickhouse/query-meter.js';
import { searchOf } from '../../../src/gateway/clickhouse/ready-query.js';
import {
  hasEnd,
  StatementBody,
  transferStatement,
  WITH_END,
} from '../../../src/gateway/clickhouse/statement-body.js';
import { Failure } from '../../../src/gateway/errors.js';
import { ResponseBody } from '../../../src/gateway/http/result/send-export.js';
import { compressor } from '../../../src/gateway/query/encode-bodies.js';
import { Abort } from '../../../src/gateway/query/signal.js';
import { adminConnection } from '../../support/clickhouse.js';
import { withCutConnections, withShortResponses } from '../../support/cut-connections.js';

const OWN_TEXT = 'Code: 395. DB::Exception: what the gateway says. (SOME_NAME) (version 26.7.2.1)';
const ENCODINGS = ['identity', 'gzip', 'br'] as const;
type Encoding = (typeof ENCODINGS)[number];
const DECODE: Readonly<Record<Encoding, (bytes: Buffer) => Buffer>> = {
  identity: (bytes) => bytes,
  gzip: gunzipSync,
  br: brotliDecompressSync,
};

const failing = (format: string): string =>
  `SELECT number, hex(sipHash128(number)) AS text FROM numbers(60000) WHERE NOT throwIf(number = 59000, 'zqx7') FORMAT ${format} SETTINGS max_block_size = 1000`;

/** Sends each statement to ClickHouse, and its result to whoever asks. */
class Listener {
  private readonly server = createServer((request, response) => void this.respond(request, response));
  /** How each statement ended. */
  readonly ends: unknown[] = [];
  /** Ends the statement that runs. */
  abort = new Abort();

  private constructor(private readonly client: QueryClient) {}

  static async open(url = adminConnection('default').url): Promise<Listener> {
    const options = { maxOpenConnections: 4, requestTimeoutMs: 60_000 };
    const listener = new Listener(connectClickHouse({ ...adminConnection('default'), url }, options));
    await once(listener.server.listen(0, '127.0.0.1'), 'listening');
    return listener;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await this.client.close();
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { searchParams } = new URL(request.url ?? '', this.url);
    const isFramed = searchParams.get('compress') === '1';
    const encoding = (searchParams.get('encoding') ?? 'identity') as Encoding;
    let sql = searchParams.get('query') ?? '';
    for await (const chunk of request) sql += String(chunk);
    const { signal } = (this.abort = new Abort());
    const { settings, headers } = WITH_END;
    const search = `http_response_buffer_size=1&max_threads=1&${isFramed ? 'compress=1' : searchOf(settings)}`;
    const sent = { search, body: sql, signal, headers: isFramed ? {} : headers };
    const result = await this.client.openQuery(sent);
    const tag = result.headers[EXCEPTION_TAG_HEADER]?.toString();
    const options = {
      tag,
      isFramed,
      hasEnd: hasEnd(result),
      mayBeEmpty: true,
      textOf: () => OWN_TEXT,
      takeTurn: setImmediate,
    };
    const body = new StatementBody(options);
    try {
      await requireRows(result, new QueryMeter());
      await transferStatement(result, body, signal, () => {
        response.writeHead(200, { 'X-ClickHouse-Exception-Tag': body.tag });
        const last = new ResponseBody(response, undefined, () => body.failure !== undefined);
        return encoding === 'identity' ? [last] : [compressor(encoding), last];
      });
      this.ends.push(undefined);
    } catch (error) {
      this.ends.push(error);
      if (!response.headersSent) response.writeHead(500).end(OWN_TEXT);
    }
  }
}

interface Received {
  readonly status: number | undefined;
  readonly isComplete: boolean;
  readonly tag: string;
  /** Without any compression. */
  readonly body: Buffer;
}

interface Reading {
  readonly isFramed?: boolean;
  readonly encoding?: Encoding;
  /** Called with the first bytes. */
  readonly afterFirst?: () => void;
}

async function receive(
  url: string,
  sql: string,
  { isFramed = false, encoding = 'identity', afterFirst }: Reading = {},
): Promise<Received> {
  const query = `query=${encodeURIComponent(sql)}&compress=${Number(isFramed)}&encoding=${encoding}`;
  const [response] = (await once(get(`${url}/?${query}`), 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  response.once('data', () => afterFirst?.()).on('data', (chunk: Buffer) => chunks.push(chunk));
  response.on('error', () => undefined);
  await new Promise((resolve) => response.once('close', resolve));
  const received = DECODE[encoding](Buffer.concat(chunks));
  const body = isFramed ? contentOfAll(received) : received;
  if (!body) throw new Error(`${received.length} bytes that are not frames`);
  const tag = String(response.headers[EXCEPTION_TAG_HEADER]);
  return { status: response.statusCode, isComplete: response.complete, tag, body };
}

describe('the result of a statement', () => {
  let listener: Listener;
  beforeAll(async () => {
    listener = await Listener.open();
  });
  afterAll(() => listener.close());

  const expectBroken = ({ status, isComplete, tag, body }: Received): void => {
    expect([status, isComplete]).toEqual([200, false]);
    const block = exceptionBlock(tag, OWN_TEXT);
    expect(body.subarray(-block.length).toString()).toBe(block.toString());
    expect(body.length).toBeGreaterThan(block.length + 1000);
    expect(body.includes('zqx7')).toBe(false);
  };

  it('that fails is broken off after the text of the gateway, however it is compressed', async () => {
    for (const encoding of ENCODINGS)
      for (const isFramed of [false, true]) {
        expectBroken(await receive(listener.url, failing('TabSeparated'), { isFramed, encoding }));
        expect(listener.ends.at(-1)).toMatchObject({ code: '395' });
      }
  });

  it('that is complete ends', async () => {
    for (const encoding of ENCODINGS) {
      const sql = 'SELECT number FROM numbers(200000) FORMAT TabSeparated';
      const { isComplete, body } = await receive(listener.url, sql, { encoding });
      expect([isComplete, body.toString().split('\n').length]).toEqual([true, 200_001]);
      expect(listener.ends.at(-1)).toBeUndefined();
    }
  });

  it('that fails early has a status of its own', async () => {
    const sql = `SELECT number, throwIf(number = 400) FROM numbers(1000) FORMAT TabSeparated SETTINGS max_block_size = 100`;
    const { status, isComplete, body } = await receive(listener.url, sql);
    expect([status, isComplete, body.toString()]).toEqual([500, true, OWN_TEXT]);
  });

  it('that fails is an error with the text of the gateway in the client of ClickHouse', async () => {
    const client = createClient({
      url: listener.url,
      keep_alive: { enabled: false },
      log: { level: ClickHouseLogLevel.OFF },
    });
    const query = failing('JSONEachRow').replace(/ FORMAT .*/, '');
    const result = await client.query({
      query: `${query} SETTINGS max_block_size = 1000`,
      format: 'JSONEachRow',
    });
    const read = async (): Promise<void> => {
      for await (const rows of result.stream()) expect(rows.length).toBeGreaterThan(0);
    };
    const error = await read().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ClickHouseError);
    expect(error).toMatchObject({ code: '395', type: 'SOME_NAME', message: 'what the gateway says. ' });
    await client.close();
  });

  it('whose connection to ClickHouse is cut is broken off after the text of the gateway', async () => {
    await withCutConnections(1_000_000, async (url) => {
      const cut = await Listener.open(url);
      try {
        for (const encoding of ENCODINGS)
          for (const isFramed of [false, true]) {
            const sql = 'SELECT number FROM numbers(10000000) FORMAT TabSeparated';
            expectBroken(await receive(cut.url, sql, { isFramed, encoding }));
            expect(cut.ends.at(-1)).toMatchObject({ code: 'CLICKHOUSE_ANSWER_BROKEN' });
          }
      } finally {
        await cut.close();
      }
    });
  });

  it('whose bytes end too early is an error, where the response ends in order', async () => {
    for (const [bytes, status] of [
      [0, 500],
      [1000, 500],
      [1_000_000, 200],
    ] as const)
      await withShortResponses(bytes, async (url) => {
        const short = await Listener.open(url);
        try {
          for (const format of ['TabSeparated', 'RowBinary', 'Native']) {
            const sql = `SELECT number, toString(number) AS text FROM numbers(300000) FORMAT ${format}`;
            const received = await receive(short.url, sql);
            expect([received.status, received.isComplete]).toEqual([status, status === 500]);
            expect(short.ends.at(-1)).toMatchObject({ code: 'CLICKHOUSE_ANSWER_BROKEN' });
          }
        } finally {
          await short.close();
        }
      });
  });

  it('that is stopped is broken off after the text of the gateway', async () => {
    const reason = new Failure('QUERY_TIMEOUT', 'stopped');
    for (const isFramed of [false, true]) {
      const sql =
        "SELECT repeat('x', 200), sleepEachRow(0.00001) FROM numbers(100000000) FORMAT RowBinary SETTINGS max_block_size = 10000";
      const afterFirst = (): void => {
        listener.abort.abort(reason);
      };
      expectBroken(await receive(listener.url, sql, { isFramed, afterFirst }));
      expect(listener.ends.at(-1)).toBe(reason);
    }
  });
});
