import type { Endpoint } from '../../../../endpoint/endpoint.js';
import { refTo, type HeaderObject, type ParameterObject, type RefObject } from './document.js';

const text = (description: string, example?: string): HeaderObject => ({
  description,
  schema: { type: 'string' },
  ...(example !== undefined && { example }),
});
const count = (description: string): HeaderObject => ({
  description,
  schema: { type: 'integer', minimum: 0 },
});
const flag = (description: string): HeaderObject => ({
  description,
  schema: { type: 'string', const: 'true' },
});
const oneOf = (title: string, values: readonly string[], description: string): HeaderObject => ({
  description,
  schema: { type: 'string', title, enum: values },
});
const always = (header: HeaderObject): HeaderObject => ({ ...header, required: true });

/**
 * Where a header occurs: in responses of a kind, of endpoints with a feature, or in errors with a status. The kind `file` is a
 * response with rows, `part` a 206 with a part of them, and `running` a 202.
 */
export type HeaderPlace = 'any' | 'withKey' | 'rows' | 'file' | 'part' | 'running' | Feature | number;
type Feature = 'pages' | 'deprecated';

const ROWS = ['rows', 'file', 'part'] as const;
const WITH_KEY = [...ROWS, 'withKey', 'running'] as const;

const on = (places: readonly HeaderPlace[], headers: Readonly<Record<string, HeaderObject>>) => ({
  places,
  headers,
});

/** Every response header. */
const HEADERS = [
  on(['any', ...WITH_KEY], {
    'X-Request-Id': always(
      text('The caller’s id where it sent a plain one, else a new one. ClickHouse logs it too.'),
    ),
  }),
  on([...WITH_KEY, 429], {
    RateLimit: text('State of the limits, where there are any.', '"requests";r=599;t=60'),
    'RateLimit-Policy': text('The limits of the key and of the endpoint.', '"requests";q=600;w=60'),
  }),
  on(['running', 429, 503], {
    'Retry-After': count('Seconds after which to try again.'),
  }),
  on([...ROWS, 'running'], {
    'Preference-Applied': text('The preferences that the gateway applied.', 'wait=5'),
    'Cache-Control': always(text('Remaining lifetime of the result, or no-store.', 'private, max-age=841')),
  }),
  on(['running'], {
    Location: text(
      'The request to repeat, without a key; not for a POST or a call with a secret value, which the URL does not have.',
      '/api/endpoints/query/logs.errors?project=aurora',
    ),
  }),
  on(ROWS, {
    'X-Row-Count': always(count('Rows in this response.')),
    'X-Truncated': flag(
      'Present only where more rows exist than were returned, because of the row cap. With `complete=1` the response is 422 instead.',
    ),
    'X-Partial': flag(
      'Present only where a shard of ClickHouse was unreachable and the gateway is configured to return the rows of the other shards. With `complete=1` the response is 503 instead.',
    ),
    'X-Ignored-Parameters': text(
      'Names in the request that this endpoint does not declare, percent-encoded: the first ten. With `Prefer: handling=strict` they are 400 instead.',
      'method',
    ),
    'X-Cache': always(
      oneOf(
        'CacheResult',
        ['HIT', 'MISS', 'PARTIAL', 'STALE', 'BYPASS'],
        'HIT: from the cache. PARTIAL: composed of kept rows and new ones. STALE: expired, served because ClickHouse fails. BYPASS: not cached, or forced.',
      ),
    ),
    'Cache-Status': always(text('The cache status as RFC 9211 defines it.', 'querygate; hit; ttl=841')),
    Age: count('Seconds since the query of this result began; absent where results are not cached.'),
    ETag: always(
      text(
        'Identifies these bytes, or, where it is weak, these rows. Send it back as If-None-Match: 304 if the result is still this one. A strong one has also a meaning as If-Match (412 if the result is another one now) and as If-Range.',
      ),
    ),
    'Accept-Ranges': always(
      oneOf(
        'AcceptedRanges',
        ['bytes', 'none'],
        '`bytes`: a GET of this result may have a `Range`. `none`: it is not cached, or is too large to be.',
      ),
    ),
    Vary: text('Request headers that select the response.'),
    'Server-Timing': text(
      'Milliseconds in total and, where the request caused a query, in the queue and in ClickHouse; keys with pinned parameters get the total alone.',
      'total;dur=12.50, queue;dur=0.00, clickhouse;dur=9.80',
    ),
  }),
  on(['file', 'part'], {
    'Content-Disposition': text('File name, where `download=1`.'),
  }),
  on(['part', 416], {
    'Content-Range': always(
      text(
        'The bytes of this part and how many there are in all; in a 416 only the latter.',
        'bytes 0-1023/4096',
      ),
    ),
  }),
  on(['pages'], {
    'X-Next-Cursor': text(
      'The `cursor` of the next page; absent on the last page, and from Parquet, Arrow and Prometheus.',
    ),
  }),
  on(['pages', 'deprecated'], {
    Link: text(
      'The next page, of a GET; of a deprecated endpoint, the one to call instead, and the description of this one.',
      '</api/endpoints/query/logs.all?project=aurora&cursor=AQGa>; rel="next"',
    ),
  }),
  on(['deprecated'], {
    Deprecation: text('Since when callers should leave this endpoint (RFC 9745).', '@1764547200'),
    Sunset: text('When it may be removed (RFC 8594).', 'Mon, 31 May 2027 00:00:00 GMT'),
  }),
  on([401], {
    'WWW-Authenticate': text(
      'How to authenticate; `error="invalid_token"` where a bearer token was sent that the gateway does not accept.',
      'Bearer realm="querygate", error="invalid_token"',
    ),
  }),
];

