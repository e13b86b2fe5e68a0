import type { Column, Endpoint, Values } from '../model/endpoint.js';
import { requestOf, secretsOf, type BodyReason } from '../model/request.js';

/** The placeholder for the key in every snippet. */
export const KEY_PLACEHOLDER = 'YOUR_API_KEY';

/** The placeholder for each secret value. */
export const SECRET_PLACEHOLDER = 'YOUR_VALUE';

/** The request that a snippet makes. */
export interface SnippetRequest {
  readonly endpoint: Pick<Endpoint, 'name' | 'parameters' | 'columns'>;
  /** In the form in which they are sent. */
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
  const required = endpoint.parameters.flatMap(({ name, required }) => (required ? [name] : []));
  const masked = secretsOf(endpoint.parameters)
    .filter((name) => values[name] !== undefined || required.includes(name))
    .map((name) => [name, SECRET_PLACEHOLDER] as const);
  const shown = { ...values, ...Object.fromEntries(masked) };
  const { body } = requestOf(endpoint, shown);
  return { endpoint, values: shown, base, ...(body && { body }) };
}

/** Path of an endpoint's calls, relative to the base URL. */
export const callPath = (endpoint: string): string => `api/endpoints/query/${encodeURIComponent(endpoint)}`;

/** The address of a request, without a key. */
export function urlOf({ endpoint, values, base }: SnippetRequest, more: Values = {}): string {
  const query = new URLSearchParams({ ...values, ...more }).toString();
  return `${base}${callPath(endpoint.name)}${query === '' ? '' : `?${query}`}`;
}

export const entries = (values: Values): readonly (readonly [string, string])[] => Object.entries(values);

/** The kinds of columns that other tools distinguish. */
export function kindOf({ type }: Column): 'time' | 'number' | 'text' {
  if (/^(Nullable\()?Date/.test(type)) return 'time';
  return /^(Nullable\()?(U?Int|Float|Decimal)/.test(type) ? 'number' : 'text';
}

/** Whether `format` chooses the representation; false where the endpoint declares a parameter of that name. */
export const takesFormat = ({ endpoint }: SnippetRequest): boolean =>
  endpoint.parameters.every(({ name }) => name !== 'format');
