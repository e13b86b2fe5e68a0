const INDENT = '    ';

/** SQL as indented lines. Below a line that contains one of the positions, a line has a caret at each of them. */
export function sqlWithCarets(sql: string, positions: readonly number[]): string {
  let start = 0;
  const lines = sql.split('\n').flatMap((line) => {
    const columns = positions.map((position) => position - start);
    const inLine = columns.filter((column) => column >= 0 && column <= line.length);
    start += line.length + 1;
    return inLine.length === 0 ? [line] : [line, caretsBelow(line, new Set(inLine))];
  });
  return lines.map((line) => `${INDENT}${line}`.trimEnd()).join('\n');
}

function caretsBelow(line: string, columns: ReadonlySet<number>): string {
  // A tab stays one, so that the carets keep their place.
  const places = `${line} `.split('');
  return places.map((place, column) => (columns.has(column) ? '^' : place === '\t' ? place : ' ')).join('');
}
