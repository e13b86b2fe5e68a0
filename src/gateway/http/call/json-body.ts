import type { IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';

import type { Request, Response } from 'express';

import { callerGone, Failure } from '../../errors.js';
import { excessOf, countJson, isClosed, MAX_DEPTH, type JsonLimits } from './json-counts.js';
import { isJsonObject, malformed, parseJsonText, type ParseJson } from './json-text.js';

/** Maximum bytes of a request body. */
export const MAX_BODY_BYTES = 256 * 1024;

const MEDIA_TYPE = 'application/json';
/** The content type of JSON. RFC 8259 (section 11) defines no charset, but clients send this one. */
const CONTENT_TYPE = /^application\/json[\t ]*(;[\t ]*charset=("utf-8"|utf-8)[\t ]*)?$/i;

/** Bytes up to which a body is parsed at once: parsing then takes less time than the rest of the request. */
const SMALL_BYTES = 1024;

/** Items of a list, or characters, above which validation takes a millisecond or more. */
const LONG = 1000;

const UTF8 = new TextDecoder('utf-8', { fatal: true });
const LENIENT_UTF8 = new TextDecoder('utf-8');

/** Reads JSON bodies. Of the bodies over 1 KiB, a process parses at most one in a turn of the event loop. */
export class JsonBodies {
  private turn: Promise<unknown> = Promise.resolve();

  constructor(private readonly parse: ParseJson = parseJsonText) {}

  /**
   * Reads the body of a request that declares JSON. Rejects a body that no call can use before it is parsed.
   *
   * @returns the value; numbers are `LosslessNumber`.
   * @throws Failure UNSUPPORTED_MEDIA_TYPE, BODY_TOO_LARGE, BAD_REQUEST, MALFORMED_BODY, or CALLER_GONE where the client
   * disconnects
   */
  async read(request: Request, response: Response, limits: JsonLimits): Promise<unknown> {
    checkMediaType(request, response);
    const bytes = await readBytes(request);
    if (bytes.length > SMALL_BYTES) await this.nextTurn();
    const names = checkedNames(bytes, limits);
    return this.parse(decoded(bytes), names);
  }

  /** To be awaited before a parsed value is validated. A value with a long list gets its own turn of the event loop. */
  async beforeValidating(value: unknown): Promise<void> {
    if (hasLongMember(value)) await this.nextTurn();
  }

  /** Resolves in a separate turn of the event loop; a whole iteration passes between two such turns. */
  private nextTurn(): Promise<unknown> {
    const turn = this.turn;
    this.turn = turn.then(() => setImmediate()).then(() => setImmediate());
    return turn;
  }
}

/** Whether a member is a long list, or a long text, because a list can be sent as one text with commas. */
function hasLongMember(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  return Object.values(value).some(
    (member) => (typeof member === 'string' || Array.isArray(member)) && member.length > LONG,
  );
}

/** Checks the limits of a body, and returns its number of names. @throws Failure */
function checkedNames(bytes: Buffer, limits: JsonLimits): number {
  const counts = countJson(bytes, limits);
  if (counts.tooDeepAt !== undefined) {
    const before = decoded(bytes.subarray(0, counts.tooDeepAt));
    throw malformed(`at most ${MAX_DEPTH} levels of arrays and objects`, before);
  }
  const excess = excessOf(counts, limits);
  if (excess === undefined) return counts.names;
  throw isClosed(bytes) ? excess : malformed('the end of each array and object', decoded(bytes));
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

/** The whole body of a request. @throws Failure BODY_TOO_LARGE, or CALLER_GONE where the client disconnects */
export function readBytes(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let left = MAX_BODY_BYTES;
    const rejectGone = (): void => {
      if (!request.complete) reject(callerGone());
    };
    if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) reject(tooLarge());
    else if (request.destroyed) rejectGone();
    else {
      request.once('close', rejectGone).once('end', () => {
        resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
      });
      request.on('data', (chunk: Buffer) => {
        left -= chunk.length;
        if (left >= 0) chunks.push(chunk);
        else reject(tooLarge());
      });
    }
  });
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

/** The position, from 0, of the first byte that decoding replaces. The body can also contain replacement characters itself. */
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
