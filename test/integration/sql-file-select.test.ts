import fc from 'fast-check';

import { parseSelectText } from '../../src/endpoint/sql-file/select/select-text.js';
import { anySelect, printTemplate } from '../support/any-select.js';
import { anyText } from '../support/any-text.js';
import { useTestDatabase } from '../support/clickhouse.js';
import { combinationsOfParts } from '../support/combinations-of-parts.js';

const database = useTestDatabase();

beforeAll(async () => {
  await database.client.command({
    query: 'CREATE TABLE t (number UInt64) ENGINE = MergeTree ORDER BY number',
  });
  await database.client.command({ query: 'CREATE TABLE queries (query String) ENGINE = Memory' });
  await database.client.command({ query: 'INSERT INTO t SELECT * FROM numbers(4)' });
});

async function run<Row>(query: string, query_params: Record<string, unknown>): Promise<Row[]> {
  const result = await database.client.query({ query, query_params, format: 'JSONCompactEachRow' });
  return result.json<Row>();
}

/** Items of a SELECT list as text, and the values that they have. */
interface Items {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly parameters: Readonly<Record<string, string>>;
}

const NOISE = [' ', '\n', ' -- @a [[\n', '/* {a:Int8} /* @b */ ]] */', ' # @c\n', '\u00a0'];
const TRAPS = ['@a', '{a:String}', '[[', ']]', "'", '\\', '"', '`', '--', '/*', '*/', ';', '$t$', '\n', 'é'];
const contents = fc.array(fc.oneof(fc.constantFrom(...TRAPS), anyText({ maxLength: 3 })), { maxLength: 6 });
const text = contents.map((parts) => parts.join(''));

const doubled = (value: string, quote: string): string =>
  quote + value.replaceAll('\\', '\\\\').replaceAll(quote, quote + quote) + quote;
const escaped = (value: string, quote: string): string =>
  quote + value.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`) + quote;

const item = fc.oneof(
  text.map((value) => ({ text: doubled(value, "'"), value })),
  text.map((value) => ({ text: escaped(value, "'"), value })),
  text.map((value) => ({ text: `$h$${value}$h$`, value })),
  text.map((value) => ({ text: `[ [${doubled(value, "'")}], ['@a']][1]`, value: [value] })),
  text.map((value) => ({ text: `(SELECT 7 AS ${escaped(`n${value}`, '`')})`, value: 7 })),
  fc.nat({ max: 9 }).map((value) => ({ text: `[1, [${value}][1]][2]::UInt8`, value })),
  fc.tuple(text, fc.boolean()).map(([value, isTyped]) => ({ isTyped, value })),
);

const items: fc.Arbitrary<Items> = fc
  .array(fc.tuple(item, fc.constantFrom(...NOISE), fc.constantFrom(...NOISE)), {
    minLength: 1,
    maxLength: 12,
  })
  .map((all) => ({
    text: all
      .map(([one, before, after], index) => {
        const written = 'text' in one ? one.text : one.isTyped ? `{p${index}:String}` : `@p${index}`;
        return `${before}${written}${after}`;
      })
      .join(','),
    values: all.map(([{ value }]) => value),
    parameters: Object.fromEntries(
      all.flatMap(([one], index) => ('isTyped' in one ? [[`p${index}`, one.value]] : [])),
    ),
  }));

describe('parseSelectText', () => {
  it('finds the placeholders that the server binds, and no others', async () => {
    for (const { text: list, values, parameters } of fc.sample(items, { numRuns: 200, seed: 1 })) {
      const { pieces, problems } = parseSelectText(`SELECT ${list}; -- @z`);
      expect(problems).toEqual([]);
      const [query = ''] = combinationsOfParts(pieces, 'String');
      expect({ query, rows: await run(query, parameters) }).toEqual({ query, rows: [values] });
    }
  });

  it('accepts parts of which ClickHouse parses every combination', async () => {
    for (let seed = 1; seed <= 4; seed += 1) {
      const texts = fc
        .sample(anySelect, { numRuns: 30, seed })
        .flatMap((template) =>
          combinationsOfParts(parseSelectText(printTemplate(template)).pieces, 'UInt64'),
        );
      await database.client.insert({
        table: 'queries',
        values: texts.map((query) => ({ query })),
        format: 'JSONEachRow',
      });
    }
    const invalid = 'SELECT query FROM queries WHERE formatQueryOrNull(query) IS NULL LIMIT 3';
    expect(await run(invalid, {})).toEqual([]);
  });

  it('knows where a LIMIT after the text limits the whole result', async () => {
    for (const template of fc.sample(anySelect, { numRuns: 80, seed: 1 })) {
      const { pieces, needsWrapping } = parseSelectText(printTemplate(template));
      const queries = combinationsOfParts(pieces, 'UInt64');
      const parameters = Object.fromEntries(Array.from({ length: 99 }, (_, index) => [`p${index}`, 1]));
      for (const query of new Set([queries.at(0), queries.at(-1)])) {
        const limited = needsWrapping ? `SELECT * FROM (\n${query}\n)\nLIMIT 1` : `${query}\nLIMIT 1`;
        const counts = `SELECT count() FROM (\n${query}\n) UNION ALL SELECT count() FROM (\n${limited}\n)`;
        const [[all] = [], [first] = []] = await run<[number]>(
          `SELECT * FROM (${counts}) ORDER BY 1 DESC`,
          parameters,
        );
        expect({ limited, first }).toEqual({ limited, first: Math.min(all ?? 0, 1) });
      }
    }
  });
});
