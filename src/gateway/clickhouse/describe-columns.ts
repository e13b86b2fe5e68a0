import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client';

import { hasSecretValue, revealedParameters, type BoundQuery } from '../../endpoint/bind.js';
import { Failure } from '../errors.js';
import type { ResultColumn } from '../formats/format.js';

/** Maximum number of columns of a caller's own SQL. */
const MAX_COLUMNS = 200;

/**
 * Reads the names and types of a query's columns from ClickHouse's own analysis.
 *
 * @throws Failure INVALID_PARAMETERS (`sql`) when there are too many columns, or two have the same name.
 */
export async function describeColumns(
  client: ClickHouseClient,
  query: BoundQuery,
  settings: ClickHouseSettings,
  signal: AbortSignal,
): Promise<readonly ResultColumn[]> {
  const described = await client.query({
    query: `DESCRIBE TABLE (${query.text})`,
    query_params: revealedParameters(query),
    ...(hasSecretValue(query) && { use_multipart_params: true }),
    use_multipart_params_auto: true,
    format: 'JSONEachRow',
    abort_signal: signal,
    clickhouse_settings: settings,
  });
  const columns = await described.json<ResultColumn>();
  if (columns.length > MAX_COLUMNS) {
    throw sqlProblem(`returns ${columns.length} columns; at most ${MAX_COLUMNS} are allowed`);
  }
  const seen = new Set<string>();
  for (const { name } of columns) {
    if (seen.has(name))
      throw sqlProblem(`returns two columns named “${name.slice(0, 80)}”; rename one with AS`);
    seen.add(name);
  }
  return columns.map(({ name, type }) => ({ name, type }));
}

/** The failure of a caller's own SQL. */
export function sqlProblem(problem: string, cause?: unknown): Failure {
  return new Failure('INVALID_PARAMETERS', `Invalid parameters: sql ${problem}.`, {
    problems: [{ param: 'sql', problem }],
    ...(cause !== undefined && { cause }),
  });
}
