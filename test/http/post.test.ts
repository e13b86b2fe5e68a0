import { setImmediate } from 'node:timers/promises';

import type { Response, Test } from 'supertest';

import { KINDS, KINDS_CALL } from '../support/sample-kinds.js';
import { createTestGateway, KEY, problemOf, type ProblemDocument } from '../support/test-gateway.js';

const gateway = await createTestGateway({ endpoints: [KINDS] });

const post = (body: string, target = KINDS_CALL): Test =>
  gateway.agent().post(target).set({ 'X-API-KEY': KEY, 'Content-Type': 'application/json' }).send(body);
const bound = (): Readonly<Record<string, unknown>> | undefined =>
  gateway.runQuery.requests.at(-1)?.query.parameters;
const problemsOf = (response: Response): ProblemDocument['problems'] => {
  expect(problemOf(response)).toMatchObject({ status: 400, code: 'INVALID_PARAMETERS' });
  return problemOf(response).problems;
};

beforeEach(() => {
  gateway.runQuery.requests.splice(0);
});

describe('a value in the body of a POST', () => {
  it.each([
    ['{"word":"a b"}', { word: 'a b' }],
    ['{"word":""}', { word: '' }],
    [String.raw`{"word":"\u00e9\ud83d\ude00\n"}`, { word: 'é😀\n' }],
    ['{"word":true}', { word: 'true' }],
    ['{"word":1.50}', { word: '1.50' }],
    ['{"word":1e3}', { word: '1000' }],
    ['{"word":"1","size":null,"names":null}', { word: '1', size: null, names: null }],
    ['{"size":42}', { size: '42' }],
    ['{"size":-0.7e1}', { size: '-7' }],
    ['{"size":1.0}', { size: '1' }],
    ['{"size":1e3}', { size: '1000' }],
    ['{"size":"+01"}', { size: '1' }],
    ['{"big":9007199254740991}', { big: '9007199254740991' }],
    ['{"big":"9223372036854775807"}', { big: '9223372036854775807' }],
    ['{"flag":true}', { flag: 'true' }],
    ['{"flag":"0"}', { flag: 'false' }],
    ['{"unit":"day"}', { unit: 'day' }],
    ['{"since":"2026-05-17"}', { since: '2026-05-17 00:00:00.000000' }],
    ['{"names":["b","a,c","b"]}', { names: ['a,c', 'b'] }],
    ['{"names":[1,true,""]}', { names: ['', '1', 'true'] }],
    ['{"names":"b,a"}', { names: ['a', 'b'] }],
    ['{}', { word: null, names: null }],
    ['{"__proto__":{"word":"x"},"constructor":1,"word":"y"}', { word: 'y' }],
    ['\uFEFF {"word" :\t"a"\r\n}', { word: 'a' }],
  ])('%s is bound as the query needs it', async (body, parameters) => {
    const response = await post(body).set('Cache-Control', 'no-cache');
    expect([response.status, response.text]).toEqual([200, '{"result":[]}']);
    expect(bound()).toMatchObject(parameters);
  });

  it.each([
    ['{"size":1.5}', 'size', 'must be a whole number, such as 42 or -7'],
    ['{"big":9007199254740992}', 'big', 'beyond 2^53, which JSON programs round: write it as a string'],
    ['{"big":-9007199254740993}', 'big', 'write it as a string'],
    ['{"big":9007199254740993.0}', 'big', 'write it as a string'],
    ['{"big":1e400}', 'big', 'write it as a string'],
    ['{"big":1e999999999}', 'big', 'write it as a string'],
    ['{"big":1e-999999999}', 'big', 'must be a whole number'],
    ['{"word":9007199254740993}', 'word', 'write it as a string'],
    ['{"names":["a",9007199254740993]}', 'names', 'has an item that is an integer beyond 2^53'],
    ['{"word":["a"]}', 'word', 'must be one value, not an array'],
    ['{"word":{"a":1}}', 'word', 'must be a string, a number, true or false'],
    ['{"names":{}}', 'names', 'must be a string, a number, true or false'],
    ['{"names":[]}', 'names', 'must not be an empty array; omit it, or send null'],
    ['{"names":["a",null]}', 'names', 'has an item that must be a string'],
    ['{"names":[["a"]]}', 'names', 'has an item that must be a string'],
    [String.raw`{"word":"a\ud800"}`, 'word', 'is not valid Unicode'],
    [String.raw`{"word":"a\u0000"}`, 'word', 'must not contain a null byte'],
    [String.raw`{"names":["a","\u0000"]}`, 'names', 'must not contain a null byte'],
    ['{"flag":2}', 'flag', 'must be true or false'],
    ['{"unit":"week"}', 'unit', 'must be one of day, hour'],
    ['{"format":"csv"}', 'format', 'belongs in the query string'],
    ['{"download":1}', 'download', 'belongs in the query string'],
    ['{"csv_safe":true}', 'csv_safe', 'belongs in the query string'],
    ['{"complete":1}', 'complete', 'belongs in the query string'],
    ['{"api_key":"secret"}', 'api_key', 'belongs in the query string'],
    ['{"link_signature":"x"}', 'link_signature', 'belongs in the query string'],
  ])('%s returns 400 with the problem of the parameter', async (body, param, problem) => {
    const response = await post(body);
    const problems = problemsOf(response);
    expect(problems?.map((each) => each.param)).toEqual([param]);
    expect(problems?.[0]?.problem).toContain(problem);
    expect(response.text).not.toMatch(/secret|90071992547409/);
    expect(gateway.runQuery.requests).toEqual([]);
  });

  it('is ignored where the endpoint does not declare its name', async () => {
    const response = await post('{"city":[[{"a":1}]],"sql":9007199254740993,"format":null}');
    expect(response.status).toBe(200);
  });

  it('returns 400 listing every problem of the request, with those of the query string', async () => {
    const body = '{"word":[],"unit":"week","size":{},"names":[]}';
    const response = await post(body, `${KINDS_CALL}?format=xlsx&word=a&other=1&link_key=a&download=1`);
    const problems = problemsOf(response) ?? [];
    expect(problems.map(({ param }) => param).sort()).toEqual(
      ['format', 'link_key', 'names', 'other', 'size', 'unit', 'word', 'word'].sort(),
    );
    expect(problems).toContainEqual({
      param: 'other',
      problem: 'is in the query string, but a POST takes its parameters from the body',
    });
  });

  it('may have 64 KiB', async () => {
    expect((await post(JSON.stringify({ word: 'é'.repeat(32 * 1024) }))).status).toBe(200);
    expect((await post(JSON.stringify({ names: 'a,'.repeat(10_000) }))).status).toBe(200);
  });

  it.each([
    ['a string', { word: `${'é'.repeat(32 * 1024)}a` }, 'word'],
    ['a list', { names: Array.from({ length: 20 }, (_, n) => String(n) + 'x'.repeat(3400)) }, 'names'],
    ['a list in one string', { names: 'a,'.repeat(32 * 1024) }, 'names'],
    ['a list of many items', { names: Array.from({ length: 25_000 }, () => 'a') }, 'names'],
  ])('of more returns 413 naming the parameter: %s', async (_what, body, param) => {
    const problem = problemOf(await post(JSON.stringify(body)));
    expect(problem).toMatchObject({ status: 413, code: 'BODY_TOO_LARGE' });
    expect(problem.detail).toMatch(new RegExp(`^${param} has \\d+ bytes; a value may have 65536`));
    expect(problem.detail.length).toBeLessThan(200);
  });
});

