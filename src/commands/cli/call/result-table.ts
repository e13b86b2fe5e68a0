import { isLosslessNumber, parse, stringify } from 'lossless-json';

import { printable, textTable } from '../text-table.js';

interface Result {
  readonly meta: readonly { readonly name: string; readonly type: string }[];
  readonly data: readonly Readonly<Record<string, unknown>>[];
}

/** The type of numbers, which are aligned to the right. */
const NUMERIC = /^(?:(?:Nullable|LowCardinality)\()*(?:U?Int|Float|BFloat|Decimal)\d*\b/;

/**
 * Shows the body of a response of the format `json-table` as a table for people.
 *
 * @throws SyntaxError where the body is not JSON.
 */
export function resultTable(body: string): string {
  const { meta, data } = parse(body) as Result;
  const right = new Set([...meta.entries()].filter(([, { type }]) => NUMERIC.test(type)).map(([at]) => at));
  const rows = data.map((row) => meta.map(({ name }) => cellText(row[name])));
  return textTable([meta.map(({ name }) => printable(name)), ...rows], right);
}

/** A value as one line of text; numbers with every digit that was sent. */
function cellText(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (isLosslessNumber(value)) return value.value;
  return printable(typeof value === 'string' ? value : (stringify(value) ?? ''));
}
