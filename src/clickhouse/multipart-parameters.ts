import { Readable } from 'node:stream';

import { hasSecretValue, revealedParameters, type BoundQuery } from '../endpoint/bind.js';
import type { ParameterValue } from '../endpoint/parameters/parameter.js';

/** Characters of all values above which they travel in the body: proxies in front of ClickHouse reject long URLs. */
const MAX_IN_URL = 4096;

/** Values as the client of ClickHouse takes them. */
type Revealed = ReturnType<typeof revealedParameters>;

/** The bound values of a query, for `exec` of the client: in the URL, or as a `multipart/form-data` body. */
export interface SentParameters {
  readonly query_params?: Revealed;
  readonly values?: Readable;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Chooses how bound values travel: in the body where they are long, or one is secret, because a URL is in ClickHouse's own log.
 * The switches of the client for this hold for its `query` only, which has no summary and no binary formats.
 */
export async function sendParameters(query: Pick<BoundQuery, 'parameters'>): Promise<SentParameters> {
  const parameters = revealedParameters(query);
  if (!hasSecretValue(query) && lengthOf(parameters) <= MAX_IN_URL) return { query_params: parameters };
  const form = new FormData();
  for (const [name, value] of Object.entries(parameters)) form.set(`param_${name}`, formatted(value));
  const encoded = new Response(form);
  const type = encoded.headers.get('content-type') ?? '';
  const body = Buffer.from(await encoded.arrayBuffer());
  return { values: Readable.from([body], { objectMode: false }), headers: { 'Content-Type': type } };
}

function lengthOf(parameters: Revealed): number {
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
