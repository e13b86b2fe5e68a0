/** A rollup, and the records that it counts. */
export interface RollupOfRecords {
  readonly rollup: string;
  /** Its column of how many records. */
  readonly counts: string;
  readonly source: string;
  /** Of the source's rows, those that it counts. */
  readonly condition: string;
  readonly hasProject: boolean;
}

const ofProjects = (rollup: string, counts: string, source: string): RollupOfRecords => ({
  rollup,
  counts,
  source,
  condition: 'true',
  hasProject: true,
});

/** All rollups of the schema. */
export const ROLLUPS: readonly RollupOfRecords[] = [
  ofProjects('function_relay_minutes', 'invocations', 'function_relay_logs'),
  ofProjects('function_relay_hours', 'invocations', 'function_relay_logs'),
  ofProjects('function_relay_days', 'invocations', 'function_relay_logs'),
  ofProjects('edge_request_minutes', 'requests', 'edge_logs'),
  ofProjects('edge_request_hours', 'requests', 'edge_logs'),
  { ...ofProjects('custom_event_days', 'hits', 'custom_events'), hasProject: false },
  {
    ...ofProjects('redirect_days', 'hits', 'custom_events'),
    condition: "event_type = 'url_redirect'",
    hasProject: false,
  },
];

/** How often a shard's records are counted in its rollup: `1` where each is once, `nan` where there are none. */
export function timesCountedQuery({ rollup, counts, source, condition }: RollupOfRecords): string {
  return (
    `SELECT (SELECT sum(${counts}) FROM ${rollup}_local) / ` +
    `(SELECT count() FROM ${source}_local WHERE ${condition})`
  );
}
