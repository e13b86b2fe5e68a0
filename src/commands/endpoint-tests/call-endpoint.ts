import { parse } from 'lossless-json';

import { asRecord } from '../../endpoint/as-record.js';
import type { Endpoint } from '../../endpoint/endpoint.js';
import { bodyOf, urlOf } from '../cli/call/request-endpoint.js';
import type { Row, TestCall } from './test-file.js';
import type { TestServer } from './test-server.js';

/** What a call got. */
export interface Received {
  readonly status: number;
  readonly headers: Headers;
  /** Body of the response; in base64 where the format is not text. */
  readonly body: string;
  /** The rows, where the call expects rows or columns and has them. */
  readonly rows?: readonly Row[];
  /** The names of the columns, where the call expects them. */
  readonly columns?: readonly string[];
  /** The problem document of an error; empty where the body is not one. */
  readonly problem?: Readonly<Record<string, unknown>>;
}

/** Sends a call of a test to the gateway, as a client would: by GET, or by POST where a parameter is secret. */
export async function sendTestCall(
  server: TestServer,
  endpoint: Endpoint,
  call: TestCall,
): Promise<Received> {
  const { name, parameters: declared } = endpoint;
  const parameters = new Map(Object.entries(call.parameters ?? {}));
  // Only this format has the columns of a result without rows.
  if (call.columns && !parameters.has('format')) parameters.set('format', 'json-table');
  const post = [...parameters.keys()].some((sent) => declared.get(sent)?.secret);
  const sent = { endpoint: name, parameters, post };
  const credentials = await server.credentials(call.pins);
  const response = await fetch(
    urlOf(server.gateway.url, sent),
    post
      ? {
          method: 'POST',
          headers: { ...credentials, 'Content-Type': 'application/json' },
          body: bodyOf(sent),
        }
      : { headers: credentials },
  );
  const bytes = Buffer.from(await response.arrayBuffer());
  const isText = /json|text\//.test(response.headers.get('content-type') ?? '');
  const body = bytes.toString(isText ? 'utf8' : 'base64');
  const received = { status: response.status, headers: response.headers, body };
  if (!response.ok) return { ...received, problem: asRecord(parsed(body)) };
  return call.body === undefined ? { ...received, ...rowsIn(received) } : received;
}

/** A body of an error, which is JSON where the gateway wrote it. */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** The rows of a response in `json` or `json-table`. */
function rowsIn({ headers, body }: Pick<Received, 'headers' | 'body'>): Pick<Received, 'rows' | 'columns'> {
  const type = headers.get('content-type') ?? '';
  if (!type.includes('json') || type.includes('ndjson')) return {};
  const { result, data, meta } = parseExactly(body) as {
    readonly result?: readonly Row[];
    readonly data?: readonly Row[];
    readonly meta?: readonly { readonly name: string }[];
  };
  const rows = result ?? data;
  return { ...(rows && { rows }), ...(meta && { columns: meta.map(({ name }) => name) }) };
}

/** The value of a JSON text, with texts in place of numbers that have more digits than a number of JavaScript. */
export function parseExactly(json: string): unknown {
  return parse(json, undefined, {
    parseNumber: (text) => (text.replaceAll(/\D/g, '').length < 16 ? Number(text) : text),
    onDuplicateKey: ({ newValue }) => newValue,
  });
}
