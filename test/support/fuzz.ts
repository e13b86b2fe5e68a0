import fc from 'fast-check';

import { EXPECTED_BY_CALLER } from '../../src/gateway/errors.js';
import { sendRequest, type Outcome } from '../../bench/soak/send-request.js';

/** What the fuzzer needs to know of an endpoint. */
export interface FuzzedEndpoint {
  readonly id: string;
  readonly name: string;
  readonly parameters: ReadonlyMap<string, unknown>;
  readonly example: Readonly<Record<string, string>>;
}

export interface FuzzOptions {
  /** Valid keys. */
  readonly keys: readonly string[];
  readonly endpoints: readonly FuzzedEndpoint[];
  readonly seconds: number;
}

export interface FuzzResult {
  readonly requests: number;
  readonly statuses: Readonly<Record<string, number>>;
  /** Requests with a 5xx that callers cannot cause, or without a response. */
  readonly violations: readonly string[];
}

/** A request as it is sent. */
interface Fuzzed {
  readonly target: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
}

const TIMEOUT_MS = 20_000;
/** Requests between two checks of the time. */
const ROUND = 500;

const splitValues = (values: string): readonly string[] => values.split(' | ');

/** Values that break out of naively built texts, SQL, URLs and headers. */
const AWKWARD = [
  ...['', ' ', '\\', '\0', '\n', '|', '\ud800', 'x'.repeat(9000)],
  ...splitValues(
    `' | " | % | _ | . | (?i) | ( | ) | * | [ | ; | -- | /* | {x:String} | NULL | \\N | é | Ж | 😀`,
  ),
  ...splitValues('0 | -1 | 1e999 | NaN | true | 2026-05-17 | 9999-99-99'),
];
const SQL = [
  'SELECT * FROM result',
  'SELECT count() FROM result',
  'SELECT 1; SELECT 2',
  'DROP TABLE edge_logs',
  'SELECT * FROM edge_logs',
  "SELECT * FROM url('http://127.0.0.1/')",
  'SELECT sleep(3)',
  'SELECT (((((',
  'WITH x AS (SELECT 1) SELECT * FROM x',
];
const HEADER_VALUES: Readonly<Record<string, readonly string[]>> = {
  'X-API-KEY': ['', 'qg_wrong', 'a.b.c', `${'x'.repeat(43)}.${'y'.repeat(43)}.`, 'x'.repeat(5000)],
  Authorization: splitValues(
    'Bearer | Bearer x | Basic eA== | Bearer a.b.c | Bearer eyJhbGciOiJub25lIn0.e30.',
  ),
  Accept: splitValues(
    '*/* | application/json | text/html | text/csv | application/json;q=0 | */*;q=0 | ; | a/b/c | ,,,',
  ),
  'Accept-Encoding': splitValues('gzip | br | identity;q=0 | *;q=0 | gzip;q=2 | br;q= | , | deflate, zstd'),
  'If-None-Match': splitValues('* | "x" | W/"x" | " | "a", "b" | ,'),
  'Cache-Control': splitValues(
    'no-cache | only-if-cached | max-age=0 | no-store | max-age=x | , | NO-CACHE, only-if-cached',
  ),
  Prefer: splitValues(
    'wait=0 | wait=1 | wait=-1 | wait= | wait="5" | respond-async, wait=3;x=1 | ,;= | times=unix | wait=1e9',
  ),
  'X-Request-Id': [...splitValues('plain | with space | "quoted" | \'; DROP'), 'x'.repeat(200)],
  'X-Forwarded-For': splitValues(
    '127.0.0.1 | ::1 | 203.0.113.7, 127.0.0.1 | unknown | 999.999.999.999 | , | ::ffff:1.2.3.4 | 1.2.3.4:80',
  ),
};

/** Header values can contain any byte except those that end them. */
const headerText = fc
  .array(
    fc.integer({ min: 0x20, max: 0xff }).filter((byte) => byte !== 0x7f),
    { maxLength: 40 },
  )
  .map((bytes) => Buffer.from(bytes).toString('latin1'));
