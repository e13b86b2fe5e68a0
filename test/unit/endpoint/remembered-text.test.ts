import fc from 'fast-check';

import { bindQuery } from '../../../src/endpoint/bind.js';
import { MAX_CHARACTERS, textOfQuery, type Question } from '../../../src/endpoint/remembered-text.js';
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

describe('textOfQuery', () => {
  const answering =
    (...yes: readonly string[]) =>
    (question: Question): boolean =>
      typeof question === 'string' && yes.includes(question);

  it('renders a text once for calls that answer its questions alike, whatever else they have', () => {
    const given = textOfQuery(query, answering('city', 'country'));
    const omitted = textOfQuery(query, answering('country'));
    expect(omitted).not.toBe(given);
    expect(textOfQuery(query, answering('city', 'country', 'unused'))).toBe(given);
    expect(textOfQuery(query, answering('country', 'order'))).toBe(omitted);
  });

  it('forgets the texts of a query when they exceed its memory, and keeps the last one', () => {
    const padding = new Sql([{ kind: 'text', text: '.'.repeat(0.6 * MAX_CHARACTERS) }]);
    const long: Query = { parts: [], body: sql`SELECT '${padding}', ${city}` };
    const given = textOfQuery(long, answering('city'));
    const omitted = textOfQuery(long, answering());
    expect(textOfQuery(long, answering())).toBe(omitted);
    const again = textOfQuery(long, answering('city'));
    expect(again).not.toBe(given);
    expect(again).toEqual(given);
  });
});
