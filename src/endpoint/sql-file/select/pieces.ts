import type { Node, PartNode } from './nodes.js';
import { hasNameForm } from './read-nodes.js';
import type { Piece, Place } from './select.js';

/** The text between two offsets. */
export interface Contents extends Place {
  readonly nodes: readonly Node[];
}

/** Cuts a text at its placeholders and optional parts. @param columnsOf the names of the columns that a part adds */
export function cutPieces(
  text: string,
  { nodes, start, end }: Contents,
  columnsOf: (part: PartNode) => readonly string[],
): readonly Piece[] {
  const pieces: Piece[] = [];
  let written = start;
  const writeTo = (to: number): void => {
    if (to > written) pieces.push({ kind: 'text', start: written, end: to, text: text.slice(written, to) });
    written = to;
  };
  for (const node of placeholdersOf(nodes)) {
    writeTo(node.start);
    if (node.kind === 'parameter') pieces.push(node);
    else pieces.push(...piecesOfPart(text, node, columnsOf));
    written = node.end;
  }
  writeTo(end);
  return pieces;
}

/** The pieces of a part. A space replaces each bracket, because `a[[, @b]]` would otherwise join the tokens around it. */
function piecesOfPart(
  text: string,
  part: PartNode,
  columnsOf: (part: PartNode) => readonly string[],
): readonly Piece[] {
  const { start, end, nodes } = part;
  const contents = { nodes, start: start + 2, end: end - 2 };
  const close: Piece = { kind: 'text', start: contents.end, end, text: ' ' };
  const pieces = [...cutPieces(text, contents, columnsOf), close];
  return [
    { kind: 'text', start, end: start + 2, text: ' ' },
    { kind: 'optional', start, end, pieces, columns: columnsOf(part) },
  ];
}

function placeholdersOf(nodes: readonly Node[]): readonly Exclude<Node, { kind: 'group' | 'token' }>[] {
  return nodes.flatMap((node) => {
    if (node.kind === 'group') return placeholdersOf(node.nodes);
    return node.kind === 'part' || (node.kind === 'parameter' && hasNameForm(node.name)) ? [node] : [];
  });
}
