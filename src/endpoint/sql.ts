import type { ParameterValue } from './parameters/parameter.js';

/**
 * A parameter as `build` sees it: a name and a type, never a value. One tree of fragments therefore serves every request,
 * and prints the saved query too.
 */
export class Reference<Value extends ParameterValue = ParameterValue> {
  declare protected readonly value: Value;

  constructor(
    readonly name: string,
    readonly type: string,
  ) {}
}

/** A condition on the caller's parameters, evaluated before the query is sent. */
export interface Condition {
  readonly equals: readonly (readonly [reference: Reference, value: string])[];
  /** Parameters that the caller's key must pin. */
  readonly pinned?: readonly Reference[];
  /** Parameters that must be omitted. */
  readonly omitted?: readonly Reference[];
  /** Parameters that must have a value in which the pattern is found. */
  readonly matches?: readonly (readonly [reference: Reference, pattern: RegExp])[];
}

/** A piece of a fragment. Every kind but `text` is resolved for each request, or printed for the saved query. */
export type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'reference'; readonly reference: Reference }
  | { readonly kind: 'fragment'; readonly sql: Sql }
  | { readonly kind: 'part'; readonly part: Part }
  | { readonly kind: 'query'; readonly query: Query }
  | { readonly kind: 'where'; readonly terms: readonly (Sql | Filter)[] }
  /** Applies where all of the parameters have a value. */
  | { readonly kind: 'optional'; readonly filter: Filter }
  | { readonly kind: 'cap' }
  | { readonly kind: 'setting'; readonly name: string; readonly value: number }
  | {
      readonly kind: 'choice';
      readonly branches: readonly (readonly [Condition, Sql])[];
      readonly otherwise: Sql;
    };

/** SQL text with holes for parameters. Only {@link sql} and the functions of this folder create one. */
export class Sql {
  constructor(readonly nodes: readonly Node[]) {}
}

/** A term of a WHERE that applies where all its parameters have a value. */
export class Filter {
  constructor(
    readonly required: readonly Reference[],
    readonly condition: Sql,
  ) {}
}

/** A named subquery of a saved query. */
export class Part {
  readonly #query: Sql | (() => Sql);

  /** @param query made when it is read, where it only repeats text of the saved query. */
  constructor(
    readonly name: string,
    query: Sql | (() => Sql),
  ) {
    this.#query = query;
  }

  get query(): Sql {
    return this.#query instanceof Sql ? this.#query : this.#query();
  }

  /** Value for the digest of a definition. */
  toJSON(): object {
    return this.#query instanceof Sql ? { name: this.name, query: this.#query } : { name: this.name };
  }
}

/** A saved query: named parts, of which a request runs those that it needs, and the body that returns the rows. */
export interface Query {
  readonly parts: readonly Part[];
  readonly body: Sql;
  /** Parts that the text of the body names itself; the body may then need every row of them. */
  readonly named?: readonly Part[];
  /** Queries that a caller's own SQL may read by name in addition to the result, where the body has its own WITH clause. */
  readonly views?: readonly Part[];
  /** Set where an optional part can give a name of the query another meaning. */
  readonly hasOptionalNames?: true;
  /** Whether no line may be indented, because a line feed of the text can be part of a string. */
  readonly isVerbatim?: boolean;
  /** Set where later pages may need any row, so that {@link FIRST_ROWS} is omitted for them. */
  readonly isPaged?: true;
  /** Tables of which a caller only gets the rows of its pinned parameters. */
  readonly tenant?: readonly TenantFilter[];
}

/** A filter for callers whose keys pin a parameter: they get the rows whose column has the parameter's value. */
export interface TenantFilter {
  /** Name of the table in queries, such as `edge_logs` or `logs.edge_logs`. */
  readonly table: string;
  readonly column: string;
  readonly reference: Reference;
}

/**
 * The template for all SQL. In `${}` a reference becomes a bound parameter and a fragment becomes text; anything else is
 * rejected, so that no value can turn into SQL.
 *
 * @throws TypeError naming the place of anything else; an undeclared parameter is `undefined`.
 *
 * @example
 * ```ts
 * sql`SELECT count() AS visits FROM visits WHERE city = ${p.city}`
 * ```
 */
export function sql(strings: TemplateStringsArray, ...holes: readonly (Reference | Sql | Part)[]): Sql {
  const texts = withoutCommonIndentation(strings);
  const nodes = texts.flatMap((text, index): readonly Node[] => {
    const before: Node = { kind: 'text', text };
    return index < holes.length ? [before, nodeOf(holes[index], text)] : [before];
  });
  return new Sql(nodes);
}

/** SQL of the gateway itself, which no author wrote. */
export const textNode = (text: string): Node => ({ kind: 'text', text });

/**
 * WHERE with all terms. A filter whose parameters are omitted is not part of the query, so that ClickHouse can prune.
 *
 * @example
 * ```ts
 * where(sql`site = ${p.site}`, whenGiven(p.city, sql`city = ${p.city}`))
 * ```
 */
export function where(...terms: readonly (Sql | Filter)[]): Sql {
  return new Sql([{ kind: 'where', terms }]);
}

