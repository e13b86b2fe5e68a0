import { localName, onCluster, qualified, type Cluster } from './cluster-names.js';
import { listItems, masked } from './statement-text.js';

/** What changes the columns that a table has: a Distributed table has them too. */
const COLUMN_ACTION = /^(?:(?:ADD|MODIFY|DROP|COMMENT|RENAME) COLUMN|MODIFY COMMENT)\b/;

/** What is about the rows and how they are kept: a Distributed table has none. */
const STORAGE_ACTION =
  /^(?:MATERIALIZE COLUMN|(?:ADD|DROP|MATERIALIZE) (?:INDEX|PROJECTION)|MODIFY (?:TTL|SETTING))\b/;

/** `ALTER TABLE NAME …`: all of it for the local tables, then what is about columns for the Distributed one. */
export function alterStatements(statement: string, cluster: Cluster): readonly string[] {
  const [head = '', name = ''] = /^ALTER TABLE (\w+)\s+/.exec(statement) ?? [];
  const actions = listItems(statement.slice(head.length));
  const unknown = actions.find(
    (action) => !COLUMN_ACTION.test(action) && !STORAGE_ACTION.test(masked(action)),
  );
  if (unknown !== undefined) {
    throw new Error(
      `This part of an ALTER TABLE ${name} can’t be applied to a cluster, since nobody has said to which tables: ` +
        `${unknown} Give it a form in src/clickhouse/schema/cluster-alter.ts.`,
    );
  }
  const alter = (table: string, parts: readonly string[]): string =>
    `ALTER TABLE ${qualified(table, cluster)} ${onCluster(cluster)} ${parts.join(', ')}`;
  const ofColumns = actions.filter((action) => COLUMN_ACTION.test(action));
  return [alter(localName(name), actions), ...(ofColumns.length === 0 ? [] : [alter(name, ofColumns)])];
}
