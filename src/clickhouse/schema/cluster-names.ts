import { quoteName, quoteText } from '../../endpoint/quote-sql.js';

/** The cluster of `remote_servers` that a schema is for, and its database there. */
export interface Cluster {
  readonly name: string;
  readonly database: string;
}

/** What can stand in the paths of the coordination service without meaning anything there. */
const PLAIN_NAME = /^[\w.-]+$/;

/** @throws Error where a name can't be one of a path in the coordination service. */
export function checkCluster({ name, database }: Cluster): void {
  if (PLAIN_NAME.test(name) && PLAIN_NAME.test(database)) return;
  throw new Error(
    `The cluster “${name}” and the database “${database}” become a path in the coordination service: ` +
      'they can have letters, digits, “_”, “-” and “.” in them.',
  );
}

/** Name of the table that holds a shard's rows of a table. */
export function localName(table: string): string {
  return `${table}_local`;
}

/** A table's name with its database. */
export function qualified(table: string, { database }: Cluster): string {
  return `${quoteName(database)}.${quoteName(table)}`;
}

/** The clause that has every server of the cluster run a statement. */
export function onCluster({ name }: Cluster): string {
  return `ON CLUSTER ${quoteText(name)}`;
}
