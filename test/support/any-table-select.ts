import fc from 'fast-check';

import { Choices } from './choices.js';

/** Names of tables, some of them keywords or names of columns, functions and databases. */
export const TABLES = [
  'usage_api_counts',
  'edge',
  'usage_edge_rows',
  'id',
  'format',
  'Left',
  'tables',
  'currentUser',
] as const;

/** Columns of each table; the arrays have the numbers of its rows. */
export const COLUMNS = ['id', 'name', 'tags', 'edge', 'from'] as const;

const KEYWORDS: ReadonlySet<string> = new Set(['format', 'Left', 'from']);
const SPACES = [
  ' ',
  ' ',
  '\n',
  '\t',
  ' /* FROM edge */ ',
  ' -- JOIN edge "\n',
  '/**/ ',
  ' # , edge\n',
  ' /* /* */ ` */ ',
];
const TEXTS = [
  "'FROM edge'",
  "'it''s, edge'",
  String.raw`'\' FROM edge -- '`,
  '$q$ FROM edge; $q$',
  "'/* '",
  "'_q'",
];

/** A table in FROM, and what stands before its columns. */
interface Source {
  readonly text: string;
  readonly prefixes: readonly string[];
  /** Whether it has no alias without AS. */
  readonly isPlain: boolean;
}

/** Builds one SELECT from numbers that say what to choose. */
class Builder extends Choices {
  constructor(
    choices: readonly number[],
    readonly database: string,
    readonly isTricky: boolean,
  ) {
    super(choices);
  }

