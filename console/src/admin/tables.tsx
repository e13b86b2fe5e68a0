import type { VNode } from 'preact';

import { bytes, duration, milliseconds, number, time } from '../model/display.js';
import type { Cell } from '../model/endpoint.js';
import { DataTable } from '../parts/data-table.js';
import type { TableColumn, TableRow } from '../parts/table-column.js';
import type { Failures, KeysState, Snapshot, Usage, WarmingState } from './snapshot.js';
import { endpointRows, failureRows } from './summary.js';

type Show = (value: Cell | undefined) => string;

const orDash =
  (show: (value: number) => string): Show =>
  (value) =>
    typeof value === 'number' ? show(value) : '–';
const ms = orDash(milliseconds);
const size = orDash(bytes);
const count = orDash(number);
const share = orDash((value) => `${Math.round(value * 100)} %`);
const when: Show = (value) => (typeof value === 'string' ? time(value.replace(/\.\d+Z$/, 'Z')) : '–');
const text: Show = (value) => (typeof value === 'string' && value !== '' ? value : '–');

const column = (name: string, label: string, type: string, show: Show, description = ''): TableColumn => ({
  name,
  label,
  type,
  description,
  show,
});

const ENDPOINT_COLUMNS = [
  column('endpoint', 'Endpoint', 'String', text),
  column('requests', 'Requests', 'UInt64', count),
  column('rejected', '4xx', 'UInt64', count),
  column('failed', '5xx', 'UInt64', count),
  column('hitRatio', 'From the cache', 'Float64', share, 'Cache hits as a share of all requests.'),
  column('clickhouse50', 'ClickHouse p50', 'Float64', ms, 'Half of the queries took no longer.'),
  column('clickhouse95', 'ClickHouse p95', 'Float64', ms, '95 % of the queries took no longer.'),
  column('gateway95', 'Gateway p95', 'Float64', ms, 'Time in the gateway, without ClickHouse.'),
  column('entries', 'Cached', 'UInt64', count, 'Results in the memory of this process.'),
  column('bytes', 'Bytes', 'UInt64', size),
  column('warmed', 'Refreshes', 'UInt64', count),
  column('warmingMs', 'Warming took', 'Float64', ms, 'Time in ClickHouse spent on warming.'),
];

/** Endpoints with their traffic, hits and times. */
export function EndpointTable({ latest }: { readonly latest: Snapshot }): VNode {
  return (
    <DataTable
      label="Endpoints"
      columns={ENDPOINT_COLUMNS}
      rows={endpointRows(latest)}
      initial={{ column: 'clickhouse95', direction: 'descending' }}
    />
  );
}

const FAILURE_COLUMNS = [
  column('time', 'Last time (UTC)', 'DateTime', when),
  column('times', 'Times', 'UInt64', count, 'Of the errors that the gateway keeps.'),
  column('status', 'Status', 'UInt16', count),
  column('code', 'Code', 'String', text),
  column('endpoint', 'Endpoint', 'String', text),
  column('key', 'Key', 'String', text),
  column('diagnosis', 'Diagnosis', 'String', text),
  column(
    'cause',
    'Cause',
    'String',
    text,
    'The whole text of the last error, which can contain values of the request.',
  ),
  column('requestId', 'Last request id', 'String', text),
];

/** Failed requests, equal ones in one row, newest first. */
export function FailureTable({ errors }: { readonly errors: Failures }): VNode {
  if (errors.failures.length === 0) return <p class="notice">No request has failed or was rejected.</p>;
  return <DataTable label="Rows of recent errors" columns={FAILURE_COLUMNS} rows={failureRows(errors)} />;
}

const WARMING_COLUMNS = [
  column('endpoint', 'Endpoint', 'String', text),
  column('parameters', 'Parameters', 'String', (value) =>
    value === undefined ? '–' : JSON.stringify(value),
  ),
  column('lastRun', 'Last run (UTC)', 'DateTime', when),
  column('nextRun', 'Next run (UTC)', 'DateTime', when),
  column('clickhouseMs', 'ClickHouse', 'Float64', ms),
  column('rowsRead', 'Rows read', 'UInt64', count),
  column('bytesRead', 'Read', 'UInt64', size),
  column('hitsSince', 'Hits since refresh', 'UInt64', count),
  column('failures', 'Failures', 'UInt64', count),
];

/** Warmed parameter sets and what their refreshes cost. */
export function WarmingTable({ warming }: { readonly warming: WarmingState }): VNode {
  if (warming.sets.length === 0) return <p class="notice">Nothing is in use here that is warmed.</p>;
  return (
    <DataTable
      label="Warmed parameter sets"
      columns={WARMING_COLUMNS}
      rows={warming.sets as unknown as readonly TableRow[]}
    />
  );
}

const USAGE_COLUMNS = [
  column('name', 'Key', 'String', text),
  column('purpose', 'For', 'String', text),
  column('requests', 'Requests', 'UInt64', count),
  column('hits', 'From the cache', 'UInt64', count),
  column('errors', 'Errors', 'UInt64', count),
  column('clickhouse_ms', 'In ClickHouse', 'Float64', ms),
  column('rows_read', 'Rows read', 'UInt64', count),
  column('bytes_read', 'Bytes read', 'UInt64', size),
  column('bytes_sent', 'Bytes sent', 'UInt64', size),
];

/** What calls of the last 7 days cost. */
export function UsageTable({ usage }: { readonly usage: Usage | undefined }): VNode {
  if (!usage) return <p class="notice">ClickHouse does not tell what the calls cost.</p>;
  if (usage.usage === null) return <p class="notice">There is no request log: REQUEST_LOG is off.</p>;
  return <DataTable label="Usage" columns={USAGE_COLUMNS} rows={usage.usage} />;
}

const KEY_COLUMNS = [
  column('name', 'Key', 'String', text),
  column('lastUse', 'Last use (UTC)', 'DateTime', when),
  column('expires', 'Expires (UTC)', 'DateTime', when),
  column('quotas', 'Quotas used', 'String', text, 'As far as this gateway knows them.'),
  column('endpoints', 'Endpoints', 'String', text),
];

/** Keys, tokens and links, and when each was last used at this gateway. */
export function KeyTable({ keys }: { readonly keys: KeysState }): VNode {
  const rows = [
    ...keys.keys.map((key) => ({
      ...key,
      endpoints: key.endpoints.join(', '),
      quotas: key.quotas.map(quotaText).join(', '),
    })),
    ...keys.others.map((other) => ({ ...other, endpoints: null, expires: null, quotas: null })),
  ];
  return <DataTable label="Rows of keys" columns={KEY_COLUMNS} rows={rows} />;
}

const COUNTED: Readonly<Record<string, string>> = {
  requests: 'requests',
  rowsRead: 'rows',
  bytesRead: 'bytes',
  clickhouseMs: 'ms of ClickHouse',
};

/** `12 of 100 requests in 1 min` */
function quotaText({ counted, used, quota, window }: KeysState['keys'][number]['quotas'][number]): string {
  return `${number(used)} of ${number(quota)} ${COUNTED[counted] ?? counted} in ${duration(window)}`;
}
