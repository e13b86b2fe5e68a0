import type { Endpoint } from '../../endpoint/endpoint.js';
import type { Row, TestCall } from './test-file.js';
import type { TestServer } from './test-server.js';

/** What a call got. */
export interface Received {
  readonly status: number;
  readonly headers: Headers;
  /** In base64 where the format is no text. */
  readonly body: string;
  /** The rows, where the call expects rows or columns and has them. */
  readonly rows?: readonly Row[];
  /** The names of the columns, where the call expects them. */
  readonly columns?: readonly string[];
}

/** Sends a call of a test to the gateway, as a client would: by GET, or by POST where a parameter is secret. */
export async function callEndpoint(
  server: TestServer,
  endpoint: Endpoint,
  call: TestCall,
): Promise<Received> {
  const { path, body: sent } = requestOf(endpoint, call);
  const response = await fetch(server.gateway.url + path, {
    headers: {
      ...(await server.credentials(call.pins)),
      ...(sent && { 'Content-Type': 'application/json' }),
    },
    ...(sent && { method: 'POST', body: JSON.stringify(sent) }),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const isText = /json|text\//.test(response.headers.get('content-type') ?? '');
  const body = bytes.toString(isText ? 'utf8' : 'base64');
  const received = { status: response.status, headers: response.headers, body };
  return response.ok && call.body === undefined ? { ...received, ...rowsIn(received) } : received;
}

/** The path of a call and, where a parameter is secret, the body of a POST. */
function requestOf(
  { name, parameters: declared }: Endpoint,
  { parameters = {}, columns }: TestCall,
): { readonly path: string; readonly body: object | undefined } {
  const isSecret = Object.keys(parameters).some((sent) => declared.get(sent)?.secret);
  const inUrl = new URLSearchParams();
  const inBody: Record<string, unknown> = {};
  for (const [sent, value] of Object.entries(parameters)) {
    if (isSecret && declared.has(sent)) inBody[sent] = value;
    else for (const text of [value].flat()) inUrl.append(sent, text);
  }
  // Only this format has the columns of a result without rows.
  if (columns && !inUrl.has('format')) inUrl.set('format', 'json-table');
  const query = inUrl.toString();
  const path = `/api/endpoints/query/${name}${query === '' ? '' : `?${query}`}`;
  return { path, body: isSecret ? inBody : undefined };
}

/** The rows of a response in `json` or `json-table`. */
function rowsIn({ headers, body }: Pick<Received, 'headers' | 'body'>): Pick<Received, 'rows' | 'columns'> {
  const type = headers.get('content-type') ?? '';
  if (!type.includes('json') || type.includes('ndjson')) return {};
  const { result, data, meta } = JSON.parse(withExactNumbers(body)) as {
    readonly result?: readonly Row[];
    readonly data?: readonly Row[];
    readonly meta?: readonly { readonly name: string }[];
  };
  const rows = result ?? data;
  return { ...(rows && { rows }), ...(meta && { columns: meta.map(({ name }) => name) }) };
}

/** A JSON text whose numbers with more digits than a number of JavaScript are texts. */
function withExactNumbers(json: string): string {
  return json.replaceAll(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (token) =>
    token.startsWith('"') || token.replaceAll(/\D/g, '').length < 16 ? token : `"${token}"`,
  );
}
