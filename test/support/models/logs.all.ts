import { compareTexts, compareTimes, inOrder } from './order.js';
import { DAY, printMicros, type Bound, type Micros } from './time.js';

/** The columns of an edge request log record that the endpoint reads. */
export interface EdgeRecord {
  readonly id: string;
  readonly timestamp: Micros;
  readonly project: string;
  readonly event_message: string;
  /** As the log shipper wrote it. */
  readonly metadata: string;
}

export interface LogsParameters {
  readonly project: string;
  readonly project_tier?: string;
  readonly iso_timestamp_start?: Bound;
  readonly iso_timestamp_end?: Bound;
}

/** A row of `logs.all`. */
export interface LogRow {
  readonly id: string;
  readonly timestamp: string;
  readonly event_message: string;
  readonly metadata: object;
}

export interface Logs {
  readonly rows: readonly LogRow[];
  readonly truncated: boolean;
}

const MAX_ROWS = 100;

const RETENTION: ReadonlyMap<string, Micros> = new Map([
  ['FREE', DAY],
  ['PRO', 7n * DAY],
  ['PAYG', 90n * DAY],
  ['ENTERPRISE', 90n * DAY],
]);

/** Computes the result of `logs.all` for these records. */
export function newestLogs(
  records: readonly EdgeRecord[],
  { project, project_tier, iso_timestamp_start: start, iso_timestamp_end: end }: LogsParameters,
  now: Micros,
): Logs {
  const found = records
    .filter(
      ({ project: owner, timestamp }) =>
        owner === project &&
        timestamp > now - retentionOf(project_tier) &&
        (start === undefined || timestamp * 1000n > start.nanos) &&
        (end === undefined || timestamp * 1000n <= end.nanos),
    )
    .sort(
      inOrder(
        (a, b) => compareTimes(b.timestamp, a.timestamp),
        (a, b) => compareTexts(sortableId(a.id), sortableId(b.id)),
        (a, b) => compareTexts(a.event_message, b.event_message),
        (a, b) => compareTexts(a.metadata, b.metadata),
      ),
    );
  const rows = found.slice(0, MAX_ROWS).map(({ id, timestamp, event_message, metadata }) => ({
    id,
    timestamp: printMicros(timestamp),
    event_message,
    metadata: metadataObject(metadata),
  }));
  return { rows, truncated: found.length > MAX_ROWS };
}

/** How far back the endpoint returns the logs of a project. */
export function retentionOf(tier = 'FREE'): Micros {
  return RETENTION.get(tier) ?? DAY;
}

/** Parses the text as an object, or returns an object that wraps the text. */
function metadataObject(text: string): object {
  if (text === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Not JSON: returned as text.
  }
  return { raw: text };
}

/** ClickHouse compares the second half of a UUID first. */
function sortableId(id: string): string {
  return id.slice(19) + id.slice(0, 18);
}
