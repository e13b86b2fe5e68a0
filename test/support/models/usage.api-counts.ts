import { groupBy } from './groups.js';
import { DAY, HOUR, MINUTE, printSeconds, startOf, type Micros } from './time.js';

/** The columns of an edge request log record that the endpoint reads. */
export interface RequestRecord {
  readonly timestamp: Micros;
  readonly url: string;
  readonly path: string;
}

export interface ApiCountsParameters {
  /** The parameter `project` is matched against the complete URL. */
  readonly project: RegExp;
  readonly interval: 'minutely' | 'hourly' | 'daily';
}

/** A row of `usage.api-counts`. */
export interface ApiCounts {
  readonly timestamp: string;
  readonly total_rest_requests: number;
  readonly total_storage_requests: number;
  readonly total_auth_requests: number;
  readonly total_realtime_requests: number;
}

const UNIT = { minutely: MINUTE, hourly: HOUR, daily: DAY };
const WINDOW = { minutely: HOUR, hourly: HOUR, daily: 7n * DAY };

/** Computes the result of `usage.api-counts` for these records. */
export function apiCounts(
  records: readonly RequestRecord[],
  { project, interval }: ApiCountsParameters,
  now: Micros,
): readonly ApiCounts[] {
  const bucketOf = ({ timestamp }: RequestRecord): string => printSeconds(startOf(UNIT[interval], timestamp));
  const counted = records.filter(
    ({ timestamp, url }) => timestamp >= now - WINDOW[interval] && project.test(url),
  );
  return groupBy(counted, bucketOf)
    .map((group) => countsOf(bucketOf(group[0]), group))
    .sort((a, b) => (a.timestamp < b.timestamp ? -1 : 1));
}

function countsOf(timestamp: string, group: readonly RequestRecord[]): ApiCounts {
  const total = (part: string): number => group.filter(({ path }) => path.includes(part)).length;
  return {
    timestamp,
    total_rest_requests: total('/rest'),
    total_storage_requests: total('/storage'),
    total_auth_requests: total('/auth'),
    total_realtime_requests: total('/realtime'),
  };
}
