import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';

import type { RequestedResult } from '../hooks.js';
import { duration, milliseconds, number } from '../model/display.js';
import { canExport, SQL, type Cell, type Column, type Endpoint, type Values } from '../model/endpoint.js';
import { isExact } from '../model/exact-number.js';
import { nextPage, type EndpointRequest } from '../model/request.js';
import { ResultBody } from './result-body.js';

interface Props {
  readonly endpoint: Endpoint;
  readonly result: RequestedResult;
  readonly view: Values;
  readonly onView: (view: Values) => void;
  /** Requests another page of the result. */
  readonly onPage: (request: EndpointRequest) => void;
  /** Runs the endpoint with other values. */
  readonly onValues: (values: Values) => void;
}

/** A result: facts about it, and its rows. */
export function ResultView({ endpoint, result, view, onView, onPage, onValues }: Props): VNode {
  const { rows, truncated, partial, next, request, at, age = 0 } = result;
  const columns = useMemo(() => columnsOf(endpoint, result), [endpoint, result]);
  const isPage = next !== undefined || request.page !== undefined;
  const cut = cutOf(result);
  const edges = useMemo(() => {
    const hasMore = truncated || next !== undefined;
    return [...(request.page === undefined ? [] : rows.slice(0, 1)), ...(hasMore ? rows.slice(-1) : [])];
  }, [result]);
  return (
    <>
      <Facts result={result} />
      {partial && (
        <p class="notice warn">
          <strong>Rows are missing.</strong> A part of ClickHouse was unreachable: these rows, and the sums in
          them, come from the other parts. Try again in a moment.
        </p>
      )}
      {isPage && <Pages result={result} onPage={onPage} />}
      {cut !== undefined && (
        <p class="notice warn">
          <strong>Not all rows.</strong>{' '}
          {isPage
            ? `These are ${cut}. Other pages have the others.`
            : `The query has more than the ${number(rows.length)} rows shown, which are the first in the endpoint’s order. Narrow the parameters to see the others.`}
          {canExport(endpoint, request.values) && (
            <>
              {' '}
              “All rows” saves all of them, and other tools get them with <code>export=1</code>.
            </>
          )}
        </p>
      )}
      {rows.length === 0 ? (
        <p class="notice">No rows. The query ran, and nothing matches these parameters.</p>
      ) : (
        <ResultBody
          {...{ endpoint, columns, rows, cut, edges, view, onView, onValues }}
          now={at / 1000 - age}
          values={request.values}
        />
      )}
    </>
  );
}

/** Which rows of a result that has more these are; undefined where there are no others. */
function cutOf({ rows, truncated, next, request: { page = 1 } }: RequestedResult): string | undefined {
  if (page > 1) return `page ${number(page)}, ${number(rows.length)} of more rows`;
  return truncated || next !== undefined ? `the first ${number(rows.length)} of more rows` : undefined;
}

/** Which page this is, and the ways to others. */
function Pages({ result: { next, request }, onPage }: Pick<Props, 'result' | 'onPage'>): VNode {
  const { page = 1, endpoint, values, body } = request;
  const first = { endpoint, values, ...(body && { body }) };
  return (
    <nav class="toolbar" aria-label="Pages">
      <span>{`Page ${number(page)}${next === undefined ? ', the last one' : ''}`}</span>
      {page > 1 && (
        <button
          type="button"
          onClick={() => {
            onPage(first);
          }}
        >
          First page
        </button>
      )}
      {next !== undefined && (
        <button
          type="button"
          onClick={() => {
            onPage(nextPage(request, next));
          }}
        >
          Next page
        </button>
      )}
    </nav>
  );
}

/** The declared columns that the rows have, because some are optional; for a caller's own SQL the columns of its rows. */
export function columnsOf(endpoint: Endpoint, { rows, request }: RequestedResult): readonly Column[] {
  const [first = {}] = rows;
  if (request.values[SQL] === undefined)
    return endpoint.columns.filter(({ name }) => Object.hasOwn(first, name));
  const types = new Map(endpoint.columns.map((column) => [column.name, column]));
  return Object.keys(first).map((name) => {
    const sample = rows.find((row) => row[name] !== null)?.[name];
    return types.get(name) ?? { name, type: guessType(sample), description: 'A column of your own SQL.' };
  });
}

function guessType(sample: Cell | undefined): string {
  if (isExact(sample)) return 'Float64';
  return typeof sample === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(sample) ? 'DateTime64' : 'String';
}

const CACHE_TEXTS: Readonly<Record<string, string>> = {
  HIT: 'from the cache',
  MISS: 'fresh, now cached',
  PARTIAL: 'kept rows and new ones',
  STALE: 'out of date: ClickHouse is away',
  BYPASS: 'not cached',
};

/** What a screen reader announces when a result arrives. */
export function announcementOf({ rows, truncated, partial, cache, ms }: RequestedResult): string {
  const count = `${number(rows.length)} ${rows.length === 1 ? 'row' : 'rows'}`;
  return `${count}${truncated ? ', not all there are' : ''}${partial ? ', some are missing' : ''}, ${CACHE_TEXTS[cache] ?? ''}, ${milliseconds(ms)}`;
}

function Facts({ result }: { readonly result: RequestedResult }): VNode {
  const { rows, truncated, partial, cache, cacheStatus, age, ms, serverTiming, requestId, rateLimit } =
    result;
  const facts: readonly (readonly [string, string, string?])[] = [
    [
      'Rows',
      `${number(rows.length)}${truncated ? ' – more exist' : ''}${partial ? ' – some are missing' : ''}`,
    ],
    ['Cache', `${cache} · ${CACHE_TEXTS[cache] ?? ''}`, cacheStatus],
    ...(age === undefined ? [] : ([['Age', duration(age)]] as const)),
    ['Request', milliseconds(ms), 'From sending it to the last byte, measured by this browser'],
    ...(serverTiming === '' ? [] : ([['In the gateway', timingText(serverTiming), serverTiming]] as const)),
    ...(rateLimit === '' ? [] : ([['Limits', rateLimit]] as const)),
    ['Request id', requestId],
  ];
  return (
    <dl class="facts result-facts">
      {facts.map(([name, value, title]) => (
        <div key={name} class={`fact-${name.toLowerCase().replaceAll(' ', '-')}`}>
          <dt>{name}</dt>
          <dd title={title}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** `db;dur=12.3, total;dur=15` as `db 12.3 ms · total 15 ms`. */
function timingText(header: string): string {
  return header
    .split(',')
    .map((metric) => {
      const [name = '', ...parameters] = metric.trim().split(/\s*;\s*/);
      const took = parameters.find((parameter) => parameter.startsWith('dur='))?.slice(4);
      return took === undefined ? name : `${name} ${milliseconds(Number(took))}`;
    })
    .join(' · ');
}
