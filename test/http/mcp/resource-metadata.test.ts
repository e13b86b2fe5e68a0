import {
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
  selectResourceURL,
  type OAuthClientProvider,
} from '@modelcontextprotocol/client';

import type { Environment } from '../../../src/gateway/config/config.js';
import { withAccess, type AccessGateway } from '../../support/access-gateway.js';
import { outcomeOf, type NetworkResponse } from '../../support/network-request.js';
import { sampleEndpoint } from '../../support/sample-endpoint.js';

const ISSUER = 'https://login.example/tenant-7/';
const TOKENS = { JWT_SECRET: 'a secret for tokens in tests, long enough', JWT_ISSUER: ISSUER };
const ROOT = '/.well-known/oauth-protected-resource';
const PATH = `${ROOT}/mcp`;
const HOST = 'gateway.example.com:8443';

type Headers = Readonly<Record<string, string>>;

const open = (use: (gateway: AccessGateway) => Promise<void>, environment: Environment = {}): Promise<void> =>
  withAccess(
    { endpoints: [sampleEndpoint()], keys: { all: {} }, environment: { ...TOKENS, ...environment } },
    use,
  );
const get = (gateway: AccessGateway, headers: Headers = {}, path = PATH): Promise<NetworkResponse> =>
  gateway.send('', path, { headers });
const resourceIn = ({ text }: NetworkResponse): unknown =>
  (JSON.parse(text) as { readonly resource: unknown }).resource;
const challengeOf = async (gateway: AccessGateway, headers: Headers = {}): Promise<string | undefined> => {
  const response = await gateway.send('', '/mcp', { method: 'POST', headers });
  expect(response.status).toBe(401);
  return response.headers['www-authenticate'];
};

describe('the metadata of the protected resource', () => {
  it.each([PATH, ROOT, `${PATH}?tag=shop`])('is at %s, without a key', (path) =>
    open(async (gateway) => {
      const { status, headers, text } = await get(gateway, { Host: HOST }, path);
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'private, max-age=300',
      });
      expect(JSON.parse(text)).toEqual({
        resource: `http://${HOST}/mcp`,
        authorization_servers: [ISSUER],
        bearer_methods_supported: ['header'],
        resource_name: 'Querygate',
      });
    }),
  );

  it.each([PATH, ROOT])('accepts GET and HEAD at %s, and returns 405 to others', (path) =>
    open(async (gateway) => {
      expect((await gateway.send('', path, { method: 'HEAD' })).status).toBe(200);
      for (const method of ['POST', 'DELETE', 'OPTIONS']) {
        const response = await gateway.send('', path, { method });
        expect(response.status).toBe(405);
        expect(response.headers.allow).toBe('GET, HEAD');
      }
    }),
  );

  it('is readable for pages of a listed origin only, as every response', () =>
    open(
      async (gateway) => {
        const allowed = async (Origin: string): Promise<unknown> =>
          (await get(gateway, { Origin })).headers['access-control-allow-origin'];
        expect(await allowed('https://agent.example')).toBe('https://agent.example');
        expect(await allowed('https://evil.example')).toBeUndefined();
      },
      { CORS_ORIGINS: 'https://agent.example' },
    ));

  it.each<[string, Environment]>([
    ['no tokens are configured', { JWT_SECRET: '', JWT_ISSUER: '' }],
    ['MCP is off', { MCP: 'off' }],
    ['the issuer is no URL', { JWT_ISSUER: 'our-app' }],
    ['the issuer is a URL of another scheme', { JWT_ISSUER: 'urn:example:app' }],
    ['the issuer has a query', { JWT_ISSUER: 'https://login.example?tenant=7' }],
    ['the issuer has a fragment', { JWT_ISSUER: 'https://login.example#7' }],
    ['the issuer has no host', { JWT_ISSUER: 'https://:80' }],
  ])('is 404 where %s, and no challenge names it', (_why, environment) =>
    open(async (gateway) => {
      for (const path of [PATH, ROOT]) {
        expect(outcomeOf(await get(gateway, {}, path))).toBe('404 NOT_FOUND');
      }
      const { headers } = await gateway.send('', '/mcp', { method: 'POST' });
      expect(headers['www-authenticate'] ?? '').not.toContain('resource_metadata');
    }, environment),
  );
});

