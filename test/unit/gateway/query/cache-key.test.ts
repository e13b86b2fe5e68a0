import { defineEndpoint, withSettings } from '../../../../src/endpoint/endpoint.js';
import { readCaching, type Caching } from '../../../../src/endpoint/caching.js';
import { text, textList } from '../../../../src/endpoint/index.js';
import { sealWith } from '../../../../src/endpoint/parameters/secret-value.js';
import { sql } from '../../../../src/endpoint/sql.js';
import { representationOf } from '../../../../src/gateway/formats/representation.js';
import { keyOf, lifetimeOf, shortestOf } from '../../../../src/gateway/query/cache-key.js';
import type { EndpointQuery } from '../../../../src/gateway/query/endpoint-query.js';
import { validateParameters } from '../../../../src/gateway/query/validate-parameters.js';
import { rawParameters } from '../../../support/raw-parameters.js';
import { SAMPLE, sampleEndpoint } from '../../../support/sample-endpoint.js';
import { referenceEndpoints } from '../../../support/reference-project.js';

const endpoint = sampleEndpoint();
const hashOf = (of = endpoint, city: string | null = 'Rome', more: Partial<EndpointQuery> = {}): string =>
  keyOf({ endpoint: of, values: new Map([['city', city]]), scope: '', ...more }).hash;

describe('keyOf', () => {
  it('has the endpoint’s id and a constant hash of 256 bits in hex', () => {
    const { endpointId, hash } = keyOf({ endpoint, values: new Map(), scope: '' });
    expect(endpointId).toBe(SAMPLE.id);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(hashOf()).toBe(hashOf());
  });

  it('does not depend on the endpoint’s name', () => {
    expect(hashOf(sampleEndpoint({ name: 'renamed', summary: 'Another.' }))).toBe(hashOf());
  });

  it.each([
    ['the id', hashOf(sampleEndpoint({ id: '99999999-2222-4333-8444-555555555555' }))],
    [
      'the SQL',
      hashOf(defineEndpoint({ ...SAMPLE, build: ({ city }) => sql`SELECT upper(${city}) AS city` })),
    ],
    ['the row cap', hashOf(withSettings(endpoint, { maxRows: 9 }))],
    ['a parameter’s value', hashOf(endpoint, 'Roma')],
    ['the settings of the ClickHouse user that are overridden', hashOf({ ...endpoint, resultsUnder: 'x' })],
    ['an omitted parameter', hashOf(endpoint, null)],
    ['an empty parameter', hashOf(endpoint, '')],
    ['the scope', hashOf(endpoint, 'Rome', { scope: '[["project","a"]]' })],
    ['the representation', hashOf(endpoint, 'Rome', { representation: representationOf('csv') })],
  ])('depends on %s', (_what, hash) => {
    expect(hash).not.toBe(hashOf());
  });

  it('does not depend on settings that do not change the rows', () => {
    const settings = { caching: 5, warming: 7, staleIfError: 9, maxRows: 10 };
    expect(hashOf(withSettings(endpoint, settings))).toBe(hashOf());
  });

  it('depends on the smaller of the endpoint’s limit and the maximum of rows', () => {
    const limited = defineEndpoint({ ...SAMPLE, limit: 5 });
    expect(hashOf(withSettings(limited, { maxRows: 100 }))).toBe(hashOf(limited));
    expect(hashOf(withSettings(limited, { maxRows: 4 }))).not.toBe(hashOf(limited));
  });

  it('distinguishes the same value of different parameters', () => {
    const two = defineEndpoint({
      ...SAMPLE,
      parameters: { city: text({ description: 'A.' }), land: text({ description: 'B.' }) },
      build: ({ city, land }) => sql`SELECT ${city} AS city, ${land} AS land`,
    });
    const of = (city: string | null, land: string | null) =>
      hashOf(two, null, {
        values: new Map([
          ['land', land],
          ['city', city],
        ]),
      });
    expect(new Set([of('a', 'b'), of('b', 'a'), of('a', null), of(null, 'a'), of('a,b', null)]).size).toBe(5);
  });

  it('depends on the order of a list, not on that of a set or of names, nor on undeclared names', () => {
    const listed = defineEndpoint({
      ...SAMPLE,
      parameters: {
        city: text({ description: 'A city.' }),
        levels: textList({ description: 'Levels.', set: true }),
        steps: textList({ description: 'Steps.', default: 'a' }),
      },
      build: ({ city, levels, steps }) => sql`SELECT ${city} AS city, ${levels} AS levels, ${steps} AS steps`,
    });
    const of = (raw: Record<string, string>): string =>
      hashOf(listed, null, { values: validateParameters(listed, rawParameters(raw)) });
    const known = of({ city: 'Rome', levels: 'b,a,c' });
    expect(of({ levels: 'c,b,a,b', city: 'Rome' })).toBe(known);
    expect(of({ city: 'Rome', levels: 'a,b,c', cache_buster: '42' })).toBe(known);
    expect(of({ city: 'Rome', levels: 'a,b' })).not.toBe(known);
    expect(of({ city: 'Rome' })).not.toBe(known);
    expect(new Set(['a,b', 'b,a', 'a,b,b', 'a,a,b'].map((steps) => of({ steps }))).size).toBe(4);
  });

  it('is the same for parameters that produce the same query', async () => {
    const registry = await referenceEndpoints();
    const hash = (name: string, parameters: Readonly<Record<string, string>>): string => {
      const found = registry.find(name);
      if (!found) throw new Error(`no endpoint ${name}`);
      return hashOf(found, null, { values: validateParameters(found, rawParameters(parameters)) });
    };
    const stats = (interval: Readonly<Record<string, string>>): string =>
      hash('functions.invocation-stats', { project: 'a', ...interval });
    expect(new Set([stats({}), stats({ interval: '1day' }), stats({ interval: 'none' })]).size).toBe(1);
    expect(stats({ interval: '7day' })).not.toBe(stats({}));
    expect(hash('get-grouped-stats-redirects', { utm_key: 'a' })).toBe(
      hash('get-grouped-stats-redirects', {}),
    );
    const events = 'get-grouped-stats-events-logs';
    expect(hash(events, { include_unique: 'true' })).toBe(hash(events, {}));
    expect(hash(events, { city: '' })).not.toBe(hash(events, {}));
  });
});

