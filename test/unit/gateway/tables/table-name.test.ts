import { requireOwnNames, tableName } from '../../../../src/gateway/tables/table-name.js';
import { sampleEndpoint } from '../../../support/sample-endpoint.js';

it.each([
  ['usage.api-counts', 'usage_api_counts'],
  ['events.by-day@2', 'events_by_day_2'],
  ['plain', 'plain'],
])('names the table of %s %s', (name, table) => {
  expect(tableName({ name })).toBe(table);
});

it('finds two endpoints that are one table, among those that are tables', () => {
  const named = (name: string, tables?: boolean): ReturnType<typeof sampleEndpoint> =>
    sampleEndpoint({ name, ...(tables !== undefined && { tables }) });
  const [dotted, hyphened] = [named('a.b', true), named('a-b', true)];
  expect(() => {
    requireOwnNames([dotted, named('c', true), hyphened]);
  }).toThrow('endpoints a.b and a-b would both be the table a_b');
  requireOwnNames([dotted, named('a-b', false), named('a-b')]);
});
