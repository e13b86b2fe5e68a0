import { ClickHouseError, type ClickHouseClient } from '@clickhouse/client';

import { quoteName } from '../../endpoint/quote-sql.js';
import { selectRows } from '../../gateway/clickhouse/select-rows.js';
import { RECORD_TABLE } from '../../gateway/schema/migration-files.js';
import { findTimeColumn, type Column, type ComputedColumn, type RowShape } from './columns.js';
import { describeFailure, LoadError } from './load-error.js';
import { findTtl, type Ttl } from './ttl.js';

/** The table into which lines are loaded. */
export interface TargetTable extends RowShape {
  readonly name: string;
  readonly ttl: Ttl | undefined;
}

interface Description {
  readonly name: string;
  readonly type: string;
  readonly default_type: '' | 'DEFAULT' | 'EPHEMERAL' | 'MATERIALIZED' | 'ALIAS';
  readonly default_expression: string;
}

/**
 * Reads the columns and the TTL of a table.
 *
 * @throws LoadError when the table does not exist or is the record of migrations, or ClickHouse fails.
 */
export async function describeTable(client: ClickHouseClient, name: string): Promise<TargetTable> {
  // A record that no migration wrote would stop every later migration.
  if (name.startsWith(RECORD_TABLE))
    throw new LoadError(`the table ${name} is written by querygate migrate only`);
  try {
    const shape = await readShape(client, name);
    return { name, ...shape, ttl: await findTtl(client, name, shape) };
  } catch (cause) {
    const message = isUnknownTable(cause) ? await unknownTable(client, name) : describeFailure(cause);
    throw new LoadError(message, { cause });
  }
}

async function readShape(client: ClickHouseClient, name: string): Promise<RowShape> {
  const columns: Column[] = [];
  const computed: ComputedColumn[] = [];
  const described = await selectRows<Description>(client, `DESCRIBE TABLE ${quoteName(name)}`);
  for (const { name: column, type, default_type, default_expression } of described) {
    if (default_type === 'MATERIALIZED' || default_type === 'ALIAS')
      computed.push({ name: column, type, kind: default_type, expression: default_expression });
    else columns.push({ name: column, type, defaultExpression: default_expression });
  }
  return { columns, computed, time: findTimeColumn(columns) };
}

function isUnknownTable(error: unknown): boolean {
  return error instanceof ClickHouseError && error.type === 'UNKNOWN_TABLE';
}

async function unknownTable(client: ClickHouseClient, name: string): Promise<string> {
  const found = await selectRows<{ name: string }>(client, "SHOW TABLES NOT LIKE 'schema_migrations%'");
  const tables = found.map((table) => table.name);
  return tables.length > 0
    ? `the table ${name} does not exist; the tables are ${tables.join(', ')}. ` +
        `To add one, load with --create, or create it in a file in clickhouse-schema/ and run querygate migrate`
    : `the table ${name} does not exist; the database has no tables: run querygate migrate, or load with --create`;
}
