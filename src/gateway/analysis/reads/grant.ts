import { quoteName } from '../../../endpoint/quote-sql.js';

/** A right on one table or dictionary. */
export interface Grant {
  readonly privilege: 'SELECT' | 'dictGet';
  readonly database: string;
  readonly name: string;
  /** A table that a cluster would store in a local table under the Distributed table of this name. */
  readonly isStored: boolean;
}

/** The grant as a statement of SQL, for a user or, in a users file, without one. */
export function grantStatement({ privilege, database, name }: Grant, user?: string): string {
  const target = `${writtenName(database)}.${writtenName(name)}`;
  return `GRANT ${privilege} ON ${target}${user === undefined ? '' : ` TO ${writtenName(user)}`}`;
}

/** Sorted by their statements, each once. */
export function sortedGrants(grants: readonly Grant[]): readonly Grant[] {
  const byStatement = new Map(grants.map((grant) => [grantStatement(grant), grant]));
  return [...byStatement].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, grant]) => grant);
}

/** A name of a user or a database as SQL; in quotes only where it needs them. */
export const writtenName = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : quoteName(name));
