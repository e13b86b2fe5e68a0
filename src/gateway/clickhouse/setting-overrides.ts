import { ClickHouseError, type ClickHouseSettings } from '@clickhouse/client';

import { Failure } from '../errors.js';
import { brokenResponse } from '../formats/broken-response.js';
import { unlessAborted, type Signal } from '../query/signal.js';
import { errorOfResponse, EXCEPTION_HEADER } from './error-of-response.js';
import { searchOf } from './ready-query.js';
import type { QueryConnections } from './query-connections.js';
import { decidesRows } from './row-settings.js';

/** Milliseconds after which a query waits for a new read; a timer reads before. */
const FRESH_MS = 60_000;
const RENEWED_AFTER_MS = 50_000;
/** Milliseconds after which a user whose settings cannot be overridden is asked again. */
const FORBIDDEN_MS = 5000;
const READ_MS = 5000;
const MAX_BYTES = 1024 * 1024;

/** The threads of a query get the CPU that others leave. All versions know this name; without CAP_SYS_NICE nothing changes. */
const YIELDING: ClickHouseSettings = { os_thread_priority: '19' };

// A query shows its limit and its offset as 0 when it runs. Arrays, because settings decide how tuples are written.
const SELECT = `SELECT count(), groupArrayIf([name, default],
    changed AND (value != default OR name IN ('limit', 'offset')) AND alias_for = ''),
    countIf(name IN ('os_thread_priority', 'os_threads_nice_value_query') AND (readonly OR toInt8OrNull(max) < 19)) = 0
  FROM system.settings FORMAT JSONCompactEachRow`;

/** Neutral values of what would cut the read itself, or keep it from being parsed. */
const OF_READ: Overrides = {
  ...{ dialect: 'clickhouse', limit: '0', offset: '0', additional_result_filter: '', use_query_cache: '0' },
  ...{ additional_table_filters: '{}', read_overflow_mode: 'throw', read_overflow_mode_leaf: 'throw' },
  ...{ result_overflow_mode: 'throw', timeout_overflow_mode: 'throw', timeout_overflow_mode_leaf: 'throw' },
};

/** What a first read shows, and a later one may not. */
const FIRST: ReadonlySet<string> = new Set(['compatibility', 'limit', 'offset']);

const DISCARD = 'discard_query_data';
/** As well, where that does not suffice: older servers do not know them. */
const OF_LATER: Overrides = { [DISCARD]: '0', inject_random_order_for_select_without_order_by: '0' };

type Overrides = Readonly<Record<string, string>>;
type SeenRow = readonly [total: unknown, changed: readonly [string, string][] | null, mayYield: number];

/** What a read shows. */
interface Seen {
  /** Of settings, unless others cut the read. */
  readonly total: number;
  readonly overrides: Overrides;
  /** Whether the user may send {@link YIELDING}. */
  readonly mayYield: boolean;
}

/**
 * The neutral values of the settings that decide rows and that a user, profile, role or server has changed: sent with every query of
 * one connection, nothing for a plain user. Without queries nothing is read, so that an idle cloud service can pause.
 */
