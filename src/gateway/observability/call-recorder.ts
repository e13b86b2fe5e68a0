import { createHash } from 'node:crypto';

import type { RequestRecord } from './request-record.js';

/** A call as a caller sent it. */
export interface RecordableCall {
  /** Values by name; a list that came as a list. */
  readonly parameters: Readonly<Record<string, string | readonly string[]>>;
  /** JSON pairs of name and value, or empty. */
  readonly pins: string;
  /** Name of the representation. */
  readonly format: string;
  /** Why its parameters are not recorded. */
  readonly omitted?: 'secret' | 'sql' | 'page' | 'export' | 'long' | undefined;
}

/** A row of `querygate_calls`. */
export interface CallRow {
  /** As ClickHouse reads it: `2026-05-17 10:00:00`, in UTC. */
  readonly hour: string;
  readonly endpoint: string;
  readonly call: string;
  readonly omitted: string;
  readonly definition: string;
  readonly parameters: string;
  readonly pins: string;
  readonly format: string;
  calls: number;
  queries: number;
  rows_read: number;
  clickhouse_ms: number;
}

export interface CallRecorderOptions {
  /** Writes rows; a rejection loses them. */
  readonly insert: (rows: readonly CallRow[]) => Promise<void>;
  readonly onLost: (error: unknown) => void;
  /** Distinct calls that are recorded in an hour; further ones are only counted. */
  readonly maxDistinct?: number;
  /** Distinct calls of an endpoint in an hour of which all are recorded; of further ones it is a sample. */
  readonly maxOfEndpoint?: number;
}

const MAX_DISTINCT = 2000;
/** A client that sends another time with each request would otherwise leave no place for other endpoints. */
const MAX_OF_ENDPOINT = 100;
/** Bytes of the parameters and pins of a call. */
const MAX_BYTES = 4096;

/** One in 16 calls, always the same ones, so that equal calls add up. */
const isSampled = (digest: string): boolean => digest.startsWith('0');

/** Records distinct calls with their figures, for `querygate replay`. `note` only adds to counts; `flush` writes them. */
export class CallRecorder {
  private rows = new Map<string, CallRow>();
  /** The calls that were recorded in the hour. */
  private known = new Set<string>();
  private distinctOf = new Map<string, number>();
  private hour = '';

  constructor(private readonly options: CallRecorderOptions) {}

  /** @param record of a request that had a result */
  note(record: RequestRecord, call: RecordableCall): void {
    const hour = `${record.timestamp.slice(0, 13).replace('T', ' ')}:00:00`;
    if (hour !== this.hour) {
      this.hour = hour;
      this.known = new Set();
      this.distinctOf = new Map();
    }
    const { endpoint, definition } = record;
    const { pins, format } = call;
    const parameters = JSON.stringify(Object.entries(call.parameters).sort(([a], [b]) => (a < b ? -1 : 1)));
    const digest = digestOf([endpoint, definition, parameters, pins, format]);
    const omitted = call.omitted ?? this.reasonToOmit(endpoint, digest, parameters + pins);
    const key = `${hour} ${omitted === '' ? digest : `${endpoint} ${omitted}`}`;
    const row = this.rows.get(key) ?? {
      ...{ hour, endpoint, omitted, ...NOTHING_COUNTED },
      ...(omitted === ''
        ? { call: digest, definition, parameters, pins, format }
        : { call: '', definition: '', parameters: '', pins: '', format: '' }),
    };
    this.rows.set(key, row);
    row.calls += 1;
    if (record.query_id === '') return;
    row.queries += 1;
    row.rows_read += record.rows_read;
    row.clickhouse_ms += record.clickhouse_ms;
  }

  private reasonToOmit(endpoint: string, digest: string, text: string): '' | 'long' | 'full' {
    if (this.known.has(digest)) return '';
    if (Buffer.byteLength(text) > MAX_BYTES) return 'long';
    const { maxDistinct = MAX_DISTINCT, maxOfEndpoint = MAX_OF_ENDPOINT } = this.options;
    const distinct = this.distinctOf.get(endpoint) ?? 0;
    const isPlace = distinct < maxOfEndpoint || (distinct < 2 * maxOfEndpoint && isSampled(digest));
    if (!isPlace || this.known.size >= maxDistinct) return 'full';
    this.known.add(digest);
    this.distinctOf.set(endpoint, distinct + 1);
    return '';
  }

  /** Writes what was noted since the last flush. Never rejects. */
  async flush(): Promise<void> {
    const rows = [...this.rows.values()];
    this.rows = new Map();
    if (rows.length > 0) await this.options.insert(rows).catch(this.options.onLost);
  }
}

const NOTHING_COUNTED = { calls: 0, queries: 0, rows_read: 0, clickhouse_ms: 0 };

const digestOf = (values: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(values)).digest('hex').slice(0, 32);
