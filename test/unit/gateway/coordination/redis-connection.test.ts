import { Redis } from 'ioredis';

import { connectRedis } from '../../../../src/gateway/coordination/redis-connection.js';

const REPLICA = "READONLY You can't write against a read only replica.";

/** Whether each of these errors makes a new client connect anew. */
function reconnectsAfter(...messages: readonly string[]): readonly unknown[] {
  const client = connectRedis('redis://127.0.0.1:1', () => undefined);
  client.disconnect();
  if (!(client instanceof Redis)) throw new Error('it is a Cluster');
  return messages.map((message) => client.options.reconnectOnError?.(new Error(message)));
}

describe('a client of Redis', () => {
  it.each([
    REPLICA,
    `ERR Error running script (call to f_1a2b): @user_script:3: @user_script: 3: -${REPLICA}`,
  ])('connects anew where its server is a replica: %s', (message) => {
    expect(reconnectsAfter(message)).toEqual([true]);
  });

  it('does so once within five seconds, and after no other error', () => {
    expect(reconnectsAfter(REPLICA, REPLICA)).toEqual([true, false]);
    expect(reconnectsAfter('OOM command not allowed', 'WRONGTYPE READONLYX')).toEqual([false, false]);
  });
});
