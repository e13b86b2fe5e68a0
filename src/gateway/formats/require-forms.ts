import { Failure } from '../errors.js';
import type { ResultColumn } from './format.js';
import { EVERY_FORMAT_NAME, FORMAT_NAMES, FORMATS, type FormatName } from './formats.js';
import { hasForm } from './type-families.js';

/** A column as it is declared or described. */
type TypedColumn = Pick<ResultColumn, 'name' | 'type'>;

/** Maximum characters of a type in an error: a caller's own SQL can have types of any length. */
const SHOWN_CHARACTERS = 200;

const isHeld = (type: string, format: FormatName): boolean => hasForm(type, FORMATS[format].values);

/**
 * Rejects columns whose types a format cannot hold, and a result without the columns that the format needs.
 *
 * @throws Failure NOT_ACCEPTABLE with the first such column, its type, and the formats that hold all columns.
 */
export function requireForms(columns: readonly TypedColumn[], format: FormatName): void {
  const of = FORMATS[format];
  if ('problemOf' in of) {
    const problem = of.problemOf(columns);
    if (problem !== undefined) throw new Failure('NOT_ACCEPTABLE', problem);
    return;
  }
  const column = columns.find(({ type }) => !isHeld(type, format));
  if (!column) return;
  const formats = FORMAT_NAMES.filter((name) => columns.every(({ type }) => isHeld(type, name)));
  const advice =
    formats.length === 0
      ? 'No format can: the query must return a final value in its place'
      : `These formats can: ${formats.join(', ')}`;
  throw new Failure(
    'NOT_ACCEPTABLE',
    `${format} cannot hold column ${column.name} of type ${column.type.slice(0, SHOWN_CHARACTERS)}. ${advice}.`,
  );
}

/** Which formats cannot hold a type, in words. */
export interface MissingForms {
  readonly isEvery: boolean;
  readonly reason: string;
}

/** Describes the formats that cannot hold a type; undefined where all can. */
export function missingForms(type: string): MissingForms | undefined {
  const missing = FORMAT_NAMES.filter((format) => !isHeld(type, format));
  if (missing.length === 0) return undefined;
  const isEvery = missing.length === FORMAT_NAMES.length;
  const reason = isEvery
    ? `${type} is an aggregate state, which no output format can hold`
    : `${missing.join(', ')} cannot hold ${type}`;
  return { isEvery, reason };
}

/** The formats that can hold a result with these columns. */
export function formatsFor(columns: readonly TypedColumn[]): readonly FormatName[] {
  return EVERY_FORMAT_NAME.filter((name) => {
    const format = FORMATS[name];
    return !('problemOf' in format) || format.problemOf(columns) === undefined;
  });
}
