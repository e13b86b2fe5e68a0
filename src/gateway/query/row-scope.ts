/**
 * The rows that a caller may see, as the parameters that its key pins: JSON pairs of name and value, sorted by name,
 * or the empty text if no parameter is pinned. Only callers with the same scope share results.
 */
export type RowScope = string;

/** The scope of a caller who may see every row. */
export const EVERY_ROW: RowScope = '';

/** Names of the parameters that a scope pins. */
export function pinnedParameters(scope: RowScope): ReadonlySet<string> {
  return scope === EVERY_ROW ? NONE : new Set(pinsIn(scope).map(([name]) => name));
}

/** The parameters that a scope pins, sorted by name. */
export function pinsIn(scope: RowScope): readonly (readonly [name: string, value: string])[] {
  return scope === EVERY_ROW ? [] : (JSON.parse(scope) as readonly (readonly [string, string])[]);
}

const NONE: ReadonlySet<string> = new Set();
