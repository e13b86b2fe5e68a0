import { readFrame } from './frame.js';
import { problemsOfParts, readPartColumns } from './part-rules.js';
import { cutPieces } from './pieces.js';
import { readNodes } from './read-nodes.js';
import type { SelectProblem, SelectText } from './select.js';
import { readSingleStatement } from './single-statement.js';
import { checkClauses, checkStart, needsWrapping } from './statement.js';
import { NO_WITH, readWithList } from './with-list.js';

export type {
  OptionalPiece,
  ParameterPiece,
  Piece,
  Place,
  SelectProblem,
  SelectText,
  TextPiece,
  WithQuery,
} from './select.js';

/** Reads the text of a SELECT of an endpoint file. Never throws: mistakes are in `problems`, in the order of the text. */
export function parseSelectText(text: string): SelectText {
  const statement = readSingleStatement(text);
  const { nodes, isBroken, problems: ofNodes } = readNodes(text, statement.tokens);
  const whole = { nodes, start: 0, end: statement.end };
  const lexical = [...statement.problems, ...ofNodes];
  // What is not closed would make everything after it look wrong.
  if (statement.isUnreadable) return unread(text, whole, statement.problems);
  if (isBroken) return unread(text, { ...whole, nodes: [] }, lexical);
  const start = checkStart(nodes, text);
  if (start.length > 0) return { ...unread(text, whole, [...lexical, ...start]), isNoQuery: true };
  const frame = readFrame(nodes);
  const columns = readPartColumns(frame);
  return {
    pieces: cutPieces(text, whole, (part) => columns.byPart.get(part) ?? []),
    ...readWithList(nodes, frame),
    needsWrapping: needsWrapping(frame),
    problems: inOrder([...lexical, ...checkClauses(frame), ...problemsOfParts(frame), ...columns.problems]),
  };
}

function unread(
  text: string,
  whole: Parameters<typeof cutPieces>[1],
  problems: readonly SelectProblem[],
): SelectText {
  return {
    pieces: cutPieces(text, whole, () => []),
    ...NO_WITH,
    needsWrapping: true,
    problems: inOrder(problems),
  };
}

function inOrder(problems: readonly SelectProblem[]): readonly SelectProblem[] {
  return problems.toSorted((left, right) => left.start - right.start || left.end - right.end);
}
