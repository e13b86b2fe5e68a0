import { CALL_PARAMETERS, NUMBERS_PARAMETER } from '../../src/endpoint/reserved.js';
import type { Environment } from '../../src/gateway/config/config.js';
import { AccessGateway, keyNamed, type KeyRights } from '../support/access-gateway.js';
import { textOf } from '../support/documentation.js';
import { outcomeOf, type NetworkRequest } from '../support/network-request.js';
import { LINK_SECRET } from '../support/test-credentials.js';
import { openForEach } from '../support/opened.js';

const INVALID = '401 API_KEY_INVALID';

const KEYS: KeyRights = {
  owner: {},
  tenant: { fixed: { project: 'aurora' } },
  brief: { expires: '2026-05-17T10:05:33Z' },
  office: { addresses: ['203.0.113.0/24'] },
  limited: { limits: { requests: { quota: 2, window: 60 } } },
};

const gateway = openForEach(() => AccessGateway.open({ keys: KEYS, environment: { LINK_SECRET } }));

/** A link to the stations of a project, valid for a minute. */
const linkOf = (
  name: string,
  parameters: Readonly<Record<string, string>> = { project: 'aurora', interval: '1hr' },
  endpointName = 'functions.invocation-stats',
): string => {
  const { links, keys } = gateway.access;
  const key = keys.findByName(name);
  const found = gateway.endpoints.find(endpointName);
  if (!links || !key || !found) throw new Error('signed links are not configured');
  const nowMs = gateway.clock.milliseconds;
  const order = { endpoint: found, parameters: new Map(Object.entries(parameters)), key, nowMs };
  return links.sign({ ...order, expiresAtMs: nowMs + 60_000 });
};
const open = async (target: string, more: NetworkRequest = {}): Promise<string> =>
  outcomeOf(await gateway.send('', target, more));
type Change = readonly [method: 'set' | 'append' | 'delete', name: string, value?: string];
const changed = (link: string, [method, name, value = '']: Change): string => {
  const [path = '', query = ''] = link.split('?');
  const parameters = new URLSearchParams(query);
  if (method === 'delete') parameters.delete(name);
  else parameters[method](name, value);
  return `${path}?${parameters.toString()}`;
};

