import Joi from 'joi';
import { RE2JS } from 're2js';

import { must, validIf } from '../schema-problems.js';
import { declareParameter } from './declare-parameter.js';
import type { Kind } from './kind.js';
import { ANY_TEXT, WITHOUT_NUL, type EmptyText, type Parameter, type ParameterOptions } from './parameter.js';

/** What a text is declared with. */
export interface TextOptions extends ParameterOptions {
  /** Characters that a value has at most. */
  readonly maxLength?: number;
  /** A regular expression (RE2, unanchored) that a value must match. */
  readonly pattern?: string;
  /** Values with a meaning of their own; other values are valid too. */
  readonly suggestions?: readonly string[];
}

/** Text without conversion. RE2 checks the pattern in linear time, so that no text can block the process. */
export const STRING: Kind<TextOptions> = {
  name: 'string',
  options: {
    maxLength: must('a whole number of at least 1', Joi.number().integer().min(1)),
    pattern: must('a regular expression (RE2)', Joi.string().custom(validIf(compiles))),
    suggestions: must('an array of strings', Joi.array().items(Joi.string().allow(''))),
  },
  empty: ['value', 'omitted', 'problem'],
  type: () => 'String',
  types: 'String',
  accepts: ({ name }) => name === 'String',
  rules: ({ maxLength = Infinity, pattern, suggestions }) => {
    const expression = pattern === undefined ? undefined : RE2JS.compile(pattern);
    return {
      parse: (text) => {
        if (numberOfCharacters(text) > maxLength)
          return { problem: `must be at most ${maxLength} characters` };
        if (expression && !expression.matcher(text).find()) return { problem: `must match ${pattern ?? ''}` };
        return { value: text };
      },
      jsonSchema: {
        ...ANY_TEXT,
        ...(maxLength < Infinity && { maxLength }),
        ...(pattern !== undefined && isEcmaScript(pattern) && { pattern }),
        ...(suggestions && { examples: suggestions }),
      },
      // A schema has one pattern.
      ...(pattern === undefined && { limits: WITHOUT_NUL }),
      ...(suggestions && { suggestions }),
    };
  },
};

/**
 * Any text. The empty text is a value, unless `empty` defines another meaning.
 *
 * @example
 * ```ts
 * text({ description: 'Only this city.', suggestions: ['Oslo', 'Rome'] })
 * ```
 */
export function text(options: TextOptions & { readonly empty?: EmptyText }): Parameter<string> {
  return declareParameter(STRING, options);
}

/** Characters, not UTF-16 units: a person counts characters. */
export function numberOfCharacters(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) count += 1;
  return count;
}

/** JSON Schema has the expressions of ECMAScript. */
function isEcmaScript(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch {
    return false;
  }
}

function compiles(pattern: string): boolean {
  try {
    RE2JS.compile(pattern);
    return true;
  } catch {
    return false;
  }
}
