import { createHash } from 'node:crypto';

import { readFrame } from '../../endpoint/sql-file/select/frame.js';
import { isName, nameOf } from '../../endpoint/sql-file/select/names.js';
import { isSymbol, type Node, type TokenNode } from '../../endpoint/sql-file/select/nodes.js';
import { comparedLiterals, placeOf } from './compared-literals.js';
import type { ClientNames } from './constant-calls.js';
import { findTables, slotOf, type Edit, type InternalName } from './find-tables.js';
import { CODES, StatementProblem, type SelectStatement, type TableNames } from './statement.js';
import { textOf } from './words.js';

/** Facts that reading a statement needs. */
export interface StatementContext extends ClientNames {
  /** Whether text outside the statement, such as the SQL of an endpoint, contains this prefix of internal names. */
  readonly isUsed: (beginning: string) => boolean;
}

/** Reads a SELECT from its nodes and the tokens of these nodes. @throws StatementProblem */
export function readSelect(
  nodes: readonly Node[],
  tokens: readonly TokenNode[],
  names: TableNames,
  context: StatementContext,
): Omit<SelectStatement, 'format' | 'settings'> {
  checkSettings(tokens);
  const isRecursive = tokens.some(({ word }) => word === 'RECURSIVE');
  const { reads, edits, parameters, hasMatcher } = findTables(readFrame(nodes), names, {
    ...context,
    isRecursive,
  });
  const words = new Set(tokens.filter(isName).map(nameOf));
  const texts = [...words, ...tokens.map((token) => textOf(token) ?? token.text)];
  const compared = [...comparedLiterals(tokens)];
  const indexes = new Map(compared.map((token, index) => [token, index]));
  const withPlaces = (internal: InternalName, beginning: string): string =>
    writeText(tokens, edits, internal, (token) => {
      const index = indexes.get(token);
      return index === undefined ? token.text : placeOf(beginning, index);
    });
  // The prefix depends only on this text, so statements that differ in compared values and arguments share a template and its verdict.
  const template = withPlaces((read) => String(reads[read]?.table), '');
  const prefix = prefixFor(
    template,
    (beginning) => texts.some((text) => text.includes(beginning)) || context.isUsed(beginning),
  );
  const internal: InternalName = (read) => `${prefix}${read + 1}`;
  return {
    template: withPlaces(internal, prefix),
    literals: new Map(compared.map(({ text }, index) => [placeOf(prefix, index), text])),
    reads: reads.map(({ table, args }, index) => ({ table, args, internal: internal(index) })),
    ...{ parameters, words, hasMatcher, slot: reads.length === 0 ? undefined : slotOf(internal) },
  };
}

function prefixFor(text: string, isUsed: (beginning: string) => boolean): string {
  for (let attempt = 0; ; attempt += 1) {
    const digest = createHash('sha256').update(`${attempt} ${text}`).digest('hex');
    const prefix = `_q${digest.slice(0, 8)}_`;
    if (!isUsed(prefix)) return prefix;
  }
}

/** Rejects SETTINGS in a subquery: ClickHouse would let them change what it rejects at the end of a statement. */
function checkSettings(tokens: readonly TokenNode[]): void {
  if (tokens.some(({ word }, at) => word === 'SETTINGS' && !isSymbol(tokens[at - 1], '.')))
    throw new StatementProblem(
      CODES.READONLY,
      'SETTINGS can stand only at the end of the statement, as SETTINGS name = value. Quote a column of this name.',
    );
}

/** Joins the tokens and applies the edits. A single space replaces spaces and comments. */
function writeText(
  tokens: readonly TokenNode[],
  edits: readonly Edit[],
  internal: InternalName,
  textIn: (token: TokenNode) => string,
): string {
  const byStart = new Map(edits.map((edit) => [edit.start, edit]));
  const written: string[] = [];
  let end = tokens[0]?.start ?? 0;
  for (const token of tokens) {
    if (token.start < end) continue;
    const edit = byStart.get(token.start);
    const text = edit ? edit.write(internal) : textIn(token);
    const isApart = token.start > end || (/\w$/.test(written.at(-1) ?? '') && /^\w/.test(text));
    written.push(isApart ? ' ' : '', text);
    ({ end } = edit ?? token);
  }
  return written.join('');
}
