import { problem, type Problem } from './problems.js';
import type { Query } from './sql.js';

/** The table of recorded calls: it has the parameters of all callers. */
export const PRIVATE_TABLE = 'querygate_calls';

/** Whether a table of this name is the gateway's own, and no endpoint may read it. `_local` is its part on a server of a cluster. */
export function isPrivateTable(name: string): boolean {
  return name === PRIVATE_TABLE || name === `${PRIVATE_TABLE}_local`;
}

/** Why a query that names such a table is refused, in whichever branch it does. */
export function problemOfTables(query: Query): Problem | undefined {
  return JSON.stringify(query).includes(PRIVATE_TABLE) ? problem('TABLE_PRIVATE', PRIVATE_TABLE) : undefined;
}
