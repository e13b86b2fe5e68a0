import type { Piece } from '../../src/endpoint/sql-file/select/select-text.js';

/** The texts with each combination of parts, the first without any; placeholders are written `{name:Type}`. */
export function combinationsOfParts(pieces: readonly Piece[], type: string): string[] {
  return pieces.reduce<string[]>(
    (before, piece) => {
      const texts =
        piece.kind === 'optional'
          ? ['', ...combinationsOfParts(piece.pieces, type)]
          : [piece.kind === 'text' ? piece.text : `{${piece.name}:${piece.type ?? type}}`];
      return before.flatMap((start) => texts.map((text) => start + text));
    },
    [''],
  );
}
