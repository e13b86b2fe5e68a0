import { toUSVString } from 'node:util';

import { hasSecretValue, revealedParameters, type BoundQuery } from '../../endpoint/bind.js';
import type { ParameterValue } from '../../endpoint/parameters/parameter.js';
import type { SettingLayers } from './query-settings.js';

/** Characters of all values above which they travel in the body: proxies in front of ClickHouse reject long URLs. */
const MAX_IN_URL = 4096;

/** Values as the client of ClickHouse takes them. */
type Revealed = ReturnType<typeof revealedParameters>;

/** A text and its bound values as they are sent: values in the query string, or all in a `multipart/form-data` body. */
export interface SentText {
  /** Of the query string, encoded. */
  readonly parameters: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Chooses how bound values travel: in the body where they are long, or one is secret, because a URL is in ClickHouse's own log.
 *
 * @param text the SQL with its FORMAT.
 * @param values of further parameters, in their escaped form.
 */
export function parametersOf(
  text: string,
  query: Pick<BoundQuery, 'parameters'>,
  values: Readonly<Record<string, string>> = {},
): SentText | Promise<SentText> {
  const revealed = revealedParameters(query);
  const parameters: Record<string, string> = {};
  for (const name in revealed) parameters[`param_${name}`] = formatted(revealed[name] ?? null);
  for (const name in values) parameters[`param_${name}`] = values[name] ?? '';
  const isInUrl = !hasSecretValue(query) && lengthOf(revealed) + lengthOf(values) <= MAX_IN_URL;
  return isInUrl ? { parameters: searchOf(parameters), body: text } : inBody(text, parameters);
}

async function inBody(text: string, parameters: Readonly<Record<string, string>>): Promise<SentText> {
  const form = new FormData();
  for (const [name, value] of Object.entries(parameters)) form.set(name, value);
  const encoded = new Response(form);
  const type = encoded.headers.get('content-type') ?? '';
  const body = Buffer.from(await encoded.arrayBuffer());
  return { parameters: searchOf({ query: text }), body, headers: { 'Content-Type': type } };
}

/**
 * A query string, with the value of the later layer where two have a name. `URLSearchParams`, which converts lists of pairs, takes
 * twice as long, and one object of all layers five times.
 */
export function searchOf(...layers: SettingLayers): string {
  const parameters = new Map<string, unknown>();
  for (const layer of layers) for (const name in layer) parameters.set(name, layer[name]);
  let search = '';
  for (const [name, value] of parameters)
    search += `${search === '' ? '' : '&'}${name}=${encodeURIComponent(toUSVString(String(value)))}`;
  return search;
}

function lengthOf(parameters: Revealed | Readonly<Record<string, string>>): number {
  return Object.values(parameters)
    .flat()
    .reduce<number>((sum, value) => sum + String(value).length, 0);
}

/** ClickHouse reads the value of a parameter in its escaped form, and the items of a list in single quotes. */
function formatted(value: ParameterValue | number | null): string {
  if (value === null) return String.raw`\N`;
  if (typeof value === 'number') return String(value);
  return typeof value === 'string'
    ? escaped(value)
    : `[${value.map((item) => `'${escaped(item)}'`).join(',')}]`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\t': String.raw`\t`,
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
  "'": String.raw`\'`,
  '\\': String.raw`\\`,
};

function escaped(text: string): string {
  return text.replaceAll(/[\t\n\r'\\]/g, (character) => ESCAPES[character] ?? character);
}
