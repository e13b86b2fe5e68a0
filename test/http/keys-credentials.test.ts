import { keyNamed, withAccess, type AccessGateway, type KeyRights } from '../support/access-gateway.js';
import { outcomeOf } from '../support/network-request.js';

const STATS = '/api/endpoints/query/functions.invocation-stats?project=a';
const FORBIDDEN = '403 FORBIDDEN';

const KEYS: KeyRights = {
  anywhere: {},
  here: { addresses: ['127.0.0.0/8', '::1'] },
  office: { addresses: ['203.0.113.0/24', '2001:db8::/32'] },
  brief: { expires: '2026-05-17T10:05:13Z' },
  past: { expires: '2026-05-17' },
  inUrls: { mayUseQueryString: true },
  inUrlsPinned: { mayUseQueryString: true, fixed: { project: 'aurora' } },
  inUrlsBrief: { mayUseQueryString: true, expires: '2026-05-17T10:05:13Z' },
};

const open = (
  use: (gateway: AccessGateway) => Promise<void>,
  environment: Readonly<Record<string, string>> = {},
): Promise<void> => withAccess({ keys: KEYS, environment }, use);

describe('API_KEY', () => {
  it('is accepted in the query string, because it has every right', async () => {
    await open(
      async (gateway) => {
        expect(outcomeOf(await gateway.send('', `${STATS}&api_key=every-right`))).toBe('200');
        expect(outcomeOf(await gateway.send('', `${STATS}&api_key=every-right&api_key=every-right`))).toBe(
          '401 API_KEY_INVALID',
        );
      },
      { API_KEY: 'every-right' },
    );
  });
});

describe('a key with addresses', () => {
  const from = async (gateway: AccessGateway, name: string, forwarded?: string): Promise<string> => {
    const headers = forwarded === undefined ? {} : { 'X-Forwarded-For': forwarded };
    return outcomeOf(await gateway.send(name, STATS, { headers }));
  };

  it('may be used from those addresses only', async () => {
    await open(async (gateway) => {
      expect(await from(gateway, 'here')).toBe('200');
      expect(await from(gateway, 'office')).toBe(FORBIDDEN);
      expect(gateway.runQuery.requests).toHaveLength(1);
    });
  });

  it.each(['203.0.113.7', '203.0.113.7, 127.0.0.1', '2001:db8::1', '::ffff:203.0.113.7'])(
    'is not accepted because of X-Forwarded-For: %s, if no proxy is trusted',
    (forwarded) =>
      open(async (gateway) => {
        expect(await from(gateway, 'office', forwarded)).toBe(FORBIDDEN);
        expect(await from(gateway, 'here', forwarded)).toBe('200');
        for (const header of ['X-Real-IP', 'Forwarded', 'True-Client-IP']) {
          const headers = { [header]: header === 'Forwarded' ? `for=${forwarded}` : forwarded };
          expect(outcomeOf(await gateway.send('office', STATS, { headers }))).toBe(FORBIDDEN);
        }
      }),
  );

  it.each([
    ['203.0.113.7', '200', FORBIDDEN],
    ['2001:db8::1', '200', FORBIDDEN],
    ['::ffff:203.0.113.7', '200', FORBIDDEN],
    ['198.51.100.1', FORBIDDEN, FORBIDDEN],
    // The last address is what the proxy saw; the client wrote everything before it.
    ['203.0.113.7, 198.51.100.1', FORBIDDEN, FORBIDDEN],
    ['198.51.100.1, 203.0.113.7', '200', FORBIDDEN],
    ['127.0.0.1, 203.0.113.7', '200', FORBIDDEN],
    ['203.0.113.7, 127.0.0.1', '200', FORBIDDEN],
    ['no address', FORBIDDEN, FORBIDDEN],
    ['203.0.113.7:1234', FORBIDDEN, FORBIDDEN],
    ['127.0.0.1', FORBIDDEN, '200'],
  ])('is checked against the address that a trusted proxy forwards: %s', (forwarded, office, here) =>
    open(
      async (gateway) => {
        expect(await from(gateway, 'office', forwarded)).toBe(office);
        expect(await from(gateway, 'here', forwarded)).toBe(here);
      },
      { TRUST_PROXY: '127.0.0.1' },
    ),
  );

  it('is checked for each request, cached or not', async () => {
    await open(
      async (gateway) => {
        for (let times = 0; times < 3; times += 1)
          expect(await from(gateway, 'office', '203.0.113.7')).toBe('200');
        expect(await from(gateway, 'office', '198.51.100.1')).toBe(FORBIDDEN);
        expect(await from(gateway, 'anywhere', '198.51.100.1')).toBe('200');
        expect(gateway.runQuery.requests).toHaveLength(1);
      },
      { TRUST_PROXY: 'loopback' },
    );
  });
});

