import { nameOf, isName } from '../../endpoint/sql-file/select/names.js';
import { readFrame } from '../../endpoint/sql-file/select/frame.js';
import { isSymbol, type Node, type TokenNode } from '../../endpoint/sql-file/select/nodes.js';
import type { ClientNames } from './constant-calls.js';
import { CODES } from './error-codes.js';
import { findTables, slotOf, type Edit, type FoundTables, type InternalName } from './find-tables.js';
import { internalPrefix } from './internal-names.js';
import { StatementProblem, type SelectStatement, type TableNames } from './statement.js';
import { textOf } from './words.js';

/** What a statement is read with. */
export interface StatementContext extends ClientNames {
  /** Whether a text that is written beside the statement has this beginning of internal names. */
  readonly isUsed: (beginning: string) => boolean;
}

/** A SELECT without what stands at the end of its statement. */
export type Select = Omit<SelectStatement, 'format' | 'settings'>;

/** Reads a SELECT: its nodes, and the tokens that these have. @throws StatementProblem */
export function readSelect(
  nodes: readonly Node[],
  tokens: readonly TokenNode[],
  names: TableNames,
  context: StatementContext,
): Select {
  checkSettings(tokens);
  const frame = readFrame(nodes);
  const found = findTables(frame, names, {
    ...context,
    isRecursive: tokens.some(({ word }) => word === 'RECURSIVE'),
  });
  const words = new Set(tokens.filter(isName).map(nameOf));
  const texts = [...words, ...tokens.map((token) => textOf(token) ?? token.text)];
  const template = writeText(tokens, found.edits, (read) => JSON.stringify(identityOf(found, read)));
  const prefix = internalPrefix(
    template,
    (beginning) => texts.some((text) => text.includes(beginning)) || context.isUsed(beginning),
  );
  const internal: InternalName = (read) => `${prefix}${read + 1}`;
  return {
    text: writeText(tokens, found.edits, internal),
    reads: found.reads.map((read, index) => ({ ...read, internal: internal(index) })),
    parameters: found.parameters,
    words,
    hasMatcher: found.hasMatcher,
    slot: found.reads.length === 0 ? undefined : slotOf(internal),
  };
}

const identityOf = ({ reads }: FoundTables, read: number): readonly unknown[] => [
  reads[read]?.table,
  ...(reads[read]?.args ?? []),
];

/** ClickHouse lets SETTINGS in a subquery change what it would refuse at the end. */
function checkSettings(tokens: readonly TokenNode[]): void {
  const found = tokens.some(({ word }, at) => word === 'SETTINGS' && !isSymbol(tokens[at - 1], '.'));
  if (!found) return;
  throw new StatementProblem(
    CODES.READONLY,
    'SETTINGS can stand only at the end of the statement, as SETTINGS name = value. Quote a column of this name.',
  );
}

/** The tokens with single spaces where spaces or comments are, and with the edits. */
function writeText(tokens: readonly TokenNode[], edits: readonly Edit[], internal: InternalName): string {
  const byStart = new Map(edits.map((edit) => [edit.start, edit]));
  let [text, end] = ['', tokens[0]?.start ?? 0];
  for (const token of tokens) {
    if (token.start < end) continue;
    const edit = byStart.get(token.start);
    const written = edit ? edit.write(internal) : token.text;
    const isApart = token.start > end || (/\w$/.test(text) && /^\w/.test(written));
    text += (isApart ? ' ' : '') + written;
    ({ end } = edit ?? token);
  }
  return text;
}
