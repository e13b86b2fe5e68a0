import { setMaxListeners } from 'node:events';
import { Command, Option } from 'commander';

import { FORMATS, type FormatName } from '../../gateway/formats/formats.js';
import { joinPages, JOINED_FORMATS, type JoinedFormat } from './call/all-pages.js';
import { requestResult, type EndpointCall } from './call/request-endpoint.js';
import { resultTable } from './call/result-table.js';
import { writeBody } from './call/write-body.js';
import { CommandError, EXIT, usageError } from './exit-codes.js';
import { gatewayOf, incomplete } from './gateway.js';
import { CALL_FORMATS, callFormat, collect, httpUrl, pairsOf, type CallFormat } from './option-values.js';
import { problemLines, readProblem } from './problem-text.js';
import { printWarning, runCommand } from './run-command.js';

/** `querygate call`: calls an endpoint of a running gateway. */
export function callCommand(): Command {
  return new Command('call')
    .description('Calls an endpoint of a running gateway and writes the rows to standard output.')
    .argument('<endpoint>', 'name or id')
    .option('--url <url>', 'URL of the gateway (default: QUERYGATE_URL, else http://127.0.0.1:8080)', httpUrl)
    .option('--key <key>', 'the API key (default: QUERYGATE_KEY, else API_KEY)')
    .option('--param <name=value>', 'a parameter of the endpoint; may be repeated', collect)
    .addOption(
      new Option('--format <format>', 'format of the rows (default: table on a terminal, else json)')
        .choices(CALL_FORMATS)
        .argParser(callFormat),
    )
    .option('--sql <select>', 'a SELECT over the result of an endpoint with query sandboxing')
    .option('--post', 'send the parameters in the body of a POST: for long or secret values')
    .option('--output <file>', 'write the rows to a file, which is created when they are complete')
    .addOption(
      new Option(
        '--export <file>',
        'write all rows, beyond the row cap, to a file, of an endpoint that has exports',
      ).conflicts(['output', 'sql']),
    )
    .addOption(
      new Option(
        '--all',
        `write all pages, of an endpoint that has pages (${JOINED_FORMATS.join(', ')})`,
      ).conflicts(['export', 'sql']),
    )
    .option('--headers', 'print the response’s status and headers on standard error')
    .option('--json', 'print headers and problems as JSON')
    .addHelpText('after', HELP)
    .action((endpoint: string, options: CallOptions) =>
      runCommand((signal) => runCall(endpoint, options, signal)),
    );
}

interface CallOptions {
  readonly url?: string;
  readonly key?: string;
  readonly param?: readonly string[];
  readonly format?: CallFormat;
  readonly sql?: string;
  readonly post?: boolean;
  readonly output?: string;
  readonly export?: string;
  readonly all?: boolean;
  readonly headers?: boolean;
  readonly json?: boolean;
}

/** Calls the gateway and writes the rows to standard output or to a file. @throws CommandError */
async function runCall(endpoint: string, options: CallOptions, signal: AbortSignal): Promise<void> {
  const { json = false } = options;
  const output = options.export ?? options.output;
  const shown = shownFormat({ ...options, output });
  // This format has the names and types of the columns even without rows.
  const format = shown === 'table' ? 'json-table' : shown;
  const call = callOf(endpoint, options, format);
  const gateway = gatewayOf(options);
  const request = async (cursor?: string): Promise<Response> => {
    const parameters =
      cursor === undefined ? call.parameters : new Map([...call.parameters, ['cursor', cursor]]);
    const response = await requestResult(gateway, { ...call, parameters }, signal);
    if (options.headers) printHeaders(response, json);
    if (!response.ok) await throwProblem(response, json);
    checkFormat(response, format);
    return response;
  };
  const first = await request();
  const onCut = (cause: unknown): CommandError =>
    cause instanceof CommandError ? cause : incomplete(gateway, cause);
  if (options.all) {
    // Thousands of requests can listen to the signal.
    setMaxListeners(0, signal);
    await writeBody(joinPages(first, joinedFormat(format), request), output, { signal, onCut });
    return;
  }
  if (shown === 'table') await writeTable(first, onCut);
  else await writeBody(first, output, { signal, onCut });
  warnOfRows(first);
}

