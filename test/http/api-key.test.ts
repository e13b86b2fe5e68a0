import type { Test } from 'supertest';

import { createTestGateway, GOOD_CALL, KEY, problemOf } from '../support/test-gateway.js';

const { agent } = await createTestGateway();
const call = (headers: Readonly<Record<string, string>>, url = GOOD_CALL): Test =>
  agent().get(url).set(headers);

describe('the API key', () => {
  it.each([
    ['in X-API-KEY', { 'X-API-KEY': KEY }],
    ['in X-API-KEY together with a Content-Type', { 'X-API-KEY': KEY, 'Content-Type': 'application/json' }],
    ['as Authorization: Bearer', { Authorization: `Bearer ${KEY}` }],
    ['as authorization: bearer', { Authorization: `bearer   ${KEY} ` }],
    ['as a bearer together with an empty X-API-KEY', { 'X-API-KEY': '', Authorization: `Bearer ${KEY}` }],
    ['in X-API-KEY together with another Authorization', { 'X-API-KEY': KEY, Authorization: 'Basic eA==' }],
    ['in X-API-KEY together with an invalid bearer', { 'X-API-KEY': KEY, Authorization: 'Bearer wrong' }],
  ])('is accepted %s', async (_where, headers) => {
    expect((await call(headers)).status).toBe(200);
  });

  it.each([
    ['missing', {}],
    ['empty', { 'X-API-KEY': '' }],
    ['under another scheme', { Authorization: `Basic ${KEY}` }],
    ['without a scheme', { Authorization: KEY }],
    ['as an empty bearer', { Authorization: 'Bearer ' }],
    ['as a bearer of two words', { Authorization: `Bearer ${KEY} b` }],
    ['not apart from its scheme', { Authorization: `Bearer${KEY}` }],
    ['in a cookie', { Cookie: `X-API-KEY=${KEY}` }],
  ])('is API_KEY_MISSING (401) when %s', async (_where, headers) => {
    const response = await call(headers);
    expect(problemOf(response)).toMatchObject({ status: 401, code: 'API_KEY_MISSING' });
    expect(response.headers['www-authenticate']).toBe('Bearer realm="querygate"');
  });

  it('returns 401 in the query string unless the key has mayUseQueryString, as for an unknown key', async () => {
    expect(problemOf(await call({}, `${GOOD_CALL}&api_key=${KEY}`)).code).toBe('API_KEY_INVALID');
    expect(problemOf(await call({}, `${GOOD_CALL}&api_key=wrong`)).code).toBe('API_KEY_INVALID');
    expect(problemOf(await call({}, `${GOOD_CALL}&X-API-KEY=${KEY}`)).code).toBe('API_KEY_MISSING');
  });

  it('is reported as error="invalid_token" (RFC 6750) only to a client that sent it as a bearer', async () => {
    const response = await call({ Authorization: 'Bearer wrong' });
    expect(problemOf(response)).toMatchObject({ status: 401, code: 'API_KEY_INVALID' });
    expect(response.headers['www-authenticate']).toBe('Bearer realm="querygate", error="invalid_token"');
  });

  it('is checked before anything else in the query string is decoded', async () => {
    const many = `${GOOD_CALL}${'&a=%41'.repeat(2000)}`;
    expect(problemOf(await call({}, many)).code).toBe('API_KEY_MISSING');
    expect(problemOf(await call({ 'X-API-KEY': KEY }, many)).code).toBe('BAD_REQUEST');
  });

  it.each([
    ['unknown', { 'X-API-KEY': 'wrong' }],
    ['garbled', { 'X-API-KEY': `${KEY}\u00e9` }],
    ['sent twice', { 'X-API-KEY': `${KEY}, ${KEY}` }],
    ['very long', { 'X-API-KEY': 'x'.repeat(60_000) }],
    ['invalid, together with a valid bearer', { 'X-API-KEY': 'wrong', Authorization: `Bearer ${KEY}` }],
  ])('is API_KEY_INVALID (401) when %s', async (_what, headers) => {
    const response = await call(headers);
    expect(problemOf(response)).toMatchObject({ status: 401, code: 'API_KEY_INVALID' });
    expect(response.headers['www-authenticate']).toBe('Bearer realm="querygate"');
  });

  it.each([
    '/api',
    '/api/endpoints',
    '/api/endpoints/logs.all',
    '/api/endpoints/nothing',
    '/api/endpoints/query/nothing',
    '/api/endpoints/query/8f0c7f5e-3a8d-4c55-9a0e-000000000000',
    '/api/endpoints/query/%FF',
    '/api/nothing',
  ])('is required at %s before the response reveals anything else', async (url) => {
    expect(problemOf(await call({}, url)).code).toBe('API_KEY_MISSING');
    expect(problemOf(await call({ 'X-API-KEY': 'wrong' }, url)).code).toBe('API_KEY_INVALID');
  });

  it.each(['post', 'put', 'delete', 'options'] as const)('is required for %s as well', async (method) => {
    expect(problemOf(await agent()[method](GOOD_CALL)).code).toBe('API_KEY_MISSING');
  });
});
