import { setImmediate as settled } from 'node:timers/promises';

import { Follower } from '../../../console/src/model/follower.js';

interface State {
  readonly revision: string;
}

/** A server of revisions, each response of which the test decides; also what the follower reports. */
class Revisions {
  readonly requested: string[] = [];
  readonly reported: string[] = [];
  readonly pauses: number[] = [];
  private respond: ((response: string | Error) => void) | undefined;
  private resume: (() => void) | undefined;

  readonly follower = new Follower<State>({
    fetch: (after, signal) => this.fetch(after, signal),
    onState: ({ revision }) => this.reported.push(revision),
    onReachable: (isReachable) => {
      if (!isReachable) this.reported.push('unreachable');
    },
    onEnd: (error) => this.reported.push(`end: ${(error as Error).message}`),
    isFinal: (error) => (error as Error).message === 'final',
    pause: (ms) => this.pause(ms),
  });

  private fetch(after: string, signal: AbortSignal): Promise<State> {
    this.requested.push(after);
    return new Promise((resolve, reject) => {
      this.respond = (response) => {
        if (typeof response === 'string') resolve({ revision: response });
        else reject(response);
      };
      signal.addEventListener('abort', () => {
        reject(new Error('aborted'));
      });
    });
  }

  private pause(ms: number): Promise<void> {
    this.pauses.push(ms);
    return new Promise((resolve) => (this.resume = resolve));
  }

  /** Responds to the current request. */
  async responds(response: string | Error): Promise<void> {
    this.respond?.(response);
    await settled();
  }

  async pauseEnds(): Promise<void> {
    this.resume?.();
    await settled();
  }
}

const UNREACHABLE = new Error('unreachable');

describe('a follower', () => {
  it('reports each revision once, and asks for the next after the known one', async () => {
    const revisions = new Revisions();
    revisions.follower.start();
    revisions.follower.start();
    for (const revision of ['a', 'a', 'b']) await revisions.responds(revision);
    expect(revisions.requested).toEqual(['', 'a', 'a', 'b']);
    expect(revisions.reported).toEqual(['a', 'b']);
    expect(revisions.pauses).toEqual([]);
  });

  it('sends one request where the first one fails, also after another start', async () => {
    const revisions = new Revisions();
    revisions.follower.start();
    await revisions.responds(UNREACHABLE);
    revisions.follower.stop();
    revisions.follower.start();
    expect(revisions.requested).toEqual(['']);
    expect(revisions.reported).toEqual(['end: unreachable']);
  });

  it('tries again after pauses of 1 to 10 s, and begins with 1 s after a success', async () => {
    const revisions = new Revisions();
    revisions.follower.start();
    await revisions.responds('a');
    for (let failures = 0; failures < 6; failures++) {
      await revisions.responds(UNREACHABLE);
      await revisions.pauseEnds();
    }
    await revisions.responds('b');
    await revisions.responds(UNREACHABLE);
    expect(revisions.pauses).toEqual([1000, 2000, 4000, 8000, 10_000, 10_000, 1000]);
    expect(revisions.requested.slice(1)).toEqual([...new Array<string>(7).fill('a'), 'b']);
  });

  it('ends at a final error', async () => {
    const revisions = new Revisions();
    revisions.follower.start();
    await revisions.responds('a');
    await revisions.responds(new Error('final'));
    expect(revisions.reported).toEqual(['a', 'end: final']);
    expect(revisions.requested).toEqual(['', 'a']);
  });

  it('aborts its request when it stops, and goes on after the known revision', async () => {
    const revisions = new Revisions();
    revisions.follower.start();
    await revisions.responds('a');
    revisions.follower.stop();
    await settled();
    revisions.follower.start();
    await revisions.responds('b');
    expect(revisions.requested).toEqual(['', 'a', 'a', 'b']);
    expect(revisions.reported).toEqual(['a', 'b']);
  });
});
