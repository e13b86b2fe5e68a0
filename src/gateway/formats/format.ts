import { randomUUID } from 'node:crypto';

import type { BoundQuery } from '../../endpoint/bind.js';
import type { Column, Numbers } from '../../endpoint/definition.js';
import type { JsonSchema } from '../../endpoint/json-schema.js';
import type { QueryCost } from '../../endpoint/limit-rules.js';

/** A column of a result, as ClickHouse describes it; one that the endpoint declares can hold JSON. */
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
  /** As the endpoint declares them; 'unknown' for a caller's own SQL. */
  readonly declared: ReadonlyMap<string, Column> | 'unknown';
  /** As ClickHouse describes them. */
  readonly described: readonly ResultColumn[];
  /** Present where the numbers that JavaScript cannot hold exactly are strings. */
  readonly quoting?: Quoting | undefined;
}

/** How ClickHouse is made to write the numbers that JavaScript cannot hold exactly, and no others, as strings. */
export interface Quoting {
  readonly settings: ClickHouseFormat['settings'];
  /** Whether the settings make strings of decimals: those that should be otherwise are converted. */
  readonly quotesDecimals: boolean;
}

/** How a column of times is written: ISO 8601, or whole microseconds since 1970. */
export const TIMES = ['iso', 'unix-micros'] as const;

export type Times = (typeof TIMES)[number];

/** What a caller can choose beside the format, where the format supports it. */
export interface FormatOptions {
  readonly times: Times;
  readonly numbers: Numbers;
  /** Whether cells that a spreadsheet would run as formulas are made harmless. */
  readonly formulaSafe: boolean;
}

/** A complete body with at most as many rows as the cap allows. */
export interface CutResult {
  readonly body: Buffer;
  /** Leading bytes of the body that are the same for equal rows; all bytes where it is absent. */
  readonly equalBytes?: number;
  readonly rowCount: number;
  /** Rows that ClickHouse sent. */
  readonly rowsReceived: number;
  readonly truncated: boolean;
}

/** What a body is cut with. */
export interface CutContext extends Omit<FormatOptions, 'numbers'> {
  /** Rows that the response may have. */
  readonly rowCap: number;
  readonly columns: readonly ResultColumn[];
  /** Undefined where the caller may not read it. */
  readonly cost: QueryCost | undefined;
}

interface AnyFormat {
  /** The bare media type, as `Accept` names it. */
  readonly mediaType: string;
  /** Parameters with which a media type in `Accept` may name the format too, such as `header=present`. */
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
   * only the types that every reader of Parquet and Arrow knows. Times of `typed` formats have a type of their own, so that
   * a caller's choice of `times` does not apply.
   */
  readonly values: 'json' | 'text' | 'typed';
  readonly clickHouseFormat: (columns: FormattedColumns) => ClickHouseFormat;
  /** The body in OpenAPI. @param list schema of the list of rows */
  readonly describeBody: (list: JsonSchema) => JsonSchema;
}

/** What text formats have in common; CSV alone has formulas. */
export const TEXT = { isText: true, isCompressible: true, hasFormulas: false } as const;

/** How an export of a text format is written: ClickHouse writes the rows, the gateway what stands before and after them. */
export interface ExportedRows {
  /** A row, in the syntax of ClickHouse's `Template` format. */
  readonly row: string;
  /** Between two rows; ends with a line feed, so that the bytes up to a line feed are whole characters. */
  readonly separator: string;
  readonly start: string;
  readonly end: (rows: ExportedFigures) => string;
  /** Settings of ClickHouse for the values. */
  readonly settings?: ClickHouseFormat['settings'];
}

/** What stands after the rows can contain. */
export interface ExportedFigures {
  readonly rowCount: number;
  /** Undefined where the caller may not read it. */
  readonly cost: QueryCost | undefined;
}

/** How a format writes exports. @param times as the caller chose them */
export type ExportRows = (columns: FormattedColumns, times: Times) => ExportedRows;

/** An output format whose rows have boundaries in the bytes, so that the gateway can count them and cut the body. */
export interface RowFormat extends AnyFormat {
  /**
   * Proves that a body is complete, counts its rows and cuts it to the row cap.
   *
   * @throws Failure CLICKHOUSE_ANSWER_BROKEN where the body is not complete.
   */
  readonly cut: (body: Buffer, context: CutContext) => CutResult;
  /** One body with the rows of several complete ones, in their order; absent where a body has more than the rows. */
  readonly join?: (bodies: readonly Buffer[]) => Buffer;
  /** How an export is written; its bytes are those of a result with as many rows. */
  readonly exportRows: ExportRows;
}

/** An output format whose bytes cannot be cut, so that the row cap is part of the query. */
export interface FileFormat extends AnyFormat {
  /** Whether a body has the marks with which the format begins and ends. */
  readonly isComplete: (body: Buffer) => boolean;
}

/**
 * An output format for results with certain columns, whose text has neither rows that can be counted nor an end: a query gets a
 * last row with a mark, which proves that every row before it was received.
 */
export interface MarkedFormat extends AnyFormat {
  /** Why a result does not have the columns, for the caller; undefined where it has them. */
  readonly problemOf: (columns: readonly Pick<ResultColumn, 'name' | 'type'>[]) => string | undefined;
  /** Wraps a query, whose parameter {@link MARK} is the mark, so that it has the columns and the last row. */
  readonly project: (columns: FormattedColumns) => (query: BoundQuery) => BoundQuery;
  /** The text without the last row; undefined where it does not end with one. @throws Failure NOT_ACCEPTABLE */
  readonly unmark: (body: Buffer, mark: string) => Buffer | undefined;
}

/** The parameter with the mark of a query. No endpoint can declare one with such a name. */
export const MARK = '_mark';

/** A text that no row contains by chance. @param what letters of which it is a mark */
export const newMark = (what: string): string => what + randomUUID().replaceAll('-', '');

/** An output format: its name for callers is its key in `formats.ts`. */
export type OutputFormat = RowFormat | FileFormat | MarkedFormat;