describe('the cache key of a query with a secret value', () => {
  const parameters = { city: text({ description: 'A city.', secret: true }) };
  const unused = defineEndpoint({ ...SAMPLE, parameters, build: () => sql`SELECT '' AS city` });
  const used = defineEndpoint({ ...SAMPLE, parameters });
  const keyWith = (secret: string, of = used, scope = ''): string => {
    const seal = sealWith(Buffer.from(secret));
    return hashOf(of, null, {
      values: validateParameters(of, rawParameters({ city: 'Rome' }), { seal }),
      scope,
    });
  };

  it('is the same for gateways with the same secret, and another one for others', () => {
    expect(keyWith('one')).toBe(keyWith('one'));
    expect(keyWith('one')).not.toBe(keyWith('two'));
  });

  it('cannot be computed without the secret where the key pins the value, even if the query does not use it', () => {
    const scope = JSON.stringify([['city', 'Rome']]);
    expect(keyWith('one', unused)).toBe(keyWith('two', unused));
    expect(keyWith('one', unused, scope)).not.toBe(keyWith('two', unused, scope));
    expect(keyWith('one', unused, scope)).toBe(keyWith('one', unused, scope));
  });

  it('differs from that of the same text without secrecy, and of a text that looks like the HMAC', () => {
    const sealed = validateParameters(used, rawParameters({ city: 'Rome' })).get('city');
    const texts = ['Rome', JSON.stringify(sealed), String(sealed)];
    const hashes = texts.map((city) => hashOf(used, city));
    const own = hashOf(used, null, { values: new Map([['city', sealed ?? null]]) });
    expect(hashes).not.toContain(own);
  });
});

describe('the lifetime of a result of several endpoints', () => {
  const untilChanged = (check: number, atMost: number): Caching => ({ untilChanged: true, check, atMost });
  const shortest = (...all: (readonly [caching: Caching, staleIfError: number])[]): readonly number[] => {
    const { cachingMs, confirmableMs, staleMs } = shortestOf(
      all.map(([caching, staleIfError]) => lifetimeOf({ ...readCaching(caching), staleIfError })),
    );
    return [cachingMs, confirmableMs, staleMs].map((ms) => ms / 1000);
  };

  it.each([
    [
      'the shortest of each',
      [
        [60, 5],
        [30, 10],
      ],
      [30, 0, 5],
    ],
    [
      'confirmed for as long as the first of them',
      [
        [untilChanged(1, 100), 5],
        [untilChanged(9, 90), 5],
      ],
      [1, 90, 5],
    ],
    [
      'not confirmed for longer than one is cached for seconds',
      [
        [untilChanged(1, 100), 5],
        [60, 5],
      ],
      [1, 60, 5],
    ],
    [
      'never confirmed where that would be no longer',
      [
        [untilChanged(60, 100), 5],
        [60, 5],
      ],
      [60, 0, 5],
    ],
    [
      'not cached where one is not',
      [
        [untilChanged(1, 100), 5],
        ['disabled', 5],
      ],
      [0, 0, 0],
    ],
    [
      'never stale where one is not',
      [
        [60, 600],
        [untilChanged(1, 100), 0],
      ],
      [1, 60, 0],
    ],
  ] as const)('is %s', (_what, lifetimes, expected) => {
    expect(shortest(...lifetimes)).toEqual(expected);
    expect(shortest(...lifetimes.toReversed())).toEqual(expected);
  });
});
