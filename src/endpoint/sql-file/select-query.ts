import { quoteName } from '../quote-sql.js';
import { NOW } from '../reserved.js';
import { Filter, Part, Reference, Sql, type Node, type Query } from '../sql.js';
import type { Parameter } from '../parameters/parameter.js';
import { isClock, placeholdersOf, requiredBy } from './select-parameters.js';
import type { ParameterPiece, Piece, Place, SelectText } from './select/select-text.js';
import { tokenize } from './select/tokens.js';

/** What stands before a SELECT whose LIMIT would be ambiguous. */
export const WRAPPING = 'SELECT * FROM (\n';

type Parameters = ReadonlyMap<string, Pick<Parameter, 'type'>>;

/** The query of a SELECT without problems, which sends the text as its author wrote it. */
export function queryOfSelect(select: SelectText, parameters: Parameters, hasTenant: boolean): Query {
  const nodes = nodesOf(select.pieces, parameters);
  // A LIMIT after a UNION would belong to its last arm, and a second LIMIT would be invalid.
  const body = select.needsWrapping ? [text(WRAPPING), ...nodes, text('\n)')] : nodes;
  const views = readableQueries(select, parameters.size > 0 && !hasTenant).map((query) =>
    viewOf(query, select, parameters),
  );
  return { parts: [], body: new Sql(body), views, isVerbatim: true };
}

function nodesOf(pieces: readonly Piece[], parameters: Parameters): readonly Node[] {
  return pieces.map((piece): Node => {
    if (piece.kind === 'text') return text(piece.text);
    if (piece.kind === 'parameter') return { kind: 'reference', reference: referenceOf(piece, parameters) };
    const required = requiredBy(piece).map((own) => referenceOf(own, parameters));
    return { kind: 'optional', filter: new Filter(required, new Sql(nodesOf(piece.pieces, parameters))) };
  });
}

function referenceOf(piece: ParameterPiece, parameters: Parameters): Reference {
  const { name, type } = piece;
  return isClock(piece) ? NOW : new Reference(name, type ?? parameters.get(name)?.type ?? '');
}

/**
 * The WITH queries that a caller's own SQL may read: where parameters are what filters, only those that use one, or that read such
 * a query. A caller with pinned parameters may read fewer, see `readable-parts.ts`.
 */
function readableQueries(
  { withQueries, pieces }: SelectText,
  needsParameters: boolean,
): readonly SelectText['withQueries'][number][] {
  // A caller's own SQL cannot write any other name without quotes.
  const named = withQueries.filter(({ name }) => /^[a-z_]\w*$/i.test(name));
  if (!needsParameters) return named;
  const readable: SelectText['withQueries'][number][] = [];
  const names = new Set<string>();
  for (const query of named) {
    const own = slice(pieces, query.query);
    const words = textsOf(own).flatMap(wordsIn);
    if (placeholdersOf(own).some(({ piece }) => !isClock(piece)) || words.some((word) => names.has(word))) {
      readable.push(query);
      names.add(query.name);
    }
  }
  return readable;
}

const textsOf = (pieces: readonly Piece[]): readonly string[] =>
  pieces.flatMap((piece) => (piece.kind === 'text' ? [piece.text] : []));

const wordsIn = (text: string): readonly string[] =>
  tokenize(text)
    .filter(({ kind }) => kind === 'word' || kind === 'quoted-name')
    .map(({ kind, start, end }) =>
      kind === 'word' ? text.slice(start, end) : text.slice(start + 1, end - 1),
    );

/** A WITH query as a query of its own: behind all items of the list up to it, which it may read. */
function viewOf(
  { name, item }: SelectText['withQueries'][number],
  { pieces, withList = item }: SelectText,
  parameters: Parameters,
): Part {
  return new Part(name, () => {
    const items = slice(pieces, { start: withList.start, end: item.end });
    return new Sql([
      text('WITH '),
      ...nodesOf(items, parameters),
      text(`\nSELECT * FROM ${quoteName(name)}`),
    ]);
  });
}

/** The pieces of a place, at whose ends no part or placeholder is cut. */
function slice(pieces: readonly Piece[], { start, end }: Place): readonly Piece[] {
  return pieces
    .filter((piece) => piece.start < end && piece.end > start)
    .map((piece) => {
      if (piece.kind !== 'text') return piece;
      const [from, to] = [Math.max(start, piece.start), Math.min(end, piece.end)];
      return { ...piece, text: piece.text.slice(from - piece.start, to - piece.start), start: from, end: to };
    });
}

const text = (written: string): Node => ({ kind: 'text', text: written });
