import type { Values } from '../../endpoint/values.js';
import { requiredBy } from '../../endpoint/sql-file/select-parameters.js';
import { WRAPPING } from '../../endpoint/sql-file/select-query.js';
import type {
  OptionalPiece,
  ParameterPiece,
  Piece,
  Place,
  TextPiece,
} from '../../endpoint/sql-file/select/select-text.js';
import type { SqlFile } from '../../endpoint/sql-file/parse-sql-file.js';

/**
 * Place in the file for a position in the sent text: the word or the placeholder there. For a position in text that the gateway appended,
 * it is the end of the SELECT.
 *
 * @param values parameters for which the text was rendered.
 * @returns undefined where the text does not come from the file.
 */
export function placeInFile(
  { source, select, selectStart }: SqlFile,
  { text, values }: { readonly text: string; readonly values: Values },
  position: number,
): Place | undefined {
  let sent = select.needsWrapping ? WRAPPING.length : 0;
  let end = selectStart;
  for (const piece of appliedPieces(select.pieces, values)) {
    const next = endInText(piece, text, sent);
    if (next === undefined) return undefined;
    const start = selectStart + piece.start;
    end = selectStart + piece.end;
    if (position < next) {
      if (piece.kind === 'parameter') return { start, end };
      return wordAt(source, start + Math.max(0, position - sent));
    }
    sent = next;
  }
  const last = Math.max(0, source.slice(0, end).trimEnd().length - 1);
  return { start: last, end: last + 1 };
}

function appliedPieces(pieces: readonly Piece[], values: Values): readonly (TextPiece | ParameterPiece)[] {
  return pieces.flatMap((piece) => {
    if (piece.kind !== 'optional') return [piece];
    return applies(piece, values) ? appliedPieces(piece.pieces, values) : [];
  });
}

const applies = (part: OptionalPiece, values: Values): boolean =>
  requiredBy(part).every(({ name }) => (values.get(name) ?? null) !== null);

function endInText(piece: TextPiece | ParameterPiece, text: string, at: number): number | undefined {
  if (piece.kind === 'text') return text.startsWith(piece.text, at) ? at + piece.text.length : undefined;
  return text.startsWith(`{${piece.name}:`, at) ? text.indexOf('}', at) + 1 : undefined;
}

function wordAt(source: string, start: number): Place {
  const [word = ' '] = /^\w+/.exec(source.slice(start)) ?? [];
  return { start, end: start + word.length };
}
