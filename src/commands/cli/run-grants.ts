import { prepareDatabase } from '../demo-data/prepare-database.js';
import { grantStatement } from '../grants/grant.js';
import { neededGrants, type NeededGrants } from '../grants/needed-grants.js';
import { readerUserFile, withLocalTables } from '../grants/reader-user-file.js';
import { readConfig, type Config } from '../../gateway/config/config.js';
import type { Endpoint } from '../../endpoint/endpoint.js';
import { loadProjectEndpoints } from '../../gateway/server/project-endpoints.js';
import { EXIT } from './exit-codes.js';
import { externalConnection } from './external-connection.js';
import { replaceFile } from '../../files/replace-file.js';
import { interruptible, printError, printWarning } from './run-command.js';
import { withTemporaryServer } from './temporary-server.js';

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
  const { grants, problems, warnings } = await analyze(config, endpoints, signal);
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

/** Analyses the queries on the first configured server that responds, else on a temporary server with the schema. */
async function analyze(
  { clickhouse, project }: Config,
  endpoints: readonly Endpoint[],
  signal: AbortSignal,
): Promise<NeededGrants> {
  if (clickhouse.kind === 'external') {
    return interruptible(signal, async () => neededGrants(await externalConnection(clickhouse), endpoints));
  }
  return withTemporaryServer(clickhouse.database, signal, async ({ adminConnection }) => {
    await prepareDatabase(adminConnection, { schemaFolder: project.schemaFolder });
    return neededGrants(adminConnection, endpoints);
  });
}
