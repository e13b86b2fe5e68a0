import { REVISIONS } from '../../support/mcp-client.js';
import { ENVELOPE, httpMessage } from '../../support/mcp-message.js';
import { useMcpShop } from '../../support/mcp-shop.js';

const shop = useMcpShop();
const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const METHODS = 'tools/list, tools/call, resources/list, resources/templates/list or resources/read';
const NONE = `The gateway has no such method: send ${METHODS}.`;
const LONG = 'x'.repeat(5000);

type Members = Readonly<Record<string, unknown>>;
/** The members of a message that differ from a valid call, and the sentence of its error, or one for each revision. */
type Malformed = readonly [members: Members, sentence: string | readonly [string, string]];
const params = (more: Members): Members => ({ params: { name: 'sample', ...more } });
const meta = (more: Members): Members => params({ _meta: { ...ENVELOPE, ...more } });
const NO_ID = 'Invalid message: id must be a string or an integer, and a notification has none.';
const NO_METHOD = 'Invalid message: method must be a string, such as tools/list.';
const NO_TOKEN = 'Invalid message: params._meta.progressToken must be a string or an integer.';
const NO_CURSOR = 'Invalid request: params.cursor must be a string.';
const INFO = 'io.modelcontextprotocol/clientInfo';
const OTHERS = 'Invalid message: it may have no members but jsonrpc, id, method and params.';
const NOTHING =
  'Invalid request: params.protocolVersion must be a string, params.capabilities must be an object, ' +
  'params.clientInfo must be an object.';

const MALFORMED: readonly Malformed[] = [
  [{ jsonrpc: undefined }, 'Invalid message: jsonrpc must be "2.0".'],
  [{ jsonrpc: '1.0' }, 'Invalid message: jsonrpc must be "2.0".'],
  [{ method: undefined }, NO_METHOD],
  [{ method: 1 }, NO_METHOD],
  ...[null, {}, 1.5, [1]].map((id): Malformed => [{ id }, NO_ID]),
  ...[null, [], 'x', 1].map((sent): Malformed => [
    { params: sent },
    'Invalid message: params must be an object.',
  ]),
  [params({ _meta: 1 }), 'Invalid message: params._meta must be an object.'],
  [meta({ progressToken: {} }), NO_TOKEN],
  [{ [LONG]: 1 }, OTHERS],
  [params({ name: 1 }), 'Invalid request: params.name must be a string.'],
  [params({ name: undefined }), 'Invalid request: params.name must be a string.'],
  [meta({ [INFO]: 1 }), `Invalid request: params._meta.${INFO} must be an object.`],
  [meta({ [CAPABILITIES]: [] }), `Invalid request: params._meta.${CAPABILITIES} must be an object.`],
  [{ method: LONG }, NONE],
  [{ method: 'prompts/get' }, NONE],
  [{ method: '' }, NONE],
  [{ method: 'tools/list', params: { cursor: 1 } }, NO_CURSOR],
  [{ method: 'resources/templates/list', params: { cursor: {} } }, NO_CURSOR],
  [{ method: 'resources/read', params: {} }, 'Invalid request: params.uri must be a string.'],
  [{ method: 'initialize', params: {} }, [NONE, NOTHING]],
  [params({ name: LONG }), 'No tool that this key may call has this name. tools/list has the names.'],
];

/** What differs in the headers of a valid call, in the current revision, and the sentence of its error. */
const HEADERS: readonly (readonly [changes: Members, sentence: string])[] = [
  ...['2025-06-18', 'x{"a":[1]}', undefined].map((version): readonly [Members, string] => [
    { 'MCP-Protocol-Version': version },
    `The header MCP-Protocol-Version must be there, and equal ${VERSION} in params._meta of the body.`,
  ]),
  [{ 'Mcp-Method': 'other' }, 'The header Mcp-Method must be there, and equal method of the body.'],
  [
    { 'Mcp-Name': undefined },
    'The header Mcp-Name must be there, and equal params.name or params.uri of the body.',
  ],
];

interface ErrorBody {
  readonly jsonrpc: string;
  readonly error: { readonly code: number; readonly message: string };
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
  return error;
}

function expectSentence({ message }: ErrorBody['error']): void {
  expect(message).toMatch(/^[^\n\r{}[\]\\]{20,199}\.$/);
}

describe.each(REVISIONS)('in the revision %s, one sentence says what is wrong with', (revision) => {
  const index = REVISIONS.indexOf(revision);

  it.each(MALFORMED)('%.80j', async (members, sentence) => {
    const error = await errorOf(revision, members);
    expect(error).toMatchObject({ message: typeof sentence === 'string' ? sentence : sentence[index] });
    expectSentence(error);
  });
});

describe('one sentence says what is wrong with', () => {
  it.each(HEADERS)('the headers %j', async (changes, sentence) => {
    const error = await errorOf('2026-07-28', {}, changes);
    expect(error).toMatchObject({ code: -32_020, message: sentence });
    expectSentence(error);
  });

  it.each([
    [{}, `Invalid request: params._meta must have ${VERSION} and ${CAPABILITIES}.`],
    [undefined, 'Invalid request: params must have _meta, as each request of this revision has.'],
  ])('what a request says of its client: %j', async (meta, sentence) => {
    const error = await errorOf('2026-07-28', params({ _meta: meta }));
    expect(error).toMatchObject({ code: -32_602, message: sentence });
    expectSentence(error);
  });

  it('a version that the gateway does not support', async () => {
    const version = '1999-01-01';
    const header = { 'MCP-Protocol-Version': version };
    const current = await errorOf(
      '2026-07-28',
      params({ _meta: { ...ENVELOPE, [VERSION]: version } }),
      header,
    );
    expect(current).toMatchObject({
      code: -32_022,
      message: 'The protocol version must be 2026-07-28.',
      data: { supported: ['2026-07-28'], requested: version },
    });
    const earlier = await errorOf('2025-11-25', {}, header);
    expect(earlier.message).toMatch(
      /^The header MCP-Protocol-Version must be one of 2025-11-25, 2025-06-18, /,
    );
    expectSentence(current);
    expectSentence(earlier);
  });

  it('media types that the client does not accept', async () => {
    const error = await errorOf('2025-11-25', {}, { Accept: 'text/html' });
    expect(error.message).toBe('The header Accept must list application/json and text/event-stream.');
  });

  it('a response that is posted', async () => {
    const response = { method: undefined, params: undefined, result: {} };
    const error = await errorOf('2026-07-28', response);
    expect(error.message).toBe('The gateway sends no requests, and so accepts no responses: send a request.');
  });
});
