import { SettingOverrides } from '../../../../src/gateway/clickhouse/setting-overrides.js';

const MINUTE = 60_000;

/** A server whose user has settings that a test changes, and a clock that it sets. */
class TestServer {
  changed: readonly (readonly [name: string, neutral: string])[] = [];
  mayYield = 1;
  reads = 0;
  now = 0;
  timers: { readonly run: () => void; readonly at: number }[] = [];
  respond: () => Promise<void> = () => Promise.resolve();
  readonly overrides = new SettingOverrides(
    async ({ search }) => {
      this.reads += 1;
      await this.respond();
      const left = this.changed.filter(([name]) => !search.includes(`&${name}=`));
      return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(['1721', left, this.mayYield])) };
    },
    () => this.now,
    (run, ms) => {
      this.timers.push({ run, at: this.now + ms });
      return setTimeout(() => undefined, 0);
    },
  );

  /** Sets the clock, and runs the timers that are due. */
  async advance(ms: number): Promise<void> {
    this.now += ms;
    const due = this.timers.filter(({ at }) => at <= this.now);
    this.timers = this.timers.filter(({ at }) => at > this.now);
    for (const { run } of due) run();
    await this.overrides.read();
  }
}

it('reads the settings before the first query, and sends nothing for a plain user', async () => {
  const server = new TestServer();
  await Promise.all([server.overrides.ready(), server.overrides.ready()]);
  expect(server.reads).toBe(2);
  expect(server.overrides.search).toBe('');
  await server.overrides.ready();
  expect(server.reads).toBe(2);
});

it('sends neutral values of what decides rows, and nothing of what decides cost', async () => {
  const server = new TestServer();
  server.changed = [
    ['group_by_overflow_mode', 'throw'],
    ['max_threads', 'auto(2)'],
    ['session_timezone', ''],
  ];
  await server.overrides.ready();
  expect(server.overrides.search).toBe('group_by_overflow_mode=throw&session_timezone=&');
});

it('lets queries yield to others while the user may change that', async () => {
  const server = new TestServer();
  await server.overrides.ready();
  expect(server.overrides.yielding).toEqual({ os_thread_priority: '19' });
  server.mayYield = 0;
  await server.advance(MINUTE - 10_000);
  expect(server.overrides.yielding).toEqual({});
});

it('follows a changed profile within a minute, once for all queries, and says so', async () => {
  const server = new TestServer();
  let changes = 0;
  server.overrides.onChange = () => (changes += 1);
  await server.overrides.ready();
  server.changed = [['final', '0']];
  for (let query = 0; query < 10; query += 1) await server.overrides.ready();
  expect(server.overrides.search).toBe('');
  await server.advance(MINUTE - 10_000);
  expect([server.overrides.search, changes]).toEqual(['final=0&', 1]);
  server.changed = [];
  await server.overrides.ready();
  await server.advance(MINUTE - 10_000);
  expect([server.overrides.search, changes]).toEqual(['', 2]);
});

it('reads nothing without queries, and again before the first one after a minute', async () => {
  const server = new TestServer();
  await server.overrides.ready();
  await server.advance(MINUTE);
  const { reads } = server;
  await server.advance(0);
  server.now += 2 * MINUTE;
  expect(server.timers).toEqual([]);
  server.changed = [['limit', '0']];
  await server.overrides.ready();
  expect(server.reads).toBeGreaterThan(reads);
  expect(server.overrides.search).toContain('limit=0&');
});

it('lets no query run where the settings cannot be read, and reads again for the next', async () => {
  const server = new TestServer();
  server.respond = () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
  await expect(server.overrides.ready()).rejects.toThrow('refused');
  server.respond = () => Promise.resolve();
  await server.overrides.ready();
  expect(server.overrides.search).toBe('');
});

it('no longer waits for the settings when the query is cancelled', async () => {
  const server = new TestServer();
  server.respond = () => new Promise(() => undefined);
  const controller = new AbortController();
  const waiting = server.overrides.ready(controller.signal);
  controller.abort(new Error('disconnected'));
  await expect(waiting).rejects.toThrow('disconnected');
});
