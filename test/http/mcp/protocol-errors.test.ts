import { REVISIONS } from '../../support/mcp-client.js';
import { ENVELOPE, httpMessage } from '../../support/mcp-message.js';
import { useMcpShop } from '../../support/mcp-shop.js';

const shop = useMcpShop();
const VERSION = 'io.modelcontextprotocol/protocolVersion';
const LONG = 'x'.repeat(5000);
const [PARSE, METHOD, PARAMS, TRANSPORT, HEADER, VERSIONS] = [
  -32_600, -32_601, -32_602, -32_000, -32_020, -32_022,
];

type Members = Readonly<Record<string, unknown>>;
const params = (more: Members): Members => ({ params: { name: 'sample', ...more } });
const meta = (more: Members): Members => params({ _meta: { ...ENVELOPE, ...more } });

/** The members of a message that differ from a valid call, and the code of its error. */
const MALFORMED: readonly (readonly [members: Members, code: number])[] = [
  ...[{ jsonrpc: undefined }, { jsonrpc: '1.0' }, { method: 1 }, { id: null }, { params: 'x' }].map(
    (members) => [members, PARSE] as const,
  ),
  [params({ _meta: 1 }), PARSE],
  [{ [LONG]: 1 }, PARSE],
  ...[1, undefined, LONG].map((name) => [params({ name }), PARAMS] as const),
  [meta({ 'io.modelcontextprotocol/clientInfo': 1 }), PARAMS],
  ...[LONG, ''].map((method) => [{ method }, METHOD] as const),
  [{ method: 'tools/list', params: { cursor: 1 } }, PARAMS],
];

interface ErrorBody {
  readonly jsonrpc: string;
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** The error of a message with some members and headers changed, or absent where undefined. */
async function errorOf(
  revision: (typeof REVISIONS)[number],
  members: Members,
  changes: Members = {},
): Promise<ErrorBody['error']> {
  const { method = 'tools/call', params: sent = { name: 'sample' } } = members;
  const isRead =
    typeof method === 'string' && typeof sent === 'object' && sent !== null && !Array.isArray(sent);
  const valid = httpMessage(
    revision,
    isRead ? { method, params: sent as Members } : { method: 'tools/call' },
  );
  const body = JSON.parse(valid.body) as { readonly params: object };
  const all = { ...valid.headers, ...changes };
  const headers = Object.entries(all).filter((header): header is [string, string] => header[1] !== undefined);
  const meta = members['params'] !== undefined && isRead ? { params: { ...body.params, ...sent } } : {};
  const { text } = await shop.gateway.send('all', '/mcp', {
    method: 'POST',
    body: JSON.stringify({ ...body, ...members, ...meta }),
    headers: Object.fromEntries(headers),
  });
  expect(text).not.toMatch(/invalid_type|Invalid input|received|xxxx|zod/);
  const { jsonrpc, error } = JSON.parse(text) as ErrorBody;
  expect(jsonrpc).toBe('2.0');
  expect(error.message).toMatch(/^[^\n\r{}[\]\\]{20,199}\.$/);
  return error;
}

describe.each(REVISIONS)('in the revision %s, one sentence says what is wrong with', (revision) => {
  it.each(MALFORMED)('%.80j', async (members, code) => {
    expect((await errorOf(revision, members)).code).toBe(code);
  });
});

describe('one sentence says what is wrong with', () => {
  it.each([
    ['2026-07-28', METHOD],
    ['2025-11-25', PARAMS],
  ] as const)('an initialize without params in %s', async (revision, code) => {
    expect((await errorOf(revision, { method: 'initialize', params: {} })).code).toBe(code);
  });

  it.each<Members>([
    ...['2025-06-18', 'x{"a":[1]}', undefined].map((version) => ({ 'MCP-Protocol-Version': version })),
    { 'Mcp-Method': 'other' },
    { 'Mcp-Name': undefined },
  ])('the headers %j', async (changes) => {
    expect((await errorOf('2026-07-28', {}, changes)).code).toBe(HEADER);
  });

  it.each([{}, undefined])('what a request says of its client: %j', async (sent) => {
    expect((await errorOf('2026-07-28', params({ _meta: sent }))).code).toBe(PARAMS);
  });

  it('a version that the gateway does not support', async () => {
    const version = '1999-01-01';
    const header = { 'MCP-Protocol-Version': version };
    const ofVersion = params({ _meta: { ...ENVELOPE, [VERSION]: version } });
    expect(await errorOf('2026-07-28', ofVersion, header)).toMatchObject({
      code: VERSIONS,
      data: { supported: ['2026-07-28'], requested: version },
    });
    expect((await errorOf('2025-11-25', {}, header)).code).toBe(TRANSPORT);
  });

  it('media types that the client does not accept', async () => {
    expect((await errorOf('2025-11-25', {}, { Accept: 'text/html' })).code).toBe(TRANSPORT);
  });

  it('a response that is posted', async () => {
    const response = { method: undefined, params: undefined, result: {} };
    expect((await errorOf('2026-07-28', response)).code).toBe(TRANSPORT);
  });
});
