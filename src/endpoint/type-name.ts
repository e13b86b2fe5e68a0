/** The name of a ClickHouse type, and the arguments in its parentheses. */
export interface TypeName {
  readonly name: string;
  /** Arguments without white space around them; empty where the type has none. */
  readonly args: readonly string[];
}

/** A quoted text or name, a parenthesis, a comma, or the text between them. */
const TOKEN = /'(?:[^'\\]|\\.|'')*'|`(?:[^`\\]|\\.)*`|[(),]|[^'`(),]+/g;

/** Types that are other types with a name of their own. */
const SYNONYMS: ReadonlyMap<string, TypeName> = new Map([
  ['Point', { name: 'Tuple', args: ['Float64', 'Float64'] }],
  ['Ring', { name: 'Array', args: ['Point'] }],
  ['LineString', { name: 'Array', args: ['Point'] }],
  ['MultiLineString', { name: 'Array', args: ['LineString'] }],
  ['Polygon', { name: 'Array', args: ['Ring'] }],
  ['MultiPolygon', { name: 'Array', args: ['Polygon'] }],
]);

/** Parses one level of a type such as `Map(String, Array(UInt8))`. An alias such as `Ring` is replaced by its definition. */
export function parseTypeName(text: string): TypeName {
  const opening = text.indexOf('(');
  const name = (opening === -1 ? text : text.slice(0, opening)).trim();
  if (opening === -1) return SYNONYMS.get(name) ?? { name, args: [] };
  const args = listItems(text.slice(opening + 1, text.lastIndexOf(')')));
  return name === 'Nested' ? { name: 'Array', args: [`Tuple(${args.join(', ')})`] } : { name, args };
}

/** A type without what can be around it: LowCardinality, Nullable, SimpleAggregateFunction. */
export function bareType(text: string): TypeName {
  const type = parseTypeName(text);
  return /^(?:Nullable|LowCardinality|SimpleAggregateFunction)$/.test(type.name)
    ? bareType(type.args.at(-1) ?? '')
    : type;
}

/** A field of a tuple. */
export interface TupleField {
  /** Name in the tuple's type, with its backticks if there are any; absent in a tuple without names. */
  readonly name?: string;
  readonly type: string;
}

/** The field of a tuple's argument: `a UInt8`, `UInt8`. */
export function tupleField(arg: string): TupleField {
  const [, name, type] = /^(\w+|`(?:[^`\\]|\\.)*`)\s+(\S.*)$/s.exec(arg) ?? [];
  return name !== undefined && type !== undefined ? { name, type } : { type: arg };
}

/** The items of a list in ClickHouse's SQL, divided at the commas outside of parentheses and quotes; trimmed. */
export function listItems(inside: string): readonly string[] {
  const args = [''];
  let depth = 0;
  for (const [token] of inside.matchAll(TOKEN)) {
    if (token === ',' && depth === 0) {
      args.push('');
      continue;
    }
    if (token === '(') depth += 1;
    if (token === ')') depth -= 1;
    args.push((args.pop() ?? '') + token);
  }
  return args.map((arg) => arg.trim()).filter((arg) => arg !== '');
}

/** The zone of a time, also within another type, in the syntax that RE2 shares: `DateTime('UTC')`, `DateTime64(3, 'UTC')`. */
export const ZONE = /(DateTime)\('([^']+)'\)|(DateTime64\(\d), '([^']+)'/g;

/** A type without the zones of its times. @param zones of these; all where absent */
export function withoutZones(type: string, zones?: ReadonlySet<string>): string {
  const without = (text: string, plain?: string, zone = '', precise?: string, other = ''): string =>
    zones?.has(zone + other) === false ? text : (plain ?? precise ?? '');
  return type.replaceAll(ZONE, without);
}