/** How the rows are written; undefined for the gateway's default. @throws CommandError (invalid usage) */
function shownFormat({
  format,
  output,
  all,
}: Pick<CallOptions, 'format' | 'all'> & { readonly output: string | undefined }): CallFormat | undefined {
  if (all) return joinedFormat(format);
  const isForTerminal = output === undefined && process.stdout.isTTY;
  if (format === undefined) return isForTerminal ? 'table' : undefined;
  if (format === 'table') {
    if (output === undefined) return format;
    throw usageError('A table is for reading. Use another --format with --output, such as csv.');
  }
  if (FORMATS[format].isText || !isForTerminal) return format;
  throw usageError(`${format} is a binary format, which a terminal can’t show. Use --output FILE or a pipe.`);
}

function joinedFormat(format: CallFormat = 'json'): JoinedFormat {
  const joined = JOINED_FORMATS.find((name) => name === format);
  if (joined !== undefined) return joined;
  throw usageError(
    `Pages can be joined as ${JOINED_FORMATS.join(', ')}. Use one of these --format with --all.`,
  );
}

async function writeTable(response: Response, onCut: (cause: unknown) => CommandError): Promise<void> {
  const body = await response.text().catch((cause: unknown) => {
    throw onCut(cause);
  });
  try {
    process.stdout.write(resultTable(body));
  } catch (cause) {
    const problem = 'The gateway returned a table that is not valid JSON. Check --url.';
    throw new CommandError(problem, EXIT.gateway, { cause });
  }
}

function warnOfRows({ headers }: Response): void {
  if (headers.get('x-partial') === 'true') {
    printWarning('rows are missing, because a part of ClickHouse is unreachable');
  }
  if (headers.get('x-truncated') === 'true') {
    const rows = headers.get('x-row-count') ?? '?';
    printWarning(`the result is truncated to ${rows} rows, the endpoint’s row cap`);
  }
}

function callOf(endpoint: string, options: CallOptions, format: FormatName | undefined): EndpointCall {
  const { sql, post = false, param = [] } = options;
  const parameters = new Map(pairsOf('--param', param));
  if (sql !== undefined) parameters.set('sql', sql);
  if (options.export !== undefined) parameters.set('export', '1');
  return { endpoint, parameters, format, post };
}

/** @throws CommandError with the problem in the response, always. */
async function throwProblem(response: Response, json: boolean): Promise<never> {
  const problem = await readProblem(response);
  const { status } = response;
  const exitCode = status >= 400 && status < 500 ? EXIT.rejected : EXIT.gateway;
  const text = JSON.stringify(problem.document ?? { status, detail: problem.text });
  const shown = json ? text : problemLines(response, problem).join('\n  ');
  throw new CommandError(shown, exitCode, { isMachineReadable: json });
}

function printHeaders({ status, headers }: Response, json: boolean): void {
  const lines = [...headers].map(([name, value]) => `${name}: ${value}\n`);
  process.stderr.write(
    json
      ? `${JSON.stringify({ status, headers: Object.fromEntries(headers) })}\n`
      : `HTTP ${status}\n${lines.join('')}\n`,
  );
}

/** Rejects a response in another format, which a server that ignores `Accept` may send. @throws CommandError */
function checkFormat({ headers }: Response, format: FormatName | undefined): void {
  const type = headers.get('content-type') ?? 'nothing';
  if (format === undefined || type.startsWith(FORMATS[format].mediaType)) return;
  throw new CommandError(
    `The gateway returned ${type} instead of ${format}. Check --url and --format.`,
    EXIT.gateway,
  );
}

const HELP = `
Other users of the machine can see a key on the command line; prefer QUERYGATE_KEY.

Examples:
  querygate call orders.by-day --param shop=north
  querygate call orders.by-day --param shop=north --param since=2026-05-01 --format csv
  querygate call orders.by-day --param shop=north --output days.json
  querygate call orders.by-day --param shop=north --export all-days.csv --format csv
  querygate call orders.all --param shop=north --all --output orders.ndjson --format ndjson
  querygate call orders.by-day --post --param "shop=$(cat shop.txt)"
  querygate call orders.by-day --param shop=north --headers --json

Exit codes: 0 complete rows were written; 1 failed locally, for example because a file can’t be written; 2 invalid usage;
3 the gateway rejected the request (4xx: parameters, key, limits); 4 the gateway or ClickHouse failed (5xx);
5 the gateway is unreachable, or its response is incomplete; 130 or 143 ended by SIGINT or SIGTERM.`;
