import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { createSqlListener, type SqlParts } from '../../../../../src/gateway/http/sql/sql-listener.js';

it('reads one statement of many in each turn of the event loop', async () => {
  let read = 0;
  const listener = createSqlListener({
    credentials: { find: () => ({}), findKey: () => ({}), noteUse: () => undefined, clock: () => new Date() },
    endpoints: { all: () => [] },
    limiter: { admitRequest: () => Promise.resolve(undefined) },
    clock: () => new Date(),
    serverVersion: {
      read: () => {
        read += 1;
        return Promise.reject(new Error('the statement goes no further'));
      },
    },
  } as unknown as SqlParts);
  for (let sent = 0; sent < 4; sent += 1) {
    const request = new IncomingMessage(new Socket());
    Object.assign(request, { method: 'POST', url: '/' });
    request.headers = { host: 'gateway', 'x-clickhouse-key': 'any' };
    request.push(null);
    listener(request, new ServerResponse(request));
  }
  const readAfterTurn: number[] = [];
  for (let turn = 0; turn < 10; turn += 1) {
    await nextTurn();
    readAfterTurn.push(read);
  }
  expect([...new Set(readAfterTurn)].filter((count) => count > 0)).toEqual([1, 2, 3, 4]);
});
