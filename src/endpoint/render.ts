import type { Condition, Filter, Node, Part, Query, Reference, Sql } from './sql.js';
import { Filter as FilterTerm } from './sql.js';

/** How one form of SQL writes the nodes that depend on the caller's parameters. */
export interface Dialect {
  readonly reference: (reference: Reference) => string;
  /** The term of a WHERE for a filter, or undefined to leave it out. */
  readonly filter: (filter: Filter, render: (sql: Sql) => string) => string | undefined;
  readonly choice: (
    branches: readonly (readonly [Condition, Sql])[],
    otherwise: Sql,
    render: (sql: Sql) => string,
  ) => string;
  /** The LIMIT of a subquery whose first rows are the first rows of the result; empty: no LIMIT. */
  readonly cap: string;
  /** Called for each setting that a fragment needs. */
  readonly setting: (name: string, value: number) => void;
  /** Whether parts that the body does not use are printed too. */
  readonly printsUnusedParts: boolean;
}

/** Writes a query in a dialect: WITH and the parts that the query uses, then the body. */
export function renderQuery(query: Query, dialect: Dialect): string {
  const used = new Set<Part>(query.named);
  const indent = query.isVerbatim ? asWritten : indented;
  const context: Context = { dialect, used, indent };
  const body = renderSql(query.body, context);
  const clauses: string[] = [];
  // A part can use the parts before it, so going backwards every use is known in time.
  for (const part of query.parts.toReversed()) {
    if (!dialect.printsUnusedParts && !used.has(part)) continue;
    clauses.unshift(`  ${part.name} AS (\n    ${indent(renderSql(part.query, context), '    ')}\n  )`);
  }
  return clauses.length === 0 ? body : `WITH\n${clauses.join(',\n')}\n${body}`;
}

/** What the fragments of one query are rendered with. */
interface Context {
  readonly dialect: Dialect;
  /** Receives the parts that a fragment names. */
  readonly used: Set<Part>;
  readonly indent: (text: string, indent: string) => string;
}

function renderSql(sql: Sql, context: Context): string {
  return sql.nodes.reduce((written, node) => {
    const text = renderNode(node, context);
    return written + (node.kind === 'text' ? text : context.indent(text, indentationOfLastLine(written)));
  }, '');
}

function renderNode(node: Node, context: Context): string {
  const { dialect, used } = context;
  const render = (sql: Sql): string => renderSql(sql, context);
  switch (node.kind) {
    case 'text':
      return node.text;
    case 'reference':
      return dialect.reference(node.reference);
    case 'fragment':
      return render(node.sql);
    case 'part':
      used.add(node.part);
      return node.part.name;
    case 'query':
      return renderQuery(node.query, dialect);
    case 'choice':
      return dialect.choice(node.branches, node.otherwise, render);
    case 'optional':
      return dialect.filter(node.filter, render) ?? '';
    case 'cap':
      return dialect.cap;
    case 'setting':
      dialect.setting(node.name, node.value);
      return '';
    case 'where':
      return renderWhere(node.terms, dialect, render);
  }
}

function renderWhere(
  terms: readonly (Sql | Filter)[],
  dialect: Dialect,
  render: (sql: Sql) => string,
): string {
  const written = terms.flatMap((term) => {
    const text = term instanceof FilterTerm ? dialect.filter(term, render) : render(term);
    return text === undefined ? [] : [indented(text, '  ')];
  });
  return written.length === 0 ? '' : `WHERE ${written.join('\n  AND ')}`;
}

function indentationOfLastLine(text: string): string {
  const start = text.lastIndexOf('\n') + 1;
  let end = start;
  while (text[end] === ' ') end += 1;
  return text.slice(start, end);
}

const asWritten = (text: string): string => text;

function indented(text: string, indent: string): string {
  return indent === '' ? text : text.replaceAll('\n', `\n${indent}`);
}
