import { SELECT, type Row } from './problem-rows.js';

/** The header of an endpoint with pieces. */
const PIECES = `caching: until-changed
parameters:
  since: { kind: timestamp, description: A. }
  until: { kind: timestamp, description: A. }
  city: { kind: string, description: A. }
columns: { hour: DateTime, city: String, at: Nullable(DateTime) }
pieces: { table: t, time: time, bucket: hour, from: since, to: until }`;
const RANGE = 'FROM t WHERE time >= @since AND time < @until AND city = @city GROUP BY hour, city, at';
const IN_RANGE = `SELECT hour, city, at ${RANGE}`;

/** Of `pieces`. */
export const PIECE_ROWS: readonly Row[] = [
  [
    'PIECES_INVALID',
    SELECT(IN_RANGE, PIECES.replace('bucket: hour', 'bucket: day')),
    'pieces must name as bucket a column of the result that is a Date or a DateTime and never null, not day',
  ],
  ['PIECES_INVALID', SELECT(IN_RANGE, PIECES.replace('bucket: hour', 'bucket: city')), /, not city$/],
  ['PIECES_INVALID', SELECT(IN_RANGE, PIECES.replace('bucket: hour', 'bucket: at')), /, not at$/],
  [
    'PIECES_INVALID',
    SELECT(IN_RANGE, PIECES.replace('from: since', 'from: begin')),
    'pieces names the parameter begin, which is not declared',
  ],
  [
    'PIECES_INVALID',
    SELECT(IN_RANGE, PIECES.replace('from: since', 'from: city')),
    'pieces names city, which is no timestamp',
  ],
  [
    'PIECES_INVALID',
    SELECT(IN_RANGE, PIECES.replace('to: until', 'to: since')),
    'pieces names one parameter for both ends of the range',
  ],
  [
    'PIECES_INVALID',
    SELECT(IN_RANGE, PIECES.replace('caching: until-changed', 'caching: 60')),
    'pieces needs caching: until-changed, which tells whether a piece is still right',
  ],
  [
    'PIECES_INVALID',
    SELECT(IN_RANGE, `${PIECES}\npages: { by: [hour, city] }`),
    'pieces cannot be combined with pages',
  ],
  [
    'PIECES_NOT_POSSIBLE',
    SELECT(`${IN_RANGE} LIMIT 5`, PIECES),
    'the result cannot be composed of the rows of partitions: its query has LIMIT, which needs all rows: correct the query, or leave pieces out',
  ],
  ['PIECES_NOT_POSSIBLE', SELECT(`${IN_RANGE} WITH ROLLUP`, PIECES), /its query has ROLLUP/],
  ['PIECES_NOT_POSSIBLE', SELECT(IN_RANGE.replace('FROM t', 'FROM t FINAL'), PIECES), /its query has FINAL/],
  [
    'PIECES_NOT_POSSIBLE',
    SELECT(IN_RANGE.replace('city = @city', 'city = @city AND at > @since'), PIECES),
    /its query must compare time with @since once, as in time >= @since, and use @since nowhere else/,
  ],
  [
    'PIECES_NOT_POSSIBLE',
    SELECT(IN_RANGE.replace('city = @city', 'city = @city AND time < @until'), PIECES),
    /must compare time with @until once, as in time <= @until/,
  ],
];
