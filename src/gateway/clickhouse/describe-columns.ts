import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client';

import { hasSecretValue, revealedParameters, type BoundQuery } from '../../endpoint/bind.js';
import type { ResultColumn } from '../formats/format.js';
import { sqlProblem } from '../query/validate-parameters.js';
import { selectRows } from './select-rows.js';

export type { ResultColumn };

/** What stands before a query that is described. */
export const DESCRIBE = 'DESCRIBE (';

/** Settings of what reads no data of the endpoints, as the gateway's own queries have them. */
export const READ_ONLY: ClickHouseSettings = {
  ...{ readonly: '2', session_timezone: 'UTC' },
  // The type of a named tuple on one line, as it is declared.
  print_pretty_type_names: 0,
};

/** How a query is described. */
export interface DescribeOptions {
  readonly client: ClickHouseClient;
  readonly signal: AbortSignal;
  readonly settings?: ClickHouseSettings;
}

/**
 * The names and types of a query's columns, by ClickHouse's own analysis.
 *
 * @throws Error where ClickHouse rejects the query, and where the response is none of ClickHouse, such as one of a proxy
 */
export async function describe(
  query: BoundQuery,
  options: DescribeOptions,
): Promise<readonly ResultColumn[]> {
  const rows = await rowsOf<Partial<ResultColumn>>(`${DESCRIBE}${query.text})`, query, options);
  const columns = rows.flatMap(({ name, type }) =>
    typeof name === 'string' && typeof type === 'string' ? [{ name, type }] : [],
  );
  if (columns.length === 0 || columns.length < rows.length)
    throw new Error('the response to DESCRIBE has no columns');
  return columns;
}

/** The rows of a statement about a query, with its values bound. @throws Error where ClickHouse rejects it */
export function rowsOf<Row>(
  text: string,
  query: BoundQuery,
  { client, signal, settings = READ_ONLY }: DescribeOptions,
): Promise<readonly Row[]> {
  return selectRows<Row>(client, text, revealedParameters(query), {
    ...(hasSecretValue(query) && { use_multipart_params: true }),
    use_multipart_params_auto: true,
    abort_signal: signal,
    clickhouse_settings: settings,
  });
}

/** Maximum number of columns of a caller's own SQL. */
const MAX_COLUMNS = 200;

/**
 * The columns of a caller's own SQL.
 *
 * @throws Failure INVALID_PARAMETERS (`sql`) when there are too many columns, or two have the same name.
 */
export async function describeOwnSql(
  query: BoundQuery,
  options: DescribeOptions,
): Promise<readonly ResultColumn[]> {
  const columns = await describe(query, options);
  if (columns.length > MAX_COLUMNS) {
    throw sqlProblem(`returns ${columns.length} columns; at most ${MAX_COLUMNS} are allowed`);
  }
  const repeated = repeatedColumn(columns);
  if (repeated !== undefined)
    throw sqlProblem(`returns two columns named “${repeated.slice(0, 80)}”; rename one with AS`);
  return columns;
}

/** The first name that two columns have. */
export function repeatedColumn(columns: readonly ResultColumn[]): string | undefined {
  const names = columns.map(({ name }) => name);
  return names.find((name, index) => names.indexOf(name) < index);
}
