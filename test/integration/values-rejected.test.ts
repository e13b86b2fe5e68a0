import { writeFile } from 'node:fs/promises';

import type { Gateway } from '../../src/gateway/server/compose.js';
import { keyNamed } from '../support/access-gateway.js';
import { createTestDatabase, type TestDatabase } from '../support/clickhouse.js';
import { variablesOf } from '../support/demo-database.js';
import { ReloadedProject } from '../support/reloaded-project.js';
import { writeKeys } from '../support/write-keys.js';

let ids = 0;
/** An endpoint of one column. @param header its parameters and the values of its example */
const endpoint = (parameters: string, example: string, sql: string, more = ''): string => `/*
id: 61f0c404-5cb3-11e7-907b-a6006ad3dc${String((ids += 1)).padStart(2, '0')}
summary: For a test of values that only the query rejects.
parameters: ${parameters}
columns: { n: UInt64 }
example: ${example}
caching: 60
exports: { maxRows: 10, maxSeconds: 10 }
${more}*/
${sql}
`;
const string = '{ kind: string, description: Any. }';
const integer = '{ kind: integer, description: Any. }';
const list = '{ kind: integer-list, required: true, description: Any. }';
const DAY = [`{ day: ${string} }`, '{ day: 2026-01-01 }'] as const;
const N = [`{ n: ${integer} }`, '{ n: 3 }'] as const;

const FILES: Readonly<Record<string, string>> = {
  day: endpoint(...DAY, 'SELECT n FROM fault_rows WHERE toDate(@day) > toDate(0)'),
  small: endpoint(...DAY, "SELECT n FROM fault_rows WHERE toUInt16(replaceOne(@day, '-01-01', '')) > 0"),
  pairs: endpoint(
    `{ a: ${list}, b: ${list} }`,
    '{ a: "1,2", b: "3,4" }',
    'SELECT toUInt64(arraySum((x, y) -> x * y, @a, @b)) AS n',
  ),
  path: endpoint(
    `{ path: ${string} }`,
    '{ path: "$.a" }',
    `SELECT toUInt64(length(JSON_VALUE('{"a":"b"}', @path))) AS n`,
  ),
  optional: endpoint(
    `{ day: ${string}, only: ${string} }`,
    '{ day: 2026-01-01 }',
    'SELECT n FROM fault_rows WHERE length(@day) > 0 [[ AND toDate(@only) > toDate(0) ]]',
  ),
  thrown: endpoint(
    ...N,
    "SELECT n FROM fault_rows WHERE throwIf(@n > 10, 'n must be at most 10; it''s a limit') = 0",
  ),
  several: endpoint(
    ...N,
    "SELECT n FROM fault_rows WHERE throwIf(@n > 10, 'at most 10') = 0 AND throwIf(@n > 20, 'at most 20') = 0 " +
      "AND throwIf(n > 1000, 'a row') = 0 AND if(n > 5, throwIf(@n = 7, 'never 7'), 0) = 0",
  ),
  branch: endpoint(...N, "SELECT n FROM fault_rows WHERE if(n > 1, throwIf(@n = 7, 'never 7'), 0) = 0"),
  rows: endpoint(...N, "SELECT n FROM fault_rows WHERE throwIf(n = @n + 4, 'a secret of the rows') = 0"),
  beside: endpoint(
    ...N,
    "SELECT n FROM fault_rows WHERE throwIf(n = 2 AND @n = 7, 'a row') = 0 AND if(n > 5, throwIf(@n = 7, 'never 7'), 0) = 0",
  ),
  scalar: endpoint(
    ...N,
    "SELECT n FROM fault_rows WHERE throwIf((SELECT count() FROM fault_rows WHERE n = @n - 5) > 0, 'a row') = 0",
  ),
  inside: endpoint(
    ...N,
    "WITH (SELECT count() FROM fault_rows WHERE throwIf(n = @n - 5, 'a row') = 0) AS c SELECT toUInt64(c) AS n",
  ),
  text: endpoint(
    `{ n: ${integer}, day: ${string} }`,
    '{ n: 3, day: x }',
    'SELECT n FROM fault_rows WHERE throwIf(@n > 10, @day) = 0',
  ),
  always: endpoint(...N, "SELECT n FROM fault_rows WHERE throwIf(@n > 0, 'closed') = 0"),
  divided: endpoint(...N, 'SELECT toUInt64(intDiv(n, @n)) AS n FROM fault_rows'),
  lambda: endpoint(
    '{ n: { kind: integer, required: true, description: Any. } }',
    '{ n: 3 }',
    'SELECT toUInt64(arraySum(arrayMap(x -> x % @n, [n]))) AS n FROM fault_rows',
  ),
  zero: endpoint(...N, 'SELECT toUInt64(intDiv(@n, n - 1)) AS n FROM fault_rows'),
  zeros: endpoint(...N, 'SELECT toUInt64(toUInt64(@n / n) + intDiv(@n, n - 1)) AS n FROM fault_rows'),
  parsed: endpoint(...DAY, 'SELECT toUInt64(toDate(concat(@day, text))) AS n FROM fault_rows'),
  tenant: endpoint(
    `{ day: ${string}, n: ${integer} }`,
    '{ day: 2026-01-01, n: 1 }',
    'SELECT n FROM fault_rows WHERE toDate(@day) > toDate(0) [[ AND n = @n ]]',
    'tenant: { fault_rows: { n: n } }\n',
  ),
  secret: endpoint(
    '{ day: { kind: string, secret: true, required: true, description: Any. } }',
    '{}',
    "SELECT n FROM fault_rows WHERE throwIf(length(@day) > 5, 'too long') = 0",
  ),
};

