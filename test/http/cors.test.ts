import { SECURITY_HEADERS } from '../../src/gateway/http/transport/every-response.js';
import { createTestGateway, GOOD_CALL, problemOf } from '../support/test-gateway.js';

const ORIGIN = 'https://dashboard.example';
const corsHeadersOf = (headers: object): readonly string[] =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'));

/** Headers that pages may read anyway (Fetch, 4.5.3) or do not need. */
const NOT_EXPOSED = new Set([
  ...[...SECURITY_HEADERS.keys()].map((text) => text.toLowerCase()),
  ...['cache-control', 'content-length', 'content-type', 'connection', 'date'],
]);

describe('CORS', () => {
  it('is off by default', async () => {
    const { get, agent } = await createTestGateway();
    expect(corsHeadersOf((await get(GOOD_CALL).set('Origin', ORIGIN)).headers)).toEqual([]);
    const preflight = await agent()
      .options(GOOD_CALL)
      .set({ Origin: ORIGIN, 'Access-Control-Request-Method': 'GET' });
    expect(corsHeadersOf(preflight.headers)).toEqual([]);
    expect(problemOf(preflight).code).toBe('API_KEY_MISSING');
  });

  it('lets pages of a configured origin read responses, errors and their headers', async () => {
    const { get } = await createTestGateway({ corsOrigins: ['https://other.example', ORIGIN] });
    const isMalformed = { 'Accept-Encoding': 'a'.repeat(5000) };
    for (const [url, more] of [
      [GOOD_CALL, {}],
      ['/api/endpoints/query/nothing', {}],
      [GOOD_CALL, isMalformed],
    ] as const) {
      const { headers } = await get(url).set({ Origin: ORIGIN, ...more });
      expect(headers['access-control-allow-origin']).toBe(ORIGIN);
      expect(headers['access-control-expose-headers']).toContain('X-Row-Count');
      expect(headers['access-control-expose-headers']).toContain('X-Request-Id');
      expect(headers['vary']).toContain('Origin');
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
    }
  });

  it.each([ORIGIN, 'https://not-configured.example', undefined])(
    'sets the same headers on a hit as on a miss, with the origin %s',
    async (origin) => {
      const { get } = await createTestGateway({ corsOrigins: ['https://other.example', ORIGIN] });
      const seen = [];
      for (const cache of ['MISS', 'HIT']) {
        const { headers } = await (origin === undefined
          ? get(GOOD_CALL)
          : get(GOOD_CALL).set('Origin', origin));
        expect(headers['x-cache']).toBe(cache);
        seen.push([headers['vary'], ...corsHeadersOf(headers).map((name) => [name, headers[name]])]);
      }
      expect(seen[1]).toEqual(seen[0]);
      expect(seen[0]?.[0]).toMatch(/^Origin, /);
    },
  );

  it.each([
    ['rows', `${GOOD_CALL}&intervall=daily`],
    ['a file', `${GOOD_CALL}&download=1`],
    ['a problem', '/api/endpoints/query/nothing'],
  ])('exposes every header of %s', async (_kind, url) => {
    const { get } = await createTestGateway({ corsOrigins: [ORIGIN] });
    const { headers } = await get(url).set({ Origin: ORIGIN, Prefer: 'wait=5' });
    const exposed = headers['access-control-expose-headers']?.toLowerCase().split(',');
    const names = Object.keys(headers).filter(
      (name) => !NOT_EXPOSED.has(name) && !name.startsWith('access-control-'),
    );
    expect(exposed).toEqual(expect.arrayContaining(names));
  });

  it('returns a response to a preflight, which carries no key', async () => {
    const { agent } = await createTestGateway({ corsOrigins: [ORIGIN] });
    const response = await agent().options(GOOD_CALL).set({
      Origin: ORIGIN,
      'Access-Control-Request-Method': 'GET',
      'Access-Control-Request-Headers': 'x-api-key,prefer',
    });
    expect(response.status).toBe(204);
    expect(response.headers['access-control-allow-origin']).toBe(ORIGIN);
    expect(response.headers['access-control-allow-headers']).toBe('x-api-key,prefer');
    expect(response.headers['access-control-allow-methods']).toBe('GET,HEAD,POST');
  });

  it.each(['https://evil.example', `${ORIGIN}.evil.example`, 'null', ORIGIN.toUpperCase()])(
    'does not let pages of %s read anything',
    async (origin) => {
      const { get } = await createTestGateway({ corsOrigins: [ORIGIN] });
      const { headers } = await get(GOOD_CALL).set('Origin', origin);
      expect(headers).not.toHaveProperty('access-control-allow-origin');
    },
  );
});
