import type { BoundQuery } from '../../endpoint/bind.js';
import { keyOfValue } from '../../endpoint/after-last-row.js';
import type { PageOrder } from '../../endpoint/page-order.js';
import { nameBeside } from '../../endpoint/quote-sql.js';
import { ROW_LIMIT } from '../../endpoint/reserved.js';
import {
  MARK,
  newMark,
  type ClickHouseFormat,
  type ExportedRows,
  type RowFormat,
} from '../formats/format.js';
import { projectColumns, ROWS } from '../formats/project-columns.js';
import { withValues } from '../formats/value-settings.js';
import type { WrittenColumns } from '../formats/written-columns.js';

/** The column with the key of a row, where no column of the query has this name. */
const KEY = '_querygate_key';

const ROW = 'format_template_row_format';

/** Which rows have their key written after them: all, or the last one and the one beyond the row cap. */
export type RowsWithKeys = 'all' | 'last';

/** How rows with keys are written: what depends on the definition and the representation alone. */
interface KeyedRows {
  /** Adds the key as the last column, empty in rows without one. */
  readonly project: (query: BoundQuery) => BoundQuery;
  /** Has the key after each row. */
  readonly clickHouseFormat: ClickHouseFormat;
  /** Of a format of lines: what stands before the rows, and between two. */
  readonly lines?: Pick<ExportedRows, 'start' | 'separator'>;
}

const known = new WeakMap<WrittenColumns, KeyedRows>();

/** Of the columns of one definition, for which it is computed once. */
function keyedRows(
  written: WrittenColumns,
  format: RowFormat,
  order: PageOrder,
  which: RowsWithKeys,
): KeyedRows {
  const earlier = known.get(written);
  if (earlier) return earlier;
  const { representation, columns } = written;
  const values = order.map((column) => keyOfValue(column, ROWS));
  const key = `concat({${MARK}:String}, ${values.join(", ' ', ")})`;
  // The query ends with the limit, so that its rows come in one stream, in order.
  const shown = which === 'all' ? key : `if(rowNumberInAllBlocks() + 2 < {${ROW_LIMIT}:UInt64}, '', ${key})`;
  const { declared, quoting } = columns;
  const options = { values: format.values, times: representation.times, declared, quoting };
  const name = nameBeside(columns.described, KEY);
  const rows: KeyedRows = {
    project: projectColumns(columns.described, options, [`${shown} AS ${name}`]),
    ...keyedFormat(written, format, name),
  };
  known.set(written, rows);
  return rows;
}

function keyedFormat(
  { clickHouseFormat: own, columns, representation }: WrittenColumns,
  format: RowFormat,
  name: string,
): Pick<KeyedRows, 'clickHouseFormat' | 'lines'> {
  const key = `\${${name}:Raw}`;
  if (own.name === 'Template') {
    const settings = { ...own.settings, [ROW]: `${own.settings[ROW] ?? ''}${key}` };
    return { clickHouseFormat: { ...own, settings } };
  }
  // The formats of lines have no place for a text that is no field.
  const { row, separator, start, settings } = format.exportRows(columns, representation.times);
  const template = {
    format_template_resultset_format: `\${data}${separator}`,
    [ROW]: `${row}${key}`,
    format_template_rows_between_delimiter: separator,
    ...settings,
  };
  return {
    clickHouseFormat: { name: 'Template', settings: withValues(template, columns) },
    lines: { start, separator },
  };
}

/**
 * Keys of rows. ClickHouse writes them after the rows, in a form from which it makes the same values again: whatever the format rounds
 * or cannot hold, the key has. Keys are removed from the body, whose bytes are then those that ClickHouse writes without them.
 */
export class RowKeys {
  /** Begins each key. */
  private readonly mark = newMark('key');
  private readonly rows: KeyedRows;

  /** @param order the columns whose values are the key */
  constructor(written: WrittenColumns, format: RowFormat, order: PageOrder, which: RowsWithKeys) {
    this.rows = keyedRows(written, format, order, which);
  }

  get clickHouseFormat(): ClickHouseFormat {
    return this.rows.clickHouseFormat;
  }

  /** The query with the key as its last column. */
  query(bound: BoundQuery): BoundQuery {
    const { text } = this.rows.project(bound);
    return { ...bound, text, parameters: { ...bound.parameters, [MARK]: this.mark } };
  }

  /** The body without keys, and the keys in the order of the rows. @param rows in the body */
  take(body: Buffer, rows: number): { readonly body: Buffer; readonly keys: readonly string[] } {
    const { pieces, keys } = this.split(body);
    return { body: this.whole(pieces, rows), keys };
  }

  /** Cuts the body at each key. */
  private split(body: Buffer): { readonly pieces: readonly Buffer[]; readonly keys: readonly string[] } {
    const pieces: Buffer[] = [];
    const keys: string[] = [];
    let done = 0;
    for (let at = body.indexOf(this.mark); at !== -1; at = body.indexOf(this.mark, done)) {
      const start = at + this.mark.length;
      let end = start;
      while (isOfKey(body[end])) end += 1;
      pieces.push(body.subarray(done, at));
      keys.push(body.toString('latin1', start, end));
      done = end;
    }
    return { pieces: [...pieces, body.subarray(done)], keys };
  }

  private whole(pieces: readonly Buffer[], rows: number): Buffer {
    const { lines } = this.rows;
    if (!lines) return Buffer.concat(pieces);
    const whole = Buffer.concat([Buffer.from(lines.start), ...pieces]);
    // The separator ends the last row, which a body without rows does not have.
    return rows > 0 ? whole : whole.subarray(0, whole.length - lines.separator.length);
  }
}

/** Hexadecimal digits of values, `-` for null, and the space between two. */
const isOfKey = (byte: number | undefined): boolean =>
  byte !== undefined &&
  ((byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || byte === 0x20 || byte === 0x2d);