export class SettingOverrides {
  readonly settings: ClickHouseSettings = {};
  /** The same as the beginning of a query string; empty for a plain user. */
  readonly search: string = '';
  /** Names of settings that decide rows, and that constraints keep the gateway from overriding. */
  readonly forbidden: readonly string[] = [];
  /** Settings of queries that yield to others; none where constraints forbid it. */
  readonly yielding: ClickHouseSettings = {};
  /** Called where a read finds something else than the one before. */
  onChange: () => void = () => undefined;
  private readAt = -Infinity;
  private reading: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly send: QueryConnections['send'],
    private readonly now = (): number => performance.now(),
    private readonly setTimer = (run: () => void, ms: number): NodeJS.Timeout => setTimeout(run, ms).unref(),
  ) {}

  /**
   * Waits, where needed, until the settings of the user are known as they were within a minute.
   *
   * @throws Failure where constraints forbid to override one, or the error of the read
   */
  async ready(signal?: Signal): Promise<void> {
    const freshMs = this.forbidden.length > 0 ? FORBIDDEN_MS : FRESH_MS;
    if (this.now() - this.readAt >= freshMs)
      await (signal ? unlessAborted(this.read(), signal) : this.read());
    this.timer ??= this.setTimer(() => {
      this.timer = undefined;
      // Where it fails, a query that comes later reads again, and fails with the error.
      this.read().catch(() => undefined);
    }, RENEWED_AFTER_MS);
    const { problem: diagnosis } = this;
    if (diagnosis === undefined) return;
    const message = 'ClickHouse is not ready for the queries of this gateway. Try again shortly.';
    throw new Failure('CLICKHOUSE_UNREACHABLE', message, { retryAfterSeconds: 5, diagnosis });
  }

  /** Why no query can run, and what to do; undefined where they can. */
  get problem(): string | undefined {
    const names = this.forbidden.join(', ');
    return names === ''
      ? undefined
      : `The ClickHouse user has settings that change results, and constraints forbid to override them: ${names}. Reset them, or let the user change them.`;
  }

  /** Reads the settings now. */
  read(): Promise<void> {
    this.reading ??= this.load().finally(() => (this.reading = undefined));
    return this.reading;
  }

  readonly close = (): void => {
    clearTimeout(this.timer);
  };

  private async load(): Promise<void> {
    const [settings, forbidden, mayYield] = await this.find(AbortSignal.timeout(READ_MS));
    const search = Object.keys(settings).length === 0 ? '' : `${searchOf(settings)}&`;
    const isChanged = search !== this.search || forbidden.join() !== this.forbidden.join();
    const yielding = mayYield ? YIELDING : {};
    Object.assign(this, { settings, search, forbidden, yielding, readAt: this.now() });
    if (isChanged) this.onChange();
  }

  /** What has to be sent, the names among it that must not be, and {@link Seen.mayYield}. @throws Error where ClickHouse does not tell it */
  private async find(signal: Signal): Promise<readonly [Overrides, readonly string[], boolean]> {
    const bare = await this.ask({}, signal).catch((error: unknown) => {
      if (isOfConnection(error)) throw error;
    });
    for (let overrides = bare?.overrides ?? {}; ;) {
      const sent = { ...OF_READ, ...overrides };
      const seen = await this.ask(sent, signal).catch((error: unknown) => {
        if (!isForbidden(error) && (DISCARD in sent || isOfConnection(error))) throw error;
        return { isForbidden: isForbidden(error) };
      });
      if ('isForbidden' in seen) {
        if (seen.isForbidden) return [overrides, await this.forbiddenAmong(sent, signal), false];
        overrides = { ...overrides, ...OF_LATER };
        continue;
      }
      const isCut = bare === undefined || bare.total < seen.total;
      const more = Object.entries(seen.overrides).filter(([name]) => !(name in sent));
      const next = { ...(isCut && OF_READ), ...overrides, ...Object.fromEntries(more) };
      if (Object.keys(next).length === Object.keys(overrides).length) return [overrides, [], seen.mayYield];
      overrides = next;
    }
  }

  private async forbiddenAmong(sent: Overrides, signal: Signal): Promise<readonly string[]> {
    const forbidden: string[] = [];
    for (const [name, value] of Object.entries(sent)) {
      const error = await this.ask({ [name]: value }, signal).catch((reason: unknown) => reason);
      if (isForbidden(error)) forbidden.push(name);
    }
    return forbidden;
  }

  /** Reads the settings under others. @throws ClickHouseError, or Failure where the response is something else */
  private async ask(under: Overrides, signal: Signal): Promise<Seen> {
    const search = searchOf({ query: SELECT }, under);
    const { status, headers, body } = await this.send({ search, body: '', signal, maxBytes: MAX_BYTES });
    if (status !== 200 || headers[EXCEPTION_HEADER] !== undefined)
      throw errorOfResponse(status, headers, body.toString());
    try {
      const [total, changed, mayYield] = JSON.parse(body.toString()) as SeenRow;
      const deciding = (changed ?? []).filter(([name]) => decidesRows(name));
      // An empty compatibility undoes hundreds of others, so that only what is left has to be sent.
      const isEarly = deciding.some(([name]) => name === 'compatibility');
      const overrides = Object.fromEntries(deciding.filter(([name]) => !isEarly || FIRST.has(name)));
      return { total: Number(total), overrides, mayYield: mayYield === 1 };
    } catch (error) {
      throw brokenResponse(`ClickHouse did not tell its settings: ${String(error)}`);
    }
  }
}

/** READONLY and SETTING_CONSTRAINT_VIOLATION */
const isForbidden = (error: unknown): boolean =>
  error instanceof ClickHouseError && ['164', '452'].includes(error.code);

/** Others can come from the settings themselves: a response that is cut, a statement that is not understood. */
const isOfConnection = (error: unknown): boolean =>
  !(error instanceof ClickHouseError || error instanceof Failure);
