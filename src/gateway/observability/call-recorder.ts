import { createHash } from 'node:crypto';

import { isoTime } from './iso-time.js';
import { readCost, definitionOf, type LogEntry } from './request-log-columns.js';

/** A call as a caller sent it. */
export interface RecordableCall {
  /** Values by name; a list that the caller sent as a list stays one. */
  readonly parameters: Readonly<Record<string, string | readonly string[]>>;
  /** JSON pairs of name and value that the key pins, or empty. */
  readonly pins: string;
  /** Name of the representation. */
  readonly format: string;
  /** Why the parameters are not recorded; absent where they are. */
  readonly omitted?: 'secret' | 'sql' | 'page' | 'export' | 'long' | undefined;
}

/** A row of `querygate_calls`. */
export interface CallRow {
  /** The hour in UTC, in a form that ClickHouse reads: `2026-05-17 10:00:00`. */
  readonly hour: string;
  readonly endpoint: string;
  readonly call: string;
  /** Why the parameters are not recorded, so that the call cannot be repeated; empty where they are. */
  readonly omitted: string;
  readonly definition: string;
  /** JSON pairs of name and value, sorted by name; empty where the parameters are not recorded. */
  readonly parameters: string;
  /** JSON pairs of name and value that the key pins, or empty. */
  readonly pins: string;
  readonly format: string;
  /** How many times the call was made. */
  calls: number;
  /** How many of the calls needed a query, and what their queries read in total. */
  queries: number;
  rows_read: number;
  clickhouse_ms: number;
}

export interface CallRecorderOptions {
  /** Writes rows; rows are lost where it rejects. */
  readonly insert: (rows: readonly CallRow[]) => Promise<void>;
  readonly onLost: (error: unknown) => void;
  /** Maximum number of distinct calls that are recorded in an hour. The keys of that hour share it; a sample of further calls is added. */
  readonly maxDistinct?: number;
  /** Maximum number of distinct calls that are recorded for each key and endpoint in an hour. */
  readonly maxOfEndpoint?: number;
}

const MAX_DISTINCT = 2000;
/** Bounds a client that sends another time with each request, which would otherwise leave no room for other endpoints. */
const MAX_OF_ENDPOINT = 100;
/** Size of the sample of further calls, as a fraction of `maxDistinct`. */
const SAMPLED = 0.1;
/** Maximum bytes of the parameters and pins of a recorded call. */
const MAX_BYTES = 4096;

/** Records distinct calls with their figures, for `querygate replay`. `note` only adds to counts; `flush` writes them. */
export class CallRecorder {
  private rows = new Map<string, CallRow>();
  private places = new Places({});
  private hour = '';

  constructor(private readonly options: CallRecorderOptions) {}

  /** @param entry entry of a request that had a result */
  note(entry: LogEntry, call: RecordableCall): void {
    const hour = `${isoTime(entry.at).slice(0, 13).replace('T', ' ')}:00:00`;
    if (hour !== this.hour) {
      this.hour = hour;
      this.places = new Places(this.options);
    }
    const { endpoint = '', caused } = entry;
    const definition = definitionOf(entry);
    const { pins, format } = call;
    const parameters = JSON.stringify(Object.entries(call.parameters).sort(([a], [b]) => (a < b ? -1 : 1)));
    const digest = digestOf([endpoint, definition, parameters, pins, format]);
    const omitted = call.omitted ?? this.reasonToOmit(entry, digest, parameters + pins);
    const key = `${hour} ${omitted === '' ? digest : `${endpoint} ${omitted}`}`;
    const row = this.rows.get(key) ?? {
      ...{ hour, endpoint, omitted, ...NOTHING_COUNTED },
      ...(omitted === ''
        ? { call: digest, definition, parameters, pins, format }
        : { call: '', definition: '', parameters: '', pins: '', format: '' }),
    };
    this.rows.set(key, row);
    row.calls += 1;
    if (!caused?.queryId) return;
    const { rowsRead, clickhouseMs } = readCost(caused.cost);
    row.queries += 1;
    row.rows_read += rowsRead;
    row.clickhouse_ms += clickhouseMs;
  }

  private reasonToOmit(entry: LogEntry, digest: string, text: string): '' | 'long' | 'full' {
    if (this.places.has(digest)) return '';
    if (Buffer.byteLength(text) > MAX_BYTES) return 'long';
    return this.places.take(entry, digest) ? '' : 'full';
  }

  /** Writes the calls that were noted since the last flush. Never rejects. */
  async flush(): Promise<void> {
    const rows = [...this.rows.values()];
    this.rows = new Map();
    if (rows.length > 0) await this.options.insert(rows).catch(this.options.onLost);
  }
}

/** The calls that are recorded in an hour: those within the share of their key, and a sample of all others. */
class Places {
  private readonly taken = new Set<string>();
  private readonly ofKey = new Map<string, number>();
  /** Number of recorded calls by key and endpoint. */
  private readonly ofPair = new Map<string, number>();
  private readonly sample = new Set<string>();
  /** The greatest digest of a full sample, which the next call with a lesser digest replaces. */
  private greatest: string | undefined;

  constructor(private readonly options: Partial<CallRecorderOptions>) {}

  has(digest: string): boolean {
    return this.taken.has(digest) || this.sample.has(digest);
  }

  /**
   * Whether a new call is recorded from now on. The n-th key of an hour gets at most an n-th of `maxDistinct`, so that a key with
   * many calls leaves room for keys that come later.
   */
  take({ key = '', endpoint = '' }: LogEntry, digest: string): boolean {
    const { maxDistinct = MAX_DISTINCT, maxOfEndpoint = MAX_OF_ENDPOINT } = this.options;
    const pair = JSON.stringify([key, endpoint]);
    const [byKey, byPair] = [this.ofKey.get(key) ?? 0, this.ofPair.get(pair) ?? 0];
    this.ofKey.set(key, byKey);
    if (byPair >= maxOfEndpoint || byKey >= maxDistinct / this.ofKey.size) return this.takeSampled(digest);
    this.ofKey.set(key, byKey + 1);
    this.ofPair.set(pair, byPair + 1);
    this.taken.add(digest);
    return true;
  }

  /** Samples the calls with the least digests, so that every gateway samples the same calls. */
  private takeSampled(digest: string): boolean {
    const { maxDistinct = MAX_DISTINCT } = this.options;
    const { sample, greatest = '' } = this;
    const most = Math.floor(maxDistinct * SAMPLED);
    if (sample.size >= most && digest >= greatest) return false;
    sample.add(digest);
    if (sample.size > most) sample.delete(greatest);
    if (sample.size === most) this.greatest = [...sample].reduce((a, b) => (a > b ? a : b));
    return true;
  }
}

const NOTHING_COUNTED = { calls: 0, queries: 0, rows_read: 0, clickhouse_ms: 0 };

const digestOf = (values: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(values)).digest('hex').slice(0, 32);
