import { ERRORS, Failure, type ErrorCode } from '../../../../../src/gateway/errors.js';
import { problemDocument, problemHeaders } from '../../../../../src/gateway/http/transport/problem.js';

const CODES = Object.keys(ERRORS) as ErrorCode[];
const SECRET = 'SELECT secret FROM logs';

describe('problemDocument', () => {
  it.each(CODES)('has every documented field for %s', (code) => {
    const document = problemDocument(new Failure(code, 'Text.'), 'request-1');
    const type = `urn:querygate:problem:${code.toLowerCase().replaceAll('_', '-')}`;
    const { status, title } = ERRORS[code];
    const problems = status === 400 ? { problems: [] } : {};
    expect(document).toEqual({
      ...{ type, title, status, code, detail: 'Text.', requestId: 'request-1', error: 'Text.' },
      ...problems,
    });
  });

  it('lists the problems of a 400', () => {
    const problems = [{ param: 'project', problem: 'is required' }];
    const failure = new Failure('INVALID_PARAMETERS', 'Text.', { problems });
    expect(problemDocument(failure, 'request-1')['problems']).toEqual(problems);
  });

  it.each(CODES)('never contains diagnosis or cause for %s', (code) => {
    const failure = new Failure(code, 'Text.', { diagnosis: SECRET, cause: new Error(SECRET) });
    const sent = JSON.stringify([problemDocument(failure, 'request-1'), problemHeaders(failure)]);
    expect(sent).not.toContain('secret');
  });
});

describe('problemHeaders', () => {
  it('contains Retry-After, Allow and WWW-Authenticate where they apply', () => {
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
