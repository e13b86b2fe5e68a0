import { problem, type Problem } from './problems.js';

/** The table of recorded calls: it has the parameters of all callers. */
export const PRIVATE_TABLE = 'querygate_calls';

/** Whether a table of this name is the gateway's own, and no endpoint may read it. `_local` is its part on a server of a cluster. */
export function isPrivateTable(name: string): boolean {
  return name === PRIVATE_TABLE || name === `${PRIVATE_TABLE}_local`;
}

/** Tables of the gateway that have figures of callers; on servers of a cluster they end in `_local`. */
export const OF_CALLERS = /gateway_requests|querygate_(?:usage|calls)/;

/** Why a query that names such a table is rejected. @param text text of all branches of the query */
export function problemOfTables(text: string): Problem | undefined {
  return text.includes(PRIVATE_TABLE) ? problem('TABLE_PRIVATE', PRIVATE_TABLE) : undefined;
}
