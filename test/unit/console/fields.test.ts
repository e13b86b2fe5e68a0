import type { Endpoint, Parameter } from '../../../console/src/model/endpoint.js';
import { suggestionsOf } from '../../../console/src/model/parameter.js';
import { choicesRequest, requestOf, withoutSecrets } from '../../../console/src/model/request.js';
import { snippetRequest, snippetsFor } from '../../../console/src/snippets/index.js';

const parameter = (name: string, facts: Partial<Parameter> = {}): Parameter => ({
  name,
  kind: 'string',
  required: false,
  empty: 'value',
  type: 'String',
  description: '',
  ...facts,
});

const endpoint = (name: string, parameters: readonly Parameter[]): Endpoint => ({
  ...{ id: '', name, description: '', tags: [], query: '', maxRows: 1, caching: 1, warming: 0 },
  ...{ sandboxing: 'disabled', parameters, columns: [], example: {} },
});

const TOKEN = parameter('token', { secret: true });
const LOGIN = endpoint('login', [parameter('user'), TOKEN]);

describe('requestOf', () => {
  it('has a body for a secret value, also an empty one, and none without it', () => {
    expect(requestOf(LOGIN, { user: 'a', token: 'x' }).body).toBe('secret');
    expect(requestOf(LOGIN, { token: '' }).body).toBe('secret');
    expect(requestOf(LOGIN, { user: 'a' })).toEqual({ endpoint: 'login', values: { user: 'a' } });
  });

  it('has a body for a query string of more than 8,192 characters', () => {
    expect(requestOf(LOGIN, { user: 'a'.repeat(8192 - 'user='.length) }).body).toBeUndefined();
    expect(requestOf(LOGIN, { user: 'a'.repeat(8193 - 'user='.length) }).body).toBe('long');
  });
});

describe('withoutSecrets', () => {
  it('leaves out the values of secret parameters alone', () => {
    expect(withoutSecrets(LOGIN, { user: 'a', token: 'x', sql: 'SELECT 1' })).toEqual({
      ...{ user: 'a', sql: 'SELECT 1' },
    });
  });
});

describe('choicesRequest', () => {
  const city = parameter('city', { choicesFrom: { endpoint: 'cities', column: 'city' } });
  const form = endpoint('form', [parameter('country'), city, TOKEN]);
  const values = { country: 'DE', city: 'B', token: 'x', other: '1' };
  const cities = (parameters: readonly Parameter[]): Endpoint => endpoint('cities', parameters);

  it('has the filled parameters of the same name, without the one that is chosen', () => {
    const source = cities([parameter('country'), parameter('city'), parameter('unfilled')]);
    const endpoints = [form, source];
    expect(choicesRequest(city, { endpoint: form, endpoints, values })?.values).toEqual({ country: 'DE' });
  });

  it('has a secret value in its body only where the other endpoint declares it as secret too', () => {
    const to = (token: Parameter): unknown =>
      choicesRequest(city, { endpoint: form, endpoints: [cities([token])], values });
    expect(to(TOKEN)).toEqual({ endpoint: 'cities', values: { token: 'x' }, body: 'secret' });
    expect(to(parameter('token'))).toEqual({ endpoint: 'cities', values: {} });
  });

  it('is undefined for an endpoint that the key may not call', () => {
    expect(choicesRequest(city, { endpoint: form, endpoints: [form], values })).toBeUndefined();
  });
});

describe('suggestionsOf', () => {
  it('replaces the last item of a list, by items without a comma', () => {
    const tags = parameter('tags', { kind: 'string-list' });
    expect(suggestionsOf(tags, 'a,b', ['c', 'd,e'])).toEqual([{ value: 'a,c' }]);
  });
});

describe('snippetsFor', () => {
  it('offers the snippets that send a body for secret and long values, with a placeholder for the secret', () => {
    const request = snippetRequest(LOGIN, { user: 'a', token: 'x' }, 'http://gateway.example/');
    expect(request.values).toEqual({ user: 'a', token: 'YOUR_VALUE' });
    expect(snippetsFor(request).map(({ id }) => id)).toEqual(['curl-post']);
    const long = snippetRequest(LOGIN, { user: 'a'.repeat(9000) }, 'http://gateway.example/');
    expect(snippetsFor(long).map(({ id }) => id)).toEqual(['curl-post']);
  });

  it('offers all snippets for other values, with a placeholder for no secret that may be omitted', () => {
    const request = snippetRequest(LOGIN, { user: 'a' }, 'http://gateway.example/');
    expect(request.values).toEqual({ user: 'a' });
    expect(snippetsFor(request).length).toBeGreaterThan(5);
  });

  it('has a placeholder for a required secret that the form does not have yet', () => {
    const strict = endpoint('strict', [{ ...TOKEN, required: true }]);
    expect(snippetRequest(strict, {}, '').values).toEqual({ token: 'YOUR_VALUE' });
  });
});
