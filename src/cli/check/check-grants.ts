import { readFile } from 'node:fs/promises';
import path from 'node:path';

import { grantStatement } from '../../clickhouse/grants/grant.js';
import type { NeededGrants } from '../../clickhouse/grants/needed-grants.js';
import { grantsInUsersFile, withLocalTables } from '../../clickhouse/grants/reader-user-file.js';
import type { Project } from '../../config/project.js';
import type { CheckedEndpoint } from './checked-endpoint.js';

/** Problems of the project that are not those of one endpoint's example. */
export interface CheckedGrants {
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
}

export const NO_REMARKS: CheckedGrants = { faults: [], warnings: [] };

const USERS_FILE = path.join('users.d', 'querygate.xml');

/**
 * Compares the grants in the project's users file, where it has one, with those that its endpoints need.
 *
 * @param checked a query that cannot be analysed is a fault where its endpoint has no other fault, which would be the same.
 */
export async function checkGrants(
  { schemaFolder }: Project,
  { grants, problems, warnings }: NeededGrants,
  checked: readonly CheckedEndpoint[],
): Promise<CheckedGrants> {
  const unfaulted = new Set(checked.filter(({ faults }) => faults.length === 0).map(({ name }) => name));
  const remarks = {
    faults: problems
      .filter(({ endpoint }) => unfaulted.has(endpoint))
      .map(({ endpoint, text }) => `${endpoint}: ${text}`),
    warnings: warnings.map(({ endpoint, text }) => `${endpoint}: ${text}`),
  };
  const text = await readIfPresent(path.join(schemaFolder, USERS_FILE));
  if (text === undefined) return remarks;
  const file = `${path.basename(schemaFolder)}/${USERS_FILE}`;
  const granted = grantsInUsersFile(text);
  const needed = grants.map((grant) => grantStatement(grant));
  const expected = new Set(withLocalTables(grants).map((grant) => grantStatement(grant)));
  const rewrite = `run querygate grants --xml > ${file}`;
  const missing = needed.filter((grant) => !granted.includes(grant));
  const unneeded = granted.filter((grant) => !expected.has(grant));
  return {
    faults: [...remarks.faults, ...missing.map((grant) => `${file} lacks ${grant}; ${rewrite}`)],
    warnings: [
      ...remarks.warnings,
      ...unneeded.map((grant) => `${file} has ${grant}, which no endpoint needs; ${rewrite}`),
    ],
  };
}

async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
