import { once } from 'node:events';
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';

import type { SendRequest } from '../gateway.js';

/**
 * Like `fetch`, but without its timeout of five minutes: ClickHouse can take longer to find the first row of an export. The body is
 * not compressed, and fails where the response is aborted.
 */
export const patientFetch: SendRequest = async (target, { method = 'GET', headers, body, signal }) => {
  const url = new URL(target);
  const start = url.protocol === 'https:' ? requestHttps : requestHttp;
  const sent = start(url, {
    method,
    headers: Object.fromEntries(new Headers(headers)),
    ...(signal && { signal }),
  });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return new Response(Readable.toWeb(response) as ReadableStream, {
    status: response.statusCode ?? 0,
    headers: new Headers(Object.entries(response.headers).map(([name, value]) => [name, String(value)])),
  });
};