describe('the URL of the resource', () => {
  it.each([
    ['gateway.example.com', 'http://gateway.example.com/mcp'],
    ['GATEWAY.example.com:80', 'http://gateway.example.com/mcp'],
    ['[2001:db8::1]:8080', 'http://[2001:db8::1]:8080/mcp'],
    ['my_gateway', 'http://my_gateway/mcp'],
  ])('is of the Host %s', (Host, resource) =>
    open(async (gateway) => {
      expect(resourceIn(await get(gateway, { Host }))).toBe(resource);
    }),
  );

  it.each([
    'gateway.example.com/path',
    'user@gateway.example.com',
    'gateway.example.com?a',
    'gateway.example.com#a',
    'a", error="b',
    'a"b',
    'a b',
    'a\\b',
    'é.example',
    'a:99999',
    'a:b',
    '[::1',
    '[gateway]',
  ])('is not made of the malformed Host %j, which is 400', (Host) =>
    open(async (gateway) => {
      expect(outcomeOf(await get(gateway, { Host }))).toBe('400 BAD_REQUEST');
      expect(outcomeOf(await gateway.send('', '/mcp', { method: 'POST', headers: { Host } }))).toBe(
        '400 BAD_REQUEST',
      );
    }),
  );

  it.each(['a,b', 'a%2fb', '1.2.3.4.5'])(
    'is not made of the Host %j: 400, and a challenge without it',
    (Host) =>
      open(async (gateway) => {
        expect(outcomeOf(await get(gateway, { Host }))).toBe('400 BAD_REQUEST');
        expect(await challengeOf(gateway, { Host })).toBe('Bearer realm="querygate"');
      }),
  );

  const FORWARDED = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'public.example' };

  it.each([
    ['both', FORWARDED, 'https://public.example/mcp'],
    ['the scheme only', { 'X-Forwarded-Proto': 'HTTPS' }, `https://${HOST}/mcp`],
    ['the host only', { 'X-Forwarded-Host': 'public.example:81' }, 'http://public.example:81/mcp'],
    ['neither', {}, `http://${HOST}/mcp`],
    [
      'those of two proxies',
      { 'X-Forwarded-Proto': 'https, http', 'X-Forwarded-Host': 'public.example, inner' },
      'https://public.example/mcp',
    ],
  ])('is what a trusted proxy reports: %s', (_what, headers: Headers, resource) =>
    open(
      async (gateway) => {
        expect(resourceIn(await get(gateway, { Host: HOST, ...headers }))).toBe(resource);
        const metadata = resource.replace(/\/mcp$/, PATH);
        expect(await challengeOf(gateway, { Host: HOST, ...headers })).toContain(`"${metadata}"`);
      },
      { TRUST_PROXY: '127.0.0.1' },
    ),
  );

  it.each(['', '203.0.113.0/24'])('is not what others report, with TRUST_PROXY=%s', (TRUST_PROXY) =>
    open(
      async (gateway) => {
        expect(resourceIn(await get(gateway, { Host: HOST, ...FORWARDED }))).toBe(`http://${HOST}/mcp`);
        expect(await challengeOf(gateway, { Host: HOST, ...FORWARDED })).not.toContain('public');
      },
      { TRUST_PROXY },
    ),
  );

  it.each([
    { 'X-Forwarded-Proto': 'gopher' },
    { 'X-Forwarded-Proto': 'https://evil.example/?' },
    { 'X-Forwarded-Host': 'a", error="b' },
    { 'X-Forwarded-Host': 'public.example/path' },
  ])('is not made of malformed headers of a trusted proxy: %j', (headers) =>
    open(
      async (gateway) => {
        expect(outcomeOf(await get(gateway, headers))).toBe('400 BAD_REQUEST');
        expect(await challengeOf(gateway, headers)).toBe('Bearer realm="querygate"');
      },
      { TRUST_PROXY: 'loopback' },
    ),
  );
});

describe('the challenge of a 401', () => {
  const METADATA = `resource_metadata="http://${HOST}${PATH}"`;

  it('names the metadata, and the reason to a client that sent a bearer token', () =>
    open(async (gateway) => {
      expect(await challengeOf(gateway, { Host: HOST })).toBe(`Bearer realm="querygate", ${METADATA}`);
      expect(await challengeOf(gateway, { Host: HOST, Authorization: 'Bearer wrong' })).toBe(
        `Bearer realm="querygate", error="invalid_token", ${METADATA}`,
      );
    }));

  it('is as before on the paths of REST', () =>
    open(async (gateway) => {
      for (const path of ['/api/endpoints', '/api/endpoints/query/sample', '/openapi.json']) {
        const { headers } = await gateway.send('', path, { headers: { Host: HOST } });
        expect(headers['www-authenticate']).toBe('Bearer realm="querygate"');
      }
    }));
});

describe('the SDK’s client', () => {
  it('finds the authorization server from the 401, and accepts the resource', () =>
    open(async (gateway) => {
      const url = `${gateway.url()}/mcp`;
      const { resourceMetadataUrl } = extractWWWAuthenticateParams(await fetch(url, { method: 'POST' }));
      if (!resourceMetadataUrl) throw new Error('the challenge has no URL');
      const metadata = await discoverOAuthProtectedResourceMetadata(url, { resourceMetadataUrl });
      expect(metadata.authorization_servers).toEqual([ISSUER]);
      const selected = await selectResourceURL(url, {} as OAuthClientProvider, metadata);
      expect(selected?.href).toBe(url);
    }));

  it('finds it without the 401, also for a URL with tags', () =>
    open(async (gateway) => {
      for (const query of ['', '?tag=shop']) {
        const url = `${gateway.url()}/mcp${query}`;
        const metadata = await discoverOAuthProtectedResourceMetadata(url);
        expect(metadata.resource).toBe(`${gateway.url()}/mcp`);
        await expect(selectResourceURL(url, {} as OAuthClientProvider, metadata)).resolves.toBeInstanceOf(
          URL,
        );
      }
    }));
});
