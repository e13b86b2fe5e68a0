/**
 * What of the caller decides the rows that it may see: nothing (the empty text), or the parameters that its key fixes, as
 * JSON pairs of name and value, by name. Callers with the same scope share answers, and no others do.
 */
export type RowScope = string;

/** The scope of a caller who may see every row. */
export const EVERY_ROW: RowScope = '';

/** Names of the parameters that a scope fixes. */
export function pinnedParameters(scope: RowScope): ReadonlySet<string> {
  if (scope === EVERY_ROW) return NONE;
  return new Set(
    (JSON.parse(scope) as readonly (readonly [name: string, value: string])[]).map(([name]) => name),
  );
}

const NONE: ReadonlySet<string> = new Set();
