import { ClickHouseError } from '@clickhouse/client';

import type { LoadReport } from './load-report.js';

/** A message of ClickHouse's is quoted up to this many characters. */
const MAX_QUOTED = 300;

export interface LoadErrorDetails extends ErrorOptions {
  readonly report?: LoadReport;
  readonly resumeFromLine?: number;
}

/** A load that could not start, or not go on. The message is for people and complete: no stack is needed. */
export class LoadError extends Error {
  override readonly name = 'LoadError';
  /** What had been loaded by then; undefined where the load had not begun. */
  readonly report: LoadReport | undefined;
  /** The line, from 1, before which everything is loaded or refused; undefined where the load had not begun. */
  readonly resumeFromLine: number | undefined;

  constructor(message: string, { report, resumeFromLine, cause }: LoadErrorDetails = {}) {
    super(message, { cause });
    this.report = report;
    this.resumeFromLine = resumeFromLine;
  }
}

/** The source can't be read further: a read failed, or its compression is damaged. Lines before it were delivered. */
export class InputFailure extends Error {
  override readonly name = 'InputFailure';
}

/** ClickHouse failed on a batch, through no fault of its lines. */
export class BatchFailure extends Error {
  override readonly name = 'BatchFailure';

  /**
   * @param lastLine the last line of the batch.
   * @param inDoubt whether rows of the batch may have been written all the same.
   */
  constructor(
    readonly lastLine: number,
    readonly inDoubt: boolean,
    cause: unknown,
  ) {
    super(describeFailure(cause), { cause });
  }
}

/** What went wrong between the gateway and ClickHouse, in a sentence without its full stop. */
export function describeFailure(error: unknown): string {
  if (error instanceof ClickHouseError) {
    return `ClickHouse answered ${error.type ?? `code ${error.code}`}: ${firstLine(error.message)}`;
  }
  return `ClickHouse can’t be reached or went away (${causeOf(error)})`;
}

/** What ClickHouse's message about a line says before it comes to the place, the rest of the line and settings. */
export function firstPart(message: string): string {
  const [part = ''] = message.split(/:? \((?:at row|while reading)|: While |:? (?:before|here): |\. |\n/, 1);
  return part.replace(/[.:]+$/, '');
}

function firstLine(message: string): string {
  const [line = ''] = message.split('\n', 1);
  return line.length > MAX_QUOTED ? `${line.slice(0, MAX_QUOTED)}…` : line.replace(/[.:\s]+$/, '');
}

/** The message of anything that can be thrown. */
export function messageOf(error: unknown): string {
  return (error as Partial<Error> | undefined)?.message ?? String(error);
}

/** Node's code for an error of the system, such as `ENOENT`; undefined for any other. */
export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code;
}

/** Of an error with an empty message (`localhost` refused on both its addresses) only the code tells something. */
function causeOf(error: unknown): string {
  return messageOf(error).replace(/\.$/, '') || (codeOf(error) ?? 'for no known reason');
}
