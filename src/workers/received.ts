import { inOwnMemory, type Answer, type Bodies } from '../execution/answer.js';

/**
 * An answer out of a message, without the message's memory: what is read of a channel is a view on all that was read at
 * once, which would stay for as long as one of its answers does, and count for nobody.
 */
export function received(answer: Answer): Answer {
  const { identity, gzip, br } = answer.bodies;
  const bodies: Bodies = {
    identity: inOwnMemory(identity),
    ...(gzip && { gzip: inOwnMemory(gzip) }),
    ...(br && { br: inOwnMemory(br) }),
  };
  return { ...answer, bodies };
}