const value = fc.oneof(
  fc.constantFrom(...AWKWARD),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ maxLength: 20 }),
);
const sql = fc.oneof(fc.constantFrom(...SQL), value);

/** Sends requests with random parameters and headers for this long, but at least 500; does not stop at failures. */
export async function fuzz(url: string, { keys, endpoints, seconds }: FuzzOptions): Promise<FuzzResult> {
  const until = performance.now() + seconds * 1000;
  const statuses: Record<string, number> = {};
  const violations: string[] = [];
  let requests = 0;
  const one = async (fuzzed: Fuzzed): Promise<void> => {
    const outcome = await sendRequest(url + fuzzed.target, { ...fuzzed, timeoutMs: TIMEOUT_MS });
    requests += 1;
    statuses[outcome.status] = (statuses[outcome.status] ?? 0) + 1;
    const violation = violationOf(outcome, fuzzed);
    if (violation !== undefined) violations.push(`${violation}: ${JSON.stringify(fuzzed).slice(0, 500)}`);
  };
  do {
    await fc.assert(fc.asyncProperty(requestFor(keys, endpoints), one), { numRuns: ROUND });
  } while (performance.now() < until);
  return { requests, statuses, violations };
}

function violationOf({ status, code, violation }: Outcome, { method }: Fuzzed): string | undefined {
  if (violation !== undefined || typeof status !== 'number') return violation ?? String(status);
  // A response to HEAD does not contain the error code of a 504.
  const isExpectedByCaller = status === 504 && (method === 'HEAD' || EXPECTED_BY_CALLER.has(code ?? ''));
  return status >= 500 && !isExpectedByCaller ? `${status} ${code ?? ''}` : undefined;
}

function requestFor(keys: readonly string[], endpoints: readonly FuzzedEndpoint[]): fc.Arbitrary<Fuzzed> {
  const headers = fc.record(
    Object.fromEntries(
      Object.entries(HEADER_VALUES).map(([name, values]) => [
        name,
        fc.oneof(fc.constantFrom(...values), headerText),
      ]),
    ),
    { requiredKeys: [] },
  ) as fc.Arbitrary<Record<string, string>>;
  return fc
    .tuple(
      fc.constantFrom('GET', 'GET', 'GET', 'GET', 'HEAD', 'POST', 'OPTIONS'),
      fc.constantFrom(...endpoints).chain(targetOf),
      headers,
      // Mostly valid keys: otherwise most responses would be 401.
      fc.option(fc.constantFrom(...keys), { freq: 5 }),
    )
    .map(([method, target, headers, key]) => ({
      method,
      target,
      headers: key === null ? headers : { ...headers, 'X-API-KEY': key },
    }));
}

function targetOf({ id, name, parameters, example }: FuzzedEndpoint): fc.Arbitrary<string> {
  const own = ['api_key', 'link_key', 'link_expires', 'link_signature', 'format', '__proto__', 'constructor'];
  const names = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...parameters.keys(), 'sql') },
    fc.constantFrom(...own),
  );
  const pair = names.chain((parameter) =>
    (parameter === 'sql' ? sql : value).map((text): readonly [string, string] => [parameter, text]),
  );
  const row = fc.constantFrom(
    `/api/endpoints/query/${name}`,
    `/api/endpoints/query/${name}`,
    `/api/endpoints/query/${id}`,
    `/api/endpoints/${name}`,
    '/api/endpoints',
  );
  return fc
    .tuple(row, fc.boolean(), fc.array(pair, { maxLength: 6 }))
    .map(([path, withExample, pairs]) =>
      [path, [...(withExample ? Object.entries(example) : []), ...pairs].map(encodePair).join('&')].join('?'),
    );
}

/** Encodes as bytes, so that halves of surrogate pairs are sent too, as invalid UTF-8. */
function encodePair([name, text]: readonly [string, string]): string {
  const bytes = Buffer.from(text, /\p{Surrogate}/u.test(text) ? 'latin1' : 'utf8');
  const escaped = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  return `${name}=${escaped}`;
}
