import {
  designedLimit,
  isNumber,
  isTime,
  SQL,
  type Column,
  type Endpoint,
  type Values,
} from '../model/endpoint.js';
import { requestOf, secretsOf, type BodyReason } from '../model/request.js';

/** The placeholder for the key in every snippet. */
export const KEY_PLACEHOLDER = 'YOUR_API_KEY';

/** The placeholder for each secret value. */
export const SECRET_PLACEHOLDER = 'YOUR_VALUE';

/** The request that a snippet makes. */
export interface SnippetRequest {
  readonly endpoint: Pick<
    Endpoint,
    'name' | 'parameters' | 'columns' | 'maxRows' | 'limit' | 'exports' | 'sqlPort'
  >;
  /** Values in the form in which they are sent. */
  readonly values: Values;
  /** Base URL of the gateway, with a slash at its end. */
  readonly base: string;
  /** Why only a snippet that sends a body makes the request. */
  readonly body?: BodyReason;
}

/** The request of a form, with placeholders for the secret values that it has or requires. */
export function snippetRequest(
  endpoint: SnippetRequest['endpoint'],
  values: Values,
  base: string,
): SnippetRequest {
  const required = endpoint.parameters.flatMap(({ name, required, pinned }) =>
    required && !pinned ? [name] : [],
  );
  const masked = secretsOf(endpoint.parameters)
    .filter((name) => values[name] !== undefined || required.includes(name))
    .map((name) => [name, SECRET_PLACEHOLDER] as const);
  const shown = { ...values, ...Object.fromEntries(masked) };
  const { body } = requestOf(endpoint, shown);
  return { endpoint, values: shown, base, ...(body && { body }) };
}

/** Path of an endpoint's calls, relative to the base URL. */
export const callPath = (endpoint: string): string => `api/endpoints/query/${encodeURIComponent(endpoint)}`;

/**
 * Rows to which the saved query cuts the result of a request by design; undefined where a cut is an error. A caller’s own
 * SQL has no such limit: the row cap cuts its rows.
 */
export const limitOf = ({ endpoint, values }: SnippetRequest): number | undefined =>
  values[SQL] === undefined ? designedLimit(endpoint) : undefined;

/**
 * The parameter that makes an error of an incomplete result, since most tools show no header. Where results are cut by
 * design, it would only make requests fail: {@link limitNote} says so instead.
 */
const onlyComplete = (request: SnippetRequest): Values =>
  limitOf(request) === undefined ? { complete: '1' } : {};

/** The parameters of a request that is made by URL. */
export const sentValues = (request: SnippetRequest, more: Values = {}): Values => ({
  ...request.values,
  ...more,
  ...onlyComplete(request),
});

/** Types of which JavaScript rounds numbers. */
const ROUNDED = /\b(?:U?Int(?:64|128|256)\b|Interval|Decimal\((?:1[6-9]|[2-9]\d))/;

const hasRounded = ({ endpoint: { columns } }: SnippetRequest): boolean =>
  columns.some(({ type }) => ROUNDED.test(type));

/** The parameter and the header with which such numbers are strings: an endpoint may have a parameter of its own of this name. */
export function exactNumbers(request: SnippetRequest): { readonly values: Values; readonly headers: Values } {
  if (!hasRounded(request)) return { values: {}, headers: {} };
  return declaresNumbers(request)
    ? { values: {}, headers: { Prefer: 'numbers=text' } }
    : { values: { numbers: 'text' }, headers: {} };
}

/** The parameter with which such numbers are numbers, for tools that read their digits. */
export const plainNumbers = (request: SnippetRequest): Values =>
  hasRounded(request) && !declaresNumbers(request) ? { numbers: 'plain' } : {};

const declaresNumbers = ({ endpoint: { parameters } }: SnippetRequest): boolean =>
  parameters.some(({ name }) => name === 'numbers');

/** The columns with a rounded number in each row, which are strings with {@link exactNumbers}. */
export const roundedColumns = ({ endpoint: { columns } }: SnippetRequest): readonly string[] =>
  columns.flatMap(({ name, type }) => (isNumber(type) && ROUNDED.test(type) ? [name] : []));

/** Digits of a number that spreadsheets keep. */
export const SHEET_DIGITS = 15;

/** The address of a request, without a key. */
export const urlOf = (request: SnippetRequest, more: Values = {}): string =>
  withQuery(request, sentValues(request, more));

/** What a signed link needs to return CSV. */
export const csvQuery = (request: SnippetRequest): string =>
  new URLSearchParams({ format: 'csv', ...onlyComplete(request) }).toString();

/** The URL of a request whose parameters are in its body. */
export const bodyUrlOf = (request: SnippetRequest): string => withQuery(request, onlyComplete(request));

function withQuery({ endpoint, base }: SnippetRequest, values: Values): string {
  const query = new URLSearchParams(values).toString();
  return `${base}${callPath(endpoint.name)}${query === '' ? '' : `?${query}`}`;
}

/** A comment for a tool that shows no header, where rows can be missing by design: none or one line. */
export function limitNote(comment: string, request: SnippetRequest): readonly string[] {
  const limit = limitOf(request);
  return limit === undefined
    ? []
    : [
        `${comment} At most the first ${limit} rows in the order of the saved query, which ends with LIMIT ${limit}: there may be more.`,
      ];
}

export const entries = (values: Values): readonly (readonly [string, string])[] => Object.entries(values);

/** The kinds of columns that other tools distinguish. */
export function kindOf({ type }: Column): 'time' | 'number' | 'text' {
  if (isTime(type)) return 'time';
  return isNumber(type) ? 'number' : 'text';
}
