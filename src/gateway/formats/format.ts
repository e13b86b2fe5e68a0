import { randomUUID } from 'node:crypto';

import type { BoundQuery } from '../../endpoint/bind.js';
import type { Column, Numbers } from '../../endpoint/definition.js';
import type { JsonSchema } from '../../endpoint/json-schema.js';
import type { QueryCost } from '../../endpoint/limit-rules.js';

/** A column of a result with its ClickHouse type. A column that the endpoint declares can hold JSON. */
export interface ResultColumn {
  readonly name: string;
  readonly type: string;
  readonly holdsJson?: true;
}

/** One of ClickHouse's own output formats, and the settings that it is used with. */
export interface ClickHouseFormat {
  readonly name: string;
  readonly settings: Readonly<Record<string, string | number>>;
}

/** The columns of a result. */
export interface FormattedColumns {
  /** Columns that the endpoint declares; 'unknown' for a caller's own SQL. */
  readonly declared: ReadonlyMap<string, Column> | 'unknown';
  /** Columns that ClickHouse describes. */
  readonly described: readonly ResultColumn[];
  /** Present where numbers that JavaScript cannot hold exactly are written as strings. */
  readonly quoting?: Quoting | undefined;
}

/** How ClickHouse writes exactly those numbers as strings that JavaScript cannot hold exactly. */
export interface Quoting {
  readonly settings: ClickHouseFormat['settings'];
  /** Whether the settings write decimals as strings. Decimals for which that is wrong are converted in the query. */
  readonly quotesDecimals: boolean;
}

/** How a column of times is written: ISO 8601, or whole microseconds since 1970. */
export const TIMES = ['iso', 'unix-micros'] as const;

export type Times = (typeof TIMES)[number];

/** What a caller can choose in addition to the format, where the format supports it. */
export interface FormatOptions {
  readonly times: Times;
  readonly numbers: Numbers;
  /** Whether cells that a spreadsheet would run as formulas are written as texts. */
  readonly formulaSafe: boolean;
}

/** A complete body, cut to the row cap. */
export interface CutResult {
  readonly body: Buffer;
  /** Number of leading bytes that are the same for equal rows; the whole body where absent. */
  readonly equalBytes?: number;
  readonly rowCount: number;
  /** Rows that ClickHouse sent. */
  readonly rowsReceived: number;
  readonly truncated: boolean;
}

/** What determines how a body is cut. */
export interface CutContext extends Omit<FormatOptions, 'numbers'> {
  /** Maximum number of rows in the response. */
  readonly rowCap: number;
  readonly columns: readonly ResultColumn[];
  /** Cost of the query; undefined where the caller may not read it. */
  readonly cost: QueryCost | undefined;
}

interface AnyFormat {
  /** The media type without parameters, as in `Accept`. */
  readonly mediaType: string;
  /** Parameters that a media type in `Accept` may have for this format, such as `header=present`. */
  readonly mediaTypeParameters?: string;
  readonly contentType: string;
  /** File name extension, without the dot. */
  readonly extension: string;
  /** Whether the body is text, which a terminal can show. */
  readonly isText: boolean;
  /** Whether gzip and Brotli make the body smaller. */
  readonly isCompressible: boolean;
  /** Whether spreadsheets run cells of the format as formulas, so that `csv_safe` applies. */
  readonly hasFormulas: boolean;
  /**
   * Which values ClickHouse's format can write: `json` all of them; `text` no NaN, infinity or nested value; `typed`
   * only the types that every reader of Parquet and Arrow knows. `typed` formats have a type for times, so that a caller's
   * choice of `times` does not apply to them.
   */
  readonly values: 'json' | 'text' | 'typed';
  readonly clickHouseFormat: (columns: FormattedColumns) => ClickHouseFormat;
  /** The schema of the body in OpenAPI. @param list schema of the list of rows */
  readonly describeBody: (list: JsonSchema) => JsonSchema;
}

/** Properties that text formats share; CSV alone has formulas. */
export const TEXT = { isText: true, isCompressible: true, hasFormulas: false } as const;

/** How an export of a text format is written. ClickHouse writes the rows, the gateway the text before and after them. */
export interface ExportedRows {
  /** Format of a row, in the syntax of ClickHouse's `Template` format. */
  readonly row: string;
  /** Text between two rows. It ends with a line feed, so that the bytes up to a line feed are whole characters. */
  readonly separator: string;
  readonly start: string;
  readonly end: (rows: ExportedFigures) => string;
  /** Settings of ClickHouse for the values. */
  readonly settings?: ClickHouseFormat['settings'];
}

/** The figures that the text after the rows can contain. */
export interface ExportedFigures {
  readonly rowCount: number;
  /** Cost of the query; undefined where the caller may not read it. */
  readonly cost: QueryCost | undefined;
}

/** How a format writes exports. @param times the caller's choice */
export type ExportRows = (columns: FormattedColumns, times: Times) => ExportedRows;

/** An output format whose rows have boundaries in the bytes, so that the gateway can count them and cut the body. */
export interface RowFormat extends AnyFormat {
  /**
   * Proves that a body is complete, counts its rows and cuts it to the row cap.
   *
   * @throws Failure CLICKHOUSE_ANSWER_BROKEN where the body is not complete.
   */
  readonly cut: (body: Buffer, context: CutContext) => CutResult;
  /** Joins complete bodies into one with the rows of all, in their order. Absent where a body has more than rows. */
  readonly join?: (bodies: readonly Buffer[]) => Buffer;
  /** How an export is written. It has the same bytes as a result with the same rows. */
  readonly exportRows: ExportRows;
}

/** An output format whose bytes cannot be cut, so that the row cap is part of the query. */
export interface FileFormat extends AnyFormat {
  /** Whether a body has the bytes with which the format begins and ends. */
  readonly isComplete: (body: Buffer) => boolean;
}

/**
 * An output format for results with certain columns. In its text neither rows nor an end can be recognized. So the query gets an
 * additional last row with a mark, which proves that every row before it was received.
 */
export interface MarkedFormat extends AnyFormat {
  /** Why the columns of a result do not fit, as a text for the caller; undefined where they fit. */
  readonly problemOf: (columns: readonly Pick<ResultColumn, 'name' | 'type'>[]) => string | undefined;
  /** Wraps a query, so that its result has the right columns and the last row. The parameter {@link MARK} has the mark. */
  readonly project: (columns: FormattedColumns) => (query: BoundQuery) => BoundQuery;
  /** The text without the last row; undefined where the last row is missing. @throws Failure NOT_ACCEPTABLE */
  readonly unmark: (body: Buffer, mark: string) => Buffer | undefined;
}

/** The parameter with the mark of a query. No endpoint can declare a parameter with such a name. */
export const MARK = '_mark';

/** A text that no row contains by chance. @param what prefix: letters that name the kind of mark */
export const newMark = (what: string): string => what + randomUUID().replaceAll('-', '');

/** An output format: its name for callers is its key in `formats.ts`. */
export type OutputFormat = RowFormat | FileFormat | MarkedFormat;
