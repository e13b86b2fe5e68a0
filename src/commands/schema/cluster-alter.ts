import { listItems } from '../../endpoint/type-name.js';
import { localName, onCluster, qualified, type Cluster } from '../../gateway/schema/cluster-names.js';
import { masked } from '../../gateway/schema/statement-text.js';

/** Actions on the columns of a table: they apply to the Distributed table too. */
const COLUMN_ACTION = /^(?:(?:ADD|MODIFY|DROP|COMMENT|RENAME) COLUMN|MODIFY COMMENT)\b/;

/** Actions on the stored rows: they do not apply to the Distributed table, which stores none. */
const STORAGE_ACTION =
  /^(?:MATERIALIZE COLUMN|(?:ADD|DROP|MATERIALIZE) (?:INDEX|PROJECTION)|MODIFY (?:TTL|SETTING))\b/;

/** Applies all actions to the local tables, and the column actions to the Distributed table. */
export function alterStatements(statement: string, cluster: Cluster): readonly string[] {
  const [head = '', name = ''] = /^ALTER TABLE (\w+)\s+/.exec(statement) ?? [];
  const actions = listItems(statement.slice(head.length));
  const unknown = actions.find(
    (action) => !COLUMN_ACTION.test(action) && !STORAGE_ACTION.test(masked(action)),
  );
  if (unknown !== undefined) {
    throw new Error(
      `This action of ALTER TABLE ${name} cannot be applied to a cluster, because it is not known which tables it applies to: ` +
        `${unknown}. Run it yourself with ON CLUSTER, and leave it out of the schema files.`,
    );
  }
  const alter = (table: string, selected: readonly string[]): string =>
    `ALTER TABLE ${qualified(table, cluster)} ${onCluster(cluster)} ${selected.join(', ')}`;
  const columnActions = actions.filter((action) => COLUMN_ACTION.test(action));
  return [
    alter(localName(name), actions),
    ...(columnActions.length === 0 ? [] : [alter(name, columnActions)]),
  ];
}
