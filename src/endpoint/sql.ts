import type { ParameterValue } from './parameters/parameter.js';

/**
 * A parameter as a builder sees it: a name and a type, never a value, so that one tree of fragments serves every
 * request and also prints the saved query.
 */
export class Reference<Value extends ParameterValue = ParameterValue> {
  declare protected readonly value: Value;

  constructor(
    readonly name: string,
    readonly type: string,
  ) {}
}

/** A test on the caller's parameters, decided before the query is sent. */
export interface Condition {
  readonly equals: readonly (readonly [reference: Reference, value: string])[];
  /** Parameters whose value must be one that the caller is held to, by its key, and did not choose. */
  readonly pinned?: readonly Reference[];
  /** Parameters that must not be given. */
  readonly omitted?: readonly Reference[];
  /** Parameters that must be given, with a text in which the pattern is found. */
  readonly matches?: readonly (readonly [reference: Reference, pattern: RegExp])[];
}

/** Piece of a fragment. What is not `text` is resolved for each request, or printed in the saved query's form. */
export type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'reference'; readonly reference: Reference }
  | { readonly kind: 'fragment'; readonly sql: Sql }
  | { readonly kind: 'part'; readonly part: Part }
  | { readonly kind: 'query'; readonly query: Query }
  | { readonly kind: 'where'; readonly terms: readonly (Sql | Filter)[] }
  | { readonly kind: 'cap' }
  | { readonly kind: 'setting'; readonly name: string; readonly value: number }
  | {
      readonly kind: 'choice';
      readonly branches: readonly (readonly [Condition, Sql])[];
      readonly otherwise: Sql;
    };

/** SQL text with holes for parameters. Only {@link sql} and the functions of this file make one. */
export class Sql {
  constructor(readonly nodes: readonly Node[]) {}
}

/** A term of a WHERE that applies only where all its parameters are given. */
export class Filter {
  constructor(
    readonly required: readonly Reference[],
    readonly condition: Sql,
  ) {}
}

/** A named subquery of a saved query. */
export class Part {
  constructor(
    readonly name: string,
    readonly query: Sql,
  ) {}
}

/** A saved query: its named parts, of which a request runs those that it needs, and what gives the rows. */
export interface Query {
  readonly parts: readonly Part[];
  readonly body: Sql;
  /** Parts that the body names in its own text, where it does; it may then want every row of them. */
  readonly named?: readonly Part[];
}

/**
 * The template of all SQL here. A reference becomes a bound parameter, a fragment becomes text, and anything else in
 * `${}` is refused, so that no value can turn into SQL.
 *
 * @throws TypeError naming the hole, when something else is interpolated (an undeclared parameter is `undefined`).
 */
export function sql(strings: TemplateStringsArray, ...holes: readonly (Reference | Sql | Part)[]): Sql {
  const texts = withoutCommonIndentation(strings);
  const nodes = texts.flatMap((text, index): readonly Node[] => {
    const before: Node = { kind: 'text', text };
    return index < holes.length ? [before, nodeOf(holes[index], text)] : [before];
  });
  return new Sql(nodes);
}

/** WHERE with all of the terms; a filter whose parameters are not given is left out, so that ClickHouse can prune. */
export function where(...terms: readonly (Sql | Filter)[]): Sql {
  return new Sql([{ kind: 'where', terms }]);
}

/** A term that applies only when the caller gave the parameters (all of them, where there are several). */
export function whenGiven(given: Reference | readonly Reference[], condition: Sql): Filter {
  return new Filter(Array.isArray(given) ? (given as readonly Reference[]) : [given as Reference], condition);
}

/** True where the parameter has exactly this value. */
export function is<Value extends string>(reference: Reference<Value>, value: Value): Condition {
  return { equals: [[reference, value]] };
}

/** True where none of the parameters is given. */
export function isOmitted(...references: readonly Reference[]): Condition {
  return { equals: [], omitted: references };
}

