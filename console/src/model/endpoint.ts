/** How long results are cached: seconds, not at all, or until the data changes, which is checked every so many seconds. */
export type Caching =
  number | 'disabled' | 'until-changed' | { readonly check: number; readonly atMost: number };

/** An endpoint as `GET /api/endpoints` describes it. */
export interface Endpoint {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly query: string;
  /** The row cap. */
  readonly maxRows: number;
  /** The LIMIT at the end of the saved query; absent where it has none. */
  readonly limit?: number;
  readonly caching: Caching;
  /** Seconds; 0 for never. */
  readonly warming: number;
  readonly sandboxing: 'enabled' | 'disabled';
  /** Whether it is a table over the SQL port. */
  readonly tables?: boolean;
  /** The SQL port of the gateway, where it is a table. */
  readonly sqlPort?: number;
  readonly parameters: readonly Parameter[];
  readonly columns: readonly Column[];
  readonly example: Values;
  /** Present where callers should leave it. */
  readonly deprecated?: Deprecation;
  /** Present where the key may export all rows. */
  readonly exports?: object;
  /** Present where rows come in pages: their columns, such as `timestamp desc`. */
  readonly pages?: { readonly by: readonly string[] };
}

export interface Deprecation {
  /** ISO 8601, as the next one. */
  readonly since: string;
  readonly sunset?: string;
  /** Name of the endpoint to call instead. */
  readonly successor?: string;
  readonly goneAfterSunset: boolean;
}

export interface Parameter {
  readonly name: string;
  /** A kind of the gateway, such as `integer` or `string-list`, or one of a later gateway. */
  readonly kind: string;
  readonly required: boolean;
  /** What an empty text means. */
  readonly empty: 'value' | 'omitted' | 'problem';
  readonly type: string;
  readonly description: string;
  readonly choices?: readonly string[];
  readonly suggestions?: readonly string[];
  /** The value of an omitted parameter. */
  readonly default?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  /** Seconds to which "now" is rounded in relative times; absent where these are not accepted. */
  readonly relativeStep?: number;
  /** Whether order and duplicates of the items of a list make no difference. */
  readonly set?: boolean;
  readonly deprecated?: boolean;
  /** Whether the value must be in no URL, history, storage or snippet. */
  readonly secret?: boolean;
  /** Present where the key supplies the value; without one where that is a secret. */
  readonly pinned?: { readonly value?: string };
  readonly choicesFrom?: ChoicesFrom;
}

/** An endpoint, one column of which lists the values of a parameter. */
export interface ChoicesFrom {
  readonly endpoint: string;
  readonly column: string;
}

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly description: string;
}

/** Whether the empty text filters on the empty text, so that the form has to distinguish it from an omitted parameter. */
export const mayBeEmpty = ({
  kind,
  empty,
  required,
}: Pick<Parameter, 'kind' | 'empty' | 'required'>): boolean =>
  kind === 'string' && empty === 'value' && !required;

/** Whether all rows of a call can be exported, which is not those of a caller's own SQL. */
export const canExport = ({ exports }: Pick<Endpoint, 'exports'>, values: Values): boolean =>
  exports !== undefined && values[SQL] === undefined;

/** The parameters of a request; an absent name is an omitted parameter. */
export type Values = Readonly<Record<string, string>>;

/** A value in a result; each of its numbers is a `LosslessNumber`. */
export type Cell = string | number | boolean | null | object;

export type Row = Readonly<Record<string, Cell>>;

/** The parameter for a caller's own SQL. */
export const SQL = 'sql';

/** A ClickHouse type without wrappers that do not change how values are written. */
export const bare = (type: string): string =>
  type.replace(/^(?:Nullable\(|LowCardinality\(|SimpleAggregateFunction\(\w+, )+/, '');

export const isTime = (type: string): boolean => bare(type).startsWith('Date');

/** Whether values are dates without a time of day. */
export const isDate = (type: string): boolean => /^Date(?:32)?(?![\dT])/.test(bare(type));

export const isNumber = (type: string): boolean => /^(?:U?Int\d|B?Float|Decimal)/.test(bare(type));

/** Whether values are short texts, which can name what a row is about. */
export const isLabel = (type: string): boolean =>
  /^(?:String|FixedString|Enum|Bool|UUID|IPv)/.test(bare(type));

const IDENTIFIERS = /(?:^|_)(?:ids?|uuid|year|port|code|status|pid|uid|gid|zip|version|hash|asn)$/;

/** Whether the values of a column name something, by the last word of its name: nobody adds or groups their digits. */
export const isIdentifier = (column: string): boolean =>
  IDENTIFIERS.test(column.replaceAll(/([a-z\d])(?=[A-Z])|[^a-zA-Z\d]+/g, '$1_').toLowerCase());

/** Whether the values of a column measure something: numbers that name nothing. */
export const isMeasure = ({ name, type }: Pick<Column, 'name' | 'type'>): boolean =>
  isNumber(type) && !isIdentifier(name);

/** Rows of a response at most: the row cap, or the LIMIT of the saved query. */
export const mostRows = ({ maxRows, limit = Infinity }: Pick<Endpoint, 'maxRows' | 'limit'>): number =>
  Math.min(maxRows, limit);

/**
 * Rows to which the saved query’s own LIMIT cuts results by design; undefined where it does not. A lower row cap of the
 * deployment cuts them before it, and nobody who reads the saved query expects that.
 */
export const designedLimit = ({ maxRows, limit }: Pick<Endpoint, 'maxRows' | 'limit'>): number | undefined =>
  limit !== undefined && limit <= maxRows ? limit : undefined;
