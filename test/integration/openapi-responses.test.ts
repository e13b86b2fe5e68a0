import type { OpenApiDocument, ParameterObject } from '../../src/gateway/http/describe/openapi/document.js';
import { KEYS, sharedDemoGateway } from '../support/demo-gateway.js';
import { respondWith, withFakeClickHouse } from '../support/fake-clickhouse.js';
import { ListeningGateway } from '../support/listening-gateway.js';
import { OpenApiValidator } from '../support/openapi-validator.js';
import { SHIPPED_ENDPOINTS } from '../support/shipped-endpoints.js';

const gatewayOf = sharedDemoGateway();
const COUNTS = '/api/endpoints/query/usage.api-counts';
let document: OpenApiDocument;
let validator: OpenApiValidator;

beforeAll(async () => {
  document = await documentFor(KEYS.all);
  validator = new OpenApiValidator(document);
});

async function documentFor(key: string): Promise<OpenApiDocument> {
  const response = await fetch(`${gatewayOf().url}/openapi.json`, { headers: { 'X-API-KEY': key } });
  expect(response.status).toBe(200);
  return (await response.json()) as OpenApiDocument;
}

/** Returns the problems of a real response, and its body. */
async function checkEndpoint(
  path: string,
  response: Response,
): Promise<{ problems: readonly string[]; body: unknown }> {
  const text = await response.text();
  const body: unknown = text === '' ? undefined : JSON.parse(text);
  return { problems: validator.problemsOf(path, response, body), body };
}

/** Returns the documented formats and media types of calls of usage.api-counts. */
function representationsOf({
  paths,
  components,
}: OpenApiDocument): Record<'formats' | 'mediaTypes', readonly string[]> {
  const ok = paths[COUNTS]?.get.responses['200'];
  return {
    formats: (components.schemas['OutputFormat']?.enum ?? []).map(String),
    mediaTypes: ok && 'content' in ok ? Object.keys(ok.content ?? {}) : [],
  };
}

