import { Command, InvalidArgumentError, Option } from 'commander';

import { replaceFile } from '../../files/replace-file.js';
import { readConfig, type ClickHouseConfig, type Config } from '../../gateway/config/config.js';
import { loadProjectEndpoints } from '../../gateway/server/project-endpoints.js';
import { withServer } from '../clickhouse/with-server.js';
import { grantStatement } from '../../gateway/analysis/reads/grant.js';
import { neededGrants } from '../grants/needed-grants.js';
import { userStatements, type GatewayUsers } from '../grants/user-statements.js';
import { versionsGrants } from '../grants/versions-grants.js';
import { readerUserFile, withLocalTables } from '../grants/reader-user-file.js';
import { EXIT } from './exit-codes.js';
import { withProjectOption } from './project-option.js';
import { runCommand, printError, printWarning } from './run-command.js';

/** `querygate grants`: prints the users and the rights that the gateway needs. */
export function grantsCommand(): Command {
  return withProjectOption(new Command('grants'))
    .description(
      'Prints the ClickHouse users of the gateway as SQL, with the least GRANTs with which every query of the endpoints runs.',
    )
    .option('--user <name>', 'name of the read-only user, by default querygate', userName)
    .addOption(
      new Option(
        '--versions',
        'print the GRANTs of the user that reads versions of tables instead, by default querygate_versions',
      ).conflicts(['xml', 'json', 'out']),
    )
    .option('--xml', 'print the whole users file of that user, for users.d/ of ClickHouse')
    .option('--out <file>', 'write to a file instead, which stays as it is where the command fails')
    .addOption(new Option('--json', 'print the result as JSON').conflicts(['xml', 'out']))
    .addHelpText('after', HELP)
    .action((options: GrantsOptions) =>
      runCommand(async (signal) => {
        const config = readConfig(process.env);
        if (options.versions) printVersionsGrants(options, config);
        else await runGrants(options, config, signal);
      }),
    );
}

/** Names that need no quotes in SQL, and are also the name of an XML element. */
function userName(text: string): string {
  if (/^[A-Za-z_]\w*$/.test(text)) return text;
  throw new InvalidArgumentError(
    'The name must be letters, digits and underscores, and not begin with a digit.',
  );
}

interface GrantsOptions {
  readonly user?: string;
  readonly versions?: boolean;
  readonly xml?: boolean;
  readonly out?: string;
  readonly json?: boolean;
}

function printVersionsGrants({ user = VERSIONS_USER }: GrantsOptions, { clickhouse }: Config): void {
  for (const grant of versionsGrants(clickhouse.database)) process.stdout.write(`${grant} TO ${user};\n`);
}

/**
 * Prints the grants that the project's endpoints need, or writes them to a file; none where a query cannot be analysed, because
 * some would be missing.
 */
async function runGrants(
  { user = 'querygate', xml, json, out }: GrantsOptions,
  config: Config,
  signal: AbortSignal,
): Promise<void> {
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
    : userStatements(usersOf(user, config), grants);
  if (out === undefined) process.stdout.write(text);
  else await replaceFile(out, text);
}

/** The users of the configuration, by their usual names where it names none. */
function usersOf(reader: string, { clickhouse }: Config): GatewayUsers {
  const { log, versions, cluster } =
    clickhouse.kind === 'external' ? clickhouse : ({} as Partial<ExternalClickHouse>);
  return {
    ...{ reader, log: log?.username ?? LOG_USER, versions: versions?.username ?? VERSIONS_USER },
    ...{ database: clickhouse.database, cluster },
  };
}

type ExternalClickHouse = Extract<ClickHouseConfig, { readonly kind: 'external' }>;

const LOG_USER = 'querygate_log';
const VERSIONS_USER = 'querygate_versions';

const HELP = `
CLICKHOUSE_URL (of several servers, the first that responds), CLICKHOUSE_USER and CLICKHOUSE_PASSWORD name a server with the
schema and a user that can see its tables; CLICKHOUSE_DATABASE names the database. Set CLICKHOUSE_LOG_USER where the gateway
has it: its endpoint of the request log then counts. Without CLICKHOUSE_URL the command applies
the schema to a temporary server. No query is executed.

The SQL is for every ClickHouse that an administrator reaches, managed ones too. It creates a settings profile and three users, for
queries, the request log and versions of tables, whose passwords are query parameters: without them it fails. It can run again,
and changes no password. With --json only the GRANTs of the read-only user are printed.

The users file, for servers of your own, also has grants on the local tables of a cluster. Nothing is granted but rights on tables and dictionaries: a
query that needs others is a warning.

Examples:
  querygate grants
  querygate grants --user reader --json
  querygate grants --versions
  querygate grants --xml --out clickhouse-schema/users.d/querygate.xml

Exit codes: 0 done (perhaps warnings); 1 a query cannot be analysed, or ClickHouse is unreachable; 2 invalid usage; 130 or
143 ended by a signal.`;
