import fc from 'fast-check';

import { Choices } from './choices.js';

/** A SELECT of an endpoint file as a tree: text, placeholders and optional parts. */
export type Template = readonly (string | Placeholder | Part)[];

interface Placeholder {
  readonly name: string;
  readonly type: string | undefined;
}

interface Part {
  readonly part: Template;
}

/** The template as the author of a file writes it. */
export function printTemplate(template: Template): string {
  return template
    .map((node) => {
      if (typeof node === 'string') return node;
      if ('part' in node) return `[[${printTemplate(node.part)}]]`;
      return node.type === undefined ? `@${node.name}` : `{${node.name}:${node.type}}`;
    })
    .join('');
}

/** Operands, all unsigned integers, with what could be mistaken for a placeholder, a part, a clause or a connective. */
const OPERANDS = [
  'number',
  't.number',
  '"number"',
  '7',
  'if(number > 1 AND number < 3, 1, 0)',
  'CASE WHEN number AND 1 THEN 2 ELSE 3 END',
  'CASE number WHEN 1 OR 2 THEN 2 END',
  '[ [1, 2], [3]][1][1]',
  '[1, 2][ [1, 2][1]]',
  '(number = 1 ? 1 : 2)',
  'and(number, or(1, 0))',
  'arrayCount(i -> i = 1 AND i < 2, [1, 2])',
  "map('a', 1)['a']",
  String.raw`length('@x [[ {y:Int8} ]] \' ''')`,
  'length($t$ ]] @a $t$)',
  '/* ]] @b */ 1',
  '1 -- [[ @c\n',
  '(SELECT 1 LIMIT 1)',
  "toUInt8(DATE '2026-01-01' - INTERVAL 1 DAY BETWEEN toDate(1) AND toDate(2))",
  'count() OVER (ORDER BY number ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)',
] as const;

const LAST = ['', ' ', ';', ' ; -- @a', '\n-- ; [[', '/* ]] */'] as const;

/** Builds one template from numbers that say what to choose. */
class Builder extends Choices {
  #parts = 0;

