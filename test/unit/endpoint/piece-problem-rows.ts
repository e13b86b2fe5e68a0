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
];
