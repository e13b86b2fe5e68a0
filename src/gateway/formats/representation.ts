import { NUMBERS } from '../../endpoint/definition.js';
import { TIMES, type FormatOptions } from './format.js';
import { EVERY_FORMAT_NAME, FORMATS, type FormatName } from './formats.js';

/** One of the few ways to write a result; equal ones are the same object. */
export interface Representation extends FormatOptions {
  /** Name in cache keys and in messages between gateways. Its meaning must never change. */
  readonly name: string;
  readonly format: FormatName;
}

/** Every representation, by name. */
export const REPRESENTATIONS: ReadonlyMap<string, Representation> = new Map(
  EVERY_FORMAT_NAME.flatMap((format) =>
    TIMES.flatMap((times) =>
      NUMBERS.flatMap((numbers) =>
        [false, true].map((formulaSafe) => {
          const representation = normalized({ format, times, numbers, formulaSafe });
          return [representation.name, representation] as const;
        }),
      ),
    ),
  ),
);

/** The representation of a format; options that make no difference to the format are ignored. */
export function representationOf(
  format: FormatName,
  { times = 'iso', numbers = 'plain', formulaSafe = false }: Partial<FormatOptions> = {},
): Representation {
  const { name } = normalized({ format, times, numbers, formulaSafe });
  const representation = REPRESENTATIONS.get(name);
  if (!representation) throw new Error(`there is no representation ${name}`);
  return representation;
}

/** The representation of a request that names none. */
export const JSON_REPRESENTATION = representationOf('json');

function normalized(options: Omit<Representation, 'name'>): Representation {
  const { format } = options;
  const { values, hasFormulas } = FORMATS[format];
  const times = values === 'typed' ? 'iso' : options.times;
  const numbers = values === 'json' ? options.numbers : 'plain';
  const formulaSafe = hasFormulas && options.formulaSafe;
  const parts = [
    ...[format, ...(times === 'iso' ? [] : [times])],
    ...(numbers === 'plain' ? [] : ['text-numbers']),
    ...(formulaSafe ? ['formula-safe'] : []),
  ];
  return { name: parts.join(';'), format, times, numbers, formulaSafe };
}
