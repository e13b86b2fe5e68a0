import { openTestRedis, sharedRedisUrl, type TestRedis } from './test-redis.js';
import { Random } from './random.js';
import { SettableClock } from './settable-clock.js';
import { VersionedServer, type VersionedGateway, type VersionedResponse } from './versioned-gateway.js';

/** Milliseconds for which a result may be late: `check` of the endpoints. */
const CHECK_MS = 1000;

/** Settings with which a statement ends when the data has changed. */
export const AT_ONCE = { mutations_sync: '2', alter_sync: '2', lightweight_deletes_sync: '2' } as const;

/** A change; it calls back where readers can see something between what was before and what is after it. */
export type Change = (between: () => Promise<void>) => Promise<void>;

/** A request, and the states of the tables in which its response is right. */
export interface Question<State> {
  readonly target: string;
  readonly isRightIn: (state: State, response: VersionedResponse) => boolean;
}

/** What happens in random rounds. */
export interface Rounds<State> {
  readonly count: number;
  readonly seed: number;
  /** The changes, of which one is made in each round, by name; every reader sees each of their steps as a whole. */
  readonly changes: (random: Random) => Readonly<Record<string, Change>>;
  readonly question: (random: Random) => Question<State>;
  readonly stateNow: () => Promise<State>;
}

/** How the responses were served, and those that were wrong. */
export interface RoundsOutcome {
  /** By `X-Cache`, by status where there are no rows, and `confirmed`. */
  readonly counts: Readonly<Record<string, number>>;
  readonly wrong: readonly string[];
}

/** Two gateways that share a Redis over a ClickHouse of their own, whose tables change. */
export class ChangingData {
  private constructor(
    readonly server: VersionedServer,
    private readonly redis: TestRedis,
    private readonly time: SettableClock,
    readonly gateways: readonly [VersionedGateway, VersionedGateway],
  ) {}

  /** @param endpoints their texts, by name */
  static async start(
    statements: readonly string[],
    endpoints: Readonly<Record<string, string>>,
  ): Promise<ChangingData> {
    const server = await VersionedServer.start();
    const redis = await openTestRedis();
    const time = new SettableClock();
    for (const statement of statements) await server.run(statement);
    const environment = { REDIS_URL: sharedRedisUrl(), CACHE_KEY_PREFIX: redis.prefix, ADMIN_PORT: '0' };
    const options = { clock: time.clock, environment };
    return new ChangingData(server, redis, time, [
      await server.openGateway(endpoints, options),
      await server.openGateway(endpoints, options),
    ]);
  }

  async stop(): Promise<void> {
    await Promise.all(this.gateways.map((gateway) => gateway.close()));
    this.redis.close();
    await this.server.stop();
  }

  /** Attaches a detached part of a partition, if there is one: of a whole partition readers would see some parts first. */
  async attachPart(table: string, partition: string): Promise<void> {
    const [part] = await this.server.rows(
      `SELECT name FROM system.detached_parts WHERE database = 'logs' AND table = '${table}' AND partition_id = '${partition}' ORDER BY name`,
    );
    if (part) await this.server.run(`ALTER TABLE ${table} ATTACH PART '${String(part['name'])}'`, AT_ONCE);
  }

  /** Changes of every test: none, an empty Redis and, seldom, a ClickHouse that is killed. */
  private commonChanges(random: Random): Readonly<Record<string, Change>> {
    return {
      nothing: () => Promise.resolve(),
      'flush Redis': async () => {
        const names = await this.redis.names();
        if (names.length > 0) await this.redis.client.unlink(...names);
      },
      ...(random.below(12) === 0 && { 'kill ClickHouse': () => this.server.kill() }),
    };
  }

  /**
   * Sends requests during and after random changes, and compares each response with every state that the tables had from one
   * second before its request on.
   */
  async play<State>({ count, seed, changes, question, stateNow }: Rounds<State>): Promise<RoundsOutcome> {
    const random = new Random(seed);
    const states: { readonly state: State; until: number }[] = [{ state: await stateNow(), until: Infinity }];
    const counts: Record<string, number> = {};
    const wrong: string[] = [];
    const comparisons: (() => void)[] = [];
    let elapsed = 0;
    const tally = (name: string): void => {
      counts[name] = (counts[name] ?? 0) + 1;
    };
    const noteState = async (): Promise<void> => {
      const state = await stateNow();
      const last = states.at(-1);
      if (last) last.until = elapsed;
      states.push({ state, until: Infinity });
    };
    const request = async (where: string): Promise<void> => {
      const { target, isRightIn } = question(random);
      const since = elapsed - CHECK_MS;
      const response = await random.of(this.gateways).get(target);
      const detail = response.headers.get('cache-status') ?? '';
      tally(response.status === 200 ? String(response.cache) : String(response.status));
      if (detail.includes('confirmed')) tally('confirmed');
      if (response.status !== 200 || response.cache === 'STALE') return;
      comparisons.push(() => {
        if (states.some(({ state, until }) => until > since && isRightIn(state, response))) return;
        wrong.push(`${where}: ${target} ${detail} ${JSON.stringify(response.rows)}`);
      });
    };
    for (let round = 0; round < count; round += 1) {
      const all = { ...changes(random), ...this.commonChanges(random) };
      const [name, change] = random.of(Object.entries(all));
      const where = `round ${round} of seed ${seed}, ${name}`;
      const during = [change(noteState).catch(rethrowUnlessNothingChanged)];
      for (let sent = random.below(4); sent > 0; sent -= 1) during.push(request(where));
      await Promise.all(during);
      await noteState();
      await Promise.all(Array.from({ length: 1 + random.below(3) }, () => request(`after ${where}`)));
      for (const compare of comparisons.splice(0)) compare();
      const step = random.of([0, 0, 100, 400, 700, 1001, 1500, 5000]);
      this.time.advance(step);
      elapsed += step;
      while (states.length > 1 && (states[0]?.until ?? 0) <= elapsed - CHECK_MS) states.shift();
    }
    process.stdout.write(
      `${count} rounds of seed ${seed}: ${JSON.stringify(counts)}, ${wrong.length} wrong\n`,
    );
    return { counts, wrong };
  }
}

/** A partition, a part or a name that is not there, or a ClickHouse that was killed. */
function rethrowUnlessNothingChanged(error: unknown): void {
  // The text of a part that is merged meanwhile depends on how far the merge is; its type does not.
  const { type = '' } = error as { readonly type?: string };
  if (!/PARTITION|UNKNOWN|NO_SUCH|ECONN|socket|Timeout/i.test(`${type} ${String(error)}`)) throw error;
}
