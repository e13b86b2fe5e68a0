import { deserialize, serialize } from 'node:v8';

import type { Clock } from '../../src/execution/ports.js';
import { batched, type Channel } from '../../src/workers/channel.js';
import { Hub, type Member } from '../../src/workers/hub.js';
import { PrimaryLink } from '../../src/workers/primary-link.js';
import { EMPTY_SNAPSHOT } from '../../src/workers/worker-snapshot.js';

/** A worker's link to the primary of a test, and what the test can do to it. */
export interface TestLink {
  readonly link: PrimaryLink;
  readonly member: Member;
  /** From now on the primary hears nothing of this worker. */
  readonly silence: () => void;
  /** Lets what was held back by {@link silence} through, and all that follows. */
  readonly resume: () => void;
}

/** A primary whose workers are in the same process: messages are copied as between processes, and come in order. */
export class TestPrimary {
  readonly hub: Hub;
  readonly faults: unknown[] = [];

  /** @param now milliseconds, never going back; of limits and leases. */
  constructor(
    private readonly clock: Clock = () => new Date(),
    now = (): number => performance.now(),
  ) {
    this.hub = new Hub({
      memoryBytes: 10_000_000,
      clock,
      now,
      ownSnapshot: () => Promise.resolve(EMPTY_SNAPSHOT),
      onFault: (error) => this.faults.push(error),
    });
  }

  /** @param answerMs how long the worker waits for the primary; so long by default that a busy machine is no silence. */
  join(answerMs = 20_000): TestLink {
    const [nearEnd, farEnd, control] = channels();
    const [near, far] = [batched(nearEnd), batched(farEnd)];
    const ignored = { 'worker.ready': () => undefined, 'worker.failed': () => undefined };
    const member = this.hub.join(near, ignored);
    const onFault = (error: unknown): unknown => this.faults.push(error);
    const link = new PrimaryLink(far, { clock: this.clock, onChange: () => undefined, onFault, answerMs });
    return { link, member, ...control };
  }
}

function channels(): readonly [Channel, Channel, Pick<TestLink, 'silence' | 'resume'>] {
  const [toNear, toFar]: [((message: unknown) => void)[], ((message: unknown) => void)[]] = [[], []];
  let isSilent = false;
  let heldBack: (() => void)[] = [];
  const carry = (listeners: readonly ((message: unknown) => void)[], message: unknown): void => {
    const bytes = serialize(message);
    setImmediate(() => {
      for (const listener of listeners) listener(deserialize(bytes));
    });
  };
  const near: Channel = {
    send: (message) => {
      carry(toFar, message);
    },
    onMessage: (listener) => toNear.push(listener),
  };
  const far: Channel = {
    send: (message) => {
      if (isSilent)
        heldBack.push(() => {
          carry(toNear, message);
        });
      else carry(toNear, message);
    },
    onMessage: (listener) => toFar.push(listener),
  };
  const silence = (): void => {
    isSilent = true;
  };
  const resume = (): void => {
    isSilent = false;
    for (const send of heldBack) send();
    heldBack = [];
  };
  return [near, far, { silence, resume }];
}
