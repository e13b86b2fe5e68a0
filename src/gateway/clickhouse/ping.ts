import { once } from 'node:events';
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';

/**
 * Creates a function that pings a ClickHouse server. Each ping uses a new connection, because queries may occupy all of the client's.
 *
 * @param onDate called with the `Date` of each response; milliseconds since 1970.
 * @returns whether the server responds with 200. Rejects when it is unreachable or the signal is aborted.
 */
export function createPing(
  url: string,
  onDate?: (date: number) => void,
): (signal: AbortSignal) => Promise<boolean> {
  const target = new URL(url);
  target.pathname = `${target.pathname.replace(/\/$/, '')}/ping`;
  target.username = '';
  target.password = '';
  const sendRequest = target.protocol === 'https:' ? requestHttps : requestHttp;
  return async (signal) => {
    const request = sendRequest(target, { agent: false, signal });
    // After the response nothing else handles errors.
    request.on('error', () => undefined);
    request.end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.on('error', () => undefined);
    response.resume();
    onDate?.(Date.parse(response.headers.date ?? ''));
    return response.statusCode === 200;
  };
}
