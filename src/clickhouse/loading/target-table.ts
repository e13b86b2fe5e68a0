import { ClickHouseError, type ClickHouseClient } from '@clickhouse/client';

import { quoteName } from '../../endpoint/quote-sql.js';
import { describeFailure, LoadError } from './load-error.js';

/** A column that an INSERT can fill. */
export interface Column {
  readonly name: string;
  /** As ClickHouse spells it: `LowCardinality(Nullable(String))`. */
  readonly type: string;
  /** The expression that fills it where a line has no such field; empty where it is the type's own default. */
  readonly defaultExpression: string;
}

/** The table that lines are loaded into. */
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
 * Asks ClickHouse what the table looks like.
 *
 * @throws LoadError where there is no such table, it has no `timestamp` of type DateTime64, or ClickHouse can't be
 * asked.
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

/** The name of the column's type without its parameters, whether it is nullable or not: `UInt16`. */
export function bareType({ type }: Pick<Column, 'type'>): string {
  return type.replace(/^(?:LowCardinality\(|Nullable\()+/, '').replace(/\W.*$/s, '');
}

async function describe(client: ClickHouseClient, name: string): Promise<Description[]> {
  try {
    const answer = await client.query({
      query: `DESCRIBE TABLE ${quoteName(name)}`,
      format: 'JSON',
    });
    return (await answer.json<Description>()).data;
  } catch (cause) {
    const message = isUnknownTable(cause) ? await unknownTable(client, name) : describeFailure(cause);
    throw new LoadError(message, { cause });
  }
}

function isUnknownTable(error: unknown): boolean {
  return error instanceof ClickHouseError && error.type === 'UNKNOWN_TABLE';
}

async function unknownTable(client: ClickHouseClient, name: string): Promise<string> {
  const answer = await client.query({ query: "SHOW TABLES NOT LIKE 'schema_migrations%'", format: 'JSON' });
  const tables = (await answer.json<{ name: string }>()).data.map((table) => table.name);
  const known =
    tables.length > 0 ? `there are ${tables.join(', ')}` : 'there are none: has the schema been applied?';
  return `there is no table ${name}; ${known}`;
}
