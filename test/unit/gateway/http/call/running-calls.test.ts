import type { ReadCall } from '../../../../../src/gateway/http/call/read-call.js';
import { RunningCalls } from '../../../../../src/gateway/http/call/running-calls.js';

describe('the id of a running call', () => {
  const calls = new RunningCalls(() => new Date());
  const begin = (requestId: string, wait = new AbortController()): string =>
    calls.begin(requestId, 'caller', {} as ReadCall, wait);
  const abortedOf = (waits: readonly AbortController[]): readonly boolean[] =>
    waits.map(({ signal }) => signal.aborted);

  it('is that of its request, unless a running call has it', () => {
    const waits = [new AbortController(), new AbortController()];
    const ids = waits.map((wait) => begin('a/b', wait));
    expect(ids[0]).toBe('a/b');
    expect(ids[1]).toMatch(/^[0-9a-f-]{36}$/);
    expect([...calls.all().keys()]).toEqual(ids);
    calls.cancel(ids[1] ?? '');
    expect(abortedOf(waits)).toEqual([false, true]);
    for (const id of ids) calls.end(id);
    expect(calls.all().size).toBe(0);
    expect(begin('a/b')).toBe('a/b');
    calls.end('a/b');
    expect(calls.cancel('a/b')).toBeUndefined();
  });

  // A caller that chose such an id could not be cancelled by its URL.
  it.each(['.', '..'])('is never the segment %s, which URLs lose', (requestId) => {
    expect(begin(requestId)).toMatch(/^[0-9a-f-]{36}$/);
  });
});
