import { Command } from 'commander';

import { quoteName } from '../../endpoint/quote-sql.js';
import { readConfig } from '../../gateway/config/config.js';
import { localName, onCluster, qualified } from '../../gateway/schema/cluster-names.js';
import { readRecordedCalls, rethrowMissing } from '../replay/recorded-calls.js';
import { EXIT_CODES_HELP } from './exit-codes.js';
import { sinceTime, withOwnTables } from './own-tables.js';
import { withProjectOption } from './project-option.js';
import { runCommand } from './run-command.js';

const TABLE = 'querygate_calls';

/** `querygate calls`: the recorded calls. */
export function callsCommand(): Command {
  return withProjectOption(new Command('calls'))
    .description(
      'Prints the recorded distinct calls as NDJSON, the most used first, for querygate replay --calls.',
    )
    .option('--since <duration or time>', 'how far back, in whole hours', '14d')
    .option('--purge', 'delete all recorded calls instead')
    .addHelpText('after', HELP)
    .action((options: CallsOptions) => runCommand((signal) => runCalls(options, signal)));
}

/** The options of `querygate calls`, as commander parses them. */
interface CallsOptions {
  readonly since: string;
  readonly purge?: boolean;
}

async function runCalls({ since, purge = false }: CallsOptions, signal: AbortSignal): Promise<void> {
  const config = readConfig(process.env);
  const time = sinceTime(since);
  await withOwnTables(config, signal, async (client) => {
    if (purge) {
      const { clickhouse } = config;
      const name = clickhouse.kind === 'external' ? clickhouse.cluster : undefined;
      const cluster = name === undefined ? undefined : { name, database: clickhouse.database };
      const table = cluster
        ? `${qualified(localName(TABLE), cluster)} ${onCluster(cluster)}`
        : quoteName(TABLE);
      await client.command({ query: `TRUNCATE TABLE ${table}`, abort_signal: signal }).catch(rethrowMissing);
      return;
    }
    for (const call of await readRecordedCalls(client, time, signal))
      process.stdout.write(`${JSON.stringify(call)}\n`);
  });
}

const HELP = `
The gateway records calls with RECORD_CALLS=on, and deletes them after 14 days. They have the parameters of callers: keep the output
as safe as the data. Of a call with a secret parameter there is only how often it was made.

Examples:
  querygate calls --since 7d > calls.ndjson
  querygate calls --purge
${EXIT_CODES_HELP}`;
