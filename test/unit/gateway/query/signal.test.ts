import { LinkedAbort, Abort, nativeSignal } from '../../../../src/gateway/query/signal.js';

const [FIRST, SECOND] = [new Error('first'), new Error('second')];

describe.each([
  ['an Abort', () => new Abort()],
  ['an AbortController', () => new AbortController()],
  ['a LinkedAbort', () => new LinkedAbort(new Abort())],
])('%s', (_name, create) => {
  it('keeps the first reason', () => {
    const { signal, ...controller } = opened(create());
    expect(signal.aborted).toBe(false);
    expect(signal.reason).toBeUndefined();
    expect(() => {
      signal.throwIfAborted();
    }).not.toThrow();
    controller.abort(FIRST);
    controller.abort(SECOND);
    expect(signal.aborted).toBe(true);
    expect(signal.reason).toBe(FIRST);
    expect(() => {
      signal.throwIfAborted();
    }).toThrow(FIRST);
  });

  it('calls each listener once, in their order, with the reason already set', () => {
    const { signal, abort } = opened(create());
    const calls: string[] = [];
    for (const name of ['a', 'b'])
      signal.addEventListener('abort', () => calls.push(`${name} ${String(signal.reason)}`), { once: true });
    abort(FIRST);
    abort(SECOND);
    expect(calls).toEqual(['a Error: first', 'b Error: first']);
  });

  it('calls no listener that was removed, or that was added after the abort', () => {
    const { signal, abort } = opened(create());
    const called: string[] = [];
    const listener = (name: string) => () => {
      called.push(name);
    };
    const [removed, kept, late] = [listener('removed'), listener('kept'), listener('late')];
    signal.addEventListener('abort', removed);
    signal.addEventListener('abort', kept);
    signal.removeEventListener('abort', removed);
    signal.removeEventListener('abort', late);
    abort(FIRST);
    signal.addEventListener('abort', late);
    abort(FIRST);
    expect(called).toEqual(['kept']);
  });
});

describe('an Abort', () => {
  it('calls no listener that one before it removes', () => {
    const abort = new Abort();
    const called: string[] = [];
    const last = (): void => {
      called.push('last');
    };
    abort.addEventListener('abort', () => {
      called.push('first');
      abort.removeEventListener('abort', last);
    });
    abort.addEventListener('abort', last);
    abort.abort(FIRST);
    expect(called).toEqual(['first']);
  });
});

describe('a LinkedAbort', () => {
  it('aborts with the reason of the other signal, also where that came before', () => {
    const outer = new Abort();
    const linked = new LinkedAbort(outer);
    outer.abort(FIRST);
    expect([linked, new LinkedAbort(outer)].map(({ reason }) => reason)).toEqual([FIRST, FIRST]);
  });

  it('does not abort the other signal, and does not follow it after its end', () => {
    const outer = new Abort();
    const [aborted, ended] = [new LinkedAbort(outer), new LinkedAbort(outer)];
    aborted.abort(SECOND);
    ended.end();
    expect(outer.aborted).toBe(false);
    outer.abort(FIRST);
    expect(aborted.reason).toBe(SECOND);
    expect(ended.aborted).toBe(false);
  });
});

describe('nativeSignal', () => {
  it('returns an AbortSignal that aborts with the same reason, also where that came before', () => {
    const abort = new Abort();
    const before = nativeSignal(abort);
    expect(before).toBeInstanceOf(AbortSignal);
    expect(before.aborted).toBe(false);
    abort.abort(FIRST);
    expect([before, nativeSignal(abort)].map(({ reason }) => reason as unknown)).toEqual([FIRST, FIRST]);
  });

  it('returns an AbortSignal as it is', () => {
    const { signal } = new AbortController();
    expect(nativeSignal(signal)).toBe(signal);
  });
});

function opened(controller: Abort | AbortController) {
  return {
    signal: controller.signal,
    abort: (reason: Error) => {
      controller.abort(reason);
    },
  };
}
