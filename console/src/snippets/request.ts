import type { Column, Endpoint, Values } from '../model/endpoint.js';

/** What stands for the key in every snippet. */
export const KEY_PLACEHOLDER = 'YOUR_API_KEY';

/** The request that a snippet makes. */
export interface SnippetRequest {
  readonly endpoint: Pick<Endpoint, 'name' | 'parameters' | 'columns'>;
  /** As they are sent. */
  readonly values: Values;
  /** Where the gateway is, with a slash at its end. */
  readonly base: string;
}

/** Where an endpoint is called, below the base. */
export const callPath = (endpoint: string): string => `api/endpoints/query/${encodeURIComponent(endpoint)}`;

/** The address of a request, without a key. */
export function urlOf({ endpoint, values, base }: SnippetRequest, more: Values = {}): string {
  const query = new URLSearchParams({ ...values, ...more }).toString();
  return `${base}${callPath(endpoint.name)}${query === '' ? '' : `?${query}`}`;
}

export const entries = (values: Values): readonly (readonly [string, string])[] => Object.entries(values);

/** The kinds of column, as tools outside of ClickHouse tell them apart. */
export function kindOf({ type }: Column): 'time' | 'number' | 'text' {
  if (/^(Nullable\()?Date/.test(type)) return 'time';
  return /^(Nullable\()?(U?Int|Float|Decimal)/.test(type) ? 'number' : 'text';
}

/** Whether `format` still chooses the representation, and is no parameter of the endpoint's own. */
export const takesFormat = ({ endpoint }: SnippetRequest): boolean =>
  endpoint.parameters.every(({ name }) => name !== 'format');
