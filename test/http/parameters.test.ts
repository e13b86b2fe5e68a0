import { createTestGateway, GOOD_CALL, problemOf, type ProblemDocument } from '../support/test-gateway.js';

const EVENTS = '/api/endpoints/query/get-grouped-stats-events-logs';
const COUNTS = '/api/endpoints/query/usage.api-counts';
const LOGS = '/api/endpoints/query/logs.all';

/** Returns the values that ClickHouse would bind. */
const boundBy = async (url: string): Promise<Readonly<Record<string, unknown>>> => {
  const { get, runQuery } = await createTestGateway();
  const response = await get(url);
  expect(response.status).toBe(200);
  return { ...runQuery.onlyRequest.query.parameters };
};

/** Returns the problem document, and expects that no query ran. */
const rejectionOf = async (url: string): Promise<ProblemDocument> => {
  const { get, runQuery } = await createTestGateway();
  const problem = problemOf(await get(url));
  expect(runQuery.requests).toEqual([]);
  expect(problem).toMatchObject({ status: 400, code: 'INVALID_PARAMETERS' });
  return problem;
};

describe('a parameter', () => {
  it('is bound unchanged', async () => {
    const bound = await boundBy(
      `${EVENTS}?city=Sankt+P%C3%B6lten&device=%25_%5C%27%22%09&referrer=a%26b%3Dc`,
    );
    expect(bound).toMatchObject({ city: 'Sankt Pölten', device: '%_\\\'"\t', referrer: 'a&b=c' });
  });

  it('that is empty filters for the empty text, and an omitted one does not filter', async () => {
    const bound = await boundBy(`${EVENTS}?city=&event_ids=`);
    expect(bound).toEqual({ city: '', event_ids: [''], row_limit: 1001 });
  });

  it.each([
    ['function_id', '/api/endpoints/query/functions.invocation-stats?project=a&function_id='],
    ['iso_timestamp_start', `${LOGS}?project=a&iso_timestamp_start=`],
    ['iso_timestamp_end', `${LOGS}?project=a&iso_timestamp_end=`],
  ])('%s that is empty counts as omitted', async (name, url) => {
    expect(await boundBy(url)).not.toHaveProperty([name]);
  });

  it('with a time zone is bound in UTC, to the microsecond', async () => {
    const bound = await boundBy(
      `${EVENTS}?start_time=2026-05-17T10:05:03.123456%2B02:00&end_time=2026-05-18`,
    );
    expect(bound).toMatchObject({
      start_time: '2026-05-17 08:05:03.123456',
      end_time: '2026-05-18 00:00:00.000000',
    });
  });

  it('that is a set has the same meaning in any order and with repetitions', async () => {
    expect(await boundBy(`${EVENTS}?event_ids=b,a,b`)).toEqual(await boundBy(`${EVENTS}?event_ids=a,b`));
  });

  it.each([
    ['event_ids=a&event_ids=b', 'event_ids=a,b'],
    ['event_ids=b&event_ids=a,c&city=Rome&event_ids=b', 'event_ids=a,b,c&city=Rome'],
    ['event_ids=&event_ids=', 'event_ids=,'],
    ['event_ids=a&event_ids', 'event_ids=a,'],
    ['event_ids=a%2Cb&event_ids=%20', 'event_ids=a,b,%20'],
  ])('that is a list means the same repeated as with commas: %s', async (repeated, commas) => {
    expect(await boundBy(`${EVENTS}?${repeated}`)).toEqual(await boundBy(`${EVENTS}?${commas}`));
  });

  it.each([
    'sql=SELECT+1',
    'max_threads=1&database=system&query=SELECT+1',
    'param_project=b',
    '__proto__=x&constructor=y&prototype=z&toString=w',
    '__proto__[project]=b&project[]=b&project[0]=b&project.x=b',
    'now=2000-01-01&row_limit=5',
    'Project=b&PROJECT=c',
    'unknown=1&unknown=2&unknown=%FF&unknown=%00',
    '%FF=1&=2&&',
  ])('that is unknown is ignored: %s', async (unknown) => {
    expect(await boundBy(`${GOOD_CALL}&${unknown}`)).toEqual(await boundBy(GOOD_CALL));
  });

  it.each([
    ['is required', LOGS, 'project', 'is required'],
    [
      'is a repeated list of more than 8 KiB in all',
      `${EVENTS}?event_ids=${'a'.repeat(4096)}&event_ids=${'b'.repeat(4096)}`,
      'event_ids',
      'is 8193 bytes long; at most 8192 are allowed',
    ],
    [
      'is a repeated list, one part of which is not UTF-8',
      `${EVENTS}?event_ids=%FF&event_ids=a`,
      'event_ids',
      'is not valid percent-encoded UTF-8',
    ],
    ['is sent twice', `${GOOD_CALL}&project=a`, 'project', 'is given 2 times; it may be given once'],
    ['is sent twice, once escaped', `${GOOD_CALL}&%70roject=a`, 'project', 'is given 2 times'],
    ['is not UTF-8', `${LOGS}?project=%FF`, 'project', 'is not valid percent-encoded UTF-8'],
    ['is an overlong form', `${LOGS}?project=%C0%80`, 'project', 'is not valid percent-encoded UTF-8'],
    ['has a broken escape', `${LOGS}?project=100%`, 'project', 'is not valid percent-encoded UTF-8'],
    ['has a null byte', `${LOGS}?project=a%00`, 'project', 'must not contain a null byte'],
    ['is over 8 KiB', `${LOGS}?project=${'x'.repeat(8193)}`, 'project', 'is 8193 bytes long'],
    ['is 60 kB long', `${LOGS}?project=${'x'.repeat(60_000)}`, 'project', 'is 60000 bytes long'],
    ['is not a timestamp', `${EVENTS}?start_time=yesterday`, 'start_time', 'must be an ISO 8601 timestamp'],
    ['is an empty timestamp', `${EVENTS}?end_time=`, 'end_time', 'must not be empty'],
    ['has a + that is a space', `${EVENTS}?end_time=2026-05-17T10:05:03+02:00`, 'end_time', '%2B'],
    ['is too early for ClickHouse', `${EVENTS}?start_time=1899-12-31`, 'start_time', 'between 1900 and 2299'],
    [
      'is not one of the choices',
      `${COUNTS}?project=a&interval=weekly`,
      'interval',
      'one of minutely, hourly, daily',
    ],
    ['is an empty regular expression', `${COUNTS}?project=&interval=daily`, 'project', 'must not be empty'],
    [
      'is a regular expression over 1,000 characters',
      `${COUNTS}?interval=daily&project=${'(a*)*'.repeat(201)}`,
      'project',
      'at most 1000 characters',
    ],
  ])('that %s returns 400 naming it', async (_what, url, param, problem) => {
    const { problems } = await rejectionOf(url);
    expect(problems).toEqual([{ param, problem: expect.stringContaining(problem) as string }]);
  });

  it('that is invalid is reported together with all other invalid ones', async () => {
    const { problems, detail } = await rejectionOf(
      `${EVENTS}?start_time=x&end_time=&city=%FF&country=a&country=b&device=%00&user_id=${'x'.repeat(9000)}`,
    );
    const names = ['user_id', 'city', 'country', 'device', 'start_time', 'end_time'];
    expect(problems?.map(({ param }) => param)).toEqual(names);
    for (const name of names) expect(detail).toContain(name);
  });

  it('that is invalid is not repeated in the response', async () => {
    const problem = await rejectionOf(`${COUNTS}?project=secret%00&interval=secret&interval=secret`);
    expect(JSON.stringify(problem)).not.toContain('secret');
  });

  it('of 8 KiB is accepted, twice in one request', async () => {
    const longText = 'é'.repeat(4096);
    const query = ['level', 'city'].map((name) => `${name}=${encodeURIComponent(longText)}`).join('&');
    expect((await boundBy(`${EVENTS}?${query}`))['city']).toBe(longText);
  });

  it('in the body of a GET is ignored', async () => {
    const { get } = await createTestGateway();
    const response = await get(COUNTS).send({ project: 'a', interval: 'daily' });
    expect(problemOf(response).problems).toHaveLength(2);
  });
});
