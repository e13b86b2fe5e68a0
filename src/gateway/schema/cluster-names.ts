import { quoteName, quoteText } from '../../endpoint/quote-sql.js';

/** A cluster (of `remote_servers`) and the database of the schema. */
export interface Cluster {
  readonly name: string;
  readonly database: string;
}

/** Characters without a special meaning in paths of the coordination service. */
const PLAIN_NAME = /^[\w.-]+$/;

/** @throws Error when a name cannot be part of a path in the coordination service. */
export function checkCluster({ name, database }: Cluster): void {
  if (PLAIN_NAME.test(name) && PLAIN_NAME.test(database)) return;
  throw new Error(
    `The cluster “${name}” and the database “${database}” become parts of a path in the coordination service: ` +
      'use only letters, digits, “_”, “-” and “.” in both names.',
  );
}

/** Name of the local table, which stores the rows of one shard. */
export function localName(table: string): string {
  return `${table}_local`;
}

/** Name of a table with its database, quoted. */
export function qualified(table: string, { database }: Cluster): string {
  return `${quoteName(database)}.${quoteName(table)}`;
}

/** Clause that runs a statement on every server of the cluster. */
export function onCluster({ name }: Cluster): string {
  return `ON CLUSTER ${quoteText(name)}`;
}
