import type { After } from './after-last-row.js';
import type { Caching } from './caching.js';
import type { DeprecationRules } from './deprecation.js';
import type { LimitRules } from './limit-rules.js';
import type { Parameter, ParameterValue } from './parameters/parameter.js';
import type { Query, Reference, Sql } from './sql.js';

/** A column of the rows of an endpoint. */
export interface Column {
  /** Exactly the type that ClickHouse's DESCRIBE gives. */
  readonly type: string;
  readonly meaning: string;
  /** The text is a JSON object, and JSON formats write it as that object, not as a string. */
  readonly holdsJson?: true;
}

/** Limits of one query, which ClickHouse itself enforces. */
export interface QueryLimits {
  /** Seconds. */
  readonly timeoutSeconds?: number;
  readonly maxMemoryBytes?: number;
  readonly maxRowsToRead?: number;
  /** Uncompressed. */
  readonly maxBytesToRead?: number;
  readonly maxResultBytes?: number;
}

/** Limits of an export: all rows of a query, beyond the row cap of a response, sent as they arrive. */
export interface ExportRules {
  /** An export with more rows fails. */
  readonly maxRows: number;
  /** Seconds that its query and its transfer to the caller may take together. */
  readonly maxSeconds: number;
}

/** How the rows of an endpoint are divided into pages. */
export interface PageRules {
  /**
   * The columns that order the rows, such as `timestamp desc`, `id` or `country asc nulls first`; no two rows may be equal in all of
   * them.
   */
  readonly by: readonly string[];
}

/**
 * Declares that the rows of a time range are those of its partitions, one after another. Then the rows of a partition whose data did
 * not change need not be queried again.
 */
export interface PieceRules {
  /** The table that has the partitions: `database.name`, or the name only. */
  readonly table: string;
  /** Its DateTime column by which the table is partitioned, and which the range bounds. */
  readonly time: string;
  /** The time column that assigns rows to buckets and orders them, such as `hour` or `hour desc`. */
  readonly bucket: string;
  /** The parameter with which the range begins. */
  readonly from: string;
  /** The parameter with which the range ends. */
  readonly to: string;
}

/** How JSON has numbers of types that JavaScript cannot hold exactly: as numbers, or as strings. */
export const NUMBERS = ['plain', 'text'] as const;

export type Numbers = (typeof NUMBERS)[number];

/** The execution settings of an endpoint, which a deployment can override. */
export interface EndpointSettings {
  /** The row cap: rows that a response has at most. */
  readonly maxRows: number;
  /** How long a result is cached, from the moment its query began: seconds, or until the data changes. */
  readonly caching: Caching;
  /** Seconds between refreshes of a cached result in use; 0 for never. */
  readonly warming: number;
  /** Whether callers may send SQL of their own over the endpoint's rows. */
  readonly sandboxing: 'enabled' | 'disabled';
  /** Seconds after its expiry for which a cached result is served while ClickHouse fails; the deployment's default where absent. */
  readonly staleIfError?: number;
  /** Limits of each query, below those of all queries. */
  readonly queryLimits?: QueryLimits;
  /** Limits of all callers together. */
  readonly limits?: LimitRules;
  /** Limits of exports; absent: nobody can export. A caller's key must allow exports too. */
  readonly exports?: ExportRules;
  /** Whether a call with an undeclared parameter is rejected; absent: the parameter is ignored. */
  readonly unknownParameters?: 'ignore' | 'reject';
  /** Whether calls after the sunset of a deprecated endpoint are rejected; where absent, the endpoint responds as before. */
  readonly goneAfterSunset?: boolean;
  /** How JSON writes numbers that JavaScript cannot hold exactly, where a call does not choose; absent: as numbers. */
  readonly numbers?: Numbers;
  /** Whether the endpoint is a table for clients of ClickHouse's protocol; absent: no. */
  readonly tables?: boolean;
}

/** `staleIfError` where neither the endpoint nor the deployment sets it. */
export const DEFAULT_STALE_IF_ERROR_SECONDS = 600;

/** The declared parameters of an endpoint, by name. */
export type Parameters = Readonly<Record<string, Parameter>>;

/** What `build` receives: a reference for each declared parameter. */
export type References<P extends Parameters> = {
  readonly [Name in keyof P]: P[Name] extends Parameter<infer Value extends ParameterValue>
    ? Reference<Value>
    : never;
};

/** Everything that an endpoint declares except its query. */
export interface EndpointDeclaration<P extends Parameters = Parameters> extends EndpointSettings {
  /** A constant UUID: callers may have saved it. */
  readonly id: string;
  /** Lower-case words, joined by dots or hyphens; a version ends in `@2`, and is another endpoint than the name without it. */
  readonly name: string;
  /** Description of the endpoint in one sentence. */
  readonly summary: string;
  /** Lower-case words by which people find the endpoint among others. */
  readonly tags?: readonly string[];
  readonly parameters: P;
  /** Parameter sets whose results are warmed from the start, before any request. */
  readonly warm?: readonly Readonly<Record<string, string>>[];
  /** The columns by name, in the order of the response. */
  readonly columns: Readonly<Record<string, Column>>;
  /** A row cap of the endpoint's own, below `maxRows`, which no deployment can raise. */
  readonly limit?: number;
  /** Present where callers should leave the endpoint, which responds as before. */
  readonly deprecated?: DeprecationRules;
  /** Present where a response that is cut names the next page of the rows. */
  readonly pages?: PageRules;
  /** Present where results are composed of partitions, so that only changed ones are queried again. */
  readonly pieces?: PieceRules;
  /**
   * The filter of a table for callers whose keys pin a parameter: the name of both column and parameter, or the parameter
   * by column. The gateway sends it with each query of such a caller.
   */
  readonly tenant?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  /** Query-string parameters of a call that returns rows of the demonstration data. */
  readonly example: Readonly<Record<string, string>>;
}

/** An endpoint as its author writes it, in a file of its own in `endpoints/`. */
export interface EndpointDefinition<P extends Parameters> extends EndpointDeclaration<P> {
  /** The query, without a LIMIT: the gateway appends the row cap. */
  readonly build: (parameters: References<P>, now: Reference<string>, after: After) => Sql | Query;
}

/**
 * Declares a column by its ClickHouse type and its meaning.
 *
 * @example
 * ```ts
 * column('LowCardinality(String)', 'City of the visitor.')
 * ```
 */
export function column(type: string, meaning: string): Column {
  return { type, meaning };
}

/**
 * Declares a String column with the text of a JSON object, which JSON formats write as that object.
 *
 * @example
 * ```ts
 * jsonColumn('Everything else in the record.')
 * ```
 */
export function jsonColumn(meaning: string): Column {
  return { type: 'String', meaning, holdsJson: true };
}
