import { once } from 'node:events';

import { pollUntil } from '../../support/poll-until.js';
import { send } from '../../support/raw-exchange.js';
import { sharedSqlGateway, SQL_KEYS } from '../../support/sql-gateway.js';

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
  const socket = await unread('unread');
  expect(await rows('SELECT 1 FORMAT TSV')).toBe('1\n');
  socket.destroy();
  const line = await pollUntil('it is logged', () =>
    logger.lines.find(({ fields }) => fields['requestId'] === 'unread' && fields['status'] !== undefined),
  );
  expect(line.fields).toMatchObject({ status: 499, code: 'CALLER_GONE' });
});
