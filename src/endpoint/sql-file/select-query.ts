import type { After } from '../after-last-row.js';
import { quoteName } from '../quote-sql.js';
import { AFTER, NOW } from '../reserved.js';
import { Filter, Part, Reference, Sql, type Node, type Query, textNode } from '../sql.js';
import type { Parameter } from '../parameters/parameter.js';
import { isClock, requiredBy } from './select-parameters.js';
import type { ParameterPiece, Piece, Place, SelectText } from './select/select-text.js';

/** Text before a SELECT whose LIMIT would be ambiguous. */
export const WRAPPING = 'SELECT * FROM (\n';

/** The meanings of placeholders. */
interface Declared {
  readonly parameters: ReadonlyMap<string, Pick<Parameter, 'type'>>;
  /** The row after which a page begins; undefined for an endpoint without pages. */
  readonly after: After | undefined;
}

/** The query of a SELECT without problems, which sends the text as its author wrote it. */
export function queryOfSelect(select: SelectText, declared: Declared): Query {
  const nodes = nodesOf(select.pieces, declared);
  // A LIMIT after a UNION would belong to its last arm, and a second LIMIT would be invalid.
  const body = select.needsWrapping ? [textNode(WRAPPING), ...nodes, textNode('\n)')] : nodes;
  // A caller's own SQL cannot write any other name without quotes.
  const named = select.withQueries.filter(({ name }) => /^[a-z_]\w*$/i.test(name));
  const views = named.map((query) => viewOf(query, select, declared));
  const optional = select.hasOptionalNames && ({ hasOptionalNames: true } as const);
  return { parts: [], body: new Sql(body), views, isVerbatim: true, ...optional };
}

function nodesOf(pieces: readonly Piece[], declared: Declared): readonly Node[] {
  return pieces.map((piece): Node => {
    if (piece.kind === 'text') return textNode(piece.text);
    if (piece.kind === 'parameter') {
      const sql = ofPage(piece, declared);
      return sql ? { kind: 'fragment', sql } : { kind: 'reference', reference: referenceOf(piece, declared) };
    }
    const required = requiredBy(piece).flatMap((own) =>
      ofPage(own, declared) ? (declared.after?.rows.required ?? []) : [referenceOf(own, declared)],
    );
    return { kind: 'optional', filter: new Filter(required, new Sql(nodesOf(piece.pieces, declared))) };
  });
}

/** The SQL of `@after` and `@after_COLUMN`; undefined for any other placeholder. */
function ofPage({ name }: ParameterPiece, { parameters, after }: Declared): Sql | undefined {
  if (!after || parameters.has(name) || !isOfPage(name)) return undefined;
  return name === AFTER ? after.rows.condition : after.last(name.slice(AFTER.length + 1));
}

const isOfPage = (name: string): boolean => name === AFTER || name.startsWith(`${AFTER}_`);

function referenceOf(piece: ParameterPiece, { parameters }: Declared): Reference {
  const { name, type } = piece;
  return isClock(piece) ? NOW : new Reference(name, type ?? parameters.get(name)?.type ?? '');
}

/** A WITH query as a separate query, which follows all earlier items of the list, because it may read them. */
function viewOf(
  { name, item }: SelectText['withQueries'][number],
  { pieces, withList = item }: SelectText,
  declared: Declared,
): Part {
  return new Part(name, () => {
    const items = slice(pieces, { start: withList.start, end: item.end });
    return new Sql([
      textNode('WITH '),
      ...nodesOf(items, declared),
      textNode(`\nSELECT * FROM ${quoteName(name)}`),
    ]);
  });
}

/** The pieces within a place. No placeholder or part may cross its ends. */
function slice(pieces: readonly Piece[], { start, end }: Place): readonly Piece[] {
  return pieces
    .filter((piece) => piece.start < end && piece.end > start)
    .map((piece) => {
      if (piece.kind !== 'text') return piece;
      const [from, to] = [Math.max(start, piece.start), Math.min(end, piece.end)];
      return { ...piece, text: piece.text.slice(from - piece.start, to - piece.start), start: from, end: to };
    });
}
