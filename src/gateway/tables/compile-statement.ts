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

/** A statement that ClickHouse can run: its tables are WITH queries. */
export interface CompiledStatement {
  readonly query: BoundQuery;
  /** Values of further parameters, in ClickHouse's escaped form. */
  readonly values: Readonly<Record<string, string>>;
  /** The endpoints that it reads. */
  readonly reads: readonly EndpointRead[];
  /** The query with other conditions of tables, by {@link StatementRead.name}; undefined where it would be too long. */
  readonly queryOver: (filters: ReadonlyMap<string, string>) => BoundQuery | undefined;
}

/** An endpoint that a statement reads. */
export interface EndpointRead extends StatementRead {
  /** Its table. */
  readonly table: string;
  /** Its SELECT. */
  readonly text: string;
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

/** A WITH query. */
interface Part {
  readonly name: string;
  readonly sql: string;
  /** Its `additional_table_filters`. */
  readonly filters?: string | undefined;
}

/** The arguments of `numbers`. */
function textsOf({ args }: TableRead): ReadonlyMap<string, string> {
  return new Map([...args].map(([name, argument]) => [name, argument.kind === 'text' ? argument.text : '']));
}

/** Characters of a statement with the queries of its tables. */
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
  // Each query of a UNION has the tables of all.
  if (text.length + (text.split(slot).length - 1) * all.length > MAX_CHARACTERS) return undefined;
  const written = replaceUnquoted(text, slot, all);
  if (written === text) throw new Error('the statement has no place for the tables that it reads');
  return written;
}
