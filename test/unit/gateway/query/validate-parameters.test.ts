import { defineEndpoint, type Endpoint } from '../../../../src/endpoint/endpoint.js';
import { listOf, oneOf, text, textList, timestamp } from '../../../../src/endpoint/index.js';
import { sql } from '../../../../src/endpoint/sql.js';
import { Failure, type Problem } from '../../../../src/gateway/errors.js';
import type { RawParameters } from '../../../../src/gateway/query/raw-parameters.js';
import { resolveParameters, validateParameters } from '../../../../src/gateway/query/validate-parameters.js';
import { rawParameters } from '../../../support/raw-parameters.js';
import { SAMPLE } from '../../../support/sample-endpoint.js';

const description = 'For a test.';
const endpoint: Endpoint = defineEndpoint({
  ...SAMPLE,
  parameters: {
    project: text({ description, required: true }),
    interval: oneOf(['hourly', 'daily'], { description }),
    start_time: timestamp({ description }),
    ids: textList({ description }),
  },
  example: {},
  build: ({ project }) => sql`SELECT ${project} AS city`,
});

const failureOf = (raw: RawParameters): Failure => {
  try {
    validateParameters(endpoint, raw);
  } catch (error) {
    if (error instanceof Failure) return error;
  }
  throw new Error('the parameters were not rejected');
};
const problemsOf = (raw: RawParameters): readonly Problem[] | undefined => failureOf(raw).details.problems;

describe('validateParameters', () => {
  it('returns a value for every declared parameter, null for an omitted one', () => {
    const values = validateParameters(endpoint, rawParameters({ project: 'aurora', ids: 'b,a' }));
    expect([...values]).toEqual([
      ['project', 'aurora'],
      ['interval', null],
      ['start_time', null],
      ['ids', ['a', 'b']],
    ]);
  });

  it('ignores undeclared names, even repeated or undecodable ones', () => {
    const raw: RawParameters = new Map([
      ['project', { text: 'aurora', times: 1 }],
      ['sql', { text: 'SELECT 1', times: 2 }],
      ['max_threads', { text: undefined, times: 1 }],
      ['__proto__', { text: 'x', times: 1 }],
    ]);
    expect([...validateParameters(endpoint, raw).keys()]).toEqual([
      'project',
      'interval',
      'start_time',
      'ids',
    ]);
  });

  it('lists every problem of a request at once', () => {
    const raw: RawParameters = new Map([
      ['interval', { text: 'weekly', times: 1 }],
      ['start_time', { text: 'yesterday', times: 1 }],
      ['ids', { text: 'a', times: 3 }],
    ]);
    const failure = failureOf(raw);
    expect(failure.code).toBe('INVALID_PARAMETERS');
    expect(failure.details.problems).toEqual([
      { param: 'project', problem: 'is required' },
      { param: 'interval', problem: 'must be one of hourly, daily' },
      { param: 'start_time', problem: expect.stringContaining('ISO 8601') as string },
      { param: 'ids', problem: 'is given 3 times; it may be given once' },
    ]);
    for (const { param, problem } of failure.details.problems ?? []) {
      expect(failure.message).toContain(`${param} ${problem}`);
    }
  });

  it('rejects a text that cannot be decoded', () => {
    expect(problemsOf(new Map([['project', { text: undefined, times: 1 }]]))).toEqual([
      { param: 'project', problem: 'is not valid percent-encoded UTF-8' },
    ]);
  });

  it('rejects a null byte', () => {
    expect(problemsOf(rawParameters({ project: 'a\0b' }))).toEqual([
      { param: 'project', problem: 'must not contain a null byte' },
    ]);
  });

  it.each([
    ['8192 bytes', 'x'.repeat(8192)],
    ['4096 characters of two bytes', 'é'.repeat(4096)],
  ])('accepts a value of %s', (_what, project) => {
    expect(validateParameters(endpoint, rawParameters({ project })).get('project')).toBe(project);
  });

  it.each([
    ['8193 bytes', 'x'.repeat(8193), 8193],
    ['4097 characters of two bytes', 'é'.repeat(4097), 8194],
  ])('rejects a value of %s', (_what, project, bytes) => {
    expect(problemsOf(rawParameters({ project }))).toEqual([
      { param: 'project', problem: `is ${bytes} bytes long; at most 8192 are allowed` },
    ]);
  });

  it('does not disclose a rejected value', () => {
    const failure = failureOf(rawParameters({ project: 'a\0secret', interval: 'secret' }));
    expect(JSON.stringify([failure.message, failure.details])).not.toContain('secret');
  });
});

describe('the end of the values of relative times', () => {
  const now = new Date('2026-05-17T10:07:30Z');
  const endOf = (sent: Readonly<Record<string, string>>, fallback?: string): string | undefined => {
    const options = { description, relativeStep: '5m', ...(fallback !== undefined && { default: fallback }) };
    const parameters = {
      since: timestamp(options),
      days: listOf('timestamp', { description, relativeStep: '1d' }),
    };
    const build = (): ReturnType<typeof sql> => sql`SELECT 'a' AS city`;
    const relative = defineEndpoint({ ...SAMPLE, parameters, example: {}, build });
    const { changesAt } = resolveParameters(relative, rawParameters(sent), { now });
    return changesAt === undefined ? undefined : new Date(changesAt).toISOString();
  };

  it.each([
    [{ since: 'now-1h' }, '2026-05-17T10:10:00.000Z'],
    [{ days: '2026-05-01,now-1d' }, '2026-05-18T00:00:00.000Z'],
    [{ since: 'now', days: 'now' }, '2026-05-17T10:10:00.000Z'],
  ])('of %j is the next step, the earliest of all parameters', (sent, end) => {
    expect(endOf(sent)).toBe(end);
  });

  it('of an omitted parameter with a relative default is the next step', () => {
    expect(endOf({}, 'now-1h')).toBe('2026-05-17T10:10:00.000Z');
    expect(endOf({ since: '' }, 'now-1h')).toBe('2026-05-17T10:10:00.000Z');
    expect(endOf({ since: '2026-05-01' }, 'now-1h')).toBeUndefined();
  });

  it('is absent where all times are absolute', () => {
    expect(endOf({ since: '2026-05-01', days: '2026-05-01' })).toBeUndefined();
  });
});