  query(): Template {
    const isUnion = this.choose(4) === 0;
    const body = isUnion ? this.#union() : this.#select();
    return [...this.#with(), ...body, this.pick(LAST)];
  }

  #with(): Template {
    if (this.choose(2) === 0) return [];
    return ['WITH 5 AS w, ', 'v AS (SELECT number FROM t WHERE ', ...this.#terms(1), ') '];
  }

  #union(): Template {
    const arms = [this.#arm(), this.#arm()].map((arm) => [this.pick([' UNION ALL ', ' EXCEPT ']), ...arm]);
    const last = this.#optional(() => [' UNION DISTINCT SELECT ', this.#placeholder(), ' AS c ']);
    return [...this.#arm(), ...arms.flat(), ...last];
  }

  #arm(): Template {
    return ['SELECT number + ', ...this.#operand(), ' AS c FROM t WHERE ', ...this.#terms(1)];
  }

  #select(): Template {
    const isGrouped = this.choose(3) === 0;
    const item = (): Template => [...this.#operand(isGrouped), ` AS ${this.name('c')}`];
    return [
      this.pick(['SELECT ', 'SELECT DISTINCT ', 'select ']),
      ...this.#list(item),
      ...(isGrouped ? this.#subquery() : [...this.#from(), ...this.#clause(' PREWHERE ')]),
      ...this.#clause(' WHERE '),
      ...(isGrouped ? this.#group() : []),
      ...(this.choose(2) === 0 ? [] : [' ORDER BY ', ...this.#list(() => this.#sorted(isGrouped))]),
      this.pick(['', '', '', ' LIMIT 3', ' LIMIT 1, 2', ' OFFSET 1', ' LIMIT 2 OFFSET 1']),
    ];
  }

  #group(): Template {
    const key = (): Template => ['number + ', ...this.#operand(true)];
    const more = this.#optional(() => [', number + ', this.#placeholder(), ' ']);
    const totals = this.pick(['', ' WITH ROLLUP']);
    return [' GROUP BY number, ', ...key(), ...more, totals, ' HAVING ', ...this.#terms(2, true)];
  }

  #sorted(isGrouped: boolean): Template {
    return ['number + ', ...this.#operand(isGrouped), this.pick(['', ' DESC', ' ASC NULLS LAST'])];
  }

  #from(): Template {
    return [
      this.pick([' FROM t', ' FROM t AS t']),
      ...this.#optional(() => {
        const name = this.name('u');
        const joined = `(SELECT number AS n${name}, `;
        const end = ` AS p${name} FROM t) AS ${name} ON n${name} = t.number `;
        return [this.pick([' LEFT JOIN ', ' ANY INNER JOIN ']), joined, this.#placeholder(), end];
      }),
    ];
  }

  #subquery(): Template {
    return [' FROM (SELECT number FROM t', ...this.#clause(' WHERE '), ') AS t'];
  }

  #clause(word: string): Template {
    return this.choose(2) === 0 ? [] : [word, ...this.#terms(2)];
  }

  /** Terms with AND and OR: some optional, before or after one that is not. */
  #terms(depth: number, isGrouped = true): Template {
    const connective = (): string => this.pick([' AND ', ' OR ', ' and ']);
    const before = this.#optional(() => [...this.#ownTerm(), connective()]);
    const after = this.#optional(() => [
      connective(),
      ...this.#ownTerm(),
      ...this.#optional(() => [connective(), ...this.#ownTerm()]),
    ]);
    return [...before, ' ', ...this.#term(depth, isGrouped), ' ', ...after, ' '];
  }

  #term(depth: number, isGrouped: boolean): Template {
    const operand = this.#operand(isGrouped);
    switch (this.choose(depth > 0 ? 5 : 3)) {
      case 0:
        return [...operand, ' > 1'];
      case 1:
        return [...operand, ' NOT BETWEEN 1 AND 2'];
      case 2:
        return ['NOT ', ...operand, ' IN (1, 2)'];
      case 3:
        return [this.pick(['(', 'NOT (']), ...this.#terms(depth - 1), ')'];
      default:
        return ['number IN (SELECT number FROM t WHERE ', ...this.#terms(depth - 1), ')'];
    }
  }

  #ownTerm(): Template {
    const placeholder = this.#placeholder();
    return this.pick<Template>([
      ['number = ', placeholder],
      ['number BETWEEN ', placeholder, ' AND 9'],
      ['(number > ', placeholder, ' OR number = 2)'],
      ['CASE WHEN number OR 1 THEN ', placeholder, ' END'],
      ['number IN [', placeholder, ', [1, 2][1]]'],
    ]);
  }

  #list(item: () => Template): Template {
    const own = (): Template => ['number + ', this.#placeholder(), ` AS ${this.name('c')} `];
    return [
      ...this.#optional(() => [...own(), ', ']),
      ' ',
      ...item(),
      ...this.#optional(() => [', ', ...own(), ...this.#optional(() => [',', ...own()])]),
      ...(this.choose(2) === 0 ? [] : [', ', ...item()]),
    ];
  }

  #operand(isGrouped = true): Template {
    if (this.choose(5) === 0) return [this.#placeholder()];
    // A window is not allowed in WHERE.
    const operands = isGrouped ? OPERANDS.slice(0, -1) : OPERANDS;
    return [this.pick(operands)];
  }

  #placeholder(): Placeholder {
    return { name: this.name('p'), type: this.pick([undefined, 'UInt8', 'UInt64']) };
  }

  /** At most six parts, so that all their combinations can be tried. */
  #optional(contents: () => Template): Template {
    if (this.#parts >= 6 || this.choose(2) === 0) return [];
    this.#parts += 1;
    return [this.pick(['', ' ']), { part: contents() }];
  }
}

/** SELECTs from a table `t` with a column `number UInt64` that run with any of their optional parts. */
export const anySelect: fc.Arbitrary<Template> = fc
  .array(fc.nat({ max: 5039 }), { minLength: 40, maxLength: 120 })
  .map((choices) => new Builder(choices).query());