describe('a signed link', () => {
  it('authorizes GET and HEAD of its endpoint with its parameters, and allows 304', async () => {
    const link = linkOf('owner');
    const response = await gateway.send('', link);
    expect(outcomeOf(response)).toBe('200');
    expect(await open(link, { method: 'HEAD' })).toBe('200');
    const headers = { 'If-None-Match': String(response.headers.etag) };
    expect(await open(link, { headers })).toBe('304');
    expect(gateway.runQuery.requests).toHaveLength(1);
  });

  it('stays valid with its parameters in another order and with undeclared names', async () => {
    const link = linkOf('owner');
    const [path = '', query = ''] = link.split('?');
    const reversed = `${path}?${query.split('&').reverse().join('&')}`;
    expect(await open(reversed)).toBe('200');
    expect(await open(`${link}&utm_campaign=x&_=1`)).toBe('200');
    expect(gateway.runQuery.requests).toHaveLength(1);
  });

  it('has one signature for a list, whether it is repeated or has commas', async () => {
    const link = linkOf('owner', { event_ids: 'a,b,c' }, 'get-grouped-stats-events-logs');
    expect(link).toContain('event_ids=a%2Cb%2Cc');
    expect(await open(link.replace('event_ids=a%2Cb%2Cc', 'event_ids=a&event_ids=b%2Cc'))).toBe('200');
    expect(await open(link)).toBe('200');
    expect(gateway.runQuery.requests).toHaveLength(1);
    expect(await open(link.replace('event_ids=a%2Cb%2Cc', 'event_ids=a&event_ids=b'))).toBe(INVALID);
    expect(await open(`${link}&event_ids=d`)).toBe(INVALID);
  });

  it('lets its holder demand a complete result', async () => {
    gateway.runQuery.returnRows([{ n: 1 }], true);
    const link = `${linkOf('tenant', { interval: '1hr' })}&complete=1`;
    expect(await open(link)).toBe('422 RESULT_TRUNCATED');
    // Another parameter would make the link invalid.
    expect((await gateway.send('', link)).text).toContain('Ask for a link to fewer rows; without complete=1');
  });

  it('lets its holder read ranges, each of which counts as a request of the key', async () => {
    const headers = { Range: 'bytes=0-9' };
    const { status, text } = await gateway.send('', linkOf('limited'), { headers });
    expect([status, text]).toEqual([206, '{"result":']);
    expect(await open(linkOf('limited'), { headers })).toBe('206');
    expect(await open(linkOf('limited'), { headers })).toBe('429 LIMIT_EXCEEDED');
    expect(gateway.runQuery.requests).toHaveLength(1);
  });

  it('lets its holder choose how the rows are written', async () => {
    const link = linkOf('owner');
    const response = await gateway.send('', `${link}&format=CSV&csv_safe=1&download=1`);
    expect(outcomeOf(response)).toBe('200');
    expect(response.headers['content-type']).toMatch(/^text\/csv/);
    expect(response.headers['content-disposition']).toMatch(
      /^attachment; filename="?functions\.invocation-stats-/,
    );
    expect(gateway.runQuery.onlyRequest.representation?.name).toBe('csv;formula-safe');
    expect(await open(`${link}&format=unknown`)).toBe('400 INVALID_PARAMETERS');
  });

  it('lets its holder add what docs/how-to/hand-out-keys.md lists, which is all but the key and an export', async () => {
    const text = await textOf('docs/how-to/hand-out-keys.md');
    const [, list = ''] = /The caller may add ([^;]*);/.exec(text) ?? [];
    const listed = [...list.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
    const own = [...CALL_PARAMETERS, NUMBERS_PARAMETER];
    expect(listed).toEqual(own.filter((name) => name !== 'api_key' && name !== 'export'));
    for (const name of listed) expect(await open(`${linkOf('owner')}&${name}=x`)).toMatch(/^400 /);
    expect(await open(`${linkOf('owner')}&export=1`)).toBe(INVALID);
  });

  it.each<Required<Change>>([
    ['set', 'project', 'boreal'],
    ['append', 'project', 'boreal'],
    ['set', 'sql', 'SELECT 1'],
    ['append', 'link_expires', '9999999999'],
    ['delete', 'link_key', ''],
    ['set', 'link_key', 'nobody'],
    ['set', 'link_signature', ''],
  ])('is invalid after %s of %s', async (...change: Change) => {
    const link = linkOf('owner');
    const tampered = changed(link, change);
    expect(tampered).not.toBe(link);
    for (const via of ['slow path', 'fast path'] as const) {
      expect(outcomeOf(await gateway.send('', tampered, { via }))).toBe(INVALID);
      expect((await gateway.send('', tampered, { via, method: 'HEAD' })).status).toBe(401);
    }
    expect(gateway.runQuery.requests).toEqual([]);
  });

  it('without its signature is a request without a key', async () => {
    const unsigned = changed(linkOf('owner'), ['delete', 'link_signature']);
    expect(await open(unsigned)).toBe('401 API_KEY_MISSING');
  });

  it('authorizes nothing else: no other endpoint, no list, no description', async () => {
    const [, query = ''] = linkOf('owner').split('?');
    for (const path of [
      '/api/endpoints',
      '/api/endpoints/functions.invocation-stats',
      '/api/endpoints/query/logs.all',
      '/api/endpoints/query/usage.api-counts',
      '/api/endpoints/query/nothing',
      '/api/endpoints/query/%FF',
    ]) {
      expect([path, await open(`${path}?${query}`)]).toEqual([path, INVALID]);
    }
  });

  it('expires, for a cached result as well', async () => {
    const link = linkOf('owner');
    gateway.clock.advance(59);
    expect(await open(link)).toBe('200');
    gateway.clock.advance(1);
    expect(await open(link)).toBe(INVALID);
  });

  it('becomes invalid when its key is removed', async () => {
    const link = linkOf('brief');
    expect(await open(link)).toBe('200');
    gateway.clock.advance(30);
    expect(await open(link)).toBe(INVALID);
  });

  it('applies the parameters that its key pins', async () => {
    expect(await open(linkOf('tenant', { interval: '1hr' }))).toBe('200');
    expect(Object.values(gateway.runQuery.onlyRequest.query.parameters)).toContain('aurora');
    expect(() => linkOf('tenant', { project: 'boreal' })).toThrow();
    // A pinned parameter that the link omits has its value all the same, and cannot be changed.
    const other = changed(linkOf('tenant', { interval: '1hr' }), ['set', 'project', 'boreal']);
    expect(await open(other)).toBe(INVALID);
  });

  it('has its key’s addresses, and shares its key’s limits', async () => {
    expect(await open(linkOf('office'))).toBe('403 FORBIDDEN');
    expect(await open(linkOf('limited'))).toBe('200');
    expect(outcomeOf(await gateway.send('limited', '/api/endpoints'))).toBe('200');
    expect(await open(linkOf('limited'))).toBe('429 LIMIT_EXCEEDED');
  });

  it('may not bypass the cache, and does not replace an invalid key', async () => {
    const link = linkOf('owner');
    await open(link);
    expect(await open(link, { headers: { 'Cache-Control': 'no-cache' } })).toBe('200');
    expect(gateway.runQuery.requests).toHaveLength(1);
    expect(await open(link, { headers: { 'X-API-KEY': 'qg_unknown' } })).toBe(INVALID);
    expect(await open(`${link}&api_key=${keyNamed('owner')}`)).toBe(INVALID);
  });

  it.each<[string, Environment]>([
    ['no secret', {}],
    ['another secret', { LINK_SECRET: `${LINK_SECRET}, and another` }],
  ])('is invalid at a gateway with %s', async (_what, environment) => {
    const link = linkOf('owner');
    const other = await AccessGateway.open({ keys: KEYS, environment });
    try {
      expect(outcomeOf(await other.send('', link))).toBe(INVALID);
    } finally {
      await other.close();
    }
  });
});
