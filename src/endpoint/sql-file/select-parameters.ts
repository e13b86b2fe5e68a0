import { NOW } from '../reserved.js';
import type { OptionalPiece, ParameterPiece, Piece } from './select/select-text.js';

/** A placeholder, and the optional parts around it, outermost first. */
export interface Placeholder {
  readonly piece: ParameterPiece;
  readonly parts: readonly OptionalPiece[];
}

/** All placeholders, in the order of the text. */
export function placeholdersOf(
  pieces: readonly Piece[],
  parts: readonly OptionalPiece[] = [],
): readonly Placeholder[] {
  return pieces.flatMap((piece) => {
    if (piece.kind === 'text') return [];
    return piece.kind === 'parameter' ? [{ piece, parts }] : placeholdersOf(piece.pieces, [...parts, piece]);
  });
}

/** The parameters that must have a value for a part to apply, without those of nested parts and the clock. */
export function requiredBy({ pieces }: OptionalPiece): readonly ParameterPiece[] {
  return pieces.filter((piece) => piece.kind === 'parameter' && !isClock(piece)) as readonly ParameterPiece[];
}

/** Whether a placeholder is the gateway's clock, which callers do not send. */
export function isClock({ name }: ParameterPiece): boolean {
  return name === NOW.name;
}

/** An optional part, and the parameters that must have a value for it, including those of the parts around it. */
interface RequiringPart {
  readonly part: OptionalPiece;
  readonly required: readonly string[];
}

/** All optional parts, each before its nested parts. */
export function partsOf(pieces: readonly Piece[], around: readonly string[] = []): readonly RequiringPart[] {
  return pieces.flatMap((part) => {
    if (part.kind !== 'optional') return [];
    const required = [...around, ...requiredBy(part).map(({ name }) => name)];
    return [{ part, required }, ...partsOf(part.pieces, required)];
  });
}

/** The columns that optional parts add, and the parameters that must have a value for that. */
export const optionalColumnsOf = (pieces: readonly Piece[]): ReadonlyMap<string, readonly string[]> =>
  new Map(partsOf(pieces).flatMap(({ part, required }) => part.columns.map((name) => [name, required])));
