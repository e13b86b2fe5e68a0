import { OPERATORS, type Figures } from '../../endpoint/figures.js';
import type { QueryCost } from '../../endpoint/limit-rules.js';
import type { BackgroundQuery } from '../query/ports.js';
import { NO_COST } from '../query/sum-of-costs.js';
import { isoTime } from './iso-time.js';
import type { OutcomeFacts } from './outcome-facts.js';

/** The data of a row of the request log: a request, or a query that no caller waits for. */
export interface LogEntry extends OutcomeFacts {
  /** End of the response, or of the query; milliseconds since 1970. */
  readonly at: number;
  readonly purpose: 'call' | BackgroundQuery['purpose'];
  readonly requestId: string;
  readonly endpoint?: string | undefined;
  /** Digest of the endpoint's definition. */
  readonly digest?: string | undefined;
  /** Hash of the cache key of the query. */
  readonly hash?: string | undefined;
  /** User-Agent of the client that sent a statement. */
  readonly tool?: string | undefined;
  /** Names of the endpoints that a statement reads. */
  readonly tables?: readonly string[] | undefined;
  /** Name of the key. */
  readonly key?: string | undefined;
  readonly status: number;
  readonly code: string;
  readonly totalMs: number;
  readonly bytesSent: number;
}

type ValueOf<Value> = (entry: LogEntry) => Value;

interface LogColumn {
  readonly name: string;
  readonly type: string;
  readonly comment: string;
  readonly of: ValueOf<string | number>;
}

const column =
  (type: string) =>
  (name: string, comment: string, of: LogColumn['of']): LogColumn => ({ name, type, comment, of });
const text = column('String');
const label = column('LowCardinality(String)');
const integer = column('UInt64');
const float = (name: string, comment: string, of: ValueOf<number>): LogColumn =>
  column('Float64')(name, comment, (entry) => rounded(of(entry)));

/** The cost of a query; zero without one. */
export const readCost = (cost?: Figures<QueryCost>): QueryCost => cost?.readBy(OPERATORS) ?? NO_COST;
const read =
  (figure: keyof QueryCost): ValueOf<number> =>
  ({ caused }) =>
    readCost(caused?.cost)[figure];
const charged =
  (figure: keyof QueryCost): ValueOf<number> =>
  ({ charged }) =>
    charged ? readCost(charged.cost)[figure] / charged.callers : 0;
const saved =
  (figure: keyof QueryCost): ValueOf<number> =>
  ({ saved }) =>
    readCost(saved)[figure];

/** The first hexadecimal digits of a digest, as many as avoid collisions. */
const shortened = (digest = ''): string => digest.slice(0, 32);
/** The shortened digest of an endpoint's definition, for the request log. */
export const definitionOf = ({ digest }: LogEntry): string => shortened(digest);
const rounded = (number: number): number => Math.round(number * 1000) / 1000;

/** The columns of `gateway_requests`. Missing texts are empty, missing numbers 0. A new column needs a schema file too. */
export const REQUEST_LOG_COLUMNS = [
  column("DateTime64(6, 'UTC')")('timestamp', 'End of the response.', ({ at }) => isoTime(at)),
  text('request_id', 'As in X-Request-Id.', ({ requestId }) => requestId),
  text(
    'query_id',
    'Query that the request caused, as in system.query_log; empty where it caused none.',
    ({ caused }) => caused?.queryId ?? '',
  ),
  label('endpoint', 'Name of the endpoint.', ({ endpoint = '' }) => endpoint),
  label('definition', 'Digest of the endpoint’s definition.', definitionOf),
  text('parameters', 'Digest of the parameters; equal requests have equal digests.', ({ hash }) =>
    shortened(hash),
  ),
  label('key_name', 'Name of the key.', ({ key = '' }) => key),
  column('UInt16')('status', 'HTTP status; 499 where the client disconnected.', ({ status }) => status),
  label(
    'code',
    'Error code; SHARD_UNREACHABLE with status 200 for a partial result; empty for a complete one.',
    ({ code }) => code,
  ),
  label('cache', 'HIT, MISS, PARTIAL, STALE or BYPASS.', ({ cache = '' }) => cache),
  column('UInt32')('row_count', 'Rows of the response.', ({ rows = 0 }) => rows),
  integer('rows_read', 'Rows that the query read.', read('rowsRead')),
  integer('bytes_read', 'Bytes that the query read.', read('bytesRead')),
  float(
    'total_ms',
    'Milliseconds from the headers of the request to the end of the response.',
    ({ totalMs }) => totalMs,
  ),
  float('waiting_ms', 'Milliseconds of these in the query queue.', ({ caused }) => caused?.waitingMs ?? 0),
  float('clickhouse_ms', 'Milliseconds of these in ClickHouse.', read('clickhouseMs')),
  label(
    'purpose',
    'call, or of a query without a request: warming, verification, replay or deferred.',
    ({ purpose }) => purpose,
  ),
  integer('bytes_sent', 'Bytes of the response, with its headers.', ({ bytesSent }) => bytesSent),
  float(
    'charged_rows',
    'Rows that the query read, divided by the calls that waited for it.',
    charged('rowsRead'),
  ),
  float('charged_bytes', 'Bytes that the query read, likewise.', charged('bytesRead')),
  float('charged_ms', 'Milliseconds in ClickHouse, likewise.', charged('clickhouseMs')),
  integer('saved_rows', 'Rows that kept pieces did not read again.', saved('rowsRead')),
  integer('saved_bytes', 'Bytes that kept pieces did not read again.', saved('bytesRead')),
  text('tool', 'User-Agent of the client of a statement over tables.', ({ tool = '' }) => tool),
  text(
    'tables',
    'Names of the endpoints that a statement over tables reads, with commas between them.',
    ({ tables = [] }) => tables.join(),
  ),
];

/** The columns of requests, which the endpoint `gateway.requests` returns. */
export const LISTED_COLUMNS = REQUEST_LOG_COLUMNS.filter(({ name }) => name !== 'purpose');

/**
 * An entry as a line of ClickHouse's format TabSeparated, with its line break. It has a third of the bytes of JSON. Nothing needs
 * escaping, because all texts are names, ids and digests.
 */
export function lineOf(entry: LogEntry): string {
  let line = '';
  for (const { of } of REQUEST_LOG_COLUMNS) line += `${line && '\t'}${of(entry)}`;
  return `${line}\n`;
}
