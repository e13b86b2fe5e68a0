import { ClickHouseError, type ClickHouseClient } from '@clickhouse/client';

import { quoteName } from '../../endpoint/quote-sql.js';
import { describeFailure, LoadError } from './load-error.js';

/** A column that an INSERT can write. */
export interface Column {
  readonly name: string;
  /** ClickHouse's spelling: `LowCardinality(Nullable(String))`. */
  readonly type: string;
  /** Default for lines without the field; empty for the default of the type. */
  readonly defaultExpression: string;
}

/** The table into which lines are loaded. */
export interface TargetTable {
  readonly name: string;
  readonly columns: readonly Column[];
}

interface Description {
  readonly name: string;
  readonly type: string;
  readonly default_type: string;
  readonly default_expression: string;
}

/**
 * Reads the columns of a table.
 *
 * @throws LoadError when the table does not exist or has no `timestamp` of type DateTime64, or ClickHouse fails.
 */
export async function describeTable(client: ClickHouseClient, name: string): Promise<TargetTable> {
  const columns = (await describe(client, name))
    .filter(({ default_type }) => default_type === '' || default_type === 'DEFAULT')
    .map((column) => ({
      name: column.name,
      type: column.type,
      defaultExpression: column.default_expression,
    }));
  if (!columns.some((column) => column.name === 'timestamp' && bareType(column) === 'DateTime64')) {
    throw new LoadError(`the table ${name} has no column timestamp of type DateTime64`);
  }
  return { name, columns };
}

/** The name of a column's type without Nullable, LowCardinality and parameters: `UInt16`. */
export function bareType({ type }: Pick<Column, 'type'>): string {
  return type.replace(/^(?:LowCardinality\(|Nullable\()+/, '').replace(/\W.*$/s, '');
}

async function describe(client: ClickHouseClient, name: string): Promise<Description[]> {
  try {
    const result = await client.query({
      query: `DESCRIBE TABLE ${quoteName(name)}`,
      format: 'JSON',
    });
    return (await result.json<Description>()).data;
  } catch (cause) {
    const message = isUnknownTable(cause) ? await unknownTable(client, name) : describeFailure(cause);
    throw new LoadError(message, { cause });
  }
}

function isUnknownTable(error: unknown): boolean {
  return error instanceof ClickHouseError && error.type === 'UNKNOWN_TABLE';
}

async function unknownTable(client: ClickHouseClient, name: string): Promise<string> {
  const result = await client.query({ query: "SHOW TABLES NOT LIKE 'schema_migrations%'", format: 'JSON' });
  const tables = (await result.json<{ name: string }>()).data.map((table) => table.name);
  const known =
    tables.length > 0
      ? `the tables are ${tables.join(', ')}`
      : 'the database has no tables: run querygate migrate';
  return `the table ${name} does not exist; ${known}`;
}