describe('a key that expires', () => {
  it('is valid until its expiry and no longer, for cached results as well', async () => {
    await open(async (gateway) => {
      for (const via of ['slow path', 'fast path', 'fast path'] as const)
        expect((await gateway.send('brief', STATS, { via })).status).toBe(200);
      expect(gateway.servedOnFastPath).toBe(2);
      gateway.clock.advance(9.999);
      expect((await gateway.send('brief', STATS)).status).toBe(200);
      gateway.clock.advance(0.001);
      for (const via of ['slow path', 'fast path'] as const)
        expect(outcomeOf(await gateway.send('brief', STATS, { via }))).toBe('401 API_KEY_INVALID');
      expect((await gateway.send('anywhere', STATS)).status).toBe(200);
      expect(gateway.servedOnFastPath).toBe(4);
    });
  });

  it('is rejected on its first use if it has expired by then', async () => {
    await open(async (gateway) => {
      for (const target of [STATS, '/api/endpoints', '/api/endpoints/query/nothing'])
        expect(outcomeOf(await gateway.send('past', target))).toBe('401 API_KEY_INVALID');
    });
  });
});

describe('a key in the query string', () => {
  const inUrl = (name: string, more = ''): string => `${STATS}&api_key=${keyNamed(name)}${more}`;

  it('authenticates as in a header, for the list and HEAD as well, if it has mayUseQueryString', async () => {
    await open(async (gateway) => {
      expect(outcomeOf(await gateway.send('', inUrl('inUrls')))).toBe('200');
      expect((await gateway.send('', inUrl('inUrls'), { method: 'HEAD' })).status).toBe(200);
      expect((await gateway.send('', `/api/endpoints?api_key=${keyNamed('inUrls')}`)).status).toBe(200);
      const encoded = inUrl('inUrls').replace('api_key=q', '%61pi_key=%71');
      expect(outcomeOf(await gateway.send('', encoded))).toBe('200');
    });
  });

  it.each([
    ['whose key does not allow that', inUrl('anywhere')],
    ['that is unknown', inUrl('nobody')],
    ['sent twice', inUrl('inUrls', `&api_key=${keyNamed('inUrls')}`)],
    ['sent twice, once invalid', inUrl('inUrls', '&api_key=x')],
    ['that is empty', `${STATS}&api_key=`],
    ['that cannot be decoded', `${STATS}&api_key=%FF`],
  ])('%s returns 401', (_what, target) =>
    open(async (gateway) => {
      expect(outcomeOf(await gateway.send('', target))).toBe('401 API_KEY_INVALID');
    }),
  );

  it('does not replace an invalid key in a header, and does not affect a valid one', async () => {
    await open(async (gateway) => {
      const bad = await gateway.send('nobody', inUrl('inUrls'));
      expect(outcomeOf(bad)).toBe('401 API_KEY_INVALID');
      expect(outcomeOf(await gateway.send('anywhere', inUrl('nobody')))).toBe('200');
    });
  });

  it('applies the key’s pinned parameters and expiry', async () => {
    await open(async (gateway) => {
      expect(outcomeOf(await gateway.send('', inUrl('inUrlsPinned')))).toBe(FORBIDDEN);
      expect(outcomeOf(await gateway.send('', inUrl('inUrlsBrief')))).toBe('200');
      gateway.clock.advance(10);
      expect(outcomeOf(await gateway.send('', inUrl('inUrlsBrief')))).toBe('401 API_KEY_INVALID');
    });
  });

  it('is never served on the fast path, which would store the URL', async () => {
    await open(async (gateway) => {
      for (let times = 0; times < 3; times += 1) await gateway.send('', inUrl('inUrls'));
      expect([gateway.servedOnFastPath, gateway.runQuery.requests.length]).toEqual([0, 1]);
    });
  });
});

describe('API_KEY', () => {
  it.each([
    ['shorter than 16 characters causes a warning at start-up', 'fifteen-letters', ['warn']],
    ['of 16 characters causes no warning', 'sixteen-letters.', []],
  ])('%s, and is never logged', async (_what, key, levels) => {
    await open(
      (gateway) => {
        const { lines } = gateway.logger;
        expect(lines.map(({ level }) => level)).toEqual(levels);
        expect(lines.every(({ message }) => message.includes('API_KEY is too short'))).toBe(true);
        expect(JSON.stringify(lines)).not.toContain(key);
        return Promise.resolve();
      },
      { API_KEY: key },
    );
  });
});
