import { BOOLEAN } from './boolean.js';
import { DATE } from './date.js';
import { DECIMAL } from './decimal.js';
import { declareParameter } from './declare-parameter.js';
import { INTEGER } from './integer.js';
import type { Kind } from './kind.js';
import { NUMBER } from './number.js';
import { ENUM } from './one-of.js';
import type { ItemKind, ListOptions, Parameter, ParameterKind, ParameterOptions } from './parameter.js';
import { REGULAR_EXPRESSION } from './regular-expression.js';
import { STRING } from './text.js';
import { TIMESTAMP } from './timestamp.js';
import { TIMEZONE } from './timezone.js';
import { UUID } from './uuid.js';
import { parseTypeName } from '../type-name.js';
import { problem, type Problem } from '../problems.js';

const KINDS = {
  string: STRING,
  integer: INTEGER,
  number: NUMBER,
  boolean: BOOLEAN,
  date: DATE,
  timestamp: TIMESTAMP,
  uuid: UUID,
  decimal: DECIMAL,
  enum: ENUM,
  timezone: TIMEZONE,
  'regular-expression': REGULAR_EXPRESSION,
} as const satisfies Readonly<Record<ItemKind, Kind<never>>>;

type OptionsOf<Name extends ItemKind> = (typeof KINDS)[Name] extends Kind<infer Options> ? Options : never;

const LIST = '-list';

/** The names of all kinds, and of lists of them. */
export const KIND_NAMES: readonly ParameterKind[] = (Object.keys(KINDS) as ItemKind[]).flatMap(
  (name): readonly ParameterKind[] => [name, `${name}${LIST}`],
);

/** Why a query may not bind a parameter of this kind as a ClickHouse type; undefined where it may. */
export function problemOfType(name: string, kind: ParameterKind, type: string): Problem | undefined {
  const isList = kind.endsWith(LIST);
  const { accepts, types: own } = KINDS[itemKind(kind)];
  const item = isList ? /^Array\((.*)\)$/s.exec(type)?.[1] : bare(type);
  const isName = isList && item === 'Identifier';
  if (item !== undefined && !isName && accepts(parseTypeName(item))) return undefined;
  const types = isList ? `Array(…) with ${own}` : own;
  return problem('TYPE_NOT_OF_KIND', name, kind, type, types);
}

/** The kind of the items of a list; of any other parameter, its kind. */
export const itemKind = (kind: ParameterKind): ItemKind => kind.replace(/-list$/, '') as ItemKind;

/** A type without Nullable around it. */
const bare = (type: string): string => type.replace(/^Nullable\((.*)\)$/s, '$1');

/**
 * Declares a parameter by the name of its kind.
 *
 * @param options of a file; mistakes in them are the parameter's `problems`.
 * @param types the ClickHouse types that the query binds the value as, in which {@link problemOfType} finds nothing wrong; '' is the
 *   type of the kind itself.
 */
export function declareByKind(
  kind: ParameterKind,
  options: ParameterOptions & ListOptions,
  types: readonly string[],
): Parameter {
  const isList = kind.endsWith(LIST);
  const items = types.map((type) => (isList ? type.replace(/^Array\((.*)\)$/s, '$1') : bare(type)));
  return declareParameter(KINDS[itemKind(kind)] as Kind<never> as Kind, options, {
    types: items,
    isList,
  });
}

/**
 * A list of values of one kind: items separated by commas in a URL, an array in a body. ClickHouse gets it in the caller's order,
 * with its duplicates, unless it is a `set`. An empty text means an omitted parameter, or one empty text for a list of texts.
 *
 * @example
 * ```ts
 * listOf('integer', { description: 'Only these statuses.', set: true })
 * ```
 */
export function listOf<const Name extends ItemKind>(
  kind: Name,
  options: OptionsOf<Name> & ListOptions,
): Parameter<readonly string[]> {
  return declareByKind(`${kind}${LIST}`, options, []) as Parameter<readonly string[]>;
}

/**
 * Texts separated by commas, without trimming; in the caller's order, with duplicates, unless it is a `set`.
 *
 * @example
 * ```ts
 * textList({ description: 'Only these events.', set: true })
 * ```
 */
export function textList(options: OptionsOf<'string'> & ListOptions): Parameter<readonly string[]> {
  return listOf('string', options);
}
