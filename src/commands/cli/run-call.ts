import { FORMATS, type FormatName } from '../../gateway/formats/formats.js';
import { problemText, readProblem } from './call/problem-text.js';
import { requestGateway, type GatewayCall } from './call/request-gateway.js';
import { writeBody } from './call/write-body.js';
import { resultTable } from './call/result-table.js';
import { CommandError, EXIT, usageError } from './exit-codes.js';
import { gatewayOf, type GatewayOptions } from './gateway-options.js';
import { pairsOf, type CallFormat } from './option-values.js';
import { printWarning } from './run-command.js';
import { unreachable } from './unreachable.js';

/** The options of `querygate call`, as commander parses them. */
export interface CallOptions extends GatewayOptions {
  readonly param?: readonly string[];
  readonly format?: CallFormat;
  readonly sql?: string;
  readonly post?: boolean;
  readonly output?: string;
  readonly headers?: boolean;
  readonly json?: boolean;
}

/** Calls the gateway and writes the rows to standard output or to a file. @throws CommandError */
export async function runCall(endpoint: string, options: CallOptions, signal: AbortSignal): Promise<void> {
  const { output, json = false } = options;
  const shown = shownFormat(options);
  // The format that has the names and types of the columns, also where there are no rows.
  const format = shown === 'table' ? 'json-table' : shown;
  const call = gatewayCallOf(endpoint, options, format);
  const response = await requestGateway(call, signal);
  if (options.headers) printHeaders(response, json);
  if (!response.ok) await throwProblem(response, json);
  checkFormat(response, format);
  if (shown === 'table') await writeTable(response);
  else await writeBody(response, output, signal);
  warnOfRows(response);
}

/** How the rows are written; undefined for the gateway's default. @throws CommandError (invalid usage) */
function shownFormat({ format, output }: CallOptions): CallFormat | undefined {
  const isForTerminal = output === undefined && process.stdout.isTTY;
  if (format === undefined) return isForTerminal ? 'table' : undefined;
  if (format === 'table') {
    if (output === undefined) return format;
    throw usageError('A table is for reading. Use another --format with --output, such as csv.');
  }
  if (FORMATS[format].isText || !isForTerminal) return format;
  throw usageError(`${format} is a binary format, which a terminal can’t show. Use --output FILE or a pipe.`);
}

async function writeTable(response: Response): Promise<void> {
  const body = await response.text().catch((cause: unknown) => {
    throw unreachable('The response of the gateway is incomplete', cause);
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

function gatewayCallOf(endpoint: string, options: CallOptions, format: FormatName | undefined): GatewayCall {
  const { sql, post = false, param = [] } = options;
  const parameters = new Map(pairsOf('--param', param));
  if (sql !== undefined) parameters.set('sql', sql);
  return { ...gatewayOf(options), endpoint, parameters, format, post };
}

/** @throws CommandError with the problem in the response, always. */
async function throwProblem(response: Response, json: boolean): Promise<never> {
  const problem = await readProblem(response);
  const { status } = response;
  const exitCode = status >= 400 && status < 500 ? EXIT.rejected : EXIT.gateway;
  const text = JSON.stringify(problem.document ?? { status, detail: problem.text });
  throw new CommandError(json ? text : problemText(response, problem), exitCode, { isMachineReadable: json });
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
