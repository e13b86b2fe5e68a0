import { responseError } from '../../../../../src/commands/cli/mcp/gateway-error.js';

const gateway = { url: 'http://gateway', apiKey: 'secret' };

const problem = (status: number, members: object, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(JSON.stringify({ status, requestId: 'r1', ...members }), {
    status,
    headers: { 'Content-Type': 'application/problem+json; charset=utf-8', ...headers },
  });

describe('responseError', () => {
  it.each([
    [
      401,
      { title: 'Invalid API key', detail: 'Unknown.' },
      /^The gateway at http:\/\/gateway rejected the key: Unknown\. Set --key/,
    ],
    [
      403,
      { title: 'Not allowed with this key', detail: 'No.' },
      /rejected the request \(403 Not allowed with this key\): No\.$/,
    ],
    [
      404,
      { title: 'Not found', detail: 'MCP is disabled.' },
      /\(404 Not found\): MCP is disabled\. Check --url, and/,
    ],
    [413, { title: 'Body too large', detail: 'At most 1 MB.' }, /\(413 Body too large\): At most 1 MB\.$/],
    [
      503,
      { title: 'Gateway busy', detail: 'The queue\nis full.' },
      /failed \(503 Gateway busy\): The queue is full\.$/,
    ],
  ])('says what a problem document with status %i says', async (status, members, message) => {
    const error = await responseError(gateway, problem(status, { code: 'CODE', ...members }));
    expect(error.message).toMatch(message);
    expect(error).toMatchObject({ code: -32000, data: { status, code: 'CODE', requestId: 'r1' } });
  });

  it('says that a key is required where none was sent', async () => {
    const response = problem(401, { title: 'API key missing', detail: 'Send a key.' });
    const { message } = await responseError({ ...gateway, apiKey: undefined }, response);
    expect(message).toMatch(/^The gateway at http:\/\/gateway requires a key: Send a key\. Set --key/);
  });

  it('says when to repeat the request', async () => {
    const response = problem(503, { title: 'Gateway busy', detail: 'Full.' }, { 'Retry-After': '3' });
    const error = await responseError(gateway, response);
    expect(error.message).toMatch(/ Full\. Retry after 3 s\.$/);
    expect(error.data).toMatchObject({ retryAfterSeconds: 3 });
  });

  it('is the JSON-RPC error in the body, with any status', async () => {
    const body = {
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32601, message: 'Method not found', data: { a: 1 } },
    };
    const error = await responseError(gateway, Response.json(body, { status: 404 }));
    expect(error).toMatchObject(body.error);
  });

  it('shows the address of a redirect, which is not followed', async () => {
    const response = new Response(null, { status: 302, headers: { Location: 'https://other' } });
    expect((await responseError(gateway, response)).message).toContain(
      'HTTP 302: the server redirects to https://other; set --url to that address',
    );
  });
});
