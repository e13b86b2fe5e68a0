import type { Client } from '@modelcontextprotocol/client';

import { column } from '../../src/endpoint/definition.js';
import { defineEndpoint } from '../../src/endpoint/endpoint.js';
import { integer, sql, text } from '../../src/endpoint/index.js';
import { keyNamed } from './access-gateway.js';
import {
  openAccessOnClickHouse,
  type AccessOnClickHouse,
  type OnClickHouseOptions,
} from './access-on-clickhouse.js';
import { connectMcp, type Revision } from './mcp-client.js';

/** An endpoint whose query runs for as many seconds as the caller says; its tool is `slow`. */
export const SLOW = defineEndpoint({
  id: '11111111-2222-4333-8444-666666666666',
  name: 'slow',
  summary: 'Waits.',
  parameters: {
    city: text({ description: 'A city.' }),
    seconds: integer({ description: 'How long.', minimum: 0, maximum: 60, default: 0 }),
  },
  columns: { city: column('String', 'The city.') },
  maxRows: 100,
  caching: 60,
  warming: 0,
  sandboxing: 'disabled',
  example: { city: 'Rome' },
  build: ({ city, seconds }) => sql`
    SELECT any(coalesce(${city}, '')) AS city
    FROM (SELECT number FROM numbers(60) WHERE number <= ${seconds} SETTINGS max_block_size = 1)
    WHERE number = 0 OR sleepEachRow(1) = 0`,
});

/** How a client of {@link McpOnClickHouse} differs from one of the key `caller` in the current revision. */
export interface ClientOptions {
  /** Name of its key; none where empty. */
  readonly key?: string;
  readonly revision?: Revision;
  /** Of each of its requests. */
  readonly requestId?: string;
  /** Headers of each of its requests. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A query that ClickHouse runs, or has run. */
export interface LoggedQuery {
  readonly requestId: string;
  /** Type in `system.query_log`. */
  readonly type: string;
}

/** A gateway on a database of its own, and clients of its tools. */
export class McpOnClickHouse {
  private readonly clients: Client[] = [];

  private constructor(private readonly opened: AccessOnClickHouse) {}

  static async open(options: Partial<OnClickHouseOptions> = {}): Promise<McpOnClickHouse> {
    return new McpOnClickHouse(
      await openAccessOnClickHouse({ keys: { caller: {} }, more: [SLOW], ...options }),
    );
  }

  get gateway(): AccessOnClickHouse['gateway'] {
    return this.opened.gateway;
  }

  get database(): AccessOnClickHouse['database'] {
    return this.opened.database;
  }

  get url(): string {
    return `${this.gateway.url()}/mcp`;
  }

  /** Connects the SDK's own client, which is closed with the gateway. */
  async connect({ key = 'caller', revision, requestId, headers = {} }: ClientOptions = {}): Promise<Client> {
    const client = await connectMcp({
      url: this.url,
      headers: {
        ...(key !== '' && { 'X-API-KEY': keyNamed(key) }),
        ...(requestId !== undefined && { 'X-Request-Id': requestId }),
        ...headers,
      },
      ...(revision && { revision }),
    });
    this.clients.push(client);
    return client;
  }

  /** Number of queries with this comment that run now. */
  async running(requestId: string): Promise<number> {
    const result = await this.database.client.query({
      query: `SELECT count() AS n FROM system.processes
              WHERE Settings['log_comment'] = {requestId:String} AND query_id != queryID()`,
      query_params: { requestId },
      format: 'JSONEachRow',
    });
    const [row] = await result.json<{ n: string | number }>();
    return Number(row?.n);
  }

  /** The queries of calls on this database that have ended, in order of their start. */
  async ended(): Promise<readonly LoggedQuery[]> {
    const { client } = this.database;
    await client.command({ query: 'SYSTEM FLUSH LOGS' });
    const result = await client.query({
      query: `SELECT log_comment AS requestId, toString(type) AS type FROM system.query_log
              WHERE type != 'QueryStart' AND log_comment != '' AND current_database = currentDatabase()
              ORDER BY query_start_time_microseconds`,
      format: 'JSONEachRow',
    });
    return result.json<LoggedQuery>();
  }

  /** Levels `error` and `warn` of the gateway's log. */
  get complaints(): readonly string[] {
    const lines = this.gateway.logger.lines.filter(({ level }) => level === 'error' || level === 'warn');
    return lines.map((line) => JSON.stringify(line));
  }

  async close(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.close()));
    await this.opened.close();
  }
}
