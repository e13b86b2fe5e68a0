import { once } from 'node:events';

import { pollUntil } from '../../support/poll-until.js';
import { send } from '../../support/raw-exchange.js';
import { sharedSqlGateway, SQL_KEYS, withSqlGateway } from '../../support/sql-gateway.js';

const opened = sharedSqlGateway({ SQL_MAX_ROWS: '50000000' });

const LONG = 'SELECT number, number AS same FROM numbers(40000000) FORMAT TSV';

/** Sends a statement whose rows nobody reads. */
async function unread(id: string): Promise<ReturnType<typeof send>> {
  const head = `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${SQL_KEYS.all}\r\nX-Request-Id: ${id}\r\n`;
  const bytes = `${head}Content-Length: ${LONG.length}\r\n\r\n${LONG}`;
  const socket = send(Number(new URL(opened().sqlUrl).port), bytes);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  await pollUntil('the first rows are there', () => socket.bytesRead > 0 || undefined);
  return socket;
}

test('a client that does not read its rows holds up nobody, and is logged as gone', async () => {
  const { logger, rows } = opened();
  const before = process.memoryUsage().external;
  const socket = await unread('unread');
  // Meanwhile ClickHouse would send much of the 650 MB.
  expect(await rows('SELECT sum(sipHash64(number)) > 0 FROM numbers(40000000) FORMAT TSV')).toBe('1\n');
  expect(process.memoryUsage().external - before).toBeLessThan(64 * 1024 * 1024);
  socket.destroy();
  const line = await pollUntil('it is logged', () =>
    logger.lines.find(({ fields }) => fields['requestId'] === 'unread' && fields['status'] !== undefined),
  );
  expect(line.fields).toMatchObject({ status: 499, code: 'CALLER_GONE' });
});

test('a statement that runs is finished when the gateway stops, which accepts no other', async () => {
  await withSqlGateway({ ADMIN_PORT: '0' }, {}, async ({ gateway, sqlUrl, rows }) => {
    const sum = rows('SELECT sum(sipHash64(number)) > 0 FROM numbers(40000000) FORMAT TSV');
    await pollUntil('it runs', async () => {
      const response = await fetch(`${gateway.adminUrl ?? ''}/calls`);
      return ((await response.json()) as { readonly calls: unknown[] }).calls.length > 0 || undefined;
    });
    const closed = gateway.close(60_000);
    await expect(fetch(sqlUrl)).rejects.toThrow('fetch failed');
    expect(await sum).toBe('1\n');
    await closed;
  });
}, 120_000);
