import type { Environment } from '../../src/gateway/config/config.js';
import type { OpenApiDocument } from '../../src/gateway/http/describe/openapi/document.js';
import { keyNamed, withAccess, type AccessGateway } from '../support/access-gateway.js';
import { ListeningGateway } from '../support/listening-gateway.js';
import { sendRequest, type NetworkResponse } from '../support/network-request.js';
import { REFERENCE_WITHOUT_ENV } from '../support/reference-project.js';
import { LINK_SECRET } from '../support/test-credentials.js';
import { GOOD_CALL } from '../support/test-gateway.js';

const METADATA = '/.well-known/oauth-protected-resource/mcp';
const TOKENS = {
  JWT_SECRET: 'a secret for tokens in tests, long enough',
  JWT_ISSUER: 'https://login.example',
};

const open = (use: (gateway: AccessGateway) => Promise<void>, environment: Environment = {}): Promise<void> =>
  withAccess({ keys: { first: {}, second: {} }, environment: { ...TOKENS, ...environment } }, use);

describe('PUBLIC_URL', () => {
  it.each(['https://gateway.example.com', 'https://example.com/querygate'])(
    '%s is in the metadata of the resource, its challenge and the OpenAPI document, whatever the request says',
    (url) =>
      open(
        async (gateway) => {
          const headers = { Host: 'other.example', 'X-Forwarded-Host': 'forwarded.example' };
          const metadata = await gateway.send('', METADATA, { headers });
          expect(JSON.parse(metadata.text)).toMatchObject({ resource: `${url}/mcp` });
          const challenge = await gateway.send('', '/mcp', { method: 'POST', headers });
          expect(challenge.headers['www-authenticate']).toContain(`resource_metadata="${url}${METADATA}"`);
          const { text } = await gateway.send('first', '/openapi.json', { headers });
          expect((JSON.parse(text) as OpenApiDocument).servers).toMatchObject([{ url }]);
        },
        { PUBLIC_URL: `${url}/`, TRUST_PROXY: 'loopback' },
      ),
  );

  it('unset, no response repeats the Host of a request to another caller', () =>
    open(async (gateway) => {
      const paths = [
        GOOD_CALL,
        '/api/endpoints',
        '/openapi.json',
        '/docs',
        '/docs/',
        METADATA,
        '/nothing',
        '/',
      ];
      const responsesOf = async (key: string, Host: string): Promise<readonly NetworkResponse[]> => {
        const sent = paths.map((path) => gateway.send(key, path, { headers: { Host } }));
        const calls = ['', key].map((name) =>
          gateway.send(name, '/mcp', { method: 'POST', headers: { Host } }),
        );
        return Promise.all([...sent, ...calls]);
      };
      const own = JSON.stringify(await responsesOf('first', 'first.example'));
      expect(own.match(/first\.example[\w/.-]*/g)).toEqual(['first.example/mcp', `first.example${METADATA}`]);
      expect(JSON.stringify(await responsesOf('second', 'second.example'))).not.toContain('first.example');
    }));

  it.each([
    ['https://gateway.example.com/', 'https://gateway.example.com/api/'],
    ['', '/api/'],
  ])('%j begins the links of the admin API', async (PUBLIC_URL, start) => {
    const gateway = await ListeningGateway.listen({
      environment: {
        ...{ CLICKHOUSE_URL: 'http://127.0.0.1:1', PROJECT_DIR: REFERENCE_WITHOUT_ENV },
        ...{ API_KEY: keyNamed('first'), LINK_SECRET, PUBLIC_URL },
      },
    });
    try {
      const link = { key: 'API_KEY', endpoint: 'logs.all', parameters: { project: 'a' }, expiresIn: 60 };
      const { text } = await sendRequest(`${String(gateway.gateway.adminUrl)}/links`, {
        method: 'POST',
        body: JSON.stringify(link),
      });
      expect((JSON.parse(text) as { readonly link: string }).link).toMatch(
        new RegExp(`^${start}endpoints/query/logs\\.all\\?`),
      );
    } finally {
      await gateway.close();
    }
  });
});
