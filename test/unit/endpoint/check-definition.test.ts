import { EndpointDefinitionError } from '../../../src/endpoint/definition-error.js';
import type { EndpointDefinition, Parameters } from '../../../src/endpoint/definition.js';
import { defineEndpoint } from '../../../src/endpoint/endpoint.js';
import {
  boolean,
  column,
  integer,
  oneOf,
  part,
  regularExpression,
  sql,
  text,
  textList,
  timestamp,
  withParts,
} from '../../../src/endpoint/index.js';
import type { Parameter } from '../../../src/endpoint/parameters/parameter.js';
import { SAMPLE } from '../../support/sample-endpoint.js';

/** The error of a definition that no type check has seen. */
function errorOf(definition: unknown): EndpointDefinitionError {
  try {
    defineEndpoint(definition as EndpointDefinition<Parameters>);
  } catch (error) {
    if (error instanceof EndpointDefinitionError) return error;
    throw error;
  }
  throw new Error('the definition is valid');
}

/** The paths and texts of the problems of the sample definition with some keys changed. */
const problemsOf = (change: Readonly<Record<string, unknown>>): readonly (readonly [string, string])[] =>
  errorOf({ ...SAMPLE, ...change }).problems.map(({ path, problem }) => [path.join('/'), problem]);

const parameter = text({ description: 'A city.' });
const SECRET = text({ description: 'A city.', secret: true });

