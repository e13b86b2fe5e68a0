import { quoteName, quoteText } from '../../endpoint/quote-sql.js';

/** The cluster, of `remote_servers`, and the database of a schema. */
export interface Cluster {
  readonly name: string;
  readonly database: string;
}

/** Names without characters that have a meaning in paths of the coordination service. */
const PLAIN_NAME = /^[\w.-]+$/;

/** @throws Error when a name cannot be a part of a path in the coordination service. */
export function checkCluster({ name, database }: Cluster): void {
  if (PLAIN_NAME.test(name) && PLAIN_NAME.test(database)) return;
  throw new Error(
    `The cluster “${name}” and the database “${database}” become parts of a path in the coordination service: ` +
      'use only letters, digits, “_”, “-” and “.” in both names.',
  );
}

/** Name of the local table, which stores a shard's rows of a table. */
export function localName(table: string): string {
  return `${table}_local`;
}

/** A table's name with its database. */
export function qualified(table: string, { database }: Cluster): string {
  return `${quoteName(database)}.${quoteName(table)}`;
}

/** The clause that runs a statement on every server of the cluster. */
export function onCluster({ name }: Cluster): string {
  return `ON CLUSTER ${quoteText(name)}`;
}
