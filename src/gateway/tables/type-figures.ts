import { parseTypeName } from '../../endpoint/type-name.js';

/** Numbers that `system.columns` shows for a type. Null where a number does not apply. */
export interface TypeFigures {
  readonly octets: number | null;
  readonly precision: number | null;
  readonly radix: number | null;
  readonly scale: number | null;
  readonly timePrecision: number | null;
}

const NONE: TypeFigures = { octets: null, precision: null, radix: null, scale: null, timePrecision: null };

/** Numbers that ClickHouse shows for a type. A type in a LowCardinality has none. */
export function figuresOf(type: string): TypeFigures {
  const { name, args } = parseTypeName(type);
  if (name === 'Nullable' || name === 'SimpleAggregateFunction') return figuresOf(args.at(-1) ?? '');
  const [first, second] = [Number(args[0]), Number(args[1])];
  const bits = name === 'Bool' ? '8' : /^U?Int(\d+)$/.exec(name)?.[1];
  if (bits !== undefined) return { ...NONE, precision: Number(bits), radix: 2, scale: 0 };
  if (name === 'Decimal') return { ...NONE, precision: first, radix: 10, scale: second };
  if (name === 'FixedString') return { ...NONE, octets: first };
  if (name === 'DateTime64') return { ...NONE, timePrecision: first };
  return /^Date(?:32|Time)?$/.test(name) ? { ...NONE, timePrecision: 0 } : NONE;
}
