import { literal } from './draws.js';

class Bare {
  constructor(readonly sql: string) {}
}

/** A JSON object to be: SQL of text, SQL of a number or a boolean wrapped in `bare`, or an object of such. */
export interface JsonShape {
  readonly [key: string]: string | Bare | JsonShape;
}

interface Piece {
  readonly constant?: string;
  readonly sql?: string;
}

/** Marks SQL whose value stands in JSON without quotes: a number, a boolean, or null. */
export const bare = (sql: string): Bare => new Bare(sql);

/**
 * SQL for the text of a JSON object. It puts pieces side by side, which is far faster than `toJSONString` of a map; so the
 * text values must not be null and must hold nothing that JSON escapes.
 */
export const jsonText = (shape: JsonShape): string => `concat(${argumentsOf(pieces(shape)).join(', ')})`;

function pieces(shape: JsonShape): Piece[] {
  const fields = Object.entries(shape).flatMap(([key, value], index): Piece[] => {
    const name = { constant: `${index === 0 ? '' : ','}${JSON.stringify(key)}:` };
    if (value instanceof Bare) return [name, { sql: `ifNull(toString(${value.sql}), 'null')` }];
    if (typeof value === 'string') return [name, { constant: '"' }, { sql: value }, { constant: '"' }];
    return [name, ...pieces(value)];
  });
  return [{ constant: '{' }, ...fields, { constant: '}' }];
}

/** Neighbouring constants become one argument: there are several to every value. */
function argumentsOf(all: readonly Piece[]): string[] {
  const joined: string[] = [];
  let constant = '';
  for (const piece of all) {
    constant += piece.constant ?? '';
    if (piece.sql === undefined) continue;
    joined.push(literal(constant), piece.sql);
    constant = '';
  }
  return [...joined, literal(constant)];
}
