import { ClickHouseError } from '@clickhouse/client';

import type { LoadReport } from './load-report.js';

/** Maximum number of characters quoted from a message of ClickHouse. */
const MAX_QUOTED = 300;

const NO_DATABASE = 'Run querygate migrate first, or correct CLICKHOUSE_DATABASE';

export interface LoadErrorDetails extends ErrorOptions {
  readonly report?: LoadReport;
  readonly resumeFromLine?: number;
}

/** A load that could not start or continue. The message is for people and complete: no stack trace is needed. */
export class LoadError extends Error {
  override readonly name = 'LoadError';
  /** What was loaded before the failure; undefined if the load had not started. */
  readonly report: LoadReport | undefined;
  /** The first line, from 1, that is neither loaded nor rejected; undefined if the load had not started. */
  readonly resumeFromLine: number | undefined;

  constructor(message: string, { report, resumeFromLine, cause }: LoadErrorDetails = {}) {
    super(message, { cause });
    this.report = report;
    this.resumeFromLine = resumeFromLine;
  }
}

/** The rest of the source cannot be read: a read failed, or its compression is damaged. */
export class InputFailure extends Error {
  override readonly name = 'InputFailure';
}

/** ClickHouse failed on a batch for a reason other than its lines. */
export class BatchFailure extends Error {
  override readonly name = 'BatchFailure';

  /**
   * @param lastLine the last line of the batch.
   * @param inDoubt whether rows of the batch may nevertheless have been written.
   */
  constructor(
    readonly lastLine: number,
    readonly inDoubt: boolean,
    cause: unknown,
  ) {
    super(describeFailure(cause), { cause });
  }
}

/** Describes an error of ClickHouse, or of the connection to it, with a remedy if there is one; without a full stop. */
export function describeFailure(error: unknown): string {
  if (error instanceof ClickHouseError) {
    const remedy = error.type === 'UNKNOWN_DATABASE' ? `. ${NO_DATABASE}` : '';
    return `ClickHouse returned ${error.type ?? `code ${error.code}`}: ${firstLine(error.message)}${remedy}`;
  }
  return `ClickHouse is unreachable or closed the connection (${causeOf(error)})`;
}

/** The part of ClickHouse's message about a line before the position, the rest of the line and the settings. */
export function firstPart(message: string): string {
  const [part = ''] = message.split(
    /:? \((?:at row|while reading)|: [Ww]hile |:? (?:before|here): |\. |\n/,
    1,
  );
  return part.replace(/[.:]+$/, '');
}

function firstLine(message: string): string {
  const [line = ''] = message.split('\n', 1);
  return line.length > MAX_QUOTED ? `${line.slice(0, MAX_QUOTED)}…` : line.replace(/[.:\s]+$/, '');
}

/** The message of any thrown value. */
export function messageOf(error: unknown): string {
  return (error as Partial<Error> | undefined)?.message ?? String(error);
}

/** Node's code of a system error, such as `ENOENT`; undefined for any other error. */
export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code;
}

/** An error with an empty message (`localhost` refused on both its addresses) has only its code. */
function causeOf(error: unknown): string {
  return messageOf(error).replace(/\.$/, '') || (codeOf(error) ?? 'unknown reason');
}
