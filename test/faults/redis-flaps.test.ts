import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';

import { RedisKeys } from '../../src/gateway/coordination/redis-keys.js';
import { pollUntil } from '../support/poll-until.js';
import { startProcess } from '../support/start-process.js';
import { newPrefix, openTestRedis, sharedRedisUrl } from '../support/test-redis.js';

const SCRIPT = fileURLToPath(new URL('../support/listen-for-purges.mjs', import.meta.url));
/** Subscriptions whose connection is cut before their reply: all but the first and those after the fifth. */
const isCut = (subscription: number): boolean => subscription > 1 && subscription <= 5;

it('a gateway survives connections that end while it subscribes to purges, and gets the purges meanwhile', async () => {
  let subscriptions = 0;
  const sockets = new Set<Socket>();
  const proxy = createServer((socket) => {
    const upstream = connect(Number(new URL(sharedRedisUrl()).port), '127.0.0.1');
    sockets.add(socket);
    for (const each of [socket, upstream]) each.on('error', () => undefined);
    socket.on('close', () => upstream.destroy());
    upstream.pipe(socket);
    socket.on('data', (chunk) => {
      if (/subscribe/i.test(chunk.toString()) && isCut((subscriptions += 1))) socket.destroy();
      else upstream.write(chunk);
    });
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { client, close } = await openTestRedis();
  const prefix = newPrefix();
  const gateway = startProcess(SCRIPT, {
    REDIS_URL: `redis://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    CACHE_KEY_PREFIX: prefix,
  });
  try {
    await pollUntil('it subscribes', () => subscriptions === 1 || undefined);
    for (const socket of sockets) socket.destroy();
    await pollUntil('it subscribes again', () => subscriptions > 1 || undefined);
    await client.hset(new RedisKeys(prefix).purges, ':', JSON.stringify({ createdUntil: 1 }));
    await gateway.untilWritten(/purged/);
    await pollUntil('it is subscribed', () => subscriptions > 5 || undefined);
    expect(gateway.child.exitCode).toBeNull();
  } finally {
    gateway.child.kill();
    close();
    proxy.close();
    for (const socket of sockets) socket.destroy();
  }
});
