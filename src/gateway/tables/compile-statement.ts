import type { BoundQuery } from '../../endpoint/bind.js';
import { bindTable } from '../../endpoint/bind-table.js';
import type { Endpoint } from '../../endpoint/endpoint.js';
import { pinnedParameters } from '../query/row-scope.js';
import { scopeOf } from '../auth/pinned-parameters.js';
import { replaceUnquoted } from '../sandbox/printed-text.js';
import type { EndpointTable } from './catalogue.js';
import { metadataPart } from './metadata-part.js';
import { sentValue, valuesOfArguments, type ArgumentReader } from './arguments.js';
import { CODES, StatementProblem, type SelectStatement, type TableRead } from './statement.js';

/** A statement that ClickHouse can run: its tables are WITH queries. */
export interface CompiledStatement {
  readonly query: BoundQuery;
  /** Values of further parameters, in ClickHouse's escaped form. */
  readonly values: Readonly<Record<string, string>>;
  /** The SELECTs of the endpoints that it reads, each with its table. */
  readonly endpoints: readonly (readonly [table: string, text: string])[];
}

/** What a statement is compiled with. */
export interface CompilerOptions extends ArgumentReader {
  /** The endpoint of a table; undefined for one of the catalogues. */
  readonly endpointOf: (table: string) => Endpoint | undefined;
  /** Those that the catalogues list. */
  readonly listed: readonly EndpointTable[];
}

/**
 * The settings of the contract that a client may send and that reach the rows of a part, with the values that REST has. A client's
 * setting must not change what an endpoint's SQL means.
 */
const OF_ENDPOINTS: readonly string[] = [
  ...['join_use_nulls = 0', 'cast_keep_nullable = 0', 'prefer_column_name_to_alias = 0'],
  ...["date_time_input_format = 'best_effort'", "date_time_output_format = 'iso'"],
  ...['output_format_json_quote_64bit_integers = 0', 'output_format_json_quote_denormals = 0'],
  'output_format_binary_write_json_as_string = 0',
];

/**
 * Puts the tables that a checked SELECT reads in front of it.
 *
 * @param text of the SELECT, as ClickHouse prints it
 * @throws StatementProblem for the arguments of a table
 */
export function compileStatement(
  text: string,
  statement: SelectStatement & { readonly kind: 'select' | 'describe' },
  options: CompilerOptions,
): CompiledStatement {
  const { reads, parameters: named, kind, slot } = statement;
  const { principal, sent, now, endpointOf, listed } = options;
  const pinned = pinnedParameters(scopeOf(principal));
  const parts: string[] = [];
  const endpoints: [string, string][] = [];
  const parameters: Record<string, BoundQuery['parameters'][string]> = {};
  const values: Record<string, string> = {};
  const settings: Record<string, number> = {};
  for (const read of reads) {
    const endpoint = endpointOf(read.table);
    if (endpoint) {
      const given = valuesOfArguments(endpoint, read, { isDescribed: kind === 'describe', ...options });
      const bound = bindTable(endpoint, given, {
        ...{ pinned, now, name: read.internal, settings: OF_ENDPOINTS },
      });
      parts.push(`${read.internal} AS (\n${bound.text}\n)`);
      endpoints.push([read.table, bound.text]);
      Object.assign(parameters, bound.parameters);
      Object.assign(settings, bound.settings);
    } else {
      const reading = { args: textsOf(read), ...statement };
      const { sql, parameters: own } = metadataPart(read.table, listed, reading, read.internal);
      parts.push(`${read.internal} AS (${sql})`);
      Object.assign(parameters, own);
    }
  }
  for (const name of named) values[name] = sentValue(sent, name);
  const select = withParts(parts, text, slot);
  return {
    query: { text: kind === 'describe' ? `DESCRIBE (${select})` : select, parameters, settings },
    ...{ values, endpoints },
  };
}

/** The arguments of `numbers`. */
function textsOf({ args }: TableRead): ReadonlyMap<string, string> {
  return new Map([...args].map(([name, argument]) => [name, argument.kind === 'text' ? argument.text : '']));
}

/** Characters of a statement with the queries of its tables. */
const MAX_CHARACTERS = 4_000_000;

function withParts(parts: readonly string[], text: string, slot: string | undefined): string {
  if (slot === undefined) return text;
  const written = replaceUnquoted(text, slot, parts.join(', '));
  if (written === text) throw new Error('the statement has no place for the tables that it reads');
  if (written.length <= MAX_CHARACTERS) return written;
  // Each query of a UNION has the tables of all.
  throw new StatementProblem(
    CODES.QUERY_IS_TOO_LARGE,
    'The statement is too long with the queries of the endpoints that it reads. Write fewer queries in its UNION.',
  );
}