/**
 * A term that applies where the parameter, or each of the parameters, has a value.
 *
 * @example
 * ```ts
 * whenGiven(p.city, sql`city = ${p.city}`)
 * ```
 */
export function whenGiven(parameters: Reference | readonly Reference[], condition: Sql): Filter {
  return new Filter(
    Array.isArray(parameters) ? (parameters as readonly Reference[]) : [parameters as Reference],
    condition,
  );
}

/**
 * True where the parameter has exactly this value.
 *
 * @example
 * ```ts
 * choose([is(p.interval, 'hour'), sql`toStartOfHour(time)`], sql`toStartOfDay(time)`)
 * ```
 */
export function is<Value extends string>(reference: Reference<Value>, value: Value): Condition {
  return { equals: [[reference, value]] };
}

/**
 * True where all of the parameters are omitted.
 *
 * @example
 * ```ts
 * choose([isOmitted(p.city), sql`'all'`], sql`${p.city}`)
 * ```
 */
export function isOmitted(...references: readonly Reference[]): Condition {
  return { equals: [], omitted: references };
}

/**
 * True where the parameter has a value in which the pattern is found. The value is tested in the form that ClickHouse receives.
 *
 * @example
 * ```ts
 * choose([matches(p.city, /^[a-z]+$/), sql`city = ${p.city}`], sql`match(city, ${p.city})`)
 * ```
 */
export function matches(reference: Reference, pattern: RegExp): Condition {
  return { equals: [], matches: [[reference, pattern]] };
}

/**
 * True where all of the conditions are.
 *
 * @example
 * ```ts
 * all(is(p.interval, 'hour'), isOmitted(p.city))
 * ```
 */
export function all(...conditions: readonly Condition[]): Condition {
  return {
    equals: conditions.flatMap(({ equals }) => equals),
    pinned: conditions.flatMap(({ pinned = [] }) => pinned),
    omitted: conditions.flatMap(({ omitted = [] }) => omitted),
    matches: conditions.flatMap((condition) => condition.matches ?? []),
  };
}

/**
 * True where the caller's key pins the parameter, for example to a tenant's project. For parameters that are patterns: a
 * pinned value is compared literally. The saved query is printed without branches on it, as a caller without pins runs it.
 *
 * @example
 * ```ts
 * choose([isPinned(p.city), sql`city = ${p.city}`], sql`match(city, ${p.city})`)
 * ```
 */
export function isPinned(reference: Reference): Condition {
  return { equals: [], pinned: [reference] };
}

/**
 * The fragment of the first condition that is true, else the last argument.
 *
 * @example
 * ```ts
 * choose([is(p.interval, 'hour'), sql`toStartOfHour(time)`], sql`toStartOfDay(time)`)
 * ```
 */
export function choose(...args: readonly [...(readonly [Condition, Sql])[], Sql]): Sql {
  const branches = args.slice(0, -1) as (readonly [Condition, Sql])[];
  return new Sql([{ kind: 'choice', branches, otherwise: args.at(-1) as Sql }]);
}

/**
 * `LIMIT` with the row limit of the request, for a subquery whose first rows are the first rows of the result. Omitted where
 * a caller's own SQL reads the result, and for later pages, because both may need any row.
 */
export const FIRST_ROWS = new Sql([{ kind: 'cap' }]);

/**
 * Ends a subquery into which ClickHouse must not move a filter from outside: a filter below a LIMIT would change the rows.
 * The limit is greater than the number of rows of any table, and removes none.
 */
export const BARRIER = sql`LIMIT 1000000000000`;

/**
 * A setting of ClickHouse, for example `optimize_use_projections`, that the query needs wherever it uses the fragment. The query
 * sends it, because ClickHouse ignores it in a subquery; like every setting, it applies to the whole query.
 *
 * @throws TypeError for other settings than those of the optimizer, which change neither rows nor limits.
 *
 * @example
 * ```ts
 * sql`SELECT count() FROM visits ${setting('optimize_use_projections', 0)}`
 * ```
 */
export function setting(name: string, value: number): Sql {
  if (!/^optimize_\w+$/.test(name))
    throw new TypeError(`${name} is not a setting of the optimizer: optimize_…`);
  return new Sql([{ kind: 'setting', name, value }]);
}

/**
 * A named subquery, for use in a body; {@link withParts} lists it.
 *
 * @example
 * ```ts
 * part('recent', sql`SELECT * FROM visits WHERE time > ${now} - INTERVAL 1 DAY`)
 * ```
 */
export function part(name: string, query: Sql): Part {
  return new Part(name, query);
}

/**
 * A saved query that defines these parts before its body, whether the body uses them or not.
 *
 * @example
 * ```ts
 * withParts([part('recent', sql`SELECT * FROM visits`)], sql`SELECT count() AS visits FROM recent`)
 * ```
 */
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
    `after "${place}" there is ${hole === undefined ? 'an undeclared parameter' : `a ${typeof hole}`}; ` +
      '${} accepts a declared parameter or a fragment of sql`…`',
  );
}

/** Removes the indentation that a template shares with the code around it. */
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
