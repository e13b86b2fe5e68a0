import type { Test } from 'supertest';

import { CachingGateway } from '../support/caching-gateway.js';
import { defineEndpoint, sql, textList } from '../../src/endpoint/index.js';
import { SAMPLE, sampleEndpoint } from '../support/sample-endpoint.js';
import { createTestGateway, KEY, type ProblemDocument, type TestGateway } from '../support/test-gateway.js';

const BY_DEFAULT = sampleEndpoint();
const REJECTING = sampleEndpoint({
  id: '22222222-2222-4333-8444-555555555555',
  name: 'rejecting',
  unknownParameters: 'reject',
});
const SANDBOXED = sampleEndpoint({
  id: '33333333-2222-4333-8444-555555555555',
  name: 'sandboxed',
  sandboxing: 'enabled',
});
const URL = '/api/endpoints/query/sample?city=Rome';
const IGNORED = 'x-ignored-parameters';

const open = async (): Promise<TestGateway> => {
  const gateway = await createTestGateway({ endpoints: [BY_DEFAULT, REJECTING, SANDBOXED] });
  gateway.runQuery.returnRows([{ city: 'Rome' }]);
  return gateway;
};
const post = ({ agent }: TestGateway, body: object, name = 'sample'): Test =>
  agent().post(`/api/endpoints/query/${name}`).set('X-API-KEY', KEY).send(body);
const problemsOf = ({ body }: { readonly body: unknown }): ProblemDocument['problems'] =>
  (body as ProblemDocument).problems;

describe('X-Ignored-Parameters', () => {
  it.each([
    ['one name', 'citty=Oslo', 'citty'],
    ['several, in the order in which they came', 'b=1&a=2&b=3', 'b, a'],
    ['a name that needs encoding', '%C3%A9%2C%20x=1', '%C3%A9%2C%20x'],
    ['a line break, which ends no header', 'a%0D%0ASet-Cookie%3A%20b=1', 'a%0D%0ASet-Cookie%3A%20b'],
    ['a name without a value', 'citty', 'citty'],
    ['sql where the endpoint takes none', 'sql=SELECT+1', 'sql'],
    [
      'the first ten of many',
      Array.from({ length: 30 }, (_, n) => `p${n}=1`).join('&'),
      'p0, p1, p2, p3, p4, p5, p6, p7, p8, p9',
    ],
    ['64 characters of a long name', `${'x'.repeat(1000)}=1`, 'x'.repeat(64)],
    [
      'at most 512 bytes',
      Array.from({ length: 10 }, (_, n) => `${n}${'%C3%A9'.repeat(30)}=1`).join('&'),
      `0${'%C3%A9'.repeat(30)}, 1${'%C3%A9'.repeat(30)}`,
    ],
  ])('names what the endpoint does not declare: %s', async (_what, query, expected) => {
    const { get } = await open();
    const response = await get(`${URL}&${query}`);
    expect([response.status, response.headers[IGNORED]]).toEqual([200, expected]);
    expect(Buffer.byteLength(String(response.headers[IGNORED]))).toBeLessThanOrEqual(512);
  });

  it.each([
    ['the gateway’s own parameters', '&format=csv&csv_safe=1&download=1&complete=1'],
    ['a pair without a name', '&=1&&'],
    ['no other parameter', ''],
  ])('is absent with %s', async (_what, query) => {
    const { get } = await open();
    const response = await get(URL + query);
    expect([response.status, response.headers[IGNORED]]).toEqual([200, undefined]);
  });

  it('is there for every format, HEAD, 304 and hits, and the entry of the cache is that of the other name', async () => {
    const gateway = new CachingGateway([BY_DEFAULT]);
    await gateway.listen();
    try {
      const misspelt = `${URL}&citty=Oslo`;
      expect((await gateway.send('slow path', URL)).headers['x-cache']).toBe('MISS');
      for (const path of ['slow path', 'fast path'] as const) {
        const { headers } = await gateway.send(path, misspelt);
        expect([headers['x-cache'], headers[IGNORED]]).toEqual(['HIT', 'citty']);
        expect((await gateway.send(path, URL)).headers[IGNORED]).toBeUndefined();
      }
      expect(gateway.servedOnFastPath).toBe(2);
      const { headers } = await gateway.send('fast path', misspelt, {}, 'HEAD');
      expect(headers[IGNORED]).toBe('citty');
      const unchanged = await gateway.send('fast path', misspelt, { 'If-None-Match': '*' });
      expect([unchanged.status, unchanged.headers[IGNORED]]).toEqual([304, 'citty']);
      expect((await gateway.send('slow path', `${misspelt}&format=csv`)).headers[IGNORED]).toBe('citty');
    } finally {
      await gateway.close();
    }
  });

  it('names members of a body, also those that are null', async () => {
    const response = await post(await open(), { city: 'Rome', citty: 'Oslo', other: null, 'a\ud800': 1 });
    expect([response.status, response.headers[IGNORED]]).toEqual([200, 'citty, other, a']);
  });

  it('is in the line of the request in the log', async () => {
    const { get, logger } = await open();
    await get(`${URL}&citty=Oslo`);
    const { fields } = await logger.line('request');
    expect(fields['ignored']).toBe('citty');
    expect(JSON.stringify(fields)).not.toContain('Oslo');
  });

  it('can be read by the page of an allowed origin', async () => {
    const { agent } = await createTestGateway({
      endpoints: [BY_DEFAULT],
      corsOrigins: ['https://bi.example'],
    });
    const response = await agent().get(URL).set('Origin', 'https://bi.example');
    expect(response.headers['access-control-expose-headers']).toContain('X-Ignored-Parameters');
  });
});

