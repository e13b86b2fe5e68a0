import {
  lineOf,
  RECORD_COLUMNS,
  type RequestRecord,
} from '../../../../src/gateway/observability/request-record.js';

const RECORD: RequestRecord = {
  timestamp: '2026-05-17T10:05:03.000Z',
  request_id: 'request-1',
  query_id: 'query-1',
  endpoint: 'logs.all',
  definition: 'digest',
  parameters: 'hash',
  key_name: 'tester',
  status: 200,
  code: '',
  cache: 'MISS',
  row_count: 1,
  rows_read: 2,
  bytes_read: 3,
  total_ms: 4.5,
  waiting_ms: 0.25,
  clickhouse_ms: 1.125,
  purpose: 'call',
  bytes_sent: 512,
  charged_rows: 1.5,
  charged_bytes: 2.5,
  charged_ms: 0.5,
  saved_rows: 7,
  saved_bytes: 8,
};

describe('the line of a request record', () => {
  it('has the value of each column, in the order of the columns', () => {
    expect(lineOf(RECORD)).toBe(`${RECORD_COLUMNS.map((column) => RECORD[column]).join('\t')}\n`);
    expect([...RECORD_COLUMNS].sort()).toEqual(Object.keys(RECORD).sort());
  });
});
