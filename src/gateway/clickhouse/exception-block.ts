import { ClickHouseError, parseError } from '@clickhouse/client';

/** Before the text of an exception that ends a response, and after it. */
const MARK = '__exception__\r\n';
/** The header with the tag that follows the mark, which is random for each response. Servers before 25.11 send none. */
export const EXCEPTION_TAG_HEADER = 'x-clickhouse-exception-tag';

/** What an exception at the end of a response begins with. */
export const exceptionMark = (tag: string): Buffer => Buffer.from(MARK + tag);

/** The exception of the end of a response, from its mark on. */
export function exceptionOfBlock(block: Buffer): Error {
  const text = block.toString();
  return errorOfText(text.slice(text.indexOf('\n', MARK.length) + 1));
}

/** The error of a text of ClickHouse. Without its end it has no name: in a response ClickHouse cuts long texts off. */
export function errorOfText(text: string): Error {
  const error = parseError(text);
  const code = /^Code: (\d+)\. /.exec(text)?.[1];
  if (error instanceof ClickHouseError || code === undefined) return error;
  return new ClickHouseError({ message: text, code });
}

/** What ClickHouse writes at the end of a response with an exception, before it closes the connection. */
export function exceptionBlock(tag: string, text: string): Buffer {
  return Buffer.from(`\r\n${MARK}${tag}\r\n${text}\n${Buffer.byteLength(text) + 1} ${tag}\r\n${MARK}`);
}
