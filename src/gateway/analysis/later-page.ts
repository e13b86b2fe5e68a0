import { parametersAfter } from '../../endpoint/after-last-row.js';
import { bindQuery, type BoundQuery } from '../../endpoint/bind.js';
import { rowCap, type Endpoint } from '../../endpoint/endpoint.js';
import type { PageColumn } from '../../endpoint/page-order.js';
import type { Pages } from '../../endpoint/pages.js';
import { unquote } from '../../endpoint/quote-sql.js';
import type { Values } from '../../endpoint/values.js';
import type { AnalysisTools } from './analyze-query.js';

/** Query of a page after the first, with made-up values for the last row before it. */
export function bindLaterPage(
  endpoint: Endpoint,
  { order, query }: Pages,
  values: Values,
  { now }: AnalysisTools,
): BoundQuery {
  const last = order.map((column) => Buffer.from(sampleOf(column)).toString('hex'));
  const all = new Map([...values, ...parametersAfter(order, last)]);
  return bindQuery(query, all, new Set(), now(), rowCap(endpoint) + 1);
}

/** Text of a sample value of a type by which pages can be ordered. */
function sampleOf({ type }: PageColumn): string {
  const [, sample = '0'] = SAMPLES.find(([pattern]) => pattern.test(type)) ?? [];
  return type.startsWith('Enum') ? unquote(/'(?:[^'\\]|\\.|'')*'/.exec(type)?.[0] ?? "''") : sample;
}

const SAMPLES: readonly (readonly [RegExp, string])[] = [
  [/^(?:Fixed)?String/, ''],
  [/^Bool/, 'true'],
  [/^UUID/, '00000000-0000-0000-0000-000000000000'],
  [/^IPv4/, '0.0.0.0'],
  [/^IPv6/, '::'],
  [/^DateTime/, '2000-01-01 00:00:00'],
  [/^Date/, '2000-01-01'],
];
