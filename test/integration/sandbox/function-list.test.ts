import { AGGREGATES, isAllowedAggregate } from '../../../src/gateway/sandbox/aggregate-functions.js';
import { FUNCTIONS, isAllowedFunction } from '../../../src/gateway/sandbox/functions.js';
import { useTestDatabase } from '../../support/clickhouse.js';

const database = useTestDatabase();
let known: ReadonlyMap<string, { readonly aggregate: boolean; readonly means: string }>;

beforeAll(async () => {
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

it('allows no alias of a function that it does not allow', () => {
  const wrong = [...known].filter(
    ([name, { means }]) => isAllowedFunction(name) && !isAllowedFunction(means),
  );
  expect(wrong).toEqual([]);
});

it('contains no two different functions whose names differ only in case', () => {
  const meanings = new Map<string, Set<string>>();
  for (const [name, { means }] of known) {
    if (!isAllowedFunction(name)) continue;
    const lower = name.toLowerCase();
    meanings.set(lower, (meanings.get(lower) ?? new Set()).add(means.toLowerCase()));
  }
  expect([...meanings].filter(([, means]) => means.size > 1)).toEqual([]);
});

it('contains only functions that ClickHouse has', () => {
  const lower = new Set([...known.keys()].map((name) => name.toLowerCase()));
  const unknown = [...FUNCTIONS, ...AGGREGATES].filter((name) => !lower.has(name));
  // Two functions that only ClickHouse's parser knows, and three that are a function with the combinator -Map.
  expect(unknown.sort()).toEqual(['exists', 'grouping', 'maxmap', 'minmap', 'summap']);
});

it('allows no function that returns a state of an aggregate function', () => {
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
