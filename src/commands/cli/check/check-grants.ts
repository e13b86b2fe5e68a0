import { readFile } from 'node:fs/promises';
import path from 'node:path';

import { ClickHouseError } from '@clickhouse/client';

import type { ClickHouseConnection } from '../../../gateway/clickhouse/connection.js';
import { grantStatement } from '../../../gateway/analysis/reads/grant.js';
import { missingGrants } from '../../grants/missing-grants.js';
import { neededGrants, type NeededGrants, type Remark } from '../../grants/needed-grants.js';
import { grantsInUsersFile, USERS_FILE, withLocalTables } from '../../grants/reader-user-file.js';
import type { Project } from '../../../gateway/config/project.js';
import type { Endpoint } from '../../../endpoint/endpoint.js';
import { ifPresent } from '../../../files/if-present.js';
import type { CheckedEndpoint } from '../../check/checked-endpoint.js';
import { textOfProblem, type FileProblem } from '../../../endpoint/file-problems.js';
import { problem } from '../../../endpoint/problems.js';

/** Problems of the project that are not those of one endpoint's example. */
export interface CheckedGrants {
  readonly problems: readonly FileProblem[];
  readonly warnings: readonly string[];
}

const REQUEST_LOG_GRANT = /\.(?:gateway_requests(?:_local)?|querygate_\w+)$/;

/**
 * Compares the grants that a project's endpoints need with those in its users file, where it has one.
 *
 * @param checked a query that cannot be analysed is a problem where its endpoint has no other problem, which would be the same.
 */
export async function checkGrants(
  { schemaFolder }: Project,
  analysis: NeededGrants,
  checked: readonly CheckedEndpoint[],
): Promise<CheckedGrants> {
  const { grants, problems } = analysis;
  const remarks = remarksOf(analysis, checked);
  const text = await ifPresent(readFile(path.join(schemaFolder, USERS_FILE), 'utf8'));
  if (text === undefined) return remarks;
  const file = `${path.basename(schemaFolder)}/${USERS_FILE}`;
  const granted = grantsInUsersFile(text);
  const needed = grants.map((grant) => grantStatement(grant));
  const expected = new Set(withLocalTables(grants).map((grant) => grantStatement(grant)));
  const rewrite = `run npx querygate grants --xml --out ${file}`;
  const missing = needed.filter((grant) => !granted.includes(grant));
  // Which grants are needed is not known where a query cannot be analysed.
  const unneeded = problems.length > 0 ? [] : granted.filter((grant) => !expected.has(grant));
  return {
    problems: [
      ...remarks.problems,
      ...missing.map((grant) => problem('RIGHT_MISSING', `${file} lacks ${grant}`, `; ${rewrite}`)),
    ],
    warnings: [
      ...remarks.warnings,
      ...unneeded
        // A gateway without a request log does not read it, but another gateway of the project may.
        .filter((grant) => !REQUEST_LOG_GRANT.test(grant))
        .map((grant) => `${file} has ${grant}, which no endpoint needs; ${rewrite}`),
    ],
  };
}

/**
 * Compares the grants that a project's endpoints need with those of the reader on a server of one's own. The server decides:
 * its users need not come from the users file of the project.
 */
export async function checkReader(
  reader: ClickHouseConnection,
  endpoints: readonly Endpoint[],
  checked: readonly CheckedEndpoint[],
): Promise<CheckedGrants> {
  try {
    const needed = await neededGrants(reader, endpoints);
    const missing = await missingGrants(reader, needed.grants);
    const { problems, warnings } = remarksOf(needed, checked);
    const lacks = missing.map((statement) =>
      problem('RIGHT_MISSING', 'the ClickHouse user lacks a right', `: run ${statement} as an administrator`),
    );
    return { problems: [...lacks, ...problems], warnings };
  } catch (error) {
    // A user can have the right to every query, and none to what this comparison needs.
    if (!(error instanceof ClickHouseError)) throw error;
    return {
      problems: [],
      warnings: [
        `the grants cannot be compared as this ClickHouse user (${error.message.trimEnd()}); run querygate grants as an administrator`,
      ],
    };
  }
}

function remarksOf({ problems, warnings }: NeededGrants, checked: readonly CheckedEndpoint[]): CheckedGrants {
  return {
    problems: newProblems(problems, checked).map(({ endpoint, text }) =>
      problem('GRANTS_UNKNOWN', endpoint, text),
    ),
    warnings: warnings.map(({ endpoint, text }) => `${endpoint}: ${text}`),
  };
}

/** The problems that are not already those of an example. An example that fails for one table says nothing about the others. */
function newProblems(problems: readonly Remark[], checked: readonly CheckedEndpoint[]): readonly Remark[] {
  const problemsOf = new Map(checked.map(({ name, problems: found }) => [name, found.map(textOfProblem)]));
  return problems.filter(({ endpoint, unseenTable }) => {
    const found = problemsOf.get(endpoint);
    if (found === undefined) return false;
    if (unseenTable === undefined) return found.length === 0;
    return !found.some((text) => containsName(text, unseenTable));
  });
}

/** Whether a text contains a name as a word, with or without its database. */
function containsName(text: string, name: string): boolean {
  const escaped = name.replaceAll(/\W/g, String.raw`\$&`);
  return new RegExp(String.raw`(?<!\w)${escaped}(?!\w)`).test(text);
}
