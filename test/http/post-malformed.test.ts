import type { Test } from 'supertest';

import { MAX_BODY_BYTES } from '../../src/gateway/http/call/json-body.js';
import { KINDS, KINDS_CALL } from '../support/sample-kinds.js';
import { createTestGateway, KEY, problemOf } from '../support/test-gateway.js';

const gateway = await createTestGateway({ endpoints: [KINDS] });

const post = (body: string, type = 'application/json'): Test =>
  gateway.agent().post(KINDS_CALL).set({ 'X-API-KEY': KEY, 'Content-Type': type }).send(body);

describe('the body of a POST', () => {
  it.each([
    ['', 'line 1, column 1: expected an object'],
    ['   ', 'line 1, column 4: expected an object'],
    ['{', 'line 1, column 2: expected a name in double quotes'],
    ['{"word":"SECRET"', 'line 1, column 17: expected a name in double quotes'],
    ['{"word":"SECRET', 'line 1, column 16: expected a closing double quote'],
    ['{\n "word": SECRET}', 'line 2, column 10: expected a value after the colon'],
    ['{"word" "SECRET"}', 'line 1, column 9: expected a colon after the name'],
    ['{"word":"SECRET" "a"}', 'line 1, column 18: expected a comma'],
    ['{"word":"SECRET",}', 'line 1, column 18: expected a name in double quotes'],
    ["{'word':'SECRET'}", 'line 1, column 2: expected a name in double quotes'],
    ['{"names":[1,]}', 'line 1, column 13: expected a value'],
    ['{"size":01}', 'line 1, column 10: expected a comma'],
    ['{"size":-}', 'line 1, column 10: expected a digit'],
    ['{"size":NaN}', 'expected a value after the colon'],
    [String.raw`{"word":"\x"}`, 'expected an escape sequence of JSON'],
    [String.raw`{"word":"\u12"}`, 'expected four hexadecimal digits'],
    ['{"word":"\n"}', 'expected no control character within a string'],
    ['{} SECRET', 'line 1, column 4: expected the end of the body'],
    ['{"word":"SECRET","word":"other"}', 'line 1, column 18: expected each name once'],
    ['{"word":"SECRET",\n"word":"SECRET"}', 'line 2, column 1: expected each name once'],
    [String.raw`{"word":1,"\u0077ord":1}`, 'line 1, column 11: expected each name once'],
    ['{"other":[{"a":1,"a":1}]}', 'line 1, column 18: expected each name once'],
    ['[]', 'not an object'],
    ['"SECRET"', 'not an object'],
    ['12', 'not an object'],
    ['null', 'not an object'],
  ])('that is malformed returns 400 with the position, without its text: %j', async (body, detail) => {
    const response = await post(body);
    const problem = problemOf(response);
    expect(problem).toMatchObject({ status: 400, code: 'MALFORMED_BODY', problems: [] });
    expect(problem.detail).toContain(detail);
    expect(response.text).not.toContain('SECRET');
    expect(gateway.runQuery.requests).toEqual([]);
  });

  it('that is nested too deeply returns 400 with the position', async () => {
    for (const [open, column] of [
      ['[', 65],
      ['{"a":', 321],
    ] as const) {
      const problem = problemOf(await post(open.repeat(50_000)));
      expect(problem).toMatchObject({ status: 400, code: 'MALFORMED_BODY' });
      expect(problem.detail).toContain(`line 1, column ${column}: expected at most 64 levels`);
    }
  });

  it('may have one name in two objects', async () => {
    expect((await post('{"word":"word","other":[{"word":1},{"word":1}]}')).status).toBe(200);
  });

  it.each([
    [[0x7b, 0xff, 0x7d], 1],
    [[0xef, 0xbb, 0xbf, 0x7b, 0xc3], 4],
    [[...Buffer.from('{"word":"\uFFFD'), 0xed, 0xa0, 0x80], 12],
  ])('that is not UTF-8 returns 400 with the position of the byte: %j', async (bytes, position) => {
    const request = gateway.agent().post(KINDS_CALL);
    const response = await request
      .set({ 'X-API-KEY': KEY, 'Content-Type': 'application/json' })
      .serialize((body: unknown) => body as string)
      .send(Buffer.from(bytes));
    expect(problemOf(response)).toMatchObject({
      code: 'MALFORMED_BODY',
      detail: expect.stringContaining(`at byte ${position}.`) as unknown,
    });
  });

  it.each([
    'application/json',
    'Application/JSON; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json ; charset=Utf-8 ',
  ])('is read as JSON with Content-Type: %s', async (type) => {
    expect((await post('{}', type)).status).toBe(200);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/problem+json',
    'application/jsonp',
    'application/json; charset=latin1',
    'application/json; charset=utf-8; profile=a',
    'application/json, text/plain',
    '',
  ])('returns 415 with Accept-Post with Content-Type: %j', async (type) => {
    const response = await post('{}', type);
    expect(problemOf(response)).toMatchObject({ status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' });
    expect(response.headers['accept-post']).toBe('application/json');
  });

  it('returns 415 without a Content-Type', async () => {
    const response = await gateway.agent().post(KINDS_CALL).set('X-API-KEY', KEY);
    expect(problemOf(response)).toMatchObject({ status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' });
  });

  it.each(['gzip', 'identity', 'br, gzip'])('returns 415 with Content-Encoding: %s', async (coding) => {
    const response = await post('{}').set('Content-Encoding', coding);
    expect(problemOf(response)).toMatchObject({ status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' });
    expect(response.headers['accept-post']).toBe('application/json');
  });

  it('may have 256 KiB, and returns 413 for one byte more', async () => {
    const body = (length: number): string => `{"other":"${'x'.repeat(length - 12)}"}`;
    expect((await post(body(MAX_BODY_BYTES))).status).toBe(200);
    const problem = problemOf(await post(body(MAX_BODY_BYTES + 1)));
    expect(problem).toMatchObject({ status: 413, code: 'BODY_TOO_LARGE' });
  });
});