/** The names of all response headers, which CORS exposes to pages. */
export const RESPONSE_HEADERS = HEADERS.flatMap(({ headers }) => Object.keys(headers));

/** The features of an endpoint that have headers of their own. */
export const featuresOf = ({
  pages,
  deprecated,
}: Pick<Endpoint, 'pages' | 'deprecated'>): readonly Feature[] => [
  ...(pages ? (['pages'] as const) : []),
  ...(deprecated ? (['deprecated'] as const) : []),
];

const headersIn = (isMeant: (place: HeaderPlace) => boolean): Readonly<Record<string, HeaderObject>> =>
  Object.fromEntries(
    HEADERS.flatMap(({ places, headers }) => (places.some(isMeant) ? Object.entries(headers) : [])),
  );

/** References to the headers of these places. */
export function headerRefs(...places: readonly HeaderPlace[]): Readonly<Record<string, RefObject>> {
  const names = Object.keys(headersIn((place) => places.includes(place)));
  return Object.fromEntries(names.map((name) => [name, refTo('headers', name)]));
}

/** The headers of all responses but those of features that no endpoint has. */
export function headerComponents(endpoints: readonly Endpoint[]): Readonly<Record<string, HeaderObject>> {
  const features = new Set(endpoints.flatMap(featuresOf));
  return headersIn((place) => (place !== 'pages' && place !== 'deprecated') || features.has(place));
}

const sent = (name: string, description: string, ...examples: readonly string[]): ParameterObject => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string', ...(examples.length > 0 && { examples }) },
});

/**
 * Request headers that a call by GET supports. `If-Match` is only in the description of `ETag`: nearly every value causes a 412,
 * which a fuzzer would report as an error in the document. `timestamps` has no example, because its response would not match the
 * schemas.
 */
export const REQUEST_HEADERS: Readonly<Record<string, ParameterObject>> = Object.fromEntries(
  [
    sent(
      'Prefer',
      'RFC 7240. `wait=5`: a response within five seconds, else a stale result, else 504; the query is cancelled unless another caller waits for it. `respond-async, wait=5`: 202 in place of the 504; the query goes on, and the same request joins it or gets its result. `timestamps=unix-micros` or `timestamps=iso`: how times are written in JSON, CSV and TSV; takes precedence over the schemas of this document. `numbers=text` or `numbers=plain`: as the parameter. `handling=strict`: 400 for undeclared parameters.',
      'wait=5',
    ),
    sent('If-None-Match', 'ETag of a result that the caller has: 304 if it has not changed.'),
    sent(
      'Range',
      'One range of bytes of a cached result, uncompressed: 206. Where `Accept-Ranges` is `none`, and where this names several ranges or another unit: the whole result. Each range counts as a request.',
      'bytes=0-1023',
      'bytes=-8',
    ),
    sent('If-Range', 'ETag of the result that `Range` continues: the whole result if it is another one now.'),
    sent(
      'Cache-Control',
      '`no-cache` requests a new result, `only-if-cached` a cached one or 504. The key needs `mayBypassCache`.',
      'no-cache',
    ),
    sent(
      'X-Request-Id',
      'An id of the caller, for its own logs and for those of ClickHouse: 1 to 128 letters, digits and `_ . : @ = + / ~ -`. For any other text the gateway makes an id of its own.',
      'nightly-report-42',
    ),
  ].map((header) => [header.name, header]),
);

/** Names of the request headers that have a meaning for a GET only. */
export const ONLY_FOR_GET: ReadonlySet<string> = new Set(['If-None-Match', 'Range', 'If-Range']);
