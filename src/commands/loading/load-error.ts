import { ClickHouseError } from '@clickhouse/client';

import { describeKnownError } from '../../gateway/clickhouse/translate-error.js';

/** Maximum number of characters quoted from a message of ClickHouse. */
const MAX_QUOTED = 300;

const NO_DATABASE = 'Run querygate migrate first, or correct CLICKHOUSE_DATABASE';

/** CANNOT_WRITE_TO_FILE_DESCRIPTOR, CANNOT_OPEN_FILE and NOT_ENOUGH_SPACE. */
const DISK_CODES: ReadonlySet<string> = new Set(['75', '76', '243']);

/** A load that could not start or continue. The message is for people and complete: no stack trace is needed. */
export class LoadError extends Error {
  override readonly name = 'LoadError';
}

/** The failure of reading the rest of the source: a read failed, or its compression is damaged. */
export class InputFailure extends Error {
  override readonly name = 'InputFailure';
}

/** Describes an error of ClickHouse or of the connection, with a remedy if there is one; without a full stop. */
export function describeFailure(error: unknown): string {
  if (error instanceof ClickHouseError) {
    if (DISK_CODES.has(error.code)) return `${describeKnownError(error)}. Free some space first`;
    const remedy = error.type === 'UNKNOWN_DATABASE' ? `. ${NO_DATABASE}` : '';
    return `ClickHouse returned ${error.type ?? `code ${error.code}`}: ${firstLine(error.message)}${remedy}`;
  }
  // An error with an empty message (`localhost` refused on both its addresses) has only its code.
  const cause = messageOf(error).replace(/\.$/, '') || (codeOf(error) ?? 'unknown reason');
  return `ClickHouse is unreachable or closed the connection (${cause})`;
}

/** The part of ClickHouse's message about a line, without the position, the rest of the line and the settings after it. */
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

/** Makes a text from a file safe for a terminal: one line without invisible characters, truncated to `maxLength`. */
export function shortened(text: string, maxLength: number): string {
  const visible = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ');
  return visible.length > maxLength ? `${visible.slice(0, maxLength)}…` : visible;
}
