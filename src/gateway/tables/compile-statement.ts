import type { BoundQuery } from '../../endpoint/bind.js';
import { bindTable } from '../../endpoint/bind-table.js';
import type { Endpoint } from '../../endpoint/endpoint.js';
import type { StatementRead } from '../query/execute-statement.js';
import { pinnedParameters } from '../query/row-scope.js';
import { scopeOf } from '../auth/pinned-parameters.js';
import { replaceUnquoted } from '../sandbox/printed-text.js';
import type { EndpointTable } from './catalogue.js';
import { metadataPart } from './metadata-part.js';
import { sentValue, valuesOfArguments, type ArgumentReader } from './arguments.js';
import { CODES, StatementProblem, type SelectStatement, type TableRead } from './statement.js';

/** A statement that ClickHouse can run. WITH queries define its tables. */
export interface CompiledStatement {
  readonly query: BoundQuery;
  /** Values of parameters that the client sent, in ClickHouse's escaped form. */
  readonly values: Readonly<Record<string, string>>;
  /** Endpoints that the statement reads. */
  readonly reads: readonly EndpointRead[];
  /** Makes the query with other table filters, by {@link StatementRead.name}. Undefined where the query would be too long. */
  readonly queryOver: (filters: ReadonlyMap<string, string>) => BoundQuery | undefined;
}

/** An endpoint that a statement reads. */
export interface EndpointRead extends StatementRead {
  /** Name of the endpoint's table. */
  readonly table: string;
  /** SELECT of the endpoint. */
  readonly text: string;
}

/** Options of the compiler. */
export interface CompilerOptions extends ArgumentReader {
  /** Finds the endpoint of a table. Undefined for a catalogue. */
  readonly endpointOf: (table: string) => Endpoint | undefined;
  /** Endpoints that the catalogues list. */
  readonly listed: readonly EndpointTable[];
}

/**
 * Settings that reset what a client may send, to the values that REST uses. A client must not change what an endpoint's SQL means.
 */
const OF_ENDPOINTS: readonly string[] = [
  ...['join_use_nulls = 0', 'cast_keep_nullable = 0', 'prefer_column_name_to_alias = 0'],
  ...["date_time_input_format = 'best_effort'", "date_time_output_format = 'iso'"],
  ...['output_format_json_quote_64bit_integers = 0', 'output_format_json_quote_denormals = 0'],
  ...['output_format_binary_write_json_as_string = 0', 'output_format_json_escape_forward_slashes = 0'],
];

/**
 * Puts the queries of the tables in front of a checked SELECT, as WITH queries.
 *
 * @param text SELECT as ClickHouse prints it
 * @throws StatementProblem for invalid arguments of a table, and for a query that is too long
 */
export function compileStatement(
  text: string,
  statement: SelectStatement & { readonly kind: 'select' | 'describe' },
  options: CompilerOptions,
): CompiledStatement {
  const { reads, parameters: named, kind, slot } = statement;
  const { principal, sent, now, seal, endpointOf, listed } = options;
  const reader = { principal, sent, now, seal, isDescribed: kind === 'describe' };
  const scope = scopeOf(principal);
  const pinned = pinnedParameters(scope);
  const parts: Part[] = [];
  const endpointReads: EndpointRead[] = [];
  const parameters: Record<string, BoundQuery['parameters'][string]> = {};
  const values: Record<string, string> = {};
  const settings: Record<string, number> = {};
  for (const read of reads) {
    const { table, internal: name } = read;
    const endpoint = endpointOf(table);
    if (endpoint) {
      const given = valuesOfArguments(endpoint, read, reader);
      const bound = bindTable(endpoint, given, { pinned, now, name, settings: OF_ENDPOINTS });
      const { text: sql, filters } = bound;
      parts.push({ name, sql, filters });
      endpointReads.push({ table, name, text: sql, endpoint, values: given, scope });
      Object.assign(parameters, bound.parameters);
      Object.assign(settings, bound.settings);
    } else {
      const reading = { args: textsOf(read), ...statement };
      const { sql, parameters: own } = metadataPart(table, listed, reading, name);
      parts.push({ name, sql });
      Object.assign(parameters, own);
    }
  }
  for (const name of named) values[name] = sentValue(sent, name);
  const queryOver: CompiledStatement['queryOver'] = (filters) => {
    const select = withParts(parts, filters, text, slot);
    if (select === undefined) return undefined;
    return { text: kind === 'describe' ? `DESCRIBE (${select})` : select, parameters, settings };
  };
  const query = queryOver(new Map());
  if (query) return { query, values, reads: endpointReads, queryOver };
  throw new StatementProblem(
    CODES.QUERY_IS_TOO_LARGE,
    'The statement is too long with the queries of the endpoints that it reads. Write fewer queries in its UNION.',
  );
}

/** A WITH query that defines a table of the statement. */
interface Part {
  readonly name: string;
  readonly sql: string;
  /** Value of its setting `additional_table_filters`. */
  readonly filters?: string | undefined;
}

/** Arguments of `numbers`, as text by name. */
function textsOf({ args }: TableRead): ReadonlyMap<string, string> {
  return new Map([...args].map(([name, argument]) => [name, argument.kind === 'text' ? argument.text : '']));
}

/** Maximum length of a statement with the queries of its tables, in characters. */
const MAX_CHARACTERS = 4_000_000;

function withParts(
  parts: readonly Part[],
  others: ReadonlyMap<string, string>,
  text: string,
  slot: string | undefined,
): string | undefined {
  if (slot === undefined) return text;
  const queries = parts.map(({ name, sql, filters: own }) => {
    const filters = others.get(name) ?? own;
    return `${name} AS (\n${sql}${filters === undefined ? '' : `, additional_table_filters = ${filters}`}\n)`;
  });
  const all = queries.join(', ');
  // Every query of a UNION gets the WITH queries of all tables.
  if (text.length + (text.split(slot).length - 1) * all.length > MAX_CHARACTERS) return undefined;
  const written = replaceUnquoted(text, slot, all);
  if (written === text) throw new Error('the statement has no place for the tables that it reads');
  return written;
}
