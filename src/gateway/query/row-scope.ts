/**
 * Rows that a caller may see, given by the parameters that its key pins: JSON pairs of name and value, sorted by name. Empty if no
 * parameter is pinned. Only callers with the same scope share results.
 */
export type RowScope = string;

/** Scope of a caller who may see every row. */
export const EVERY_ROW: RowScope = '';

/** Names of the parameters that a scope pins. */
export function pinnedParameters(scope: RowScope): ReadonlySet<string> {
  return scope === EVERY_ROW ? NONE : new Set(pinsIn(scope).map(([name]) => name));
}

/** Parameters that a scope pins, sorted by name. */
export function pinsIn(scope: RowScope): readonly (readonly [name: string, value: string])[] {
  return scope === EVERY_ROW ? [] : (JSON.parse(scope) as readonly (readonly [string, string])[]);
}

const NONE: ReadonlySet<string> = new Set();
