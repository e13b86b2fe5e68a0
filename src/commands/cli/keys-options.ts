import { parseInstant } from '../../gateway/auth/instant.js';
import type { StoredRights } from '../../gateway/auth/key-file.js';
import type { Permissions } from '../../gateway/auth/principal.js';
import { COUNTED, type Counted, type LimitRules, type Quota } from '../../endpoint/limit-rules.js';
import { usageError } from './exit-codes.js';
import { pairsOf } from './option-values.js';

export interface RightsOptions extends Permissions, Partial<Record<Counted, string>> {
  readonly endpoints?: string;
  readonly fixed?: readonly string[];
  readonly expires?: string;
  readonly address?: readonly string[];
  readonly concurrent?: string;
}

const UNITS_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * The rights of a key in the format of the keys file.
 *
 * @throws CommandError (invalid usage) that names a malformed option or an expiry in the past. Other problems are reported
 * when the file is validated.
 */
export function rightsOf(options: RightsOptions, now: Date): StoredRights {
  const { endpoints, fixed, expires, address, mayBypassCache, mayExport, mayLink, mayUseQueryString } =
    options;
  const limits = limitsOf(options);
  return {
    ...(endpoints !== undefined && { endpoints: endpoints.split(',').map((each) => each.trim()) }),
    ...(fixed && { fixed: Object.fromEntries(pairsOf('--fixed', fixed)) }),
    ...(expires !== undefined && { expires: futureOf('--expires', expires, now) }),
    ...(address && { addresses: address }),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(mayBypassCache && { mayBypassCache }),
    ...(mayExport && { mayExport }),
    ...(mayLink && { mayLink }),
    ...(mayUseQueryString && { mayUseQueryString }),
  };
}

/**
 * Milliseconds of a duration such as `90s`, `30m`, `12h` or `7d`.
 *
 * @throws CommandError (invalid usage) for other texts.
 */
export function durationMs(option: string, text: string): number {
  const [, amount, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const unitMs = UNITS_MS[unit];
  if (amount === undefined || unitMs === undefined) {
    throw usageError(`${option} must be a duration such as 30m, 12h or 7d, not ${JSON.stringify(text)}`);
  }
  return Number(amount) * unitMs;
}

function futureOf(option: string, text: string, now: Date): string {
  const instant = parseInstant(text);
  if (instant === undefined) {
    throw usageError(
      `${option} must be a date or time in ISO 8601, such as 2027-01-01, not ${JSON.stringify(text)}`,
    );
  }
  if (instant > now.getTime()) return text;
  throw usageError(
    `${option} ${text} is in the past (now is ${now.toISOString()}): the key would never be valid. Choose a later time.`,
  );
}

function limitsOf(options: RightsOptions): LimitRules {
  const quotas: Partial<Record<Counted, Quota>> = {};
  for (const counted of COUNTED) {
    const text = options[counted];
    if (text !== undefined) quotas[counted] = quotaOf(counted, text);
  }
  if (options.concurrent === undefined) return quotas;
  const { concurrent } = options;
  if (!/^\d{1,5}$/.test(concurrent)) {
    throw usageError(
      `--concurrent must be a whole number from 1 to 10000, not ${JSON.stringify(concurrent)}`,
    );
  }
  return { ...quotas, concurrent: Number(concurrent) };
}

function quotaOf(counted: string, text: string): Quota {
  const [, quota, window] = /^(\d{1,16})\/(\d{1,6})$/.exec(text) ?? [];
  if (quota === undefined) {
    const option = counted.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    throw usageError(
      `--${option} must be amount/seconds, such as 600/60, with at most 86400 seconds, not ${JSON.stringify(text)}`,
    );
  }
  return { quota: Number(quota), window: Number(window) };
}
