import { asRecord, isRecord } from './as-record.js';
import type { EndpointDeclaration, PieceRules } from './definition.js';
import { problem, type Problem } from './problems.js';
import { parseTypeName } from './type-name.js';
import { readPageOrder, type PageColumn } from './page-order.js';

/** How a result is composed of the rows of partitions. */
export interface Pieces extends Omit<PieceRules, 'bucket'> {
  readonly bucket: BucketColumn;
}

/** The time column of a result that assigns rows to buckets; never null. */
export type BucketColumn = PageColumn;

/** Types of times, whose texts sort like their values. */
const IS_TIME = /^(?:Date|Date32|DateTime|DateTime64)$/;

/** Reads the `pieces` of a valid definition; undefined where the definition has none. */
export function piecesOf({
  pieces,
  columns,
}: Pick<EndpointDeclaration, 'pieces' | 'columns'>): Pieces | undefined {
  const bucket = pieces && bucketOf(pieces.bucket, columns);
  return bucket && { ...pieces, bucket };
}

/** Reads `hour` or `hour desc`; undefined where the result has no such column, or its type is not a time. */
function bucketOf(bucket: string, columns: unknown): BucketColumn | undefined {
  const [column] = readPageOrder({ pages: { by: [bucket] }, columns }).order;
  return column && IS_TIME.test(parseTypeName(column.type).name) && !column.isNullable ? column : undefined;
}

/** The problems of the names in `pieces`; the rest of the definition need not be valid. */
export function problemsOfPieces(definition: Readonly<Record<string, unknown>>): readonly Problem[] {
  const { pieces, pages, columns, caching } = definition;
  if (pieces === undefined) return [];
  const { bucket, from, to } = asRecord(pieces);
  const reasons = [from, to].flatMap((name) => reasonsOfBound(name, definition));
  if (typeof bucket === 'string' && columns !== undefined && !bucketOf(bucket, columns)) {
    reasons.push(
      `must name as bucket a column of the result that is a Date or a DateTime and never null, not ${bucket}`,
    );
  }
  if (from === to && from !== undefined) reasons.push('names one parameter for both ends of the range');
  if (pages !== undefined) reasons.push('cannot be combined with pages');
  if (caching !== 'until-changed' && !isRecord(caching))
    reasons.push('needs caching: until-changed, which tells whether a piece is still right');
  return reasons.map((reason) => problem('PIECES_INVALID', reason));
}

function reasonsOfBound(name: unknown, { parameters }: Readonly<Record<string, unknown>>): string[] {
  if (typeof name !== 'string') return [];
  const { kind } = asRecord(asRecord(parameters)[name]);
  if (kind === undefined) return [`names the parameter ${name}, which is not declared`];
  return kind === 'timestamp' ? [] : [`names ${name}, which is no timestamp`];
}

/** Why the bucket of `pieces` is not always there. */
export function problemOfBucket(
  { pieces, columns }: Pick<EndpointDeclaration, 'pieces' | 'columns'>,
  optionalColumns: ReadonlyMap<string, unknown>,
): Problem | undefined {
  const { name = '' } = (pieces && bucketOf(pieces.bucket, columns)) ?? {};
  return optionalColumns.has(name)
    ? problem('PIECES_INVALID', `names ${name}, which an optional part adds`)
    : undefined;
}
