import { ClickHouseError, type ClickHouseSettings } from '@clickhouse/client';

import { Failure } from '../errors.js';
import { brokenResponse } from '../formats/broken-response.js';
import { unlessAborted, type Signal } from '../query/signal.js';
import { errorOfResponse, EXCEPTION_HEADER } from './error-of-response.js';
import { searchOf } from './ready-query.js';
import type { QueryConnections } from './query-connections.js';
import { decidesRows } from './row-settings.js';

/** Time for which the settings are current, in milliseconds. After that a query waits for a new read. A timer reads before that. */
const FRESH_MS = 60_000;
const RENEWED_AFTER_MS = 50_000;
/** Time after which a user whose settings cannot be overridden is checked again, in milliseconds. */
const FORBIDDEN_MS = 5000;
const READ_MS = 5000;
const MAX_BYTES = 1024 * 1024;

/** Settings that leave the CPU to other queries first. All versions know this name. Without CAP_SYS_NICE nothing changes. */
const YIELDING: ClickHouseSettings = { os_thread_priority: '19' };

// A running query sees its limit and offset as 0, so these count always. Arrays, because settings decide how tuples are written.
const SELECT = `SELECT count(), groupArrayIf([name, default],
    changed AND (value != default OR name IN ('limit', 'offset')) AND alias_for = ''),
    countIf(name IN ('os_thread_priority', 'os_threads_nice_value_query') AND (readonly OR toInt8OrNull(max) < 19)) = 0
  FROM system.settings FORMAT JSONCompactEachRow`;

/** Neutral values of settings that would truncate the read itself, or make its response unreadable. */
const OF_READ: Overrides = {
  ...{ dialect: 'clickhouse', limit: '0', offset: '0', additional_result_filter: '', use_query_cache: '0' },
  ...{ additional_table_filters: '{}', read_overflow_mode: 'throw', read_overflow_mode_leaf: 'throw' },
  ...{ result_overflow_mode: 'throw', timeout_overflow_mode: 'throw', timeout_overflow_mode_leaf: 'throw' },
};

/** Settings that a first read shows, but a later one may not. */
const FIRST: ReadonlySet<string> = new Set(['compatibility', 'limit', 'offset']);

const DISCARD = 'discard_query_data';
/** Neutral values that are sent only if the others do not suffice, because older servers do not know them. */
const OF_LATER: Overrides = { [DISCARD]: '0', inject_random_order_for_select_without_order_by: '0' };

type Overrides = Readonly<Record<string, string>>;
type SeenRow = readonly [total: unknown, changed: readonly [string, string][] | null, mayYield: number];

/** Result of one read. */
interface Seen {
  /** Number of settings. It is too small if a setting truncates the read. */
  readonly total: number;
  readonly overrides: Overrides;
  /** Whether the user may send {@link YIELDING}. */
  readonly mayYield: boolean;
}

/**
 * Neutral values of the settings that decide rows and that a user, profile, role or server has changed. They are sent with every query of
 * one connection. A plain user needs none. Without queries nothing is read, so that an idle cloud service can pause.
 */
export class SettingOverrides {
  readonly settings: ClickHouseSettings = {};
  /** The same settings as the beginning of a query string. Empty for a plain user. */
  readonly search: string = '';
  /** Names of settings that decide rows, but that constraints do not let the gateway override. */
  readonly forbidden: readonly string[] = [];
  /** Settings of queries that yield to others. Empty where constraints forbid that. */
  readonly yielding: ClickHouseSettings = {};
  /** Called when a read finds other settings than the read before. */
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
   * Waits, if necessary, until the settings of the user are known as of the last minute.
   *
   * @throws Failure where constraints forbid an override, or the error of the read
   */
  async ready(signal?: Signal): Promise<void> {
    const freshMs = this.forbidden.length > 0 ? FORBIDDEN_MS : FRESH_MS;
    if (this.now() - this.readAt >= freshMs)
      await (signal ? unlessAborted(this.read(), signal) : this.read());
    this.timer ??= this.setTimer(() => {
      this.timer = undefined;
      // If this read fails, a later query reads again and reports the error.
      this.read().catch(() => undefined);
    }, RENEWED_AFTER_MS);
    const { problem: diagnosis } = this;
    if (diagnosis === undefined) return;
    const message = 'ClickHouse is not ready for the queries of this gateway. Try again shortly.';
    throw new Failure('CLICKHOUSE_UNREACHABLE', message, { retryAfterSeconds: 5, diagnosis });
  }

  /** Reason why no query can run, with advice. Undefined where queries can run. */
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

  /** Overrides, those of their names that are forbidden, and {@link Seen.mayYield}. @throws Error where ClickHouse does not return them */
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

  /** Reads the settings while others apply. @throws ClickHouseError, or Failure where the response is invalid */
  private async ask(under: Overrides, signal: Signal): Promise<Seen> {
    const search = searchOf({ query: SELECT }, under);
    const { status, headers, body } = await this.send({ search, body: '', signal, maxBytes: MAX_BYTES });
    if (status !== 200 || headers[EXCEPTION_HEADER] !== undefined)
      throw errorOfResponse(status, headers, body.toString());
    try {
      const [total, changed, mayYield] = JSON.parse(body.toString()) as SeenRow;
      const deciding = (changed ?? []).filter(([name]) => decidesRows(name));
      // An empty compatibility resets hundreds of settings, so the next read shows the few that remain to be sent.
      const isEarly = deciding.some(([name]) => name === 'compatibility');
      const overrides = Object.fromEntries(deciding.filter(([name]) => !isEarly || FIRST.has(name)));
      return { total: Number(total), overrides, mayYield: mayYield === 1 };
    } catch (error) {
      throw brokenResponse(`ClickHouse did not tell its settings: ${String(error)}`);
    }
  }
}

/** Whether ClickHouse forbids a setting: READONLY and SETTING_CONSTRAINT_VIOLATION. */
const isForbidden = (error: unknown): boolean =>
  error instanceof ClickHouseError && ['164', '452'].includes(error.code);

/** Whether the connection failed. Settings can cause the other errors: a truncated response, a statement that is not understood. */
const isOfConnection = (error: unknown): boolean =>
  !(error instanceof ClickHouseError || error instanceof Failure);
