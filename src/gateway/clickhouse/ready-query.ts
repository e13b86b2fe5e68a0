import { randomInt } from 'node:crypto';
import { toUSVString } from 'node:util';

import { hasSecretValue, revealedParameters, type BoundQuery } from '../../endpoint/bind.js';
import type { ClickHouseFormat } from '../formats/format.js';
import type { QueryRequest } from '../query/ports.js';
import type { ReadyQuery } from './query-connections.js';
import type { SettingLayers } from './query-settings.js';
import type { ParameterValue } from '../../endpoint/parameters/parameter.js';

/** Number of query id suffixes, which have eight hexadecimal digits. Node.js takes random integers from a pool. */
const QUERY_ID_RANGE = 2 ** 32;

/** A query with its format and its settings. */
interface QueryToSend {
  readonly bound: BoundQuery;
  readonly format: ClickHouseFormat;
  readonly settings: SettingLayers;
  readonly request: QueryRequest;
  /** Values of parameters that the client sent, in ClickHouse's escaped form. */
  readonly values?: Readonly<Record<string, string>>;
}

/** Renders a query with a unique id for ClickHouse's HTTP interface. */
export async function readyQuery({
  bound,
  format,
  settings,
  request,
  values,
}: QueryToSend): Promise<ReadyQuery & { readonly queryId: string }> {
  const { requestId, signal, traceHeaders, onResponse, data } = request;
  // Two callers may send the same request id at the same time, but ClickHouse requires unique ids.
  const queryId = `${requestId}-${randomInt(QUERY_ID_RANGE).toString(16).padStart(8, '0')}`;
  // The filters are in the text, because the names of thousands of data parts are too long for the URLs that some proxies accept.
  const ofData = data ? `, additional_table_filters = ${data.tableFilters}` : '';
  // ClickHouse ignores a value in the URL that equals the user's own, and then uses the setting of a Distributed table.
  const skips = Number(lastOf(settings, 'skip_unavailable_shards') ?? 0);
  const text = `${bound.text}\nFORMAT ${format.name}\nSETTINGS skip_unavailable_shards = ${skips}${ofData}`;
  const { parameters, body, headers } = await parametersOf(text, bound, values);
  // `log_comment` marks only the queries that run for a request. `settings` must not have it, because DESCRIBE uses them too.
  const own = searchOf(...settings, format.settings, { log_comment: requestId, query_id: queryId });
  return {
    queryId,
    search: parameters === '' ? own : `${own}&${parameters}`,
    body,
    headers: { ...traceHeaders, ...headers },
    signal,
    onResponse,
  };
}

/** Value of one setting. One object of all layers would take much longer. */
const lastOf = (layers: SettingLayers, name: string): unknown =>
  layers.findLast((layer) => layer?.[name] !== undefined)?.[name];

/** Maximum length of all values in the URL. Longer ones are in the body, because proxies in front of ClickHouse reject long URLs. */
const MAX_IN_URL = 4096;

/** A text with its bound values. The values are in the query string, or all in a `multipart/form-data` body. */
interface SentText {
  /** Parameters for the query string, encoded. */
  readonly parameters: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Puts bound values into the URL. Long values and secrets go into the body, because URLs have a maximum length and ClickHouse logs them.
 *
 * @param text the SQL with its FORMAT.
 * @param values values of parameters that the client sent, in their escaped form.
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
  let length = 0;
  for (const name in parameters) length += parameters[name]?.length ?? 0;
  const isInUrl = length <= MAX_IN_URL && !hasSecretValue(query);
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
 * Query string of several layers. If two have the same name, the later one applies. `URLSearchParams`, which converts lists of pairs, would
 * take twice as long, and one object of all layers five times.
 */
export function searchOf(...layers: SettingLayers): string {
  const parameters = new Map<string, unknown>();
  for (const layer of layers) for (const name in layer) parameters.set(name, layer[name]);
  let search = '';
  for (const [name, value] of parameters)
    search += `${search === '' ? '' : '&'}${name}=${encodeURIComponent(toUSVString(String(value)))}`;
  return search;
}

/** Value of a parameter in ClickHouse's escaped form. The items of a list are in single quotes. */
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
