import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

import type { Endpoint } from '../../../endpoint/endpoint.js';
import { Failure } from '../../errors.js';
import type { Encoding, EndpointResult } from '../../query/endpoint-result.js';
import {
  acceptsIdentity,
  chooseEncoding,
  possibleEncodings,
  withChosenEncoding,
} from './content-encoding.js';

/** The bytes of a result that a response has. */
export interface SelectedContent {
  readonly encoding: Encoding;
  readonly tag: string;
  /** Whether later requests can get ranges of the result. */
  readonly takesRanges: boolean;
  /** Whether the client has the bytes already, so that the response is 304. */
  readonly isUnchanged: boolean;
  /** The requested range; undefined for the whole body. */
  readonly range: ByteRange | undefined;
}

/** A result, and what determines whether later requests can get ranges of it. */
export interface RangedResult {
  readonly endpoint: Endpoint;
  readonly result: EndpointResult;
  /** Maximum bytes of a result that every gateway finds in the cache. */
  readonly maxRangedBytes: number;
}

/**
 * Selects the content of a response by the headers of the request, in the order of RFC 9110, 13.2.2: `If-Match`,
 * `If-None-Match`, then `Range` with `If-Range`.
 *
 * A range counts the bytes without an encoding, so that a request with `Range` gets these where it accepts them. Ranges are served
 * for GET and for cached results only: ranges of a result that is queried again each time would not fit together.
 *
 * @throws Failure PRECONDITION_FAILED or RANGE_NOT_SATISFIABLE
 */
export function selectContent(
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  ranged: RangedResult,
): SelectedContent {
  const { result } = ranged;
  const takesRanges = isCachedEverywhere(ranged);
  const wanted = takesRanges && method === 'GET' ? wantedRange(headers, result) : undefined;
  const encoding = wanted ? 'identity' : encodingFor(headers, result);
  const tag = entityTag(result, encoding);
  if (!allowsEntityTag(headers['if-match'], tag)) throw changed();
  // Equal bytes do not make a partial result complete, so that a partial result is never a 304. A response to POST is not either.
  const mayBeUnchanged = !result.partial && method !== 'POST';
  const isUnchanged = mayBeUnchanged && matchesEntityTag(headers['if-none-match'], tag);
  const range = isUnchanged ? undefined : wanted;
  if (range === 'unsatisfiable') throw notSatisfiable(result.bodies.identity.length);
  return { encoding, tag, takesRanges, isUnchanged, range };
}

/** The encoding that the client prefers; where one of them has the tag in `If-Match`, that one. */
function encodingFor(
  { 'accept-encoding': accepted, 'if-match': ifMatch }: IncomingHttpHeaders,
  result: EndpointResult,
): Encoding {
  const preferred = chooseEncoding(accepted, result.bodies);
  if (ifMatch === undefined || accepted === undefined) return preferred;
  const isMatched = (encoding: Encoding): boolean => allowsEntityTag(ifMatch, entityTag(result, encoding));
  return possibleEncodings(accepted, result.bodies).find(isMatched) ?? preferred;
}

/**
 * The result with the pending encoding that its response needs: the one that the client prefers, unless it requests a range.
 */
export async function readyToSend(
  { 'accept-encoding': accepted, range }: IncomingHttpHeaders,
  result: EndpointResult,
): Promise<EndpointResult> {
  const isPart = range !== undefined && acceptsIdentity(accepted);
  return isPart ? result : withChosenEncoding(accepted, result);
}

/** Whether every gateway finds the result in the cache. */
function isCachedEverywhere({ endpoint, result, maxRangedBytes }: RangedResult): boolean {
  if (endpoint.settings.caching === 'disabled' || result.partial) return false;
  return result.bodies.identity.length <= maxRangedBytes;
}

