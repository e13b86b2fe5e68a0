import {
  findEndpoints,
  groupByPrefix,
  tagCounts,
  type Findable,
} from '../../../console/src/model/find-endpoints.js';

const endpoint = (name: string, description: string, tags: readonly string[] = []): Findable => ({
  name,
  description,
  tags,
  parameters: [
    { name: `${name}_id`, kind: 'string', required: false, empty: 'value', type: 'String', description: '' },
  ],
});

const ENDPOINTS = [
  endpoint('logs.all', 'The newest records.', ['logs']),
  endpoint('usage.counts', 'Requests by API.', ['usage', 'rest-api']),
  endpoint('usage.errors', 'Failed requests.', ['usage']),
  endpoint('other', 'Without a tag.'),
];

const found = (search: string, tag?: string): readonly string[] =>
  findEndpoints(ENDPOINTS, search, tag).map(({ name }) => name);

describe('findEndpoints', () => {
  it.each([
    ['', ['logs.all', 'usage.counts', 'usage.errors', 'other']],
    ['counts', ['usage.counts']],
    ['NEWEST', ['logs.all']],
    ['rest-api', ['usage.counts']],
    ['other_id', ['other']],
    ['failed usage', ['usage.errors']],
    ['failed logs', []],
    [' usage ', ['usage.counts', 'usage.errors']],
  ])('finds by name, description, tags and parameters: %j', (search, names) => {
    expect(found(search)).toEqual(names);
  });

  it('finds the endpoints of a tag, and searches only among them', () => {
    expect(found('', 'usage')).toEqual(['usage.counts', 'usage.errors']);
    expect(found('requests', 'rest-api')).toEqual(['usage.counts']);
    expect(found('newest', 'usage')).toEqual([]);
    expect(found('', 'rest')).toEqual([]);
  });
});

describe('tagCounts', () => {
  it('counts the endpoints of each tag, by name', () => {
    expect(tagCounts(ENDPOINTS)).toEqual([
      ['logs', 1],
      ['rest-api', 1],
      ['usage', 2],
    ]);
  });
});

describe('groups of endpoints', () => {
  it('have names with the same first part; names that share it with no other one come first', () => {
    const named = ['logs.all', 'plain', 'shop.orders', 'usage.counts', 'shop.total', 'other'].map((name) => ({
      name,
    }));
    expect(
      groupByPrefix(named).map(({ prefix, endpoints }) => [prefix, endpoints.map(({ name }) => name)]),
    ).toEqual([
      ['', ['logs.all', 'plain', 'usage.counts', 'other']],
      ['shop', ['shop.orders', 'shop.total']],
    ]);
    expect(groupByPrefix([])).toEqual([]);
  });
});
