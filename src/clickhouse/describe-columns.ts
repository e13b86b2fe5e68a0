import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client';

import type { BoundQuery } from '../endpoint/bind.js';
import { Failure } from '../errors.js';
import type { ResultColumn } from '../formats/format.js';

/** Most columns of a result whose columns are not known in advance. */
const MAX_COLUMNS = 200;

/**
 * Names and types of the columns that a query gives, by ClickHouse's own analysis.
 *
 * @throws Failure INVALID_PARAMETERS (`sql`) where two have one name, or they are too many, or one has no value to show.
 */
export async function describeColumns(
  client: ClickHouseClient,
  query: BoundQuery,
  settings: ClickHouseSettings,
  signal: AbortSignal,
): Promise<readonly ResultColumn[]> {
  const described = await client.query({
    query: `DESCRIBE TABLE (${query.text})`,
    query_params: query.parameters,
    format: 'JSONEachRow',
    abort_signal: signal,
    clickhouse_settings: settings,
  });
  const columns = await described.json<ResultColumn>();
  if (columns.length > MAX_COLUMNS) {
    throw sqlFault(`gives ${columns.length} columns; at most ${MAX_COLUMNS} are allowed`);
  }
  const seen = new Set<string>();
  for (const { name, type } of columns) {
    if (seen.has(name)) throw sqlFault(`gives two columns the name “${name.slice(0, 80)}”; name one with AS`);
    if (type.includes('AggregateFunction'))
      throw sqlFault(`gives “${name.slice(0, 80)}” no value but a state`);
    seen.add(name);
  }
  return columns.map(({ name, type }) => ({ name, type }));
}

/** The failure of a query that is the caller's own SQL. */
export function sqlFault(problem: string, cause?: unknown): Failure {
  return new Failure('INVALID_PARAMETERS', `The parameters are not as they should be: sql ${problem}.`, {
    problems: [{ param: 'sql', problem }],
    ...(cause !== undefined && { cause }),
  });
}
