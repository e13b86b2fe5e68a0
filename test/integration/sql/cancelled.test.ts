import { request } from 'node:http';

import { pollUntil } from '../../support/poll-until.js';
import { sharedSqlGateway, SQL_KEYS } from '../../support/sql-gateway.js';

const opened = sharedSqlGateway({ ADMIN_PORT: '0' });

/** Runs until it is cancelled. */
const LONG = 'SELECT sum(sipHash64(number, number + 1)) FROM numbers(9000000000)';

interface RunningCalls {
  readonly calls: readonly { readonly id: string; readonly parameters: Readonly<Record<string, string>> }[];
}

async function running(): Promise<RunningCalls['calls']> {
  const response = await fetch(`${opened().gateway.adminUrl ?? ''}/calls`);
  return ((await response.json()) as RunningCalls).calls;
}

const isRunning = async (): Promise<true | undefined> => ((await running()).length > 0 ? true : undefined);

/** Long, because other tests load the machine. */
const WITHIN_MS = 30_000;

const code = ({ headers }: Response): string | null => headers.get('x-clickhouse-exception-code');

describe('a statement that runs', () => {
  test('is shown to the operator, who can cancel it', async () => {
    const { send, gateway } = opened();
    const response = send(LONG, { headers: { 'User-Agent': 'tool/1' } });
    await pollUntil('it runs', isRunning, WITHIN_MS);
    const [call] = await running();
    expect(call?.parameters).toEqual({ sql: LONG, tool: 'tool/1' });
    await fetch(`${gateway.adminUrl ?? ''}/calls/${call?.id ?? ''}/cancel`, { method: 'POST' });
    expect(code(await response)).toBe('394');
    expect(await running()).toEqual([]);
  });

  test('is cancelled by KILL QUERY of its key, and of no other', async () => {
    const { send, rows } = opened();
    const response = send(LONG, { search: { query_id: 'mine' } });
    await pollUntil('it runs', isRunning, WITHIN_MS);
    await rows("KILL QUERY WHERE query_id = 'mine'", { key: SQL_KEYS.tenant });
    expect(await running()).toHaveLength(1);
    await rows("KILL QUERY WHERE query_id = 'mine' ASYNC");
    expect(code(await response)).toBe('394');
  });

  test('ends when its client disconnects', async () => {
    const { sqlUrl, logger } = opened();
    const headers = { Authorization: `Bearer ${SQL_KEYS.all}`, 'X-Request-Id': 'leaving' };
    const sent = request(sqlUrl, { method: 'POST', headers });
    sent.on('error', () => undefined);
    sent.end(LONG);
    await pollUntil('it runs', isRunning, WITHIN_MS);
    sent.destroy();
    await pollUntil('it has ended', async () => ((await isRunning()) ? undefined : true), WITHIN_MS);
    const line = await pollUntil('it is logged', () =>
      logger.lines.find(
        ({ fields }) => fields['requestId'] === 'leaving' && fields['code'] === 'CALLER_GONE',
      ),
    );
    expect(line.fields['status']).toBe(499);
  });
});

test('a client that disconnects within its statement is no failure of the gateway', async () => {
  const { sqlUrl, logger } = opened();
  const of = { Authorization: `Bearer ${SQL_KEYS.all}`, 'X-Request-Id': 'gone' };
  const headers = { ...of, 'Content-Length': '100' };
  const sent = request(sqlUrl, { method: 'POST', headers });
  sent.on('error', () => undefined);
  sent.write('SELECT');
  await pollUntil('the head is there', () => ((sent.socket?.bytesWritten ?? 0) > 0 ? true : undefined));
  sent.destroy();
  const line = await pollUntil('it is logged', () =>
    logger.lines.find(({ fields }) => fields['requestId'] === 'gone' && fields['code'] !== undefined),
  );
  expect([line.fields['code'], line.fields['status']]).toEqual(['CALLER_GONE', 499]);
});
