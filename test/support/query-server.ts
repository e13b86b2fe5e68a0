import type { RunQuery } from '../../src/gateway/query/ports.js';
import type { SqlParser } from '../../src/gateway/query/sandboxed-select.js';
import type { QueryServer } from '../../src/gateway/server/open-scheduler.js';

/** One ClickHouse server that is always reachable and runs queries as the test defines. */
export function oneServer(runQuery: RunQuery, parser: SqlParser = noParser): readonly QueryServer[] {
  return [
    {
      name: 'clickhouse.test:8123',
      runQuery,
      runExport: unexpected,
      runStatement: unexpected,
      parser,
      ping: () => Promise.resolve(true),
    },
  ];
}

const unexpected = (): Promise<never> =>
  Promise.reject(new Error('this test expects neither SQL to parse nor exports'));
const noParser: SqlParser = {
  print: unexpected,
  tree: unexpected,
  tables: unexpected,
  varyingFunctions: unexpected,
  lines: unexpected,
};