/** True where the parameter is given and the pattern is found in its value, as ClickHouse gets it. */
export function matches(reference: Reference, pattern: RegExp): Condition {
  return { equals: [], matches: [[reference, pattern]] };
}

/** True where all of the conditions are. */
export function all(...conditions: readonly Condition[]): Condition {
  return {
    equals: conditions.flatMap(({ equals }) => equals),
    pinned: conditions.flatMap(({ pinned: held = [] }) => held),
    omitted: conditions.flatMap(({ omitted = [] }) => omitted),
    matches: conditions.flatMap((condition) => condition.matches ?? []),
  };
}

/**
 * True where the caller's key holds it to the parameter's value: a tenant's project, say. For a parameter that is a
 * pattern, where the value of a key is to be matched as what it says and nothing else. The saved query is printed
 * without such branches, as a caller with a key for everything runs it.
 */
export function isPinned(reference: Reference): Condition {
  return { equals: [], pinned: [reference] };
}

/** The fragment of the first condition that is true, else the last argument. */
export function choose(...args: readonly [...(readonly [Condition, Sql])[], Sql]): Sql {
  const branches = args.slice(0, -1) as (readonly [Condition, Sql])[];
  return new Sql([{ kind: 'choice', branches, otherwise: args.at(-1) as Sql }]);
}

/**
 * `LIMIT` with the most rows that the answer can have, for a subquery whose first rows are the answer's: it can then stop
 * there. Left out where a caller's own SQL reads the result, since that may want any row.
 */
export const FIRST_ROWS = new Sql([{ kind: 'cap' }]);

/**
 * Ends a subquery below which ClickHouse moves no filter from outside: a LIMIT, under which fewer rows would be other rows.
 * The number is above that of the rows of any table, and removes none.
 */
export const BARRIER = sql`LIMIT 1000000000000`;

/**
 * Lets ClickHouse group rows as they come where they come sorted by the groups, so that it can stop at the first ones.
 * Written in the fragment that wants it, sent as a setting of the query: in a subquery ClickHouse does not heed it.
 */
export const GROUP_IN_ORDER = new Sql([{ kind: 'setting', name: 'optimize_aggregation_in_order', value: 1 }]);

/** A named subquery, to be used in a body and listed with {@link withParts}. */
export function part(name: string, query: Sql): Part {
  return new Part(name, query);
}

/** A saved query that defines all these parts, used or not, ahead of its body. */
export function withParts(parts: readonly Part[], body: Sql): Query {
  return { parts, body };
}

const isReference = (hole: unknown): hole is Reference => hole instanceof Reference;

function nodeOf(hole: unknown, before: string): Node {
  if (isReference(hole)) return { kind: 'reference', reference: hole };
  if (hole instanceof Part) return { kind: 'part', part: hole };
  if (hole instanceof Sql) return { kind: 'fragment', sql: hole };
  const place = before.trim().split('\n').at(-1)?.trim() ?? '';
  throw new TypeError(
    `after "${place}" stands ${hole === undefined ? 'an undeclared parameter' : `a ${typeof hole}`}; ` +
      'only a declared parameter or a fragment of sql`…` can stand in ${}',
  );
}

/** Lets a template be indented like the code around it. */
function withoutCommonIndentation(strings: TemplateStringsArray): readonly string[] {
  const indents = strings.flatMap((text) =>
    [...text.matchAll(/\n( *)(?=\S)/g)].map((m) => m[1]?.length ?? 0),
  );
  const indent = indents.length > 0 ? Math.min(...indents) : 0;
  const texts = strings.map((text) => text.replaceAll('\n' + ' '.repeat(indent), '\n'));
  return texts.map((text, index) => {
    const start = index === 0 ? text.replace(/^\s*\n/, '') : text;
    return index === texts.length - 1 ? start.trimEnd() : start;
  });
}
