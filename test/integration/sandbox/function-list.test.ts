import { ALLOWED_AGGREGATES, isAllowedAggregate } from '../../../src/sandbox/aggregate-functions.js';
import { ALLOWED_FUNCTIONS, isAllowedFunction } from '../../../src/sandbox/functions.js';
import { createTestDatabase, type TestDatabase } from '../../support/clickhouse.js';

let database: TestDatabase;
let known: ReadonlyMap<string, { readonly aggregate: boolean; readonly means: string }>;

beforeAll(async () => {
  database = await createTestDatabase();
  const result = await database.client.query({
    query: 'SELECT name, is_aggregate, alias_to FROM system.functions',
    format: 'JSONEachRow',
  });
  const rows = await result.json<{ name: string; is_aggregate: number; alias_to: string }>();
  known = new Map(
    rows.map(({ name, is_aggregate, alias_to }) => [
      name,
      { aggregate: is_aggregate === 1, means: alias_to || name },
    ]),
  );
});
afterAll(() => database.close());

it('allows no second name of a function that it does not allow', () => {
  const wrong = [...known].filter(
    ([name, { means }]) => isAllowedFunction(name) && !isAllowedFunction(means),
  );
  expect(wrong).toEqual([]);
});

it('names no two functions that differ in case alone and are not the same', () => {
  const meanings = new Map<string, Set<string>>();
  for (const [name, { means }] of known) {
    if (!isAllowedFunction(name)) continue;
    const lower = name.toLowerCase();
    meanings.set(lower, (meanings.get(lower) ?? new Set()).add(means.toLowerCase()));
  }
  expect([...meanings].filter(([, means]) => means.size > 1)).toEqual([]);
});

it('names functions that ClickHouse has', () => {
  const lower = new Set([...known.keys()].map((name) => name.toLowerCase()));
  const unknown = [...ALLOWED_FUNCTIONS, ...ALLOWED_AGGREGATES].filter((name) => !lower.has(name));
  // Two that ClickHouse's parser knows, and three that are a function with its combinator -Map.
  expect(unknown.sort()).toEqual(['exists', 'grouping', 'maxmap', 'minmap', 'summap']);
});

it('takes no state of an aggregate function for a value', () => {
  for (const name of [
    'sumState',
    'sumMerge',
    'sumStateIf',
    'sumIfState',
    'sumSimpleState',
    'sumResample',
    'uniqMergeState',
  ]) {
    expect(isAllowedAggregate(name)).toBe(false);
  }
  for (const name of ['sumIf', 'SUM', 'uniqArrayIf', 'anyOrNull', 'sumMapIf', 'countDistinctIf']) {
    expect(isAllowedAggregate(name)).toBe(true);
  }
});
