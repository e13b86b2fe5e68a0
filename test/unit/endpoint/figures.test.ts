import { readdirSync, readFileSync } from 'node:fs';

import { EVERY_ROW_READER, Figures, OPERATORS, OWN_ROWS_READER } from '../../../src/endpoint/figures.js';

/** Where the gateway reads figures, for whom. A new place is a decision: does a caller see more than its own rows in it? */
const PLACES = {
  // Callers, by their pinned parameters and their own SQL.
  'gateway/clickhouse/export-writing.ts': ['reader'],
  'gateway/clickhouse/fetch-rows.ts': ['request.reader ?? OWN_ROWS_READER'],
  'gateway/http/mcp/tool-result.ts': ['readerOf(query'],
  // `readerOf(call.query)`.
  'gateway/http/result/send-result.ts': ['reader'],
  'gateway/limits/limit-state.ts': ['reader'],
  'gateway/limits/rate-limit-headers.ts': ['state.subject.isSandboxed ? OWN_ROWS_READER : reader'],
  // Operators.
  'gateway/cache/result-codec.ts': ['OPERATORS'],
  'commands/check/check-endpoint.ts': ['OPERATORS'],
  'commands/replay/run-call.ts': ['OPERATORS'],
  'gateway/warming/usage-ledger.ts': ['OPERATORS'],
  'gateway/http/transport/access-log.ts': ['OPERATORS'],
  'gateway/limits/limiter.ts': ['OPERATORS'],
  'gateway/observability/request-log-columns.ts': ['OPERATORS'],
  'gateway/observability/tracing.ts': ['OPERATORS'],
  'gateway/query/sum-of-costs.ts': ['OPERATORS', 'OPERATORS'],
  'gateway/server/open-composer.ts': ['OPERATORS'],
  'gateway/clickhouse/statement-runner.ts': ['OPERATORS'],
  'gateway/scheduler/run-query.ts': ['OPERATORS', 'OPERATORS'],
  'gateway/warming/warmer.ts': ['OPERATORS'],
};

/** Calls that read a figure, with the reader. */
const READS = /(?:\.readBy\(|(?<!function )unitsLeft\(\w+, )([^)]+)\)/g;

function placesIn(folder: string): Readonly<Record<string, readonly string[]>> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const places = files.map((file) => {
    const source = readFileSync(`${folder}/${file}`, 'utf8');
    return [file, [...source.matchAll(READS)].map(([, reader = '']) => reader)] as const;
  });
  return Object.fromEntries(places.filter(([, readers]) => readers.length > 0));
}

describe('figures', () => {
  const figures = new Figures({ rowsRead: 7 });

  it('are for operators, and for callers who see every row', () => {
    expect(figures.readBy(OPERATORS)).toEqual({ rowsRead: 7 });
    expect(figures.readBy(EVERY_ROW_READER)).toEqual({ rowsRead: 7 });
    expect(figures.readBy(OWN_ROWS_READER)).toBeUndefined();
  });

  it('are not in JSON, nor among their own properties', () => {
    expect(JSON.stringify(figures)).toBe('{}');
    expect(Object.entries(figures)).toEqual([]);
  });

  it('are read in these places alone, for these readers', () => {
    expect(placesIn('src')).toEqual(PLACES);
  });
});