function wantedRange(
  { range, 'if-range': ifRange, 'if-match': ifMatch, 'accept-encoding': accepted }: IncomingHttpHeaders,
  result: EndpointResult,
): ByteRange | 'unsatisfiable' | undefined {
  if (range === undefined || !acceptsIdentity(accepted)) return undefined;
  const tag = entityTag(result, 'identity');
  // The client may have bytes in another encoding, which a range without an encoding does not continue.
  if (!isSameEntity(ifRange?.toString(), tag) || !allowsEntityTag(ifMatch, tag)) return undefined;
  return byteRangeIn(range, result.bodies.identity.length);
}

function changed(): Failure {
  return new Failure(
    'PRECONDITION_FAILED',
    'The result is not the one that If-Match names: it was refreshed, or it is in another encoding. Request it without If-Match.',
  );
}

function notSatisfiable(completeBytes: number): Failure {
  const detail = `The range begins after the end of the result, which has ${completeBytes} bytes.`;
  return new Failure('RANGE_NOT_SATISFIABLE', detail, { completeBytes });
}

/**
 * The entity tag of a result in an encoding (RFC 9110, 8.8.3): strong, and different for each encoding because the bytes
 * differ; weak where the digest does not cover all bytes.
 */
export function entityTag(
  { digest, hasWeakDigest }: Pick<EndpointResult, 'digest' | 'hasWeakDigest'>,
  encoding: Encoding,
): string {
  const tag = encoding === 'identity' ? `"${digest}"` : `"${digest}-${encoding}"`;
  return hasWeakDigest ? `W/${tag}` : tag;
}

/** Whether `If-None-Match` names the tag (RFC 9110, 13.1.2: by weak comparison). */
export function matchesEntityTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.trim() === '*' || tagsIn(ifNoneMatch).map(opaque).includes(opaque(tag));
}

/** Whether `If-Match` is absent or names the tag (RFC 9110, 13.1.1: by strong comparison). */
export function allowsEntityTag(ifMatch: string | undefined, tag: string): boolean {
  if (ifMatch === undefined || ifMatch.trim() === '*') return true;
  return isStrong(tag) && tagsIn(ifMatch).includes(tag);
}

/** Whether `If-Range` is absent or equals the tag (RFC 9110, 13.1.5: by strong comparison). A date never does. */
export function isSameEntity(ifRange: string | undefined, tag: string): boolean {
  return ifRange === undefined || (isStrong(tag) && ifRange.trim() === tag);
}

const isStrong = (tag: string): boolean => !tag.startsWith('W/');

const opaque = (tag: string): string => tag.replace(/^W\//, '');

const tagsIn = (list: string): readonly string[] => list.split(',').map((tag) => tag.trim());

/** Offsets of the first and the last byte of a range. */
interface ByteRange {
  readonly first: number;
  readonly last: number;
}

const BYTES = /^bytes=[ \t]*(?<first>\d*)-(?<last>\d*)[ \t]*$/i;

/**
 * The range of a body that a `Range` header names (RFC 9110, 14.1.2). Undefined where the response is the whole body: without
 * a header, and for a header that is invalid or not supported (other units, several ranges).
 *
 * @param length bytes of the body.
 */
export function byteRangeIn(
  header: string | undefined,
  length: number,
): ByteRange | 'unsatisfiable' | undefined {
  // A tool that requests all bytes as a range must not fail because there are no rows.
  if (length === 0) return undefined;
  const { first = '', last = '' } = BYTES.exec(header ?? '')?.groups ?? {};
  if (first === '') return last === '' ? undefined : suffixOf(Number(last), length);
  const [start, end] = [Number(first), last === '' ? Infinity : Number(last)];
  if (end < start) return undefined;
  return start < length ? { first: start, last: Math.min(end, length - 1) } : 'unsatisfiable';
}

/** The range of the last bytes of a body. */
function suffixOf(bytes: number, length: number): ByteRange | 'unsatisfiable' {
  if (bytes === 0) return 'unsatisfiable';
  return { first: Math.max(0, length - bytes), last: length - 1 };
}
