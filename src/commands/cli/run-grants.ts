import { withServer } from '../clickhouse/with-server.js';
import { grantStatement } from '../grants/grant.js';
import { neededGrants } from '../grants/needed-grants.js';
import { readerUserFile, withLocalTables } from '../grants/reader-user-file.js';
import { readConfig } from '../../gateway/config/config.js';
import { loadProjectEndpoints } from '../../gateway/server/project-endpoints.js';
import { EXIT } from './exit-codes.js';
import { replaceFile } from '../../files/replace-file.js';
import { printError, printWarning } from './run-command.js';

/** The options of `querygate grants`, as commander parses them. */
export interface GrantsOptions {
  readonly user: string;
  readonly xml?: boolean;
  readonly out?: string;
  readonly json?: boolean;
}

/**
 * Prints the grants that the project's endpoints need, or writes them to a file; none where a query cannot be analysed, because
 * some would be missing.
 */
export async function runGrants({ user, xml, json, out }: GrantsOptions, signal: AbortSignal): Promise<void> {
  const config = readConfig(process.env);
  const endpoints = (await loadProjectEndpoints(config)).all();
  const { grants, problems, warnings } = await withServer(
    config,
    { sources: ['external', 'temporary'], signal },
    ({ admin }) => neededGrants(admin, endpoints),
  );
  const isComplete = problems.length === 0;
  if (!isComplete) process.exitCode = EXIT.failed;
  const statements = grants.map((grant) => grantStatement(grant, user));
  if (json) {
    process.stdout.write(`${JSON.stringify({ grants: statements, problems, warnings }, undefined, 2)}\n`);
    return;
  }
  for (const { endpoint, text } of warnings) printWarning(`${endpoint}: ${text}`);
  for (const { endpoint, text } of problems) printError(`${endpoint}: ${text}`);
  if (!isComplete) return;
  const text = xml
    ? readerUserFile(
        user,
        withLocalTables(grants).map((grant) => grantStatement(grant)),
      )
    : statements.map((statement) => `${statement};\n`).join('');
  if (out === undefined) process.stdout.write(text);
  else await replaceFile(out, text);
}
