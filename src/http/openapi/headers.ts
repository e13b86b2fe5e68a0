import type { HeaderObject, ParameterObject, Reference } from './document.js';
import { refTo } from './schema.js';

type HeaderObjects = Readonly<Record<string, HeaderObject>>;

const text = (description: string, example?: string): HeaderObject => ({
  description,
  schema: { type: 'string' },
  ...(example !== undefined && { example }),
});

/** The headers of any response. */
const ANY = {
  'X-Request-Id': {
    ...text('The caller’s own id where it sent a plain one, else a fresh one. ClickHouse logs it too.'),
    required: true,
  },
} satisfies HeaderObjects;

/** The headers of any response to a request with a key. */
const WITH_KEY = {
  ...ANY,
  RateLimit: text('How the limits stand, where there are any.', '"requests";r=599;t=60'),
  'RateLimit-Policy': text('The limits of the key and of the endpoint.', '"requests";q=600;w=60'),
} satisfies HeaderObjects;

/** The headers of rows, or of the news that they are the same. */
const ROWS = {
  ...WITH_KEY,
  'X-Row-Count': {
    description: 'Rows in this answer.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
  },
  'X-Truncated': {
    description: 'Stands here only where more rows exist than were returned: the cap was reached.',
    schema: { type: 'string', const: 'true' },
  },
  'X-Partial': {
    description:
      'Stands here only where a shard of ClickHouse was away and the gateway is set to answer all the same: the rows are made of what the others have.',
    schema: { type: 'string', const: 'true' },
  },
  'X-Cache': {
    description: 'HIT: out of the cache. STALE: past its time, since ClickHouse fails. BYPASS: not cached.',
    required: true,
    schema: { type: 'string', enum: ['HIT', 'MISS', 'STALE', 'BYPASS'] },
  },
  'Cache-Status': {
    ...text('The same in the words of RFC 9211.', 'querygate; hit; ttl=841'),
    required: true,
  },
  Age: {
    description: 'Seconds since the query of this answer began; absent where results are not cached.',
    schema: { type: 'integer', minimum: 0 },
  },
  ETag: { ...text('Identifies these bytes; send it back as If-None-Match.'), required: true },
  'Cache-Control': {
    ...text('For how long the answer is good, or no-store.', 'private, max-age=841'),
    required: true,
  },
  Vary: text('What decides the bytes beside the URL.'),
  'Preference-Applied': text('The preferences that were heeded.', 'wait=5'),
  'Server-Timing': text(
    'Milliseconds in all and, where the request caused a query, in the queue and in ClickHouse.',
    'total;dur=12.50, queue;dur=0.00, clickhouse;dur=9.80',
  ),
} satisfies HeaderObjects;

const FILE = {
  ...ROWS,
  'Content-Disposition': text('Where a file was asked for: its name.'),
} satisfies HeaderObjects;

const PROBLEM = {
  'Retry-After': {
    description: 'Seconds after which to try again.',
    schema: { type: 'integer', minimum: 0 },
  },
  'WWW-Authenticate': text('How to authenticate.', 'Bearer realm="querygate"'),
} satisfies HeaderObjects;

/** The one list of response headers: what the document describes, and what CORS lets pages read. */
export const RESPONSE_HEADERS: HeaderObjects = { ...FILE, ...PROBLEM };

export type ResponseHeader = keyof typeof FILE | keyof typeof PROBLEM;

/** Names of the headers that a kind of response can have. */
export const HEADERS_OF = {
  any: namesOf(ANY),
  withKey: namesOf(WITH_KEY),
  rows: namesOf(ROWS),
  file: namesOf(FILE),
} satisfies Record<string, readonly ResponseHeader[]>;

/** Headers of a request that any call of an endpoint takes. */
export const REQUEST_HEADERS: Readonly<Record<string, ParameterObject>> = {
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description:
      'RFC 7240. `wait=5`: an answer within five seconds, or a stale one, or 504; the query ends if nobody else waits for it. `timestamps=unix-micros` or `timestamps=iso`: how times are written in JSON, CSV and TSV, whatever the schemas of this document say.',
    schema: { type: 'string', examples: ['wait=5', 'timestamps=unix-micros'] },
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    description: 'The ETag of an answer that the caller has: 304 if it is still the same.',
    schema: { type: 'string' },
  },
  'Cache-Control': {
    name: 'Cache-Control',
    in: 'header',
    description:
      '`no-cache` asks for a fresh result, `only-if-cached` for a cached one or 504. Heeded for keys with `mayBypassCache`.',
    schema: { type: 'string', examples: ['no-cache', 'only-if-cached'] },
  },
  'X-Request-Id': {
    name: 'X-Request-Id',
    in: 'header',
    description: 'An id of the caller’s own, for its logs and for ClickHouse’s.',
    schema: { type: 'string', pattern: '^[\\w.:@=+/~-]{1,128}$' },
  },
};

/** References to headers by name, as a response has them. */
export function headerRefs(...names: readonly ResponseHeader[]): Readonly<Record<string, Reference>> {
  return Object.fromEntries(names.map((name) => [name, refTo('headers', name)]));
}

function namesOf<T extends HeaderObjects>(headers: T): readonly (keyof T)[] {
  return Object.keys(headers);
}
