import { EndpointRegistry } from '../../../src/endpoint/registry.js';
import { sampleEndpoint } from '../../support/sample-endpoint.js';

const ONE = 'aaaaaaaa-0000-4000-8000-000000000001';
const TWO = 'aaaaaaaa-0000-4000-8000-000000000002';
const one = sampleEndpoint({ id: ONE, name: 'one' });
const two = sampleEndpoint({ id: TWO, name: 'logs-all-staging' });
const registry = new EndpointRegistry([one, two]);

describe('EndpointRegistry', () => {
  it('lists its endpoints in the order of their names', () => {
    expect(registry.all().map(({ name }) => name)).toEqual(['logs-all-staging', 'one']);
  });

  it('rejects two endpoints with the same id, and names both', () => {
    const same = sampleEndpoint({ id: ONE.toUpperCase(), name: 'three' });
    expect(() => new EndpointRegistry([one, same])).toThrow(
      `endpoints one and three have the same id ${ONE}`,
    );
  });

  it('rejects two endpoints with the same name', () => {
    const same = sampleEndpoint({ id: TWO, name: 'one' });
    expect(() => new EndpointRegistry([one, same])).toThrow('endpoints one and one have the same name one');
  });
});

describe('withDefaults', () => {
  it('sets what an endpoint does not declare, below what a deployment overrides', () => {
    const strict = sampleEndpoint({ id: ONE, name: 'one', unknownParameters: 'ignore' });
    const changed = new EndpointRegistry([strict, two])
      .withDefaults({ unknownParameters: 'reject', staleIfError: 5 })
      .withOverrides(new Map([[TWO, { staleIfError: 6 }]]));
    expect(changed.find('one')?.settings).toMatchObject({ unknownParameters: 'ignore', staleIfError: 5 });
    expect(changed.find(TWO)?.settings).toMatchObject({ unknownParameters: 'reject', staleIfError: 6 });
  });
});

describe('withOverrides', () => {
  it('replaces settings of endpoints, found by name or id, and of no others', () => {
    const changed = registry.withOverrides(
      new Map([
        ['one', { maxRows: 3 }],
        [TWO, { caching: 'disabled' } as const],
      ]),
    );
    expect(changed.find('one')?.settings).toEqual({ ...one.settings, maxRows: 3 });
    expect(changed.find(TWO)?.settings).toEqual({ ...two.settings, caching: 'disabled' });
    expect(registry.find('one')).toBe(one);
  });

  it('rejects settings of an unknown endpoint, and lists the known endpoints', () => {
    expect(() => registry.withOverrides(new Map([['usage.api-count', {}]]))).toThrow(
      'there is no endpoint "usage.api-count"; the endpoints are logs-all-staging, one',
    );
  });
});
