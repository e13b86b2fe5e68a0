import { parseInstant } from '../auth/instant.js';
import type { StoredRights } from '../auth/key-file.js';
import { COUNTED, type Counted, type LimitRules, type Quota } from '../limits/limit-rules.js';
import { usageError } from './exit-codes.js';
import { pairsOf } from './option-values.js';

/** The options of `keys add`, as commander has them. */
export interface RightsOptions extends Partial<Record<Counted, string>> {
  readonly endpoints?: string;
  readonly fixed?: readonly string[];
  readonly expires?: string;
  readonly address?: readonly string[];
  readonly concurrent?: string;
  readonly mayBypassCache?: boolean;
  readonly mayUseQueryString?: boolean;
}

const UNITS_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * What a key may do, as the keys' file has it.
 *
 * @throws CommandError (wrong usage) naming the option that can't be read, or that ends the key before it begins; what
 * else it says is checked with the file.
 */
export function rightsOf(options: RightsOptions, now: Date): StoredRights {
  const { endpoints, fixed, expires, address, mayBypassCache, mayUseQueryString } = options;
  const limits = limitsOf(options);
  return {
    ...(endpoints !== undefined && { endpoints: endpoints.split(',').map((each) => each.trim()) }),
    ...(fixed && { fixed: Object.fromEntries(pairsOf('--fixed', fixed)) }),
    ...(expires !== undefined && { expires: futureOf('--expires', expires, now) }),
    ...(address && { addresses: address }),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(mayBypassCache && { mayBypassCache }),
    ...(mayUseQueryString && { mayUseQueryString }),
  };
}

/**
 * Milliseconds of `90s`, `30m`, `12h` or `7d`.
 *
 * @throws CommandError (wrong usage) for anything else.
 */
export function durationMs(option: string, text: string): number {
  const [, amount, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const unitMs = UNITS_MS[unit];
  if (amount === undefined || unitMs === undefined) {
    throw usageError(`${option} takes a time such as 30m, 12h or 7d, not ${JSON.stringify(text)}`);
  }
  return Number(amount) * unitMs;
}

function futureOf(option: string, text: string, now: Date): string {
  const instant = parseInstant(text);
  if (instant === undefined) {
    throw usageError(`${option} takes a date such as 2027-01-01, not ${JSON.stringify(text)}`);
  }
  if (instant > now.getTime()) return text;
  throw usageError(
    `${option} ${text} is over already (it is ${now.toISOString()}): the key would never be good. Give a later time.`,
  );
}

function limitsOf(options: RightsOptions): LimitRules {
  const quotas: Partial<Record<Counted, Quota>> = {};
  for (const counted of COUNTED) {
    const text = options[counted];
    if (text !== undefined) quotas[counted] = quotaOf(counted, text);
  }
  if (options.concurrent === undefined) return quotas;
  if (!/^\d{1,5}$/.test(options.concurrent)) throw usageError('--concurrent takes a whole number');
  return { ...quotas, concurrent: Number(options.concurrent) };
}

function quotaOf(counted: string, text: string): Quota {
  const [, quota, window] = /^(\d{1,16})\/(\d{1,6})$/.exec(text) ?? [];
  if (quota === undefined) {
    const option = counted.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    throw usageError(`--${option} takes amount/seconds, such as 600/60, not ${JSON.stringify(text)}`);
  }
  return { quota: Number(quota), window: Number(window) };
}
