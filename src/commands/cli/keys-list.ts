import type { StoredKey } from '../../gateway/auth/key-file.js';
import type { ShownPins } from '../../gateway/auth/shown-pins.js';
import { COUNTED, type LimitRules } from '../../endpoint/limit-rules.js';
import { textTable } from './text-table.js';

/** A key in `keys list`: everything except the hashes. Pinned values are sealed unless they may be shown. */
export interface ListedKey extends Omit<StoredKey, 'sha256' | 'fixed'> {
  /** How many keys the name has (two during a rotation), expired or not. */
  readonly keys: number;
  readonly fixed?: ShownPins;
}

const HEADINGS = 'NAME KEYS CREATED EXPIRES ENDPOINTS PINNED ADDRESSES LIMITS RIGHTS'.split(' ');

/** The keys as a table with a line of headings. */
export const keysTable = (keys: readonly ListedKey[]): string => textTable([HEADINGS, ...keys.map(cellsOf)]);

function cellsOf(key: ListedKey): readonly string[] {
  const { name, keys, created = '-', expires = '-', endpoints = ['*'], fixed = {}, addresses = ['*'] } = key;
  const pairs = Object.entries(fixed).map(([param, value]) => `${param}=${String(value)}`);
  const limits = limitsOf(key.limits ?? {});
  const rest = [endpoints, pairs, addresses, limits, grantsOf(key)].map((cell) => cell.join(',') || '-');
  return [name, String(keys), created, expires, ...rest];
}

function grantsOf({ mayBypassCache, mayExport, mayLink, mayUseQueryString }: ListedKey): readonly string[] {
  return [
    ...(mayBypassCache ? ['bypass-cache'] : []),
    ...(mayExport ? ['export'] : []),
    ...(mayLink ? ['link'] : []),
    ...(mayUseQueryString ? ['query-string'] : []),
  ];
}

function limitsOf(limits: LimitRules): readonly string[] {
  const quotas = COUNTED.flatMap((counted) => {
    const rule = limits[counted];
    return rule ? [`${counted}=${rule.quota}/${rule.window}`] : [];
  });
  return limits.concurrent === undefined ? quotas : [...quotas, `concurrent=${limits.concurrent}`];
}
