import { Command, Option } from 'commander';

import { keyOption, urlOption } from './gateway-options.js';
import { CALL_FORMATS, callFormat, collect } from './option-values.js';
import type { CallOptions } from './run-call.js';
import { runCommand } from './run-command.js';

/** `querygate call`: calls an endpoint of a running gateway. */
export function callCommand(): Command {
  return new Command('call')
    .description('Calls an endpoint of a running gateway and writes the rows to standard output.')
    .argument('<endpoint>', 'name or id')
    .option('--param <name=value>', 'a parameter of the endpoint; may be repeated', collect)
    .addOption(
      new Option('--format <format>', 'format of the rows (default: table on a terminal, else json)')
        .choices(CALL_FORMATS)
        .argParser(callFormat),
    )
    .option('--sql <select>', 'a SELECT over the result of an endpoint with query sandboxing')
    .option('--post', 'send the parameters in the body of a POST: for long or secret values')
    .addOption(urlOption())
    .addOption(keyOption())
    .option('--output <file>', 'write the rows to a file, which is created when they are complete')
    .option('--headers', 'print the response’s status and headers on standard error')
    .option('--json', 'print headers and problems as JSON')
    .addHelpText('after', HELP)
    .action((endpoint: string, options: CallOptions) =>
      runCommand(async (signal) => {
        const { runCall } = await import('./run-call.js');
        await runCall(endpoint, options, signal);
      }),
    );
}

const HELP = `
Other users of the machine can see a key on the command line; prefer QUERYGATE_KEY.

Examples:
  querygate call orders.by-day --param shop=north
  querygate call orders.by-day --param shop=north --param since=2026-05-01 --format csv
  querygate call orders.by-day --param shop=north --output days.json
  querygate call orders.by-day --post --param "shop=$(cat shop.txt)"
  querygate call orders.by-day --param shop=north --headers --json

Exit codes: 0 complete rows were written; 1 failed locally, for example because a file can’t be written; 2 invalid usage;
3 the gateway rejected the request (4xx: parameters, key, limits); 4 the gateway or ClickHouse failed (5xx);
5 the gateway is unreachable, or its response is incomplete; 130 or 143 ended by SIGINT or SIGTERM.`;