describe('/openapi.json', () => {
  it('describes the response of each endpoint, with every row', async () => {
    const { endpoints, get } = gatewayOf();
    for (const { name, example } of endpoints.all()) {
      const path = `/api/endpoints/query/${name}`;
      const response = await get(`${path}?${new URLSearchParams(example).toString()}`);
      expect(response.status).toBe(200);
      const { problems, body } = await checkEndpoint(path, response);
      expect([name, problems]).toEqual([name, []]);
      expect((body as { result: unknown[] }).result.length).toBeGreaterThan(0);
    }
  });

  it('does not match invalid responses', async () => {
    const path = COUNTS;
    const response = await gatewayOf().get(`${path}?project=aurora&interval=daily`);
    const { result } = (await response.json()) as { result: Record<string, unknown>[] };
    const broken = (row: object): readonly string[] =>
      validator.problemsOf(path, response, { result: [{ ...result[0], ...row }] });
    expect(broken({})).toEqual([]);
    expect(broken({ timestamp: 'yesterday' })).not.toEqual([]);
    expect(broken({ total_rest_requests: '7' })).not.toEqual([]);
    expect(broken({ total_rest_requests: null })).not.toEqual([]);
    expect(broken({ other: 1 })).not.toEqual([]);
    expect(validator.problemsOf(path, response, { result, more: 1 })).not.toEqual([]);
  });

  it('describes the media type of every format', async () => {
    const { get } = gatewayOf();
    const { formats, mediaTypes } = representationsOf(document);
    expect(formats.length).toBeGreaterThan(1);
    const sent: string[] = [];
    for (const name of formats) {
      const response = await get(`${COUNTS}?project=aurora&interval=daily&format=${name}`);
      expect([name, response.status]).toEqual([name, 200]);
      sent.push(response.headers.get('content-type')?.split(';')[0] ?? '');
      await response.arrayBuffer();
    }
    expect(sent).toEqual(mediaTypes);
  });

  it('describes 304', async () => {
    const { get } = gatewayOf();
    const call = `${COUNTS}?project=aurora&interval=daily`;
    const etag = (await get(call)).headers.get('etag') ?? '';
    // Otherwise fetch would add no-cache, and this key would get a fresh result of a later time window.
    const unchanged = await get(call, { 'If-None-Match': etag, 'Cache-Control': 'max-age=0' });
    expect([unchanged.status, (await checkEndpoint(COUNTS, unchanged)).problems]).toEqual([304, []]);
  });

  it('describes errors, with the codes of each status', async () => {
    const { url, get } = gatewayOf();
    const bare = (headers: Record<string, string>): Promise<Response> =>
      fetch(`${url}${COUNTS}?project=a&interval=daily`, { headers });
    await (await bare({ 'X-API-KEY': KEYS.limited })).text();
    const responses: [number, Response][] = [
      [400, await get(`${COUNTS}?project=(&interval=daily`)],
      [400, await get(COUNTS)],
      [401, await bare({})],
      [401, await bare({ 'X-API-KEY': 'unknown' })],
      [403, await get(`${COUNTS}?project=borealis&interval=daily`, { 'X-API-KEY': KEYS.tenant })],
      [406, await get(`${COUNTS}?project=a&interval=daily`, { Accept: 'image/png' })],
      [429, await bare({ 'X-API-KEY': KEYS.limited })],
      [504, await get(`${COUNTS}?project=z&interval=daily`, { 'Cache-Control': 'only-if-cached' })],
    ];
    for (const [status, response] of responses) {
      expect(response.status).toBe(status);
      expect([status, (await checkEndpoint(COUNTS, response)).problems]).toEqual([status, []]);
    }
    const missing = await get('/api/endpoints/nothing');
    expect([missing.status, (await checkEndpoint('/api/endpoints/{idOrName}', missing)).problems]).toEqual([
      404,
      [],
    ]);
    const deleted = await fetch(url + COUNTS, { method: 'DELETE', headers: { 'X-API-KEY': KEYS.all } });
    expect(deleted.status).toBe(405);
    expect(validator.problemsBySchema('Problem', await deleted.json())).toEqual([]);
  });

  it('describes parts of a result, and preconditions that fail', async () => {
    const { url, get } = gatewayOf();
    const call = `${COUNTS}?project=aurora&interval=daily`;
    const part = await get(call, { Range: 'bytes=0-9' });
    expect([part.status, (await part.arrayBuffer()).byteLength]).toEqual([206, 10]);
    expect(validator.problemsOf(COUNTS, part, undefined)).toEqual([]);
    const beyond = await get(call, { Range: 'bytes=9999999-' });
    expect([beyond.status, (await checkEndpoint(COUNTS, beyond)).problems]).toEqual([416, []]);
    const stale = await get(call, { 'If-Match': '"another"' });
    expect([stale.status, (await checkEndpoint(COUNTS, stale)).problems]).toEqual([412, []]);
    const posted = await fetch(url + COUNTS, {
      method: 'POST',
      headers: { 'X-API-KEY': KEYS.all, 'Content-Type': 'application/json', 'If-Match': '"another"' },
      body: JSON.stringify({ project: 'aurora', interval: 'daily' }),
    });
    expect(posted.status).toBe(412);
    expect(validator.problemsOf(COUNTS, posted, await posted.json(), 'post')).toEqual([]);
  });

  it('describes a result that lacks rows, and the error that `complete` makes of it', async () => {
    const path = '/api/endpoints/query/logs.all';
    for (const [target, status] of [
      [`${path}?project=aurora`, 200],
      [`${path}?project=aurora&complete=1`, 422],
    ] as const) {
      const response = await gatewayOf().get(target);
      expect([response.status, (await checkEndpoint(path, response)).problems]).toEqual([status, []]);
    }
  });

  it('describes the body of a POST, and what is said of invalid ones', async () => {
    const { url } = gatewayOf();
    const post = (path: string, body: string, type = 'application/json'): Promise<Response> =>
      fetch(url + path, { method: 'POST', headers: { 'X-API-KEY': KEYS.all, 'Content-Type': type }, body });
    expect(validator.problemsOfBody(COUNTS, { project: 1, interval: 'daily' })).not.toEqual([]);
    const responses: [number, Response][] = [
      [400, await post(COUNTS, '{')],
      [400, await post(COUNTS, '{}')],
      [413, await post(COUNTS, JSON.stringify({ project: 'x'.repeat(65_537), interval: 'daily' }))],
      [415, await post(COUNTS, '{}', 'text/plain')],
    ];
    for (const [status, response] of responses) {
      expect(response.status).toBe(status);
      expect(validator.problemsOf(COUNTS, response, await response.json(), 'post')).toEqual([]);
    }
  });

  it('describes responses while ClickHouse fails', async () => {
    const statuses: number[] = [];
    const requestWithout = async (CLICKHOUSE_URL: string): Promise<void> => {
      const gateway = await ListeningGateway.listen({ environment: { CLICKHOUSE_URL, API_KEY: 'k' } });
      const call = `${gateway.url}${COUNTS}?project=a&interval=daily`;
      const response = await fetch(call, { headers: { 'X-API-KEY': 'k' } });
      statuses.push(response.status);
      expect((await checkEndpoint(COUNTS, response)).problems).toEqual([]);
      await gateway.close();
    };
    await withFakeClickHouse(respondWith('{"result":[{', 0), ({ url }) => requestWithout(url));
    await requestWithout('http://127.0.0.1:1');
    expect(statuses).toEqual([502, 503]);
  });

  it('contains what a key may call, and does not require the parameters that the key pins', async () => {
    const tenants = await documentFor(KEYS.tenant);
    const names = Object.keys(tenants.paths).map((path) => path.replace(/.*\/query\//, ''));
    expect(names.filter((name) => name in SHIPPED_ENDPOINTS)).toEqual([
      'functions.invocation-stats',
      'logs.all',
      'usage.api-counts',
    ]);
    const required = (from: OpenApiDocument): readonly string[] =>
      (from.paths[COUNTS]?.get.parameters ?? [])
        .filter(
          (parameter): parameter is ParameterObject => 'name' in parameter && parameter.required === true,
        )
        .map(({ name }) => name);
    expect(required(tenants)).toEqual(['interval']);
    expect(required(document)).toEqual(['project', 'interval']);
    const { schema, example } = tenants.paths[COUNTS]?.post?.requestBody?.content['application/json'] ?? {};
    expect([schema?.required, example]).toEqual([['interval'], { interval: 'daily' }]);
    expect(JSON.stringify(tenants)).not.toContain('custom events');
  });
});
