import type { JsonType } from '../endpoint/json-type.js';
import type { Parameter } from '../endpoint/parameters.js';

/** The type, in TypeScript, of a column's values as JSON.parse gives them. */
export function typeTextOf(type: JsonType): string {
  const text = bareTextOf(type);
  return type.nullable ? `${text} | null` : text;
}

function bareTextOf(type: JsonType): string {
  switch (type.kind) {
    case 'scalar':
      return type.values ? union(type.values) : type.type === 'integer' ? 'number' : type.type;
    case 'array':
      return `readonly ${inBrackets(type.items)}[]`;
    case 'map':
      return `Readonly<Record<string, ${typeTextOf(type.values)}>>`;
    case 'tuple':
      return `readonly [${type.items.map(typeTextOf).join(', ')}]`;
    case 'object':
      return 'Readonly<Record<string, unknown>>';
    case 'any':
      return 'unknown';
  }
}

function inBrackets(type: JsonType): string {
  const text = typeTextOf(type);
  return /^\w+$/.test(text) ? text : `(${text})`;
}

/** The type, in TypeScript, of what a caller may give for a parameter. */
export function parameterText({ choices, suggestions, format }: Parameter): string {
  if (choices) return union(choices);
  if (format === 'date-time') return 'string | Date';
  if (format === 'comma-separated') return 'readonly string[]';
  // An editor proposes them, and any other text is accepted.
  return suggestions ? `${union(suggestions)} | (string & {})` : 'string';
}

function union(values: readonly string[]): string {
  return values.length === 0 ? 'never' : values.map((value) => quoted(value)).join(' | ');
}

/** A text as a literal of TypeScript. */
export function quoted(text: string): string {
  const inside = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${inside}'`;
}

/** The name of a property, quoted where it has to be. */
export function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name);
}

/** A comment before a declaration; what would end it early is taken apart. */
export function docComment(text: string, indent = ''): string {
  return `${indent}/** ${text.replaceAll(/\s*\n\s*/g, ' ').replaceAll('*/', '* /')} */`;
}
