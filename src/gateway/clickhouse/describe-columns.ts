import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client';

import { hasSecretValue, revealedParameters, type BoundQuery } from '../../endpoint/bind.js';
import type { ResultColumn } from '../formats/format.js';
import { sqlProblem } from '../query/validate-parameters.js';
import { selectRows } from './select-rows.js';

export type { ResultColumn };

/** Text before a query that is described. */
export const DESCRIBE = 'DESCRIBE (';

/** Settings of statements that read no data of endpoints, such as the gateway's own queries. */
export const READ_ONLY: ClickHouseSettings = {
  ...{ readonly: '2', session_timezone: 'UTC' },
  // The type of a named tuple is on one line, like in a declaration.
  print_pretty_type_names: 0,
};

/** Client and settings for describing a query. */
export interface DescribeOptions {
  readonly client: ClickHouseClient;
  readonly signal: AbortSignal;
  readonly settings?: ClickHouseSettings;
}

/**
 * Names and types of a query's columns, from ClickHouse's own analysis.
 *
 * @throws Error where ClickHouse rejects the query, or another server, such as a proxy, responds
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

/** Rows of a statement about a query, with bound values. @throws Error where ClickHouse rejects the statement */
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
 * Columns of a caller's own SQL.
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

/** First name that two columns share. Undefined where all names differ. */
export function repeatedColumn(columns: readonly ResultColumn[]): string | undefined {
  const names = columns.map(({ name }) => name);
  return names.find((name, index) => names.indexOf(name) < index);
}
