import { Command, Option } from 'commander';

import { FORMAT_FACTS, FORMATS, type Format } from '../execution/representation.js';
import { askGateway, type Question } from './call/ask-gateway.js';
import { deliver } from './call/deliver.js';
import { problemText, readProblem } from './call/problem-text.js';
import { CommandError, EXIT, usageError } from './exit-codes.js';
import { pairsOf } from './keys-options.js';
import { collect, httpUrl } from './option-values.js';
import { runCommand, tellWarning } from './run-command.js';

interface Options {
  readonly param?: readonly string[];
  readonly format?: Format;
  readonly sql?: string;
  readonly url: string;
  readonly key?: string;
  readonly output?: string;
  readonly headers?: boolean;
  readonly json?: boolean;
}

/** `querygate call`: asks an endpoint of a running gateway. */
export function callCommand(): Command {
  return new Command('call')
    .description('Asks a running gateway, and writes the rows to standard output.')
    .argument('<endpoint>', 'name or id')
    .option('--param <name=value>', 'a parameter of the endpoint; may be given several times', collect)
    .addOption(new Option('--format <format>', 'how the rows are written').choices(FORMATS))
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
    .action((endpoint: string, options: Options) => runCommand((signal) => call(endpoint, options, signal)));
}

/** No text for a terminal. */
const BINARY: readonly Format[] = ['parquet', 'arrow'];

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

async function call(endpoint: string, options: Options, signal: AbortSignal): Promise<void> {
  const { format, output, json = false } = options;
  if (format !== undefined && BINARY.includes(format) && output === undefined && process.stdout.isTTY) {
    throw usageError(`${format} is no text for a terminal: give --output FILE`);
  }
  const response = await askGateway(questionOf(endpoint, options), signal);
  if (options.headers) tellHeaders(response, json);
  if (!response.ok) await refuse(response, json);
  checkFormat(response, format);
  await deliver(response, output, signal);
  if (response.headers.get('x-partial') === 'true') {
    tellWarning('rows are missing: a part of ClickHouse could not be reached');
  }
  if (response.headers.get('x-truncated') === 'true') {
    const rows = response.headers.get('x-row-count') ?? 'those';
    tellWarning(`there are more rows than the ${rows} that the endpoint gives at most`);
  }
}

function questionOf(endpoint: string, { url, key, format, sql, param = [] }: Options): Question {
  const parameters = new Map(pairsOf('--param', param));
  if (sql !== undefined) parameters.set('sql', sql);
  const apiKey = key ?? process.env['API_KEY'] ?? '';
  return { url, endpoint, parameters, format, apiKey: apiKey === '' ? undefined : apiKey };
}

/** Ends the command with what the gateway said. */
async function refuse(response: Response, json: boolean): Promise<never> {
  const problem = await readProblem(response);
  const { status } = response;
  const exitCode = status >= 400 && status < 500 ? EXIT.refused : EXIT.gateway;
  const machine = JSON.stringify(problem.document ?? { status, detail: problem.text });
  throw new CommandError(json ? machine : problemText(response, problem), exitCode, { bare: json });
}

function tellHeaders({ status, headers }: Response, json: boolean): void {
  const lines = [...headers].map(([name, value]) => `${name}: ${value}\n`);
  process.stderr.write(
    json
      ? `${JSON.stringify({ status, headers: Object.fromEntries(headers) })}\n`
      : `HTTP ${status}\n${lines.join('')}\n`,
  );
}

/** A gateway that does not know a format might answer in its own. */
function checkFormat({ headers }: Response, format: Format | undefined): void {
  const type = headers.get('content-type') ?? 'nothing';
  if (format === undefined || type.startsWith(FORMAT_FACTS[format].mediaType)) return;
  throw new CommandError(`The gateway answers with ${type}, not with ${format}.`, EXIT.gateway);
}
