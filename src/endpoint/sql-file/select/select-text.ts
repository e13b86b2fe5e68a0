import { readBrackets } from './brackets.js';
import { checkOptionalParts } from './optional-parts.js';
import { readPartColumns } from './part-columns.js';
import { cutPieces, type Contents } from './pieces.js';
import { readPlaceholders } from './placeholders.js';
import { scanQuery } from './scan.js';
import type { SelectProblem, SelectText } from './select.js';
import { readSingleStatement } from './single-statement.js';
import { checkClauses, checkStart, isStart, needsWrapping } from './statement.js';
import { readWithList } from './with-list.js';

export type {
  Comparison,
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
  const placeholders = readPlaceholders(text, statement.tokens);
  const tree = readBrackets(placeholders.nodes);
  const lexical = [...statement.problems, ...placeholders.problems];
  const whole = { nodes: tree.nodes, start: 0, end: statement.end };
  // What is not closed would make everything after it look wrong.
  if (statement.isUnreadable || tree.problems.length > 0) {
    const problems = inOrder([...lexical, ...(statement.isUnreadable ? [] : tree.problems)]);
    return { ...UNREAD, pieces: cutPieces(text, whole, () => []), problems };
  }
  const start = checkStart(tree.nodes, text);
  if (!isStart(tree.nodes[0])) {
    const parts = start.length > 0 ? [] : checkOptionalParts(scanQuery(tree.nodes));
    return {
      ...UNREAD,
      isNoQuery: true,
      pieces: cutPieces(text, whole, () => []),
      problems: inOrder([...lexical, ...start, ...parts]),
    };
  }
  return readQuery(text, whole, lexical);
}

const UNREAD = { withQueries: [], withList: undefined, needsWrapping: true } as const;

function readQuery(text: string, whole: Contents, lexical: readonly SelectProblem[]): SelectText {
  const scan = scanQuery(whole.nodes);
  const parts = checkOptionalParts(scan);
  const columns = readPartColumns(scan, new Set(parts.map(({ start }) => start)));
  const withList = readWithList(scan);
  return {
    pieces: cutPieces(text, whole, (part) => columns.byPart.get(part) ?? []),
    withQueries: withList.queries,
    withList: withList.list,
    needsWrapping: needsWrapping(scan),
    problems: inOrder([...lexical, ...checkClauses(scan), ...parts, ...columns.problems]),
  };
}

function inOrder(problems: readonly SelectProblem[]): readonly SelectProblem[] {
  return problems.toSorted((left, right) => left.start - right.start || left.end - right.end);
}
