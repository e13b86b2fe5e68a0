import fc from 'fast-check';

import { bindQuery } from '../../../src/endpoint/bind.js';
import {
  all,
  choose,
  is,
  isPinned,
  Reference,
  Sql,
  sql,
  whenGiven,
  where,
  type Query,
} from '../../../src/endpoint/sql.js';

const city = new Reference<string>('city', 'String');
const country = new Reference<string>('country', 'String');
const order = new Reference<string>('order', 'String');
const chosen = choose([isPinned(country), sql`country = ${country}`], sql`1`);
const sorted = choose(
  [is(order, 'up'), sql`n`],
  [all(is(order, 'down'), isPinned(country)), sql`n DESC`],
  sql`m`,
);
const query: Query = {
  parts: [],
  body: sql`SELECT ${country} FROM t ${where(whenGiven(city, sql`city = ${city}`), chosen)} ORDER BY ${sorted}`,
};

const calls = fc.record({
  city: fc.option(fc.constantFrom('Rome', 'Oslo')),
  country: fc.option(fc.constantFrom('it', 'no')),
  order: fc.option(fc.constantFrom('up', 'down', 'other')),
  isPinned: fc.boolean(),
});

it('a text that is remembered from calls of any shape is the one that a first call has', () => {
  fc.assert(
    fc.property(fc.array(calls, { minLength: 1, maxLength: 20 }), (sequence) => {
      for (const { isPinned: pinned, ...values } of sequence) {
        const bind = (of: Query): unknown =>
          JSON.stringify(
            bindQuery(
              of,
              new Map(Object.entries(values)),
              new Set(pinned ? ['country'] : []),
              new Date(0),
              5,
            ),
          );
        expect(bind(query)).toBe(bind({ ...query }));
      }
    }),
  );
});

it('a query whose texts exceed the memory is still bound for each call', () => {
  const padding = new Sql([{ kind: 'text', text: '/* x */'.repeat(30_000) }]);
  const long: Query = { parts: [], body: sql`SELECT ${padding} ${city}` };
  const bind = (value: string | null): string =>
    bindQuery(long, new Map([['city', value]]), new Set(), new Date(0), 5).text;
  const [given, omitted] = [bind('Rome'), bind(null)];
  expect(given).not.toBe(omitted);
  expect([bind('Oslo'), bind(null), bind('Rome')]).toEqual([given, omitted, given]);
});
