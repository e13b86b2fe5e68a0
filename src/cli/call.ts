import { Command, Option } from 'commander';

import { FORMAT_NAMES } from '../formats/formats.js';
import { collect, httpUrl } from './option-values.js';
import type { CallOptions } from './run-call.js';
import { runCommand } from './run-command.js';

/** `querygate call`: asks an endpoint of a running gateway. */
export function callCommand(): Command {
  return new Command('call')
    .description('Asks a running gateway, and writes the rows to standard output.')
    .argument('<endpoint>', 'name or id')
    .option('--param <name=value>', 'a parameter of the endpoint; may be given several times', collect)
    .addOption(new Option('--format <format>', 'how the rows are written').choices(FORMAT_NAMES))
    .option('--sql <select>', 'a SELECT over the endpoint’s result, where it has query sandboxing')
    .addOption(
      new Option('--url <url>', 'where the gateway listens')
        .env('QUERYGATE_URL')
        .default('http://127.0.0.1:8080')
        .argParser(httpUrl),
    )
    .addOption(new Option('--key <key>', 'the API key; API_KEY is read as well').env('QUERYGATE_KEY'))
    .option('--output <file>', 'write the rows to a file, which appears when it is complete')
    .option('--headers', 'tell the answer’s status and headers on standard error')
    .option('--json', 'tell headers and problems as JSON')
    .addHelpText('after', HELP)
    .action((endpoint: string, options: CallOptions) =>
      runCommand(async (signal) => {
        const { runCall } = await import('./run-call.js');
        await runCall(endpoint, options, signal);
      }),
    );
}

const HELP = `
A key on the command line can be seen by other users of the machine: better set QUERYGATE_KEY.

Examples:
  querygate call logs.all --param project=aurora
  querygate call usage.api-counts --param project=aurora --param interval=daily --format csv
  querygate call usage.api-counts --param project=aurora --param interval=daily --output days.json
  querygate call logs.all --param project=aurora --headers --json

Exit codes: 0 complete rows were written; 1 failed here, such as a file that can’t be written; 2 wrong usage;
3 the gateway refused the request (4xx: parameters, key, limits); 4 the gateway or ClickHouse failed (5xx);
5 the gateway can’t be reached, or its answer broke off; 130 or 143 ended by SIGINT or SIGTERM.`;