describe('a strict call', () => {
  it('with l[]=a is 400 that shows how a list is written', async () => {
    const listing = defineEndpoint({
      ...SAMPLE,
      parameters: { l: textList({ description: 'L.', default: 'x' }) },
      example: {},
      build: ({ l }) => sql`SELECT ${l}[1] AS city`,
    });
    const gateway = await createTestGateway({ endpoints: [listing] });
    const problems = async (query: string): Promise<unknown> =>
      problemsOf(await strict(gateway.get(`/api/endpoints/query/sample?${query}`)));
    for (const query of ['l[]=a', 'l%5B%5D=a', 'l[0]=a&l[0]=b']) {
      expect(await problems(query)).toMatchObject([
        { problem: 'is no parameter of this endpoint (write l=a,b or l=a&l=b)' },
      ]);
    }
  });

  const strict = (request: Test, prefer = 'handling=strict'): Test => request.set('Prefer', prefer);

  it.each(['handling=strict', 'Handling="Strict"', 'wait=5, handling=strict'])(
    'with Prefer: %s is 400 with the name that was meant',
    async (prefer) => {
      const { get, runQuery } = await open();
      const response = await strict(get(`${URL}&citty=Oslo&exports=1&unlike=1`), prefer);
      expect([response.status, response.headers['preference-applied']]).toEqual([400, 'handling=strict']);
      expect(problemsOf(response)).toEqual([
        { param: 'citty', problem: 'is no parameter of this endpoint (did you mean “city”?)' },
        { param: 'exports', problem: 'is no parameter of this endpoint (did you mean “export”?)' },
        { param: 'unlike', problem: 'is no parameter of this endpoint' },
      ]);
      expect(runQuery.requests).toHaveLength(0);
    },
  );

  it('says that it was strict where every name is declared', async () => {
    const { get } = await open();
    const response = await strict(get(URL), 'handling=strict, wait=5');
    expect([response.status, response.headers['preference-applied']]).toEqual([
      200,
      'wait=5, handling=strict',
    ]);
  });

  it('is one by POST too', async () => {
    const response = await strict(post(await open(), { city: 'Rome', citty: 1 }));
    expect([response.status, problemsOf(response)?.[0]?.param]).toEqual([400, 'citty']);
  });

  it.each(['handling=lenient', 'handling', 'strict', 'handling=lenient, handling=strict'])(
    'is none with Prefer: %s',
    async (prefer) => {
      const { get } = await open();
      const response = await strict(get(`${URL}&citty=1`), prefer);
      expect([response.status, response.headers[IGNORED], response.headers['preference-applied']]).toEqual([
        200,
        'citty',
        undefined,
      ]);
    },
  );

  it('lists ten names of thousands, and compares no long one', async () => {
    const { get } = await open();
    const names = Array.from({ length: 900 }, (_, n) => `p${n}`);
    const response = await strict(get(`${URL}&${names.map((name) => `${name}=1`).join('&')}`));
    expect(problemsOf(response)).toHaveLength(11);
    expect(problemsOf(response)?.at(-1)).toEqual({
      param: 'request',
      problem: 'has 890 more names that are no parameters of this endpoint',
    });
    const long = await strict(get(`${URL}&${'city'.repeat(2000)}=1`));
    expect(problemsOf(long)).toEqual([
      { param: 'city'.repeat(16), problem: 'is no parameter of this endpoint' },
    ]);
  });
});

describe('an endpoint with unknownParameters: reject', () => {
  it('rejects them whatever the preference, and answers as before without them', async () => {
    const { get } = await open();
    const url = URL.replace('sample', 'rejecting');
    expect((await get(url)).status).toBe(200);
    for (const prefer of ['handling=lenient', 'wait=5']) {
      const response = await get(`${url}&citty=1`).set('Prefer', prefer);
      expect([response.status, problemsOf(response)?.[0]?.param]).toEqual([400, 'citty']);
    }
  });
});
