import { quoteName } from '../../../endpoint/quote-sql.js';

/** A right on one table or dictionary. */
export interface Grant {
  readonly privilege: 'SELECT' | 'dictGet';
  readonly database: string;
  readonly name: string;
  /** Whether the table, on a cluster, is stored in a local table under the Distributed table of this name. */
  readonly isStored: boolean;
}

/** SQL statement of a grant. @param user absent in a users file, which names no user */
export function grantStatement({ privilege, database, name }: Grant, user?: string): string {
  const target = `${writtenName(database)}.${writtenName(name)}`;
  return `GRANT ${privilege} ON ${target}${user === undefined ? '' : ` TO ${writtenName(user)}`}`;
}

/** Sorts grants by their statements, without duplicates. */
export function sortedGrants(grants: readonly Grant[]): readonly Grant[] {
  const byStatement = new Map(grants.map((grant) => [grantStatement(grant), grant]));
  return [...byStatement].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, grant]) => grant);
}

/** Writes the name of a user or database in SQL, with quotes only if necessary. */
export const writtenName = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : quoteName(name));
