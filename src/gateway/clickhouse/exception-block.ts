import { ClickHouseError, parseError } from '@clickhouse/client';

/** Text before and after the text of an exception that ends a response. */
const MARK = '__exception__\r\n';
/** Header with the tag that follows the mark. The tag is random for each response. Servers before 25.11 send none. */
export const EXCEPTION_TAG_HEADER = 'x-clickhouse-exception-tag';

/** Bytes with which an exception at the end of a response begins. */
export const exceptionMark = (tag: string): Buffer => Buffer.from(MARK + tag);

/** Exception at the end of a response, from its mark on. */
export function exceptionOfBlock(block: Buffer): Error {
  const text = block.toString();
  return errorOfText(text.slice(text.indexOf('\n', MARK.length) + 1));
}

/** Error for a text of ClickHouse. A text that ClickHouse has cut off has no name, because the name is at its end. */
export function errorOfText(text: string): Error {
  const error = parseError(text);
  const code = /^Code: (\d+)\. /.exec(text)?.[1];
  if (error instanceof ClickHouseError || code === undefined) return error;
  return new ClickHouseError({ message: text, code });
}

/** Bytes that ClickHouse writes at the end of a response with an exception, before it closes the connection. */
export function exceptionBlock(tag: string, text: string): Buffer {
  return Buffer.from(`\r\n${MARK}${tag}\r\n${text}\n${Buffer.byteLength(text) + 1} ${tag}\r\n${MARK}`);
}
