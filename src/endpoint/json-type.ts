import type { Column } from './definition.js';
import { unquote } from './quote-sql.js';
import { parseTypeName, tupleField } from './type-name.js';

/** The JSON type of a column's values. */
export type JsonType = JsonShape & {
  /** Whether a value can be null. */
  readonly nullable: boolean;
};

type JsonShape =
  | {
      readonly kind: 'scalar';
      readonly type: 'string' | 'integer' | 'number' | 'boolean';
      /** In the words of JSON Schema: `date-time`, `uuid`, … */
      readonly format?: string;
      /** Every value, where the type lists them. */
      readonly values?: readonly string[];
      readonly unsigned?: true;
    }
  | { readonly kind: 'array'; readonly items: JsonType }
  | { readonly kind: 'map'; readonly values: JsonType }
  | { readonly kind: 'tuple'; readonly items: readonly JsonType[] }
  | { readonly kind: 'object' }
  /** An unknown type: any value. */
  | { readonly kind: 'any' };

const text = (format?: string): JsonShape => ({
  kind: 'scalar',
  type: 'string',
  ...(format !== undefined && { format }),
});

/** ClickHouse types whose arguments make no difference, as the gateway makes ClickHouse write them. */
const SCALARS: ReadonlyMap<string, JsonShape> = new Map([
  ['String', text()],
  ['FixedString', text()],
  ['UUID', text('uuid')],
  ['IPv4', text('ipv4')],
  ['IPv6', text('ipv6')],
  ['Time', text()],
  ['Time64', text()],
  ['Date', text('date')],
  ['Date32', text('date')],
  ['DateTime', text('date-time')],
  ['DateTime64', text('date-time')],
  ['Bool', { kind: 'scalar', type: 'boolean' }],
  ['JSON', { kind: 'object' }],
  ...['Float32', 'Float64', 'BFloat16', 'Decimal'].map((name): [string, JsonShape] => [
    name,
    { kind: 'scalar', type: 'number' },
  ]),
]);

/** The JSON type of a column's values. */
export function jsonTypeOf({ type, holdsJson }: Column): JsonType {
  return holdsJson ? { kind: 'object', nullable: true } : jsonTypeOfName(type);
}

/** The JSON type of the values of a ClickHouse type. */
function jsonTypeOfName(typeName: string): JsonType {
  const { name, args } = parseTypeName(typeName);
  switch (name) {
    case 'Nullable':
      return { ...jsonTypeOfName(args[0] ?? ''), nullable: true };
    case 'LowCardinality':
      return jsonTypeOfName(args[0] ?? '');
    case 'SimpleAggregateFunction':
      return jsonTypeOfName(args[1] ?? '');
    default:
      // JSON has neither NaN nor infinity: both are null.
      return { ...shapeOf(name, args), nullable: /^(?:B?Float\d+|Nothing)$/.test(name) };
  }
}

function shapeOf(name: string, args: readonly string[]): JsonShape {
  switch (name) {
    case 'Array':
    case 'QBit':
      return { kind: 'array', items: jsonTypeOfName(args[0] ?? '') };
    case 'Map':
      return { kind: 'map', values: jsonTypeOfName(args[1] ?? '') };
    case 'Tuple':
      return tupleOf(args);
    case 'Enum8':
    case 'Enum16':
      return { kind: 'scalar', type: 'string', values: args.map(enumValue) };
    default:
      return SCALARS.get(name) ?? integerOf(name) ?? { kind: 'any' };
  }
}

function integerOf(name: string): JsonShape | undefined {
  const [, unsigned] = /^(U?)Int(?:\d+|erval[A-Z][a-z]+)$/.exec(name) ?? [];
  if (unsigned === undefined) return undefined;
  return { kind: 'scalar', type: 'integer', ...(unsigned === 'U' && { unsigned: true }) };
}

/** ClickHouse writes a tuple with names (`Tuple(a String, b UInt8)`) as an object. */
function tupleOf(args: readonly string[]): JsonShape {
  if (args.some((arg) => tupleField(arg).name !== undefined)) return { kind: 'object' };
  return { kind: 'tuple', items: args.map(jsonTypeOfName) };
}

/** `'it\'s' = 3` is the value `it's`. */
function enumValue(arg: string): string {
  const [quoted] = /^'(?:[^'\\]|\\.|'')*'/.exec(arg) ?? [];
  return quoted === undefined ? arg : unquote(quoted);
}
