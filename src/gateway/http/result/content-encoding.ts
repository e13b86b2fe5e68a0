import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';

import type { Bodies, Compressed, Encoding, EndpointResult } from '../../query/endpoint-result.js';

/** Encodings by size, smallest first: the order among those that the client accepts equally. */
const PREFERRED = ['br', 'gzip', 'identity'] as const;
/** Maximum number of parsed headers in the cache. Callers send few different values, each of them thousands of times. */
const REMEMBERED = 200;
const MAX_REMEMBERED_LENGTH = 200;

/** The published types lack the option `preferred`. */
type Encodings = (available: readonly string[], options: { preferred: readonly string[] }) => Encoding[];

const negotiated = new LRUCache<string, readonly Encoding[]>({ max: REMEMBERED });

/** Chooses the body to send for an `Accept-Encoding` (RFC 9110, 12.5.3); identity where no other is accepted. */
export function chooseEncoding(acceptEncoding: string | undefined, bodies: Bodies): Encoding {
  if (acceptEncoding === undefined) return 'identity';
  const { isEncodedWhenSent, br, gzip } = bodies;
  if (!isEncodedWhenSent && (br ?? gzip) === undefined) return 'identity';
  return acceptedEncodings(acceptEncoding).find(isPossible(bodies)) ?? 'identity';
}

/** The encodings that an `Accept-Encoding` accepts and the result can have, best first. A pending one is compressed when it is sent. */
export function possibleEncodings(acceptEncoding: string, bodies: Bodies): readonly Encoding[] {
  const accepted = acceptedEncodings(acceptEncoding);
  return bodies.pending ? accepted : accepted.filter(isPossible(bodies));
}

function isPossible(bodies: Bodies): (encoding: Encoding) => boolean {
  return (encoding) => bodies.isEncodedWhenSent ?? bodies[encoding] !== undefined;
}

/** Whether an `Accept-Encoding` permits a body without an encoding. */
export function acceptsIdentity(acceptEncoding: string | undefined): boolean {
  return acceptEncoding === undefined || acceptedEncodings(acceptEncoding).includes('identity');
}

/** The result with the body that {@link chooseEncoding} then chooses. Compresses that body first where necessary. */
export async function withChosenEncoding(
  acceptEncoding: string | undefined,
  result: EndpointResult,
): Promise<EndpointResult> {
  const encoding = pendingEncoding(acceptEncoding, result);
  const body = encoding && (await result.bodies.pending?.in(encoding));
  return body ? { ...result, bodies: { ...result.bodies, [encoding]: body } } : result;
}

/** The encoding that a response has to wait for; undefined for none. */
export function pendingEncoding(
  acceptEncoding: string | undefined,
  { bodies }: EndpointResult,
): Compressed | undefined {
  if (!bodies.pending || acceptEncoding === undefined) return undefined;
  const [encoding = 'identity'] = acceptedEncodings(acceptEncoding);
  return encoding === 'identity' || bodies[encoding] ? undefined : encoding;
}

function acceptedEncodings(acceptEncoding: string): readonly Encoding[] {
  const known = negotiated.get(acceptEncoding);
  if (known) return known;
  const negotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } });
  const encodings = negotiator.encodings.bind(negotiator) as unknown as Encodings;
  const accepted = encodings(PREFERRED, { preferred: PREFERRED });
  if (acceptEncoding.length <= MAX_REMEMBERED_LENGTH) negotiated.set(acceptEncoding, accepted);
  return accepted;
}
