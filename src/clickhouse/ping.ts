import { once } from 'node:events';
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';

/**
 * Asks a ClickHouse server whether it is there, each time on a new connection: the client's own may all be taken by
 * queries.
 *
 * @returns whether it says so; a rejection, also when the signal is aborted, is a no.
 */
export function createPing(url: string): (signal: AbortSignal) => Promise<boolean> {
  const target = new URL(url);
  target.pathname = `${target.pathname.replace(/\/$/, '')}/ping`;
  target.username = '';
  target.password = '';
  const request = target.protocol === 'https:' ? requestHttps : requestHttp;
  return async (signal) => {
    const asking = request(target, { agent: false, signal });
    // After the answer nobody else listens.
    asking.on('error', () => undefined);
    asking.end();
    const [answer] = (await once(asking, 'response')) as [IncomingMessage];
    answer.on('error', () => undefined);
    answer.resume();
    return answer.statusCode === 200;
  };
}