describe('a POST', () => {
  it.each([
    ['without a key', '', KINDS_CALL, 401],
    ['to an unknown endpoint', KEY, '/api/endpoints/query/nothing', 404],
    ['to the list of endpoints', KEY, '/api/endpoints', 405],
    ['to the description of an endpoint', KEY, '/api/endpoints/kinds', 405],
  ])('%s is rejected before its body is read', async (_what, key, target, status) => {
    const response = await gateway
      .agent()
      .post(target)
      .set({ ...(key !== '' && { 'X-API-KEY': key }), 'Content-Type': 'application/json' })
      .send('{ malformed');
    expect(problemOf(response).status).toBe(status);
  });

  it('ignores If-None-Match', async () => {
    const first = await post('{}');
    const second = await post('{}').set('If-None-Match', String(first.headers['etag']));
    expect([second.status, second.text]).toEqual([200, first.text]);
  });

  it('returns 405 with Allow for the methods that the path does not have', async () => {
    const response = await gateway.agent().put(KINDS_CALL).set('X-API-KEY', KEY).send('{}');
    expect(problemOf(response)).toMatchObject({
      status: 405,
      detail: expect.stringContaining('POST') as unknown,
    });
    expect(response.headers['allow']).toBe('GET, HEAD, POST');
  });

  it('is logged with its method and without its values', async () => {
    // The line of the request before is logged in the turn of the event loop after its response.
    await setImmediate();
    gateway.logger.lines.splice(0);
    await post('{"word":"SECRET","names":{"a":"SECRET"}}');
    await post('{"word":"SECRET"}');
    const lines = gateway.logger.lines.filter(({ message }) => message === 'request');
    expect(lines.map(({ fields }) => [fields['method'], fields['endpoint'], fields['status']])).toEqual([
      ['POST', 'kinds', 400],
      ['POST', 'kinds', 200],
    ]);
    expect(JSON.stringify(gateway.logger.lines)).not.toContain('SECRET');
  });

  it('is allowed to the pages of a configured origin, with its Content-Type', async () => {
    const { agent } = await createTestGateway({
      endpoints: [KINDS],
      corsOrigins: ['https://dashboard.example'],
    });
    const preflight = await agent().options(KINDS_CALL).set({
      Origin: 'https://dashboard.example',
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'content-type,x-api-key',
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers['access-control-allow-methods']).toContain('POST');
    expect(preflight.headers['access-control-allow-headers']).toContain('content-type');
  });
});
