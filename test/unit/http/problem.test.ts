import { ERRORS, Failure, type ErrorCode } from '../../../src/errors.js';
import { problemDocument, problemHeaders } from '../../../src/http/problem.js';

const CODES = Object.keys(ERRORS) as ErrorCode[];
const SECRET = 'SELECT secret FROM logs';

describe('problemDocument', () => {
  it.each(CODES)('of %s has every field that clients rely on', (code) => {
    const document = problemDocument(new Failure(code, 'Told.'), 'request-1');
    const type = `urn:querygate:problem:${code.toLowerCase().replaceAll('_', '-')}`;
    const { status, title } = ERRORS[code];
    const problems = status === 400 ? { problems: [] } : {};
    expect(document).toEqual({
      ...{ type, title, status, code, detail: 'Told.', requestId: 'request-1', error: 'Told.' },
      ...problems,
    });
  });

  it('lists the problems of a 400', () => {
    const problems = [{ param: 'project', problem: 'is required' }];
    const failure = new Failure('INVALID_PARAMETERS', 'Told.', { problems });
    expect(problemDocument(failure, 'request-1')['problems']).toEqual(problems);
  });

  it.each(CODES)('of %s says nothing of diagnosis and cause', (code) => {
    const failure = new Failure(code, 'Told.', { diagnosis: SECRET, cause: new Error(SECRET) });
    const sent = JSON.stringify([problemDocument(failure, 'request-1'), problemHeaders(failure)]);
    expect(sent).not.toContain('secret');
  });
});

describe('problemHeaders', () => {
  it('say how long to wait, what is allowed and how to authenticate, where it applies', () => {
    expect(problemHeaders(new Failure('CLICKHOUSE_BUSY', '', { retryAfterSeconds: 1 }))).toMatchObject({
      'Retry-After': '1',
    });
    expect(problemHeaders(new Failure('METHOD_NOT_ALLOWED', '', { allow: ['GET', 'HEAD'] }))).toMatchObject({
      Allow: 'GET, HEAD',
    });
    expect(problemHeaders(new Failure('API_KEY_MISSING', ''))).toMatchObject({
      'WWW-Authenticate': 'Bearer realm="querygate"',
    });
  });
});
