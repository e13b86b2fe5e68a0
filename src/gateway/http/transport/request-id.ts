import { randomUUID } from 'node:crypto';

/** Ids that need no escaping in a header, a log line or a query id. */
const PLAIN = /^[\w.:@=+/~-]{1,128}$/;

/** The caller's id where it needs no escaping, else a new UUID. */
export function requestIdOf(header: string | undefined): string {
  return header !== undefined && PLAIN.test(header) ? header : randomUUID();
}
