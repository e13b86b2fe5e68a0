import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';

import type { Bodies, Encoding } from '../query/endpoint-result.js';

/** Smallest first: the order among encodings that the client accepts equally. */
const PREFERRED = ['br', 'gzip', 'identity'] as const;
/** Cached headers; callers send few different values, each of them thousands of times. */
const REMEMBERED = 200;
const MAX_REMEMBERED_LENGTH = 200;

/** The published types lack the option `preferred`. */
type Encodings = (available: readonly string[], options: { preferred: readonly string[] }) => Encoding[];

const negotiated = new LRUCache<string, readonly Encoding[]>({ max: REMEMBERED });

/** Chooses the body to send for an `Accept-Encoding` (RFC 9110, 12.5.3); identity where no other is accepted. */
export function chooseEncoding(acceptEncoding: string | undefined, bodies: Bodies): Encoding {
  if (acceptEncoding === undefined || bodies.br === undefined) return 'identity';
  return acceptedEncodings(acceptEncoding).find((encoding) => bodies[encoding] !== undefined) ?? 'identity';
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
