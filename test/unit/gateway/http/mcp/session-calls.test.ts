import type { Message } from '../../../../../src/gateway/http/mcp/read-message.js';
import { SessionCalls, sessionHeaders } from '../../../../../src/gateway/http/mcp/session-calls.js';

const messageOf = (more: Partial<Message>): Message => ({
  body: {},
  id: undefined,
  method: 'notifications/cancelled',
  cancelled: undefined,
  tool: undefined,
  ...more,
});
const cancelling = (id: unknown): Message => messageOf({ cancelled: id });

describe('a running call', () => {
  const calls = new SessionCalls();
  const begin = (id: unknown, sessionId: string | undefined = 'session') =>
    calls.begin('caller', sessionId, id, new AbortController());

  it('is cancelled by its caller, its session and its id', () => {
    const { signal } = begin(7).wait;
    calls.cancel('caller', 'session', cancelling(7));
    expect(signal.aborted).toBe(true);
    expect(signal.reason).toMatchObject({ code: 'CALLER_GONE' });
  });

  it.each([
    ['another caller', 'other', 'session', cancelling(7)],
    ['another session', 'caller', 'other', cancelling(7)],
    ['no session', 'caller', undefined, cancelling(7)],
    ['another id', 'caller', 'session', cancelling(8)],
    ['an id of another type', 'caller', 'session', cancelling('7')],
    ['no id', 'caller', 'session', cancelling(undefined)],
    ['a request instead of a notification', 'caller', 'session', messageOf({ cancelled: 7, id: 9 })],
  ])('is not cancelled by %s', (_what, caller, sessionId, message) => {
    const { wait, end } = begin(7);
    calls.cancel(caller, sessionId, message);
    expect(wait.signal.aborted).toBe(false);
    end();
  });

  it('is not cancelled once it has ended, nor is the next one with its id by its end', () => {
    const first = begin(7);
    const second = begin(7);
    first.end();
    calls.cancel('caller', 'session', cancelling(7));
    expect([first.wait.signal.aborted, second.wait.signal.aborted]).toEqual([false, true]);
    second.end();
    calls.cancel('caller', 'session', cancelling(7));
  });

  it('is cancelled when its client disconnects', () => {
    const disconnecting = new AbortController();
    for (const sessionId of ['session', undefined]) {
      const { signal } = calls.begin('caller', sessionId, 7, disconnecting).wait;
      expect(signal.aborted).toBe(disconnecting.signal.aborted);
      disconnecting.abort();
      expect(signal.aborted).toBe(true);
    }
  });
});

describe('a session id', () => {
  it('is random, and for a client that introduces itself', () => {
    const ids = [1, 2].map((id) => sessionHeaders(messageOf({ method: 'initialize', id }))['Mcp-Session-Id']);
    expect(new Set(ids).size).toBe(2);
    expect(sessionHeaders(messageOf({ method: 'tools/list', id: 1 }))).toEqual({});
    expect(sessionHeaders(messageOf({ method: 'initialize' }))).toEqual({});
  });
});
