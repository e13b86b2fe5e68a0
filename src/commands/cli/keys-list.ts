import type { StoredKey } from '../../gateway/auth/key-file.js';
import type { ShownPins } from '../../gateway/auth/shown-pins.js';
import { COUNTED, type LimitRules } from '../../endpoint/limit-rules.js';
import { textTable } from './text-table.js';

/** A stored key with its pinned values as they may be shown. */
export type ShowableKey = Omit<StoredKey, 'fixed'> & { readonly fixed?: ShownPins };

/** A key as `keys list` shows it: everything except the hashes. */
export type ListedKey = Omit<ShowableKey, 'sha256'> & { readonly keys: number };

/** The entries without their hashes; `keys` is how many keys a name has (two during a rotation), expired or not. */
export function listedKeys({ keys }: { readonly keys: readonly ShowableKey[] }): readonly ListedKey[] {
  return keys.map(({ sha256, ...shown }) => ({ ...shown, keys: sha256.length }));
}

/** The keys as a table with a line of headings. */
export function keysTable(keys: readonly ListedKey[]): string {
  const headings = [
    'NAME',
    'KEYS',
    'CREATED',
    'EXPIRES',
    'ENDPOINTS',
    'PINNED',
    'ADDRESSES',
    'LIMITS',
    'RIGHTS',
  ];
  return textTable([headings, ...keys.map(cellsOf)]);
}

function cellsOf(key: ListedKey): readonly string[] {
  const { name, keys, created = '-', expires = '-', endpoints = ['*'], fixed = {}, addresses = ['*'] } = key;
  const pairs = Object.entries(fixed).map(([param, value]) => `${param}=${String(value)}`);
  const limits = limitsOf(key.limits ?? {});
  const rest = [endpoints, pairs, addresses, limits, grantsOf(key)].map((cell) => cell.join(',') || '-');
  return [name, String(keys), created, expires, ...rest];
}

function grantsOf({ mayBypassCache, mayUseQueryString }: ListedKey): readonly string[] {
  return [...(mayBypassCache ? ['bypass-cache'] : []), ...(mayUseQueryString ? ['query-string'] : [])];
}

function limitsOf(limits: LimitRules): readonly string[] {
  const quotas = COUNTED.flatMap((counted) => {
    const rule = limits[counted];
    return rule ? [`${counted}=${rule.quota}/${rule.window}`] : [];
  });
  return limits.concurrent === undefined ? quotas : [...quotas, `concurrent=${limits.concurrent}`];
}
