import { addressSet } from '../../src/gateway/auth/address-set.js';
import { resultOf } from './fake-run-query.js';
import { RawClient, RawGateway, type RawGatewayOptions } from './raw-gateway.js';
import { sampleEndpoint } from './sample-endpoint.js';

const URL = '/api/endpoints/query/cached?city=Rome';
export const getOf = (key: string, lines = ''): string =>
  `GET ${URL} HTTP/1.1\r\nHost: gateway\r\nX-API-KEY: ${key}\r\n${lines}\r\n`;
export const GET = getOf('qg_plain');
const PRINCIPALS = {
  qg_plain: { name: 'plain', mayBypassCache: false },
  qg_limited: { name: 'limited', mayBypassCache: false, limits: { requests: { quota: 4, window: 60 } } },
  qg_addressed: { name: 'addressed', mayBypassCache: false, addresses: addressSet(['192.0.2.0/24']) },
  qg_expiring: {
    ...{ name: 'expiring', mayBypassCache: false },
    expiresAt: Date.parse('2026-05-17T10:05:13.000Z'),
  },
};

/** Requests of {@link GET} before those of a test. */
export const SENT_BEFORE = 2;

/** Runs a test's body with a gateway whose cache has the result of URL, and that knows the header block of GET. */
export async function withRawHits(
  use: (gateway: RawGateway) => Promise<void>,
  options: Partial<RawGatewayOptions> & { readonly rows?: number } = {},
): Promise<void> {
  const { rows = 3, ...others } = options;
  const endpoints = [sampleEndpoint({ name: 'cached', caching: 60 })];
  const gateway = new RawGateway({ endpoints, principals: PRINCIPALS, ...others });
  gateway.runQuery.respondWith(() =>
    Promise.resolve(resultOf(Array.from({ length: rows }, () => ({ text: 'x'.repeat(1000) })))),
  );
  await gateway.listen();
  try {
    const first = new RawClient(gateway);
    for (let sent = 0; sent < SENT_BEFORE; sent += 1) await first.ask(GET);
    first.socket.destroy();
    gateway.raw = 0;
    await use(gateway);
  } finally {
    await gateway.close();
  }
}
