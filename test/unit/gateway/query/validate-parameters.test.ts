import { defineEndpoint, type Endpoint } from '../../../../src/endpoint/endpoint.js';
import { listOf, oneOf, text, textList, timestamp, timezone } from '../../../../src/endpoint/index.js';
import { sql } from '../../../../src/endpoint/sql.js';
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
    ids: textList({ description, set: true }),
  },
  example: {},
  build: ({ project }) => sql`SELECT ${project} AS city`,
});

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

describe('a relative time', () => {
  it.each([
    [{ zone: 'Europe/Berlin' }, '2026-05-17 22:00:00.000000'],
    [{ zone: 'utc' }, '2026-05-17 00:00:00.000000'],
    [{}, '2026-05-17 04:00:00.000000'],
  ])('is rounded in the time zone of the call %j', (sent, day) => {
    const parameters = {
      since: timestamp({ description, relativeStep: '1d', default: 'now/d' }),
      zone: timezone({ description, default: 'America/New_York' }),
    };
    const build = (): ReturnType<typeof sql> => sql`SELECT 'a' AS city`;
    const endpoint = defineEndpoint({ ...SAMPLE, parameters, example: {}, build });
    const now = new Date('2026-05-17T22:30:00Z');
    expect(validateParameters(endpoint, rawParameters(sent), { now }).get('since')).toBe(day);
  });
});
