import type { Endpoint } from '../../endpoint/endpoint.js';
import { grantStatement } from '../grants/grant.js';
import { neededGrants, type NeededGrants } from '../grants/needed-grants.js';
import type { EmbeddedServer } from './embedded-server.js';

/**
 * Gives the read-only user of an embedded server the grants that the endpoints need. The schema must have been applied. An
 * endpoint whose query cannot be analysed gets what is known of it, and is reported.
 */
export async function grantReader(
  server: EmbeddedServer,
  endpoints: readonly Endpoint[],
): Promise<NeededGrants> {
  const needed = await neededGrants(server.adminConnection, endpoints);
  await server.restartWith(statementsOf(needed));
  return needed;
}

/** Gives the read-only user the grants that more endpoints need; it keeps those that it has. */
export async function extendReader(
  server: EmbeddedServer,
  endpoints: readonly Endpoint[],
): Promise<NeededGrants> {
  const needed = await neededGrants(server.adminConnection, endpoints);
  await server.extendGrants(statementsOf(needed));
  return needed;
}

const statementsOf = ({ grants }: NeededGrants): readonly string[] =>
  grants.map((grant) => grantStatement(grant));
