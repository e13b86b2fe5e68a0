import { Readable } from 'node:stream';
import type { ClickHouseSettings } from '@clickhouse/client';

import { loadFile, type LoadOptions } from '../../src/commands/loading/load-file.js';
import type { LoadReport } from '../../src/commands/loading/load-report.js';
import { useTestDatabase, type TestDatabase } from './clickhouse.js';

export interface Loading {
  readonly database: TestDatabase;
  /** Reasons of the test's rejected lines, by number. */
  readonly rejected: Record<number, string>;
  /** Loads a text as if it came from standard input. */
  readonly load: (
    text: string | Buffer,
    options: Partial<LoadOptions> & { readonly table: string },
  ) => Promise<LoadReport>;
  readonly rowsOf: (query: string) => Promise<unknown[]>;
}

/** Opens a database for a file that loads texts. @param defaults options of each load @param settings of `rowsOf` */
export function useLoading(defaults: Partial<LoadOptions> = {}, settings: ClickHouseSettings = {}): Loading {
  const database = useTestDatabase();
  const rejected: Record<number, string> = {};
  beforeEach(() => {
    for (const line of Object.keys(rejected)) Reflect.deleteProperty(rejected, line);
  });
  return {
    database,
    rejected,
    load: (text, options) =>
      loadFile({
        client: database.client,
        source: '-',
        stdin: Readable.from([Buffer.from(text)]),
        shiftToNow: false,
        now: new Date(),
        onRejected: (line, reason) => (rejected[line] = reason),
        ...defaults,
        ...options,
      }),
    rowsOf: async (query) => {
      const result = await database.client.query({
        query,
        format: 'JSONEachRow',
        clickhouse_settings: settings,
      });
      return result.json();
    },
  };
}
