import { exec, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

import { pollUntil } from '../support/poll-until.js';
import { sharedSqlGateway } from '../support/sql-gateway.js';
import { withTemporaryFolder } from '../support/temporary-folder.js';
import { CLIENTS, type Client } from './clients.js';

const LIMITED = { limits: { requests: { quota: 2, window: 600 } } };

const opened = sharedSqlGateway(
  { ADMIN_PORT: '0' },
  {
    endpoints: {
      'shop.orders': [
        [
          'parameters: { shop: { kind: string, required: true, description: Name of the shop. } }',
          'columns:',
          '  n: { type: UInt64, description: Number of the order. }',
          '  price: Decimal(18, 4)',
          '  city: LowCardinality(Nullable(String))',
          "  at: DateTime64(3, 'UTC')",
          'tables: true',
          'example: { shop: harbour }',
        ],
        `SELECT n, price, city, at FROM values(
           'shop String, n UInt64, price Decimal(18, 4), city LowCardinality(Nullable(String)), at DateTime64(3, \\'UTC\\')',
           ('harbour', 1, 9.5, 'Kiel', '2026-05-17 10:05:03.123'), ('harbour', 18446744073709551615, 0.0001, NULL, '1999-12-31 23:59:59.999'),
           ('station', 7, 1, 'Ulm', '2026-05-17 10:05:03'))
         WHERE shop = @shop`,
      ],
      'shop.types': [['columns: { n: UInt8 }', 'tables: true', 'example: {}'], 'SELECT 1 AS n'],
      'shop.hidden': [['columns: { n: UInt8 }', 'example: {}'], 'SELECT 1 AS n'],
    },
    keys: {
      ...{ tool: {}, shop: { fixed: { shop: 'station' } } },
      ...Object.fromEntries(Object.keys(CLIENTS).map((_, index) => [`limited-${index}`, LIMITED])),
    },
  },
);

/** Runs until it is cancelled. */
const LONG = 'SELECT sum(sipHash64(number, number + 1)) FROM numbers(9000000000)';
/** Long, because other tests load the machine. */
const WITHIN_MS = 30_000;

async function running(): Promise<readonly unknown[]> {
  const response = await fetch(`${opened().gateway.adminUrl ?? ''}/calls`);
  return ((await response.json()) as { readonly calls: readonly unknown[] }).calls;
}

/** The lines of a program, which reports that its long statement runs, and cancels it once it gets a line. */
async function factsOf({ run }: Client, limited: string, folder: string): Promise<readonly string[]> {
  const args = [opened().sqlUrl, 'qg_tool', 'qg_shop', limited, LONG];
  const program = spawn('bash', ['-c', `${run} "$@"`, 'bash', ...args], {
    ...{ cwd: folder },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const closed = once(program, 'close');
  const lines: string[] = [];
  for await (const line of createInterface(program.stdout)) {
    if (line !== 'running') {
      lines.push(line);
      continue;
    }
    await pollUntil('it runs', async () => ((await running()).length > 0 ? true : undefined), WITHIN_MS);
    program.stdin.end('\n');
  }
  expect(await closed).toEqual([0, null]);
  await pollUntil('it has ended', async () => ((await running()).length === 0 ? true : undefined), WITHIN_MS);
  return lines;
}

/** Makes the program of a client. @returns why its packages cannot be had */
async function make({ commands }: Client, folder: string): Promise<string | undefined> {
  await cp(import.meta.dirname, folder, { recursive: true });
  try {
    for (const command of commands) await promisify(exec)(command, { cwd: folder, timeout: 180_000 });
    return undefined;
  } catch (error) {
    return String(error).slice(0, 500);
  }
}

test.each(Object.entries(CLIENTS))('%s lists, reads, is refused and is cancelled', async (name, client) => {
  await withTemporaryFolder(async (folder) => {
    const obstacle = await make(client, folder);
    if (obstacle !== undefined) {
      console.warn(`${name}: skipped: ${obstacle}`);
      return;
    }
    const limited = `limited-${Object.keys(CLIENTS).indexOf(name)}`;
    const facts = await factsOf(client, `qg_${limited}`, folder);
    expect([...facts].sort()).toEqual([...client.facts].sort());
    const rejected = opened().logger.lines.filter(
      ({ fields }) => fields['key'] === limited && fields['code'] === 'LIMIT_EXCEEDED',
    );
    // No client tries again at once.
    expect(rejected).toHaveLength(1);
  });
});
