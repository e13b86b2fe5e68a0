import { Part, Sql, Filter, type Node, type Query } from '../../src/endpoint/sql.js';

/** The query without the branches that only make it faster: the same rows, always from the rows themselves. */
export function withoutShortcuts(query: Query): Query {
  const parts = new Map<Part, Part>();
  const ofPart = (part: Part): Part => {
    const known = parts.get(part) ?? new Part(part.name, ofSql(part.query));
    parts.set(part, known);
    return known;
  };
  const ofSql = (sql: Sql): Sql => new Sql(sql.nodes.map(ofNode));
  const ofNode = (node: Node): Node => {
    switch (node.kind) {
      case 'text':
      case 'reference':
      case 'cap':
      case 'setting':
        return node;
      case 'fragment':
        return { kind: 'fragment', sql: ofSql(node.sql) };
      case 'part':
        return { kind: 'part', part: ofPart(node.part) };
      case 'query':
        return { kind: 'query', query: withoutShortcuts(node.query) };
      case 'where':
        return {
          kind: 'where',
          terms: node.terms.map((term) =>
            term instanceof Filter ? new Filter(term.given, ofSql(term.condition)) : ofSql(term),
          ),
        };
      case 'choice': {
        const open = node.branches.filter(([{ isShortcut = false }]) => !isShortcut);
        return {
          kind: 'choice',
          branches: open.map(([condition, sql]) => [condition, ofSql(sql)] as const),
          otherwise: ofSql(node.otherwise),
        };
      }
    }
  };
  return {
    parts: query.parts.map(ofPart),
    body: ofSql(query.body),
    ...(query.named && { named: query.named.map(ofPart) }),
  };
}
