import type { LimitRules } from '../limits/limit-rules.js';
import type { Parameter, ParameterValue } from './parameters/parameter.js';
import type { Query, Reference, Sql } from './sql.js';

/** A column of an endpoint's result. */
export interface Column {
  /** Exactly the type that ClickHouse's DESCRIBE gives. */
  readonly type: string;
  readonly meaning: string;
  /** The text is a JSON object, and stands in a JSON answer as that object, not as a string. */
  readonly holdsJson?: true;
}

/** How far one query may go; each is a limit that ClickHouse itself keeps. */
export interface QueryLimits {
  /** Seconds. */
  readonly timeoutSeconds?: number;
  readonly maxMemoryBytes?: number;
  readonly maxRowsToRead?: number;
  /** Uncompressed. */
  readonly maxBytesToRead?: number;
  readonly maxResultBytes?: number;
}

/** The execution settings of an endpoint, which a deployment can override. */
export interface EndpointSettings {
  /** Most rows in an answer. */
  readonly maxRows: number;
  /** Seconds for which a result is cached, from the moment its query began. */
  readonly caching: number | 'disabled';
  /** Seconds between refreshes of a cached result that is in use; 0 for never. */
  readonly warming: number;
  /** Whether the caller may send SQL of its own over the endpoint's result. */
  readonly sandboxing: 'enabled' | 'disabled';
  /** Seconds past its expiry for which a cached result may stand in while ClickHouse fails; the deployment's default where absent. */
  readonly staleIfError?: number;
  /** What its queries may cost, below what all queries may. */
  readonly queryLimits?: QueryLimits;
  /** What all callers together may ask of it. */
  readonly limits?: LimitRules;
}

/** What `staleIfError` is where neither endpoint nor deployment say. */
export const DEFAULT_STALE_IF_ERROR_SECONDS = 600;

/** The declared parameters of an endpoint, by name. */
export type Parameters = Readonly<Record<string, Parameter>>;

/** What a builder gets for each declared parameter. */
export type References<P extends Parameters> = {
  readonly [Name in keyof P]: P[Name] extends Parameter<infer Value extends ParameterValue>
    ? Reference<Value>
    : never;
};

/** All that an endpoint declares beside its query. */
export interface EndpointDeclaration<P extends Parameters = Parameters> extends EndpointSettings {
  /** A constant UUID; what callers who saved it rely on. */
  readonly id: string;
  /** Dotted or hyphenated; lower case. */
  readonly name: string;
  /** One sentence for the list of endpoints. */
  readonly summary: string;
  readonly parameters: P;
  /** Parameter sets whose results are warmed from the start, whether anybody asks or not. */
  readonly warm?: readonly Readonly<Record<string, string>>[];
  /** In the order in which they stand in the answer. */
  readonly columns: Readonly<Record<string, Column>>;
  /** A cap of the endpoint itself, below `maxRows`, which no deployment can raise. */
  readonly limit?: number;
  /** Query-string parameters of a call that works on the demonstration data. */
  readonly example: Readonly<Record<string, string>>;
}

/** An endpoint as its author writes it, one a file in `endpoints/`. */
export interface EndpointDefinition<P extends Parameters> extends EndpointDeclaration<P> {
  /** The query, without a LIMIT: the gateway appends the row cap. */
  readonly build: (parameters: References<P>, now: Reference<string>) => Sql | Query;
}

/** A column of a type, with what it means. */
export function column(type: string, meaning: string): Column {
  return { type, meaning };
}

/** A String column that holds a JSON object, answered as that object. */
export function jsonColumn(meaning: string): Column {
  return { type: 'String', meaning, holdsJson: true };
}
