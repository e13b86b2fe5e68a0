import { withLiterals } from '../../src/gateway/tables/compared-literals.js';
import { readStatement } from '../../src/gateway/tables/read-statement.js';
import {
  StatementProblem,
  type SelectStatement,
  type Statement,
} from '../../src/gateway/tables/statement.js';
import { tableNames } from './table-names.js';

/** The tables of {@link readExample}. */
export const EXAMPLE_TABLES = tableNames('querygate', [
  'edge',
  'usage_paths',
  'by_status',
  'usage_edge_rows',
  'tables',
]);
/** What {@link readExample} reads with. */
export const EXAMPLE_CONTEXT = { user: 'querygate', database: 'querygate', isUsed: (): boolean => false };

/** Reads a statement over example tables. */
export const readExample = (sql: string): Statement => readStatement(sql, EXAMPLE_TABLES, EXAMPLE_CONTEXT);

/** Reads a SELECT over example tables. */
export function readExampleSelect(sql: string): SelectStatement {
  const statement = readExample(sql);
  if ('template' in statement) return statement;
  throw new Error(`${sql} is no SELECT`);
}

/** The text of a SELECT with its literals. */
export const textOfSelect = ({
  template,
  literals,
}: Pick<SelectStatement, 'template' | 'literals'>): string => withLiterals(template, literals);

/** A text without the WITH queries that those of its tables replace. */
const withoutSlots = (text: string, slot: string): string =>
  text.replaceAll(`WITH ${slot}, `, 'WITH ').replaceAll(`WITH ${slot} `, '');

/** A statement as one line: its text with tables in the place of internal names, and what else it has; or its problem. */
export function shownStatement(sql: string): string {
  try {
    const statement = readExample(sql);
    if (statement.kind === 'kill') return `kill ${statement.queryId}`;
    const settings = [...statement.settings].map(([name, value]) => ` ${name}=${value}`).join('');
    if (statement.kind === 'nothing') return `nothing${settings}`;
    const { reads, format, slot } = statement;
    const text = textOfSelect(statement);
    const written = reads.reduce(
      (all, { internal, table }) => all.replaceAll(internal, `<${table}>`),
      slot === undefined ? text : withoutSlots(text, slot),
    );
    const prefix = statement.kind === 'describe' ? 'describe ' : '';
    return `${prefix}${written}${format === undefined ? '' : ` FORMAT ${format}`}${settings}`;
  } catch (error) {
    if (!(error instanceof StatementProblem)) throw error;
    return `${error.number} ${error.message}`;
  }
}