describe('a definition that no type check has seen', () => {
  it.each([
    ['a misspelt key', { sumary: 'A.' }, 'sumary', 'unknown key `sumary`; did you mean `summary`?'],
    ['an unknown key', { xyz: 1 }, 'xyz', 'unknown key `xyz`; the keys are id, name, summary, tags,'],
    ['a number as text', { maxRows: '100' }, 'maxRows', 'maxRows "100" must be a whole number of at least 1'],
    ['null', { warming: null }, 'warming', 'warming null must be a whole number of seconds'],
    ['caching as text', { caching: '5' }, 'caching', 'caching "5" must be "disabled" or a whole number'],
    ['a switch', { sandboxing: true }, 'sandboxing', 'sandboxing true must be "enabled" or "disabled"'],
    ['no summary', { summary: undefined }, 'summary', 'summary is missing; it must be one sentence'],
    ['no example', { example: undefined }, 'example', 'example is missing; it must be an object of strings'],
    [
      'an array',
      { columns: ['a'] },
      'columns',
      'columns is an array; it must be an object of columns by name',
    ],
    [
      'a type as a column',
      { columns: { city: 'String' } },
      'columns/city',
      '"String" must be a column: column(',
    ],
    [
      'a column without meaning',
      { columns: { city: { type: 'String' } } },
      'columns/city/meaning',
      'is missing',
    ],
    [
      'a misspelt key of a column',
      { columns: { city: { type: 'String', meaning: 'A.', holdJson: true } } },
      'columns/city/holdJson',
      'unknown key `columns.city.holdJson`; did you mean `columns.city.holdsJson`?',
    ],
    ['a number in the example', { example: { city: 5 } }, 'example/city', 'example.city 5 must be a string'],
    ['an object of warm', { warm: {} }, 'warm', 'warm is an empty object; it must be an array of objects'],
    ['a number in warm', { warm: [{}, { city: 5 }] }, 'warm/1/city', 'warm.1.city 5 must be a string'],
    [
      'a secret parameter in warm',
      { parameters: { city: SECRET }, warm: [{}, { city: 'x' }] },
      'warm/1/city',
      'warm.1 names the secret parameter "city": leave this set out, or declare it without `secret`',
    ],
    [
      'an undeclared name in tenant',
      { tenant: { visits: { place: 'citi' } } },
      'tenant/visits',
      'tenant.visits names the undeclared parameter "citi"; did you mean "city"?',
    ],
    [
      'a secret parameter in tenant',
      { tenant: { visits: { place: 'city' } }, parameters: { city: SECRET } },
      'tenant/visits',
      'tenant.visits names the secret parameter "city": a filter needs one value that may be logged',
    ],
    [
      'a list in tenant',
      { tenant: { visits: 'city' }, parameters: { city: textList({ description: 'Cities.' }) } },
      'tenant/visits',
      'tenant.visits names the list parameter "city": a filter needs one value that may be logged',
    ],
    [
      'a filter of another form',
      { tenant: { visits: ['city'] } },
      'tenant/visits',
      'tenant.visits is an array; it must be a parameter with the name of its column, or an object of parameters by column',
    ],
    [
      'an undeclared name in warm',
      { warm: [{ ciy: 'x' }] },
      'warm/0/ciy',
      'parameter "ciy"; did you mean "city"?',
    ],
    ['a text as limits', { limits: 5 }, 'limits', 'limits 5 must be of type object'],
    ['an unknown limit', { limits: { reqests: {} } }, 'limits/reqests', 'did you mean `limits.requests`?'],
    [
      'a quota without window',
      { limits: { requests: { quota: 5 } } },
      'limits/requests/window',
      'limits.requests.window is missing; it is required',
    ],
    [
      'a negative time limit',
      { queryLimits: { timeoutSeconds: -1 } },
      'queryLimits/timeoutSeconds',
      'queryLimits.timeoutSeconds -1 must be a positive number',
    ],
    [
      'staleIfError as text',
      { staleIfError: '60' },
      'staleIfError',
      'staleIfError "60" must be a whole number',
    ],
    ['a text as tags', { tags: 'usage' }, 'tags', 'tags "usage" must be an array of lower-case words'],
    [
      'a tag of two words',
      { tags: ['ok', 'Two words'] },
      'tags/1',
      'tags.1 "Two words" must be a lower-case word',
    ],
    ['a repeated tag', { tags: ['usage', 'usage'] }, 'tags/1', 'tags.1 "usage" is there already'],
    ['a text as query', { build: 'SELECT 1' }, 'build', 'build "SELECT 1" must be a function'],
    ['a query of text', { build: () => 'SELECT 1' }, 'build', 'build: must return sql`…` or withParts'],
    ['an asynchronous query', { build: () => Promise.resolve(sql`SELECT 1`) }, 'build', 'not a promise'],
    ['no query', { build: () => undefined }, 'build', 'not undefined'],
    [
      'a query with parts that are not parts',
      { build: () => ({ parts: [sql`SELECT 1`], body: sql`SELECT 1` }) },
      'build',
      'not an object',
    ],
    [
      'a part named result',
      { build: () => withParts([part('result', sql`SELECT 1`)], sql`SELECT 2`) },
      'build',
      'build: a part must not be named "result"',
    ],
    [
      'a query that throws',
      {
        build: () => {
          throw new Error('boom');
        },
      },
      'build',
      'build: boom',
    ],
  ])('reports %s with its path and what is expected', (_what, change, path, problem) => {
    expect(problemsOf(change)).toEqual([[path, expect.stringContaining(problem) as string]]);
  });

  it.each([
    ['a function that was not called', text, 'is a function; it must be a parameter, such as text('],
    ['a text', 'String', 'parameters.city "String" must be a parameter'],
    ['a column', column('String', 'A city.'), 'parameters.city is an object; it must be a parameter'],
  ])('reports %s in the place of a parameter', (_what, value, problem) => {
    expect(problemsOf({ parameters: { city: value } })).toEqual([
      ['parameters/city', expect.stringContaining(problem) as string],
    ]);
  });

  const description = 'A city.';
  /** Declares a parameter with options that no type check has seen. */
  const declare = (kind: (options: never) => Parameter, options: unknown): Parameter =>
    kind(options as never);

  it.each([
    ['no description', declare(text, {}), 'description', 'description is missing; it must be a sentence'],
    ['text', declare(text, { description, requird: true }), 'requird', 'did you mean `required`?'],
    ['text', declare(text, { description, required: 'yes' }), 'required', '"yes" must be true or false'],
    ['text', declare(text, { description, empty: 'none' }), 'empty', 'must be "value" or "omitted" or'],
    ['text', declare(text, { description, suggestions: 'x' }), 'suggestions', 'must be an array of strings'],
    ['boolean', declare(boolean, { description, empty: 'value' }), 'empty', 'must be "omitted" or "problem"'],
    ['textList', declare(textList, { description, choices: [] }), 'choices', 'unknown key `choices`'],
    ['integer', declare(integer, { description, minimum: '5x' }), 'minimum', '"5x" must be a whole number'],
    [
      'timestamp',
      declare(timestamp, { description, subMicrosecond: 'up' }),
      'subMicrosecond',
      '"floor" or "ceil"',
    ],
    ['regularExpression', declare(regularExpression, { description }), 'maxLength', 'maxLength is missing'],
    ['oneOf', oneOf('ab' as never, { description }), 'choices', 'must be an array of strings, at least one'],
    ['oneOf', oneOf([], { description }), 'choices', 'must be an array of strings, at least one'],
  ])('reports an invalid option of a parameter: %s', (_what, value, option, problem) => {
    expect(problemsOf({ parameters: { city: value } })).toEqual([
      [`parameters/city/${option}`, expect.stringMatching(/^parameters\.city: /) as string],
    ]);
    expect(problemsOf({ parameters: { city: value } })[0]?.[1]).toContain(problem);
  });

  it.each([undefined, null, 'x', [], () => SAMPLE])('rejects %p in the place of a definition', (value) => {
    expect(errorOf(value).message).toMatch(/^the definition must be an object with id, name, .*, not /);
  });

  it('reports all problems at once, a line each, those of the query too', () => {
    const error = errorOf({
      ...SAMPLE,
      id: 'x',
      maxRows: '5',
      parameters: { city: parameter },
      example: { town: 'Rome' },
      build: () => 'SELECT 1',
    });
    expect(error.problems.map(({ path }) => path)).toEqual([
      ['id'],
      ['maxRows'],
      ['example', 'town'],
      ['build'],
    ]);
    expect(error.message.split('\n')).toEqual(error.problems.map(({ problem }) => problem));
  });

  it('reports a misspelt key once, not its right spelling as missing too', () => {
    const { summary, ...rest } = SAMPLE;
    const { problems } = errorOf({ ...rest, sumary: summary });
    expect(problems.map(({ path }) => path)).toEqual([['sumary']]);
  });

  it('does not build the query of invalid parameters', () => {
    let isBuilt = false;
    const build = (): unknown => (isBuilt = true);
    expect(problemsOf({ parameters: { city: text }, build })).toHaveLength(1);
    expect(isBuilt).toBe(false);
  });

  it('has the error of the query as its cause', () => {
    const cause = new Error('boom');
    const build = (): never => {
      throw cause;
    };
    expect(errorOf({ ...SAMPLE, build }).cause).toBe(cause);
  });

  it('accepts every key', () => {
    const complete = {
      ...SAMPLE,
      tags: ['usage', 'rest-api', '2026'],
      limit: 5,
      staleIfError: 0,
      queryLimits: { timeoutSeconds: 0.5, maxRowsToRead: 1 },
      limits: { requests: { quota: 1, window: 1 }, concurrent: 1 },
      warm: [{ city: '' }],
    };
    expect(defineEndpoint(complete).tags).toEqual(['usage', 'rest-api', '2026']);
  });
});
