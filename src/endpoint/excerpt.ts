import type { Place } from './sql-file/select/select-text.js';

const INDENT = '    ';
/** Characters of a line that an excerpt shows at most. */
const MAX_CHARACTERS = 120;

/** The line of a place with carets below the place. */
export function excerptOf(source: string, { start, end }: Place): string {
  const lineStart = source.lastIndexOf('\n', start - 1) + 1;
  const [line = ''] = source.slice(lineStart).split('\n', 1);
  return lineExcerpt(line, { start: start - lineStart, end: end - lineStart });
}

/** A line with carets below a place in it. A long line is cut. */
export function lineExcerpt(line: string, { start, end }: Place): string {
  const from = Math.max(0, start - MAX_CHARACTERS / 2);
  const shown = line.slice(from, from + MAX_CHARACTERS).replace(/\r$/, '');
  return withCarets(shown, [{ start: start - from, end: end - from }]);
}

/** A whole text. Each line that has one of the positions is followed by carets below them. @param positions in order */
export function textWithCarets(text: string, positions: readonly number[]): string {
  let start = 0;
  const lines = text.split('\n').map((line) => {
    const columns = positions.map((position) => position - start);
    start += line.length + 1;
    const inLine = columns.filter((column) => column >= 0 && column <= line.length);
    return withCarets(
      line,
      inLine.map((column) => ({ start: column, end: column + 1 })),
    );
  });
  return lines.join('\n');
}

/** The line, indented, and the carets, which fit because tabs become spaces. */
function withCarets(line: string, places: readonly Place[]): string {
  const widthTo = (offset: number): number => Array.from(line.slice(0, offset)).length;
  let carets = '';
  for (const { start, end } of places) {
    carets = carets.padEnd(widthTo(start)) + '^'.repeat(Math.max(1, widthTo(end) - widthTo(start)));
  }
  const text = `${INDENT}${line.replaceAll('\t', ' ')}`.trimEnd();
  return carets === '' ? text : `${text}\n${INDENT}${carets}`;
}
