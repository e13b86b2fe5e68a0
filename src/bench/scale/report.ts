import type { Latency } from '../latency.js';
import type { DiskUse, InsertCost } from './measure-inserts.js';
import type { ScaleMeasurement } from './measure-scale.js';

/** One line a question: the gateway's ways, ClickHouse's own, and the plain table. */
export function questionTable(measured: readonly ScaleMeasurement[]): string {
  return table(
    [
      'endpoint',
      'question',
      'first',
      'uncached median',
      'p99',
      'hit median',
      'ClickHouse alone',
      'p99',
      'rows read',
      'MB read',
      'MB memory',
      'plain table',
      'p99',
      'rows read',
    ],
    measured.map(({ question, cold, uncached, hit, handler, cost, plain, plainRowsRead }) => [
      question.endpoint,
      question.about,
      ms(cold),
      ms(uncached.median),
      ms(uncached.p99),
      // What is not cached has no hits.
      question.endpoint === 'logs.all' ? '' : ms(hit.median),
      ms(handler.median),
      ms(handler.p99),
      count(cost.rowsRead),
      (cost.bytesRead / 1e6).toFixed(1),
      (cost.memoryBytes / 1e6).toFixed(1),
      ...plainCells(plain),
      plainRowsRead === 0 ? '' : count(plainRowsRead),
    ]),
  );
}

const plainCells = (plain: Latency | string): readonly string[] =>
  typeof plain === 'string' ? [plain, ''] : [ms(plain.median), ms(plain.p99)];

/** How the uncached median grows from size to size. */
export function growthTable(bySize: ReadonlyMap<number, readonly ScaleMeasurement[]>): string {
  const sizes = [...bySize.keys()];
  const [first = []] = bySize.values();
  const rows = first.map(({ question }, index) => {
    const medians = sizes.map((size) => bySize.get(size)?.[index]?.uncached.median ?? NaN);
    const [last = NaN, before = NaN] = medians.toReversed();
    return [question.endpoint, question.about, ...medians.map(ms), `${(last / before).toFixed(2)} times`];
  });
  return table(['endpoint', 'question', ...sizes.map(count), 'last step'], rows);
}

export function insertTable(inserts: readonly InsertCost[]): string {
  return table(
    ['insert into', 'rows', 'NDJSON', 'plain', 'times', 'INSERT SELECT', 'plain', 'times'],
    inserts.map(({ table: name, rows, ndjson, ndjsonPlain, select, selectPlain }) => [
      name,
      count(rows),
      ms(ndjson),
      ms(ndjsonPlain),
      (ndjson / ndjsonPlain).toFixed(2),
      ms(select),
      ms(selectPlain),
      (select / selectPlain).toFixed(2),
    ]),
  );
}

export function diskTable(disk: readonly DiskUse[]): string {
  return table(
    ['on disk', 'table', 'of these, projections', 'plain', 'times'],
    disk.map(({ table: name, bytes, projectionBytes, plainBytes }) => [
      name,
      megabytes(bytes),
      megabytes(projectionBytes),
      megabytes(plainBytes),
      (bytes / plainBytes).toFixed(2),
    ]),
  );
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heads, heads.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : 1)} ms`;
const count = (value: number): string => value.toLocaleString('en');
const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6).toLocaleString('en')} MB`;
