/**
 * Prints what Kysely gets of a gateway, a line for each fact. Arguments: its URL, and the keys of a tool, of a shop, and with a
 * limit.
 */
import { once } from 'node:events';
import process from 'node:process';

// This checkout does not have them.
const load = (/** @type {string} */ name) => import(name);
const { Kysely, sql } = await load('kysely');
const { ClickhouseDialect } = await load('@founderpath/kysely-clickhouse');
const { createClient } = await load('@clickhouse/client');

const [, , url, tool, shop, limited, long] = process.argv;

/** @param {string | undefined} password */
const optionsOf = (password) => ({
  ...{ url, username: 'anyone', password, database: 'querygate' },
  log: { level: 127 },
});

/** @param {string | undefined} key */
const open = (key) => new Kysely({ dialect: new ClickhouseDialect({ options: optionsOf(key) }) });

/**
 * @param {string} fact
 * @param {readonly object[]} rows
 */
function print(fact, rows) {
  for (const row of rows) console.log(`${fact}: ${Object.values(row).join(' | ')}`);
}

/**
 * @param {string} fact
 * @param {() => Promise<unknown>} work
 */
async function printError(fact, work) {
  try {
    await work();
    console.log(`${fact}: none`);
  } catch (error) {
    const { code, message } = /** @type {{ code?: string, message: string }} */ (error);
    console.log(`${fact}: ${code ?? message}`);
  }
}

const db = open(tool);
for (const { name, isView, columns } of await db.introspection.getTables()) {
  /** @type {{ name: string, dataType: string }[]} */
  const described = columns;
  console.log(
    `table: ${name} | ${isView} | ${described.map((of) => `${of.name} ${of.dataType}`).join(', ')}`,
  );
}
const orders = sql`shop_orders(shop = ${'harbour'})`.as('orders');
print('row', await db.selectFrom(orders).selectAll().where('n', '>=', 1).orderBy('n').execute());
print('of shop', await open(shop).selectFrom('shop_orders').select('n').orderBy('n').execute());
await printError('unknown table', () => db.selectFrom('nowhere').selectAll().execute());
await printError('syntax', () => sql`SELECT FROM WHERE`.execute(db));
await printError('refused', () => sql`DROP TABLE shop_orders`.execute(db));
await printError('unknown key', () => sql`SELECT 1`.execute(open('qg_unknown')));
await printError('limit', async () => {
  for (let i = 0; i < 9; i++) await sql`SELECT ${i}`.execute(open(limited));
});
const cancelled = new AbortController();
const ended = printError('cancelled', () =>
  createClient(optionsOf(tool)).query({ query: long, abort_signal: cancelled.signal }),
);
console.log('running');
await once(process.stdin, 'data');
cancelled.abort();
await ended;
