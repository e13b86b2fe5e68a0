import type { RunQuery } from '../../src/execution/ports.js';
import type { QueryServer } from '../../src/serve/open-admission.js';

/** One ClickHouse server that is always there, its queries run as the test says. */
export function oneServer(runQuery: RunQuery): readonly QueryServer[] {
  return [{ name: 'clickhouse.test:8123', runQuery, ping: () => Promise.resolve(true) }];
}