  query(depth: number, columns = 0): string {
    if (depth > 0 && this.#chance(6)) {
      const arms = [this.#bare(depth - 1, 2), this.#bare(depth - 1, 2)];
      return arms
        .map((arm) => (this.#chance(3) ? `(${arm})` : arm))
        .join(this.pick([' UNION ALL ', ' UNION DISTINCT ', ' EXCEPT ']));
    }
    return this.#bare(depth, columns);
  }

  #bare(depth: number, columns: number): string {
    const withQueries = depth > 0 && this.#chance(3) ? this.#with(depth) : { text: '', names: [] };
    const sources = this.#sources(depth, withQueries.names);
    const from = this.#words('FROM', sources.text);
    const select = this.#words(
      'SELECT',
      this.#chance(5) ? 'DISTINCT' : '',
      this.#items(depth, sources.all, columns),
    );
    const filters = this.#chance(2) ? this.#words('WHERE', this.#condition(depth, sources.all)) : '';
    const order = this.#chance(4)
      ? this.#words('ORDER', 'BY', this.#value(0, sources.all), this.pick(['', 'DESC']))
      : '';
    // In front of SELECT, ClickHouse knows no alias without AS.
    const body = sources.isPlain && this.#chance(3) ? [from, select] : [select, from];
    return this.#words(withQueries.text, ...body, filters, order);
  }

  #with(depth: number): { readonly text: string; readonly names: readonly string[] } {
    // A WITH query can have the name of a table.
    const names = this.#chance(2) ? [this.pick(TABLES)] : [this.#alias(), this.pick(TABLES)];
    const items = names.map((name) => this.#words(this.#quoted(name), 'AS', `(${this.#simple(depth - 1)})`));
    return { text: this.#words('WITH', items.join(this.#space() + ',')), names };
  }

  /** A query with the columns of a table. */
  #simple(depth: number): string {
    const star = this.pick(['*', COLUMNS.map((column) => this.#quoted(column)).join(', ')]);
    return this.#words('SELECT', star, 'FROM', this.#table(depth > 0 ? depth - 1 : 0, []).text);
  }

  #sources(
    depth: number,
    withNames: readonly string[],
  ): { readonly text: string; readonly all: readonly Source[]; readonly isPlain: boolean } {
    const first = this.#table(depth, withNames);
    if (!this.#chance(3)) return { text: this.#arrayJoin(first), all: [first], isPlain: first.isPlain };
    const second = this.#table(depth, withNames, true);
    const all = [first, second];
    const key = (source: Source): string => `${this.pick(source.prefixes)}.id`;
    const on = this.#words('ON', key(first), '=', key(second));
    const text = this.pick([
      () =>
        this.#words(
          first.text,
          this.pick(['JOIN', 'LEFT JOIN', 'ANY INNER JOIN', 'join', 'FULL OUTER JOIN']),
          second.text,
          on,
        ),
      () => this.#words(first.text + ',', second.text),
      () => this.#words(first.text, 'CROSS JOIN', second.text),
      () =>
        first.isPlain && second.isPlain
          ? `(${this.#words(first.text, 'CROSS JOIN', second.text)})`
          : this.#words(first.text, 'INNER JOIN', second.text, on),
      () => this.#words(first.text, 'JOIN', second.text, 'USING', this.pick(['id', '(id)', '(id, name)'])),
    ])();
    return { text, all, isPlain: false };
  }

  #arrayJoin({ text, prefixes }: Source): string {
    if (!this.#chance(6)) return text;
    const alias = this.#alias();
    return this.#words(
      text,
      this.pick(['ARRAY JOIN', 'LEFT ARRAY JOIN']),
      `${this.pick(prefixes)}.tags AS ${alias}`,
      this.pick(['', `, tags AS ${alias}_2`]),
    );
  }

  #table(depth: number, withNames: readonly string[], isAliased = this.#chance(2)): Source {
    if (depth > 0 && this.#chance(4)) {
      const alias = this.#alias();
      const as = this.pick(['AS', '']);
      return {
        text: this.#words(`(${this.#simple(depth - 1)})`, as, alias),
        prefixes: [alias],
        isPlain: as !== '',
      };
    }
    const name = withNames.length > 0 && this.#chance(2) ? this.pick(withNames) : this.pick<string>(TABLES);
    const isQualified = !withNames.includes(name) && this.#chance(2);
    const written = isQualified ? this.#path(this.database, name) : this.#quoted(name);
    if (isAliased) {
      const alias = this.#alias();
      const isPlain = this.#chance(2);
      const as = isPlain ? this.#words('AS', alias) : this.pick([alias, `"${alias}"`]);
      return { text: this.#words(written, as), prefixes: [alias, `\`${alias}\``], isPlain };
    }
    const prefixes = [
      this.#quoted(name),
      ...(withNames.includes(name) ? [] : [this.#path(this.database, name)]),
    ];
    return { text: written, prefixes, isPlain: true };
  }

  #items(depth: number, sources: readonly Source[], columns: number): string {
    const values = Array.from({ length: columns === 0 ? 1 + this.choose(3) : columns }, () =>
      this.#words(this.#value(depth, sources), this.#chance(3) ? `AS ${this.#alias()}` : ''),
    );
    const stars = ['*', ...sources.flatMap(({ prefixes }) => prefixes.map((prefix) => `${prefix}.*`))];
    if (columns === 0 && this.#chance(4))
      values.push(this.pick([...stars, '* EXCEPT (tags)', "COLUMNS('^(id|name)$')"]));
    return values.join(',' + this.#space());
  }

  #condition(depth: number, sources: readonly Source[]): string {
    const value = (): string => this.#value(0, sources);
    const text = this.pick([
      () => this.#words(value(), '!=', value()),
      () =>
        this.#words(
          'toUInt64(length(toString(' + value() + ')))',
          this.pick(['IN', 'NOT IN', 'GLOBAL IN', 'in']),
          this.#set(depth),
        ),
      () => `EXISTS (${this.#words('SELECT', '1', 'FROM', this.#table(depth > 0 ? depth - 1 : 0, []).text)})`,
      () => this.#words(value(), 'IS', this.pick(['', 'NOT']), 'DISTINCT', 'FROM', value()),
      () => this.#words(value(), 'BETWEEN', value(), 'AND', value()),
      () => this.#words('(', value(), '=', value(), 'OR', value(), 'LIKE', "'%edge%'", ')'),
    ])();
    return this.#chance(3) ? this.#words('NOT', '(' + text + ')', this.pick(['AND', 'OR']), '1') : text;
  }

  #set(depth: number): string {
    return this.pick([
      () => `(SELECT id FROM ${this.#path(this.database, this.pick(TABLES))})`,
      () => `(${this.#words('SELECT', 'id', 'FROM', this.#table(depth > 0 ? depth - 1 : 0, []).text)})`,
      () => this.#path(this.database, 'ids'),
      () => `(${this.#path(this.database, 'ids')})`,
      () => '(1, 2, 3)',
      () => '[4, 5]',
    ])();
  }

  /** Values of text. */
  #value(depth: number, sources: readonly Source[]): string {
    const column = (name = this.pick(['id', 'name', 'edge', 'from'])): string => {
      const source = this.pick(sources);
      const isPlain = sources.length === 1 && name !== 'from' && this.#chance(2);
      return isPlain
        ? name
        : `${this.pick(source.prefixes)}${this.pick(['.', '.', ' . '])}${this.#quoted(name)}`;
    };
    const values: readonly (() => string)[] = [
      () => `toString(${column()})`,
      () => column('name'),
      () => this.pick(TEXTS),
      () => `concat(${column('name')}, ${this.pick(TEXTS)})`,
      () => `trim(BOTH 'n' FROM ${column('name')})`,
      () => `substring(${column('name')} FROM 1 FOR 2)`,
      () => `toString(extract(YEAR FROM toDate('2026-01-01') + ${column('id')}))`,
      () => `toString(position('n' IN ${column('name')}))`,
      () => `CASE WHEN ${column('id')} > 2 THEN ${column('name')} ELSE 'x' END`,
      () => `toString(arrayMap(e -> e + ${column('id')}, [ [1, 2], [3] ][1]))`,
      () => `map('edge', ${column('name')})['edge']`,
      () => `toString((${column('id')}, 2).1)`,
      () => `${column('id')}::String`,
      () => `toString({p:UInt8} + ${column('id')})`,
      () =>
        this.isTricky
          ? `toString(arrayMap(edge -> edge.id + ${column('id')}, [tuple(7)::Tuple(id UInt8)]))`
          : "'edge'",
      () =>
        this.isTricky ? `(tuple('a', 'b')::Tuple(id String, name String) AS ${this.#alias()}).2` : "'x1'",
      () => `if(${column('id')} IN ${this.#set(0)}, 'in', 'out')`,
    ];
    if (depth > 0 && this.#chance(5))
      return `(${this.#words('SELECT', 'max(name)', 'FROM', this.#table(depth - 1, []).text)})`;
    return this.pick(values)();
  }

  #path(...names: readonly string[]): string {
    return names.map((name) => this.#quoted(name)).join(this.pick(['.', '.', '.', ' . ']));
  }

  #quoted(name: string): string {
    return this.pick([`\`${name}\``, `"${name}"`, ...(KEYWORDS.has(name) ? [] : [name, name])]);
  }

  #words(...words: readonly string[]): string {
    return words.filter((word) => word !== '').reduce((text, word) => text + this.#space() + word);
  }

  #space(): string {
    return this.pick(SPACES);
  }

  #alias(): string {
    const name = this.name('a');
    return this.isTricky && this.#chance(2)
      ? this.pick(['edge', 'x1', 'usage_edge_rows', this.database])
      : name;
  }

  #chance(of: number): boolean {
    return this.choose(of) === 0;
  }
}

/**
 * SELECTs over the tables {@link TABLES} of a database, and a table `ids` with one column, most of them valid.
 *
 * @param isTricky whether names of tables name other things too
 */
export const anyTableSelect = (database: string, isTricky = false): fc.Arbitrary<string> =>
  fc
    .array(fc.nat({ max: 5039 }), { minLength: 97, maxLength: 211 })
    .map((choices) => new Builder(choices, database, isTricky).query(3));
