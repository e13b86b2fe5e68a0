import { EndpointDefinitionError } from '../../../src/endpoint/definition-error.js';
import type { EndpointDefinition, Parameters } from '../../../src/endpoint/definition.js';
import { defineEndpoint } from '../../../src/endpoint/endpoint.js';
import { column, part, sql, text, textList, withParts } from '../../../src/endpoint/index.js';
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

/** The path and code of each problem of the sample definition with some keys changed. */
const problemsOf = (change: Readonly<Record<string, unknown>>): readonly string[] =>
  errorOf({ ...SAMPLE, ...change }).problems.map(({ path, code }) => `${path.join('/')} ${code}`);

const parameter = text({ description: 'A city.' });
const SECRET = text({ description: 'A city.', secret: true });
const LIST = textList({ description: 'Cities.' });

describe('a definition that no type check has seen', () => {
  it.each([
    ['sumary KEY_UNKNOWN', { sumary: 'A.' }],
    ['xyz KEY_UNKNOWN', { xyz: 1 }],
    ['maxRows VALUE_INVALID', { maxRows: '100' }],
    ['warming VALUE_INVALID', { warming: null }],
    ['caching VALUE_INVALID', { caching: '5' }],
    ['sandboxing VALUE_INVALID', { sandboxing: true }],
    ['tables VALUE_INVALID', { tables: 'enabled' }],
    ['summary KEY_MISSING', { summary: undefined }],
    ['example KEY_MISSING', { example: undefined }],
    ['columns VALUE_INVALID', { columns: ['a'] }],
    ['columns/city VALUE_INVALID', { columns: { city: 'String' } }],
    ['columns/city/meaning KEY_MISSING', { columns: { city: { type: 'String' } } }],
    [
      'columns/city/holdJson KEY_UNKNOWN',
      { columns: { city: { type: 'A', meaning: 'A.', holdJson: true } } },
    ],
    ['example/city VALUE_INVALID', { example: { city: 5 } }],
    ['warm VALUE_INVALID', { warm: {} }],
    ['warm/1/city VALUE_INVALID', { warm: [{}, { city: 5 }] }],
    ['warm/1/city SECRET_IN_FILE', { parameters: { city: SECRET }, warm: [{}, { city: 'x' }] }],
    ['warm/0/ciy PARAMETER_UNDECLARED', { warm: [{ ciy: 'x' }] }],
    ['tenant/visits PARAMETER_UNDECLARED', { tenant: { visits: { place: 'citi' } } }],
    ['tenant/visits PARAMETER_NOT_FILTERING', { tenant: { visits: 'city' }, parameters: { city: SECRET } }],
    ['tenant/visits PARAMETER_NOT_FILTERING', { tenant: { visits: 'city' }, parameters: { city: LIST } }],
    ['tenant/visits VALUE_INVALID', { tenant: { visits: ['city'] } }],
    ['limits VALUE_INVALID', { limits: 5 }],
    ['limits/reqests KEY_UNKNOWN', { limits: { reqests: {} } }],
    ['limits/requests/window KEY_MISSING', { limits: { requests: { quota: 5 } } }],
    ['queryLimits/timeoutSeconds VALUE_INVALID', { queryLimits: { timeoutSeconds: -1 } }],
    ['staleIfError VALUE_INVALID', { staleIfError: '60' }],
    ['tags VALUE_INVALID', { tags: 'usage' }],
    ['tags/1 VALUE_INVALID', { tags: ['ok', 'Two words'] }],
    ['tags/1 VALUE_INVALID', { tags: ['usage', 'usage'] }],
    ['build VALUE_INVALID', { build: 'SELECT 1' }],
    ['build BUILD_FAILED', { build: () => 'SELECT 1' }],
    ['build BUILD_FAILED', { build: () => Promise.resolve(sql`SELECT 1`) }],
    ['build BUILD_FAILED', { build: () => undefined }],
    ['build BUILD_FAILED', { build: () => ({ parts: [sql`SELECT 1`], body: sql`SELECT 1` }) }],
    ['build BUILD_FAILED', { build: () => withParts([part('result', sql`SELECT 1`)], sql`SELECT 2`) }],
    [
      'parameters/city/maxLength VALUE_INVALID',
      { parameters: { city: text({ description: 'A.', maxLength: 0 }) } },
    ],
    ['parameters/city VALUE_INVALID', { parameters: { city: text } }],
    ['parameters/city VALUE_INVALID', { parameters: { city: 'String' } }],
    ['parameters/city VALUE_INVALID', { parameters: { city: column('String', 'A city.') } }],
  ])('has one problem, with its path: %s', (problem, change) => {
    expect(problemsOf(change)).toEqual([problem]);
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
