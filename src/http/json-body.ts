import express, { type Request, type RequestHandler, type Response } from 'express';

import { Failure } from '../errors.js';
import { isJsonObject, parseJsonText } from './json-text.js';

/** Bytes of a request body. */
export const MAX_BODY_BYTES = 256 * 1024;

const MEDIA_TYPE = 'application/json';
/** The charset is not defined for JSON (RFC 8259, section 11), but clients send this one. */
const CONTENT_TYPE = /^application\/json[\t ]*(;[\t ]*charset=("utf-8"|utf-8)[\t ]*)?$/i;

/** Every media type, because the type was checked before; a compressed body could become any number of bytes. */
const readRaw: RequestHandler = express.raw({ type: () => true, limit: MAX_BODY_BYTES, inflate: false });

const UTF8 = new TextDecoder('utf-8', { fatal: true });
const LENIENT_UTF8 = new TextDecoder('utf-8');

/**
 * Reads the JSON object in the body of a request.
 *
 * @returns its members; numbers are `LosslessNumber`.
 * @throws Failure as {@link readJsonText}
 */
export async function readJsonObject(
  request: Request,
  response: Response,
): Promise<ReadonlyMap<string, unknown>> {
  const value = parseJsonText(await readJsonText(request, response));
  if (isJsonObject(value)) return new Map(Object.entries(value));
  throw new Failure(
    'MALFORMED_BODY',
    'The body is JSON, but not an object. Send an object of parameters, such as {"project": "aurora"}.',
  );
}

/**
 * Reads the text in the body of a request, which says that it is JSON.
 *
 * @throws Failure UNSUPPORTED_MEDIA_TYPE, BODY_TOO_LARGE, MALFORMED_BODY, or CALLER_GONE where the client disconnects
 */
export async function readJsonText(request: Request, response: Response): Promise<string> {
  checkMediaType(request, response);
  return decoded(await readBytes(request, response));
}

function checkMediaType({ headers }: Request, response: Response): void {
  const isCoded = headers['content-encoding'] !== undefined;
  if (CONTENT_TYPE.test(headers['content-type'] ?? '') && !isCoded) return;
  response.set('Accept-Post', MEDIA_TYPE);
  throw new Failure(
    'UNSUPPORTED_MEDIA_TYPE',
    isCoded
      ? 'The body has a Content-Encoding. Send it without compression.'
      : `The body must be JSON in UTF-8. Send it with Content-Type: ${MEDIA_TYPE}.`,
  );
}

async function readBytes(request: Request, response: Response): Promise<Buffer> {
  // The parser would discard the whole body before it reports that the body is too large.
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  await new Promise<void>((resolve, reject) => {
    void readRaw(request, response, (error?: unknown) => {
      if (error === undefined) resolve();
      else reject(failureOf(error));
    });
  });
  // A request without a body, which has no length either.
  return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
}

function failureOf(error: unknown): Error {
  const { type } = error as { readonly type?: unknown };
  if (type === 'entity.too.large') return tooLarge();
  if (type === 'request.aborted') return new Failure('CALLER_GONE', 'The client disconnected.');
  return error instanceof Error ? error : new Error('the body cannot be read', { cause: error });
}

function tooLarge(): Failure {
  return new Failure(
    'BODY_TOO_LARGE',
    `The body has more than ${MAX_BODY_BYTES} bytes. Send fewer or shorter values.`,
  );
}

function decoded(bytes: Buffer): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw new Failure(
      'MALFORMED_BODY',
      `The body is not valid UTF-8 at byte ${invalidByteAt(bytes)}. Send JSON in UTF-8.`,
    );
  }
}

/** The position, from 0, of the first byte that decoding replaces; a replacement character can be in the body too. */
function invalidByteAt(bytes: Buffer): number {
  let position = bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
  for (const valid of LENIENT_UTF8.decode(bytes).split(REPLACEMENT)) {
    position += Buffer.byteLength(valid);
    const next = bytes.subarray(position, position + 3);
    if (!next.equals(Buffer.from(REPLACEMENT))) return position;
    position += next.length;
  }
  return position;
}

const BYTE_ORDER_MARK = Buffer.from('\u{FEFF}');
const REPLACEMENT = '\u{FFFD}';
