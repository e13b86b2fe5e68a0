import { FORMATS, type FormatName } from '../formats/formats.js';
import { deliver } from './call/deliver.js';
import { problemText, readProblem } from './call/problem-text.js';
import { requestGateway, type Question } from './call/request-gateway.js';
import { CommandError, EXIT, usageError } from './exit-codes.js';
import { pairsOf } from './option-values.js';
import { printWarning } from './run-command.js';

/** The options of `querygate call`, as commander has them. */
export interface CallOptions {
  readonly param?: readonly string[];
  readonly format?: FormatName;
  readonly sql?: string;
  readonly url: string;
  readonly key?: string;
  readonly output?: string;
  readonly headers?: boolean;
  readonly json?: boolean;
}

/** Asks the gateway, and writes its rows to standard output or to the file. */
export async function runCall(endpoint: string, options: CallOptions, signal: AbortSignal): Promise<void> {
  const { format, output, json = false } = options;
  if (format !== undefined && !FORMATS[format].isText && output === undefined && process.stdout.isTTY) {
    throw usageError(`${format} is no text for a terminal: give --output FILE`);
  }
  const response = await requestGateway(queryOf(endpoint, options), signal);
  if (options.headers) limitHeaders(response, json);
  if (!response.ok) await refuse(response, json);
  checkFormat(response, format);
  await deliver(response, output, signal);
  if (response.headers.get('x-partial') === 'true') {
    printWarning('rows are missing: a part of ClickHouse could not be reached');
  }
  if (response.headers.get('x-truncated') === 'true') {
    const rows = response.headers.get('x-row-count') ?? 'those';
    printWarning(`there are more rows than the ${rows} that the endpoint gives at most`);
  }
}

function queryOf(endpoint: string, { url, key, format, sql, param = [] }: CallOptions): Question {
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

function limitHeaders({ status, headers }: Response, json: boolean): void {
  const lines = [...headers].map(([name, value]) => `${name}: ${value}\n`);
  process.stderr.write(
    json
      ? `${JSON.stringify({ status, headers: Object.fromEntries(headers) })}\n`
      : `HTTP ${status}\n${lines.join('')}\n`,
  );
}

/** A gateway that does not know a format might answer in its own. */
function checkFormat({ headers }: Response, format: FormatName | undefined): void {
  const type = headers.get('content-type') ?? 'nothing';
  if (format === undefined || type.startsWith(FORMATS[format].mediaType)) return;
  throw new CommandError(`The gateway answers with ${type}, not with ${format}.`, EXIT.gateway);
}
