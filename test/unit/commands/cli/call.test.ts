import { urlOf } from '../../../../src/commands/cli/call/request-endpoint.js';
import { problemLines, readProblem } from '../../../../src/commands/cli/problem-text.js';

describe('urlOf', () => {
  const call = { endpoint: '../x?y', format: undefined };

  it('escapes parameters and keeps the gateway’s path', () => {
    const parameters = new Map([
      ['since', '2026-01-01T00:00:00+02:00'],
      ['q', 'ä&b=c'],
    ]);
    expect(urlOf('http://h/base', { ...call, parameters })).toBe(
      'http://h/base/api/endpoints/query/..%2Fx%3Fy?since=2026-01-01T00%3A00%3A00%2B02%3A00&q=%C3%A4%26b%3Dc',
    );
  });

  it('has only the gateway’s own parameters where the others are in the body', () => {
    const parameters = new Map([
      ['project', 'a'],
      ['complete', '1'],
    ]);
    expect(urlOf('http://h', { ...call, parameters, post: true })).toMatch(/\/\.\.%2Fx%3Fy\?complete=1$/);
  });
});

describe('problemLines', () => {
  const linesOf = async (body: string, status: number, type = 'text/html'): Promise<readonly string[]> => {
    const response = new Response(body, { status, headers: { 'Content-Type': type } });
    return problemLines(response, await readProblem(response));
  };

  it('shows the beginning of bodies that are no problem document, without control characters', async () => {
    const [status, first = '', ...others] = await linesOf(`<h1>\u001b[2J</h1>\n${'x'.repeat(999)}`, 502);
    expect([status, first, others.join('').length < 300]).toEqual([
      'HTTP 502',
      String.raw`<h1>\x1b[2J</h1>`,
      true,
    ]);
    expect(await linesOf('{', 500, 'application/problem+json; charset=utf-8')).toEqual(['HTTP 500', '{']);
  });
});
