import fc from 'fast-check';

import { column } from '../../../../src/endpoint/definition.js';
import { defineEndpoint, type Endpoint } from '../../../../src/endpoint/endpoint.js';
import {
  boolean,
  integer,
  listOf,
  number,
  regularExpression,
  sql,
  text,
  textList,
  timestamp,
  uuid,
  whenGiven,
  where,
  type Reference,
  type Sql,
} from '../../../../src/endpoint/index.js';
import type { Parameter } from '../../../../src/endpoint/parameters/parameter.js';

const described = { description: 'A filter.' };

/** An optional filter: its parameter, its condition, and values that hidden rows match, that others match, or that none does. */
interface FilterKind {
  readonly parameter: Parameter;
  readonly condition: (value: Reference) => Sql;
  readonly values: readonly string[];
}

const TIMES = ['2096-02-29T20:00:00Z', '2096-03-01T04:00:00.5Z', '2096-03-01T11:59:00Z'];
const TEXTS = ['SECRET 31', '31', '1', 'S', '%', 'none'];

/** A filter for each kind of parameter that compares, searches or computes. None throws, whatever the rows contain. */
const FILTERS: readonly FilterKind[] = [
  { parameter: text(described), condition: (p) => sql`event_message = ${p}`, values: TEXTS },
  { parameter: text(described), condition: (p) => sql`event_message LIKE concat(${p}, '%')`, values: TEXTS },
  {
    parameter: text(described),
    condition: (p) => sql`positionCaseInsensitiveUTF8(event_message, ${p}) > 0`,
    values: TEXTS,
  },
  {
    parameter: regularExpression({ ...described, maxLength: 100 }),
    condition: (p) => sql`match(event_message, ${p})`,
    values: ['^SEC', '[0-9]{2}', 'x'],
  },
  {
    parameter: textList(described),
    condition: (p) => sql`event_message IN ${p}`,
    values: ['SECRET 31,1', '31,32,33', 'none'],
  },
  {
    parameter: listOf('integer', described),
    condition: (p) => sql`length(event_message) IN ${p}`,
    values: ['9', '1,2', '77'],
  },
  {
    parameter: integer(described),
    condition: (p) => sql`JSONExtractInt(metadata, 'small') >= ${p}`,
    values: ['70000', '3', '0'],
  },
  {
    parameter: number(described),
    condition: (p) => sql`JSONExtractFloat(metadata, 'big') < ${p}`,
    values: ['1e18', '1005.5', '0'],
  },
  {
    parameter: boolean(described),
    condition: (p) => sql`startsWith(event_message, 'SECRET') = ${p}`,
    values: ['true', 'false'],
  },
  { parameter: timestamp(described), condition: (p) => sql`timestamp >= ${p}`, values: TIMES },
  { parameter: timestamp(described), condition: (p) => sql`timestamp <= ${p}`, values: TIMES },
  {
    parameter: uuid(described),
    condition: (p) => sql`id = ${p}`,
    values: ['00000000-0000-4000-8000-abcd00000031', '00000000-0000-4000-8000-000000000001'],
  },
];

const name = (filter: number): string => `filter_${filter}`;

/** How the rows are selected: as they are, grouped, or the first few. */
const SHAPES: readonly ((filters: Sql) => Sql)[] = [
  (filters) =>
    sql`SELECT timestamp AS first, event_message AS content FROM edge_logs ${filters} ORDER BY timestamp, id`,
  (filters) =>
    sql`SELECT min(timestamp) AS first, min(metadata) AS content FROM edge_logs ${filters} GROUP BY toHour(timestamp) ORDER BY first`,
  (filters) =>
    sql`SELECT timestamp AS first, event_message AS content FROM (SELECT * FROM edge_logs ${filters} ORDER BY timestamp DESC, id LIMIT 2) ORDER BY timestamp`,
];

const uuidOf = (index: number): string => `5d0c4b7e-0f7a-4f0e-9a51-${String(index).padStart(12, '0')}`;

/** A call of a generated endpoint. */
export interface PlainCall {
  readonly endpoint: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Generates endpoints with a required `project` and optional filters, of which calls give some. */
export function generateCalls(
  count: number,
  seed: number,
): { readonly endpoints: readonly Endpoint[]; readonly calls: readonly PlainCall[] } {
  const filter = fc.integer({ min: 0, max: FILTERS.length - 1 });
  const generated = fc.sample(
    fc.record({
      filters: fc.uniqueArray(filter, { minLength: 1, maxLength: 4 }),
      shape: fc.constantFrom(...SHAPES),
      given: fc.array(fc.nat(), { minLength: 4, maxLength: 4 }),
    }),
    { seed, numRuns: count },
  );
  const endpoints = generated.map(({ filters, shape }, index) => endpointOf(index, filters, shape));
  const calls = generated.map(({ filters, given }, index) => ({
    endpoint: endpoints[index]?.name ?? '',
    parameters: Object.fromEntries(filters.flatMap((kind, n) => valueFor(kind, given[n] ?? 0))),
  }));
  return { endpoints, calls };
}

/** A value of a filter, by a random number; of five times, once none. */
function valueFor(kind: number, random: number): readonly (readonly [string, string])[] {
  const { values = [] } = FILTERS[kind] ?? {};
  const value = values[random % values.length];
  return value === undefined || random % 5 === 0 ? [] : [[name(kind), value]];
}

function endpointOf(index: number, kinds: readonly number[], shape: (filters: Sql) => Sql): Endpoint {
  const filters = kinds.flatMap((kind) => FILTERS[kind] ?? []);
  return defineEndpoint({
    id: uuidOf(index),
    name: `plain-${index}`,
    summary: 'Generated.',
    parameters: {
      project: text({ description: 'Project.', required: true }),
      ...Object.fromEntries(filters.map(({ parameter }, n) => [name(kinds[n] ?? 0), parameter])),
    },
    columns: {
      first: column("DateTime64(6, 'UTC')", 'When.'),
      content: column('String', 'What.'),
    },
    maxRows: 5,
    caching: 'disabled',
    warming: 0,
    sandboxing: 'disabled',
    example: { project: 'mine' },
    build: (p, now) => {
      const references: Readonly<Record<string, Reference>> = p;
      const optional = filters.flatMap(({ condition }, n) => {
        const reference = references[name(kinds[n] ?? 0)];
        return reference ? [whenGiven(reference, condition(reference))] : [];
      });
      const retained = sql`timestamp > ${now} - INTERVAL 1 DAY`;
      return shape(where(...optional, sql`project = ${p.project}`, retained));
    },
  });
}