interface Problem {
  readonly status: number;
  readonly code?: string;
  readonly detail?: string;
}

describe('values that only the query rejects', () => {
  let database: TestDatabase;
  let gateway: Gateway;
  let logged: () => string;
  let close: () => void;
  let closed: Promise<void>;

  beforeAll(async () => {
    database = await createTestDatabase();
    await database.client.command({
      query: 'CREATE TABLE fault_rows (n UInt64, text String) ENGINE = MergeTree ORDER BY n',
    });
    await database.client.command({
      query: "INSERT INTO fault_rows VALUES (1, 'no date'), (2, 'no date'), (7, 'no date')",
    });
    await new Promise<void>((opened, failed) => {
      closed = ReloadedProject.during(async (project) => {
        for (const [name, text] of Object.entries(FILES))
          await writeFile(project.fileOf(name), text.replace('/*\n', `/*\nname: ${name}\n`));
        const keys = await writeKeys(project.folder, {
          all: { mayExport: true },
          pinned: { fixed: { n: '2' } },
          wrong: { fixed: { day: 'no day' } },
        });
        gateway = await project.open({
          ...variablesOf(database.connection),
          API_KEY: '',
          API_KEYS_FILE: keys,
        });
        logged = () => JSON.stringify(project.logger.lines);
        const done = new Promise<void>((resolve) => (close = resolve));
        opened();
        await done;
      });
      closed.catch(failed);
    });
  });
  afterAll(async () => {
    close();
    await closed;
    await database.close();
  });

  const ask = async (target: string, key = 'all', init: RequestInit = {}): Promise<Problem> => {
    const headers = { 'X-API-KEY': keyNamed(key), 'Content-Type': 'application/json' };
    const response = await fetch(`${gateway.url}/api/endpoints/query/${target}`, { headers, ...init });
    const { code, detail } = (await response.json()) as Omit<Problem, 'status'>;
    return {
      status: response.status,
      ...(code !== undefined && { code }),
      ...(detail !== undefined && { detail }),
    };
  };
  const REJECTED = { status: 400, code: 'VALUES_REJECTED' };
  const FAILED = { status: 502, code: 'CLICKHOUSE_FAILED' };

  it.each([
    ['a text that is no date', 'day?day=yesterday', 'day?day=2026-05-17'],
    ['a text that ends too early', 'small?day=', 'small?day=12'],
    ['lists of unequal length', 'pairs?a=1,2&b=3', 'pairs?a=1,2,3&b=3,4,5'],
    ['a path that nothing has', 'path?path=x', 'path?path=$.b'],
    ['a text in an optional part', 'optional?day=x&only=x', 'optional?day=x&only=2026-01-01'],
    ['a divisor in a function of an array', 'lambda?n=0', 'lambda?n=2'],
    ['a divisor', 'divided?n=0', 'divided?n=2'],
  ])('are 400 VALUES_REJECTED, without a text of ClickHouse: %s', async (_what, wrong, right) => {
    const problem = await ask(wrong);
    expect(problem).toMatchObject(REJECTED);
    expect(problem.detail).toMatch(/^The query of this endpoint .* value.*\. Correct (it|the values)\.$/);
    expect(await ask(right)).toEqual({ status: 200 });
  });

  it.each([
    ['thrown?n=11', "n must be at most 10; it's a limit"],
    ['several?n=11', 'at most 10'],
    ['several?n=21', 'at most 10; at most 20'],
    ['branch?n=7', 'never 7'],
  ])('have the message of the author: %s', async (target, detail) => {
    expect(await ask(target)).toEqual({ ...REJECTED, detail });
    expect((await ask(target.replace(/n=.*/, 'n=4'))).status).toBe(200);
  });

  it.each([
    ['a throwIf on rows', 'rows?n=3'],
    ['one on rows beside one that is evaluated for some', 'beside?n=7'],
    ['one on a scalar subquery', 'scalar?n=7'],
    ['one inside a scalar subquery, which ClickHouse runs to analyse the query', 'inside?n=7'],
    ['a message that is a value', 'text?n=11&day=mine'],
    ['one that the example has too', 'always?n=3'],
    ['a zero in the data', 'zero?n=3'],
    ['a zero in the data beside a division of floating point numbers', 'zeros?n=0'],
    ['a text of rows', 'parsed?day=2026-01-01'],
  ])('stay 502 where they do not decide: %s', async (_what, target) => {
    const problem = await ask(target);
    expect(problem).toMatchObject(FAILED);
    expect(problem.detail).not.toMatch(/row|mine|closed|zero/);
  });

  it('are the same by POST, in an export, for a caller with pins, and for an agent', async () => {
    const body = JSON.stringify({ n: 11 });
    expect(await ask('thrown', 'all', { method: 'POST', body })).toMatchObject(REJECTED);
    expect(await ask('thrown?n=11&export=1&format=ndjson')).toMatchObject(REJECTED);
    expect(await ask('tenant?day=x', 'pinned')).toMatchObject(REJECTED);
    expect((await ask('tenant?day=2026-01-01', 'pinned')).status).toBe(200);
    const response = await fetch(`${gateway.url}/mcp`, {
      method: 'POST',
      headers: {
        'X-API-KEY': keyNamed('all'),
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': '2025-06-18',
      },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: { name: 'thrown', arguments: { n: 11 } },
      }),
    });
    expect(await response.text()).toContain('VALUES_REJECTED');
  });

  it('are not the fault of a caller whose key pins them', async () => {
    expect(await ask('day', 'wrong')).toMatchObject(FAILED);
  });

  it('are not cached, open no breaker, and are counted as what they are', async () => {
    for (let n = 0; n < 5; n += 1) expect(await ask('day?day=tomorrow')).toMatchObject(REJECTED);
    expect((await ask('day?day=2026-05-18')).status).toBe(200);
    const metrics = await (await fetch(`${gateway.adminUrl ?? ''}/metrics`)).text();
    expect(metrics).toMatch(/requests_total\{[^}]*endpoint="day",status="400"[^}]*code="VALUES_REJECTED"/);
    expect(metrics).toMatch(/requests_total\{[^}]*endpoint="zero",status="502"[^}]*code="CLICKHOUSE_FAILED"/);
  });

  it('are not in a log where they are secret', async () => {
    const body = JSON.stringify({ day: 'Zq7SecretValue' });
    expect(await ask('secret', 'all', { method: 'POST', body })).toEqual({ ...REJECTED, detail: 'too long' });
    expect(logged()).not.toContain('Zq7SecretValue');
  });
});
