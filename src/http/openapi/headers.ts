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
    ...text('The caller’s id where it sent a plain one, else a new one. ClickHouse logs it too.'),
    required: true,
  },
} satisfies HeaderObjects;

/** The headers of any response to a request with a key. */
const WITH_KEY = {
  ...ANY,
  RateLimit: text('State of the limits, where there are any.', '"requests";r=599;t=60'),
  'RateLimit-Policy': text('The limits of the key and of the endpoint.', '"requests";q=600;w=60'),
} satisfies HeaderObjects;

/** The headers of rows, and of a 304 for them. */
const ROWS = {
  ...WITH_KEY,
  'X-Row-Count': {
    description: 'Rows in this response.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
  },
  'X-Truncated': {
    description: 'Present only where more rows exist than were returned, because of the row cap.',
    schema: { type: 'string', const: 'true' },
  },
  'X-Partial': {
    description:
      'Present only where a shard of ClickHouse was unreachable and the gateway is configured to return the rows of the other shards.',
    schema: { type: 'string', const: 'true' },
  },
  'X-Cache': {
    description:
      'HIT: from the cache. STALE: expired, served because ClickHouse fails. BYPASS: not cached, or forced.',
    required: true,
    schema: { type: 'string', enum: ['HIT', 'MISS', 'STALE', 'BYPASS'] },
  },
  'Cache-Status': {
    ...text('The cache status as RFC 9211 defines it.', 'querygate; hit; ttl=841'),
    required: true,
  },
  Age: {
    description: 'Seconds since the query of this result began; absent where results are not cached.',
    schema: { type: 'integer', minimum: 0 },
  },
  ETag: { ...text('Identifies these bytes; send it back as If-None-Match.'), required: true },
  'Cache-Control': {
    ...text('Remaining lifetime of the result, or no-store.', 'private, max-age=841'),
    required: true,
  },
  'Accept-Ranges': text('`bytes` where requests can get ranges of the result, else `none`.', 'bytes'),
  Vary: text('Request headers that select the response.'),
  'Preference-Applied': text('The preferences that the gateway applied.', 'wait=5'),
  'Server-Timing': text(
    'Milliseconds in total and, where the request caused a query, in the queue and in ClickHouse.',
    'total;dur=12.50, queue;dur=0.00, clickhouse;dur=9.80',
  ),
} satisfies HeaderObjects;

const FILE = {
  ...ROWS,
  'Content-Disposition': text('File name, where `download=1`.'),
} satisfies HeaderObjects;

const PROBLEM = {
  'Retry-After': {
    description: 'Seconds after which to try again.',
    schema: { type: 'integer', minimum: 0 },
  },
  'WWW-Authenticate': text('How to authenticate.', 'Bearer realm="querygate"'),
} satisfies HeaderObjects;

/** All response headers: the document describes them, and CORS exposes them to pages. */
export const RESPONSE_HEADERS: HeaderObjects = { ...FILE, ...PROBLEM };

export type ResponseHeader = keyof typeof FILE | keyof typeof PROBLEM;

/** Names of the headers that a kind of response can have. */
export const HEADERS_OF = {
  any: namesOf(ANY),
  withKey: namesOf(WITH_KEY),
  rows: namesOf(ROWS),
  file: namesOf(FILE),
} satisfies Record<string, readonly ResponseHeader[]>;

/** Request headers that every endpoint supports. */
export const REQUEST_HEADERS: Readonly<Record<string, ParameterObject>> = {
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description:
      'RFC 7240. `wait=5`: a response within five seconds, else a stale result, else 504; the query is cancelled unless another caller waits for it. `timestamps=unix-micros` or `timestamps=iso`: how times are written in JSON, CSV and TSV; takes precedence over the schemas of this document.',
    schema: { type: 'string', examples: ['wait=5', 'timestamps=unix-micros'] },
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    description: 'ETag of a result that the caller has: 304 if it has not changed.',
    schema: { type: 'string' },
  },
  'Cache-Control': {
    name: 'Cache-Control',
    in: 'header',
    description:
      '`no-cache` requests a new result, `only-if-cached` a cached one or 504. The key needs `mayBypassCache`.',
    schema: { type: 'string', examples: ['no-cache', 'only-if-cached'] },
  },
  'X-Request-Id': {
    name: 'X-Request-Id',
    in: 'header',
    description: 'An id of the caller, for its own logs and for those of ClickHouse.',
    schema: { type: 'string', pattern: '^[\\w.:@=+/~-]{1,128}$' },
  },
};

/** References to headers, for a response. */
export function headerRefs(...names: readonly ResponseHeader[]): Readonly<Record<string, Reference>> {
  return Object.fromEntries(names.map((name) => [name, refTo('headers', name)]));
}

function namesOf<T extends HeaderObjects>(headers: T): readonly (keyof T)[] {
  return Object.keys(headers);
}
