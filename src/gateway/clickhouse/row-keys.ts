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

/** Name of the column with the key of a row. If the query has such a column, the name is changed. */
const KEY = '_querygate_key';

const ROW = 'format_template_row_format';

/** Rows that have a key: all, or the last one and the one beyond the row cap. */
export type RowsWithKeys = 'all' | 'last';

/** How rows with keys are written, as far as the definition and the representation decide that. */
interface KeyedRows {
  /** Adds the key as the last column. It is empty in rows without a key. */
  readonly project: (query: BoundQuery) => BoundQuery;
  /** Format that writes the key after each row. */
  readonly clickHouseFormat: ClickHouseFormat;
  /** Text before the rows and between two rows, in a format of lines. Absent for other formats. */
  readonly lines?: Pick<ExportedRows, 'start' | 'separator'>;
}

const known = new WeakMap<WrittenColumns, KeyedRows>();

/** Writing of rows with keys, which is computed once for the columns of a definition. */
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
  // The query ends with the limit, so its rows come in one stream, in order.
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
  // The formats of lines have no place for text outside of fields, so a template replaces them.
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
 * Keys of rows. ClickHouse writes a key after its row, in a form that keeps the exact values, even those that the format rounds or cannot
 * hold. Keys are removed from the body, which then has the same bytes as one that ClickHouse writes without them.
 */
export class RowKeys {
  /** Mark at the beginning of each key. */
  private readonly mark = newMark('key');
  private readonly rows: KeyedRows;

  /** @param order columns whose values are the key */
  constructor(written: WrittenColumns, format: RowFormat, order: PageOrder, which: RowsWithKeys) {
    this.rows = keyedRows(written, format, order, which);
  }

  get clickHouseFormat(): ClickHouseFormat {
    return this.rows.clickHouseFormat;
  }

  /** Query with the key as its last column. */
  query(bound: BoundQuery): BoundQuery {
    const { text } = this.rows.project(bound);
    return { ...bound, text, parameters: { ...bound.parameters, [MARK]: this.mark } };
  }

  /** Body without keys, and the keys in the order of the rows. @param rows number of rows in the body */
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
    // The separator ends the last row, so a body without rows does not have it.
    return rows > 0 ? whole : whole.subarray(0, whole.length - lines.separator.length);
  }
}

/** Whether a byte can be in a key: hexadecimal digits of values, `-` for null, and the space between two values. */
const isOfKey = (byte: number | undefined): boolean =>
  byte !== undefined &&
  ((byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || byte === 0x20 || byte === 0x2d);
