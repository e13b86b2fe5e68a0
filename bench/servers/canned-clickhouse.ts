/**
 * A fake ClickHouse that responds to every query at once, for measuring only the gateway. A query about the project in
 * its argument returns a day of hourly statistics, one about `size-BYTES-NUMBER` as many as have about these bytes; the read
 * of a user's settings finds a plain user; any other query returns no rows.
 */
import { createServer } from 'node:http';

const HOURS = 24;
const ROW_BYTES = 245;
const [, , project] = process.argv;
const hourly = (hours: number, shift = 0): readonly object[] =>
  Array.from({ length: hours }, (_, hour) => ({
    timestamp: new Date(Date.UTC(2026, 4, 17, hour)).toISOString(),
    min_execution_time: 3.25,
    max_execution_time: 912.5 + hour + (shift % 97),
    avg_execution_time: 41.75 + (hour + shift) / 7,
    p95_execution_time: 210.25 + (hour + shift) / 3,
    p99_execution_time: 480.5 + (hour + shift) / 9,
    count: 1200 + ((hour * 7919 + shift) % 5003),
    error_count: hour,
  }));

const canned = (rows: readonly object[]): { readonly body: string; readonly summary: string } => {
  const [read, elapsed] = [String(rows.length), '1000'];
  const summary = { read_rows: read, read_bytes: read, result_rows: read, elapsed_ns: elapsed };
  const lines = rows.map((row) => JSON.stringify(row)).join(',\n');
  return { body: `{"result":[${lines}]}`, summary: JSON.stringify(summary) };
};
const [aDay, nothing] = [canned(hourly(HOURS)), canned([])];
const plainUser: typeof nothing = { ...nothing, body: '[1,[]]' };

function cannedFor(asked: string | null): ReturnType<typeof canned> {
  const [, bytes, number] = /^size-(\d+)-(\d+)$/.exec(asked ?? '') ?? [];
  if (bytes === undefined) return asked === project ? aDay : nothing;
  return canned(hourly(Math.round(Number(bytes) / ROW_BYTES), Number(number)));
}

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    const { url = '/' } = request;
    const { searchParams } = new URL(url, 'http://clickhouse');
    const isOfSettings = url.includes('system.settings');
    const { body, summary } = isOfSettings ? plainUser : cannedFor(searchParams.get('param_project'));
    response.writeHead(200, { 'X-ClickHouse-Summary': summary }).end(body);
  });
});
server.listen(Number(process.env['PORT']), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
