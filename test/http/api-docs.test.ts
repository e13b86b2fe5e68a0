import type { OpenApiDocument } from '../../src/gateway/http/describe/openapi/document.js';
import { createTestGateway, problemOf } from '../support/test-gateway.js';

const { agent, get } = await createTestGateway();

describe('GET /openapi.json', () => {
  it('requires a valid key', async () => {
    expect(problemOf(await agent().get('/openapi.json'))).toMatchObject({
      status: 401,
      code: 'API_KEY_MISSING',
    });
    const wrong = await agent().get('/openapi.json').set('X-API-KEY', 'wrong');
    expect(problemOf(wrong)).toMatchObject({ status: 401, code: 'API_KEY_INVALID' });
  });

  it('returns JSON of this version that must not be stored', async () => {
    const response = await get('/openapi.json');
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(response.headers['cache-control']).toBe('no-store');
    expect((response.body as OpenApiDocument).info.version).toBe('0.0.0-test');
  });

  it('describes times in the gateway’s default form', async () => {
    const timestampOf = async (times: 'iso' | 'unix-micros'): Promise<unknown> => {
      const gateway = await createTestGateway({ times });
      const { components } = (await gateway.get('/openapi.json')).body as OpenApiDocument;
      return components.schemas['LogsAllRow']?.properties?.['timestamp']?.type;
    };
    expect([await timestampOf('iso'), await timestampOf('unix-micros')]).toEqual(['string', 'integer']);
  });

  it('rejects other methods', async () => {
    for (const path of ['/openapi.json', '/docs', '/docs/api-docs.js']) {
      const rejected = problemOf(await agent().post(path).set('X-API-KEY', 'wrong'));
      expect(rejected).toMatchObject({ status: 405, code: 'METHOD_NOT_ALLOWED' });
    }
  });
});

describe('GET /docs', () => {
  it('returns, without a key, a page that names no endpoint and may run only its own script', async () => {
    const response = await agent().get('/docs');
    expect(response.status).toBe(200);
    expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(response.headers['content-security-policy']).toMatch(/default-src 'none'; script-src 'self';/);
    expect(response.headers['content-security-policy']).not.toContain('unsafe');
    expect(response.text).not.toMatch(/logs\.all|api-counts|<script>|\bon\w+=|https?:/);
  });

  it('serves existing files, each with its media type', async () => {
    const { text } = await agent().get('/docs');
    const files = [...text.matchAll(/(?:src|href)="(docs\/[^"]+)"/g)].map(([, file]) => file ?? '');
    expect(files).toHaveLength(5);
    const types: Record<string, string> = { css: 'text/css', js: 'text/javascript', png: 'image/png' };
    for (const file of files) {
      const response = await agent().get(`/${file}`);
      expect([file, response.status]).toEqual([file, 200]);
      expect(response.headers['content-type']).toContain(types[file.replace(/.*\./, '')]);
      expect(response.headers['x-content-type-options']).toBe('nosniff');
    }
  });

  it('redirects /docs/ to the path that its relative links expect', async () => {
    const response = await agent().get('/docs/');
    expect([response.status, response.headers['location']]).toEqual([308, '../docs']);
  });

  it.each(['/docs/package.json', '/docs/swagger-ui.js', '/docs/%2e%2e/package.json', '/docs/nothing'])(
    'returns 404 for anything else: %s',
    async (path) => {
      expect((await agent().get(path)).status).toBe(404);
    },
  );
});
