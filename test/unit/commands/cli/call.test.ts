import { problemText, readProblem } from '../../../../src/commands/cli/call/problem-text.js';
import { urlOf } from '../../../../src/commands/cli/call/request-gateway.js';

const call = { url: 'http://h/base', endpoint: 'logs.all', format: undefined, apiKey: undefined };

describe('urlOf', () => {
  it('escapes parameters and keeps the gateway’s path', () => {
    const parameters = new Map([
      ['since', '2026-01-01T00:00:00+02:00'],
      ['q', 'ä&b=c'],
    ]);
    expect(urlOf({ ...call, parameters })).toBe(
      'http://h/base/api/endpoints/query/logs.all?since=2026-01-01T00%3A00%3A00%2B02%3A00&q=%C3%A4%26b%3Dc',
    );
    expect(urlOf({ ...call, endpoint: '../x?y', parameters: new Map() })).toBe(
      'http://h/base/api/endpoints/query/..%2Fx%3Fy',
    );
  });

  it('has only the gateway’s own parameters where the others are in the body', () => {
    const parameters = new Map([
      ['project', 'a'],
      ['complete', '1'],
    ]);
    expect(urlOf({ ...call, parameters, post: true })).toBe(
      'http://h/base/api/endpoints/query/logs.all?complete=1',
    );
  });
});

describe('problemText', () => {
  const textOf = async (body: string, status: number, headers: Record<string, string>): Promise<string> => {
    const response = new Response(body, { status, headers });
    return problemText(response, await readProblem(response));
  };
  const json = { 'Content-Type': 'application/problem+json; charset=utf-8' };

  it('lists each invalid parameter on a line', async () => {
    const problems = [
      { param: 'project', problem: 'is required' },
      { param: 'x', problem: 'is odd' },
    ];
    const document = {
      title: 'Invalid parameters',
      code: 'C',
      detail: 'all of it',
      requestId: 'r',
      problems,
    };
    expect(await textOf(JSON.stringify(document), 400, json)).toBe(
      'Invalid parameters (400 C)\n  project is required\n  x is odd\n  Request id: r',
    );
  });

  it('says when to retry and how to set the key', async () => {
    const document = JSON.stringify({ title: 'T', code: 'C', detail: 'Why.', requestId: 'r' });
    expect(await textOf(document, 503, { ...json, 'Retry-After': '7' })).toContain('Retry after 7 s.');
    expect(await textOf(document, 401, json)).toContain('QUERYGATE_KEY');
  });

  it('shows the beginning of other bodies without control characters', async () => {
    expect(await textOf(`<h1>\u001b[2JBad gateway</h1>${'x'.repeat(999)}`, 502, {})).toMatch(
      /^HTTP 502\n<h1> \[2JBad gateway<\/h1>x{0,300}$/,
    );
    expect(await textOf('', 302, { Location: 'http://elsewhere/' })).toContain(
      'redirects to http://elsewhere/',
    );
    expect(await textOf('{', 500, json)).toBe('HTTP 500\n{');
  });
});
