/**
 * The rows that a caller may see, as the parameters that its key pins: JSON pairs of name and value, sorted by name,
 * or the empty text if no parameter is pinned. Only callers with the same scope share results.
 */
export type RowScope = string;

/** The scope of a caller who may see every row. */
export const EVERY_ROW: RowScope = '';

/** Names of the parameters that a scope pins. */
export function pinnedParameters(scope: RowScope): ReadonlySet<string> {
  if (scope === EVERY_ROW) return NONE;
  return new Set(
    (JSON.parse(scope) as readonly (readonly [name: string, value: string])[]).map(([name]) => name),
  );
}

const NONE: ReadonlySet<string> = new Set();
