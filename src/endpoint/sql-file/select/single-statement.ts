import { isSymbol, type TokenNode } from './nodes.js';
import type { SelectProblem } from './select.js';
import { tokenize, type Token } from './tokens.js';
import { problem } from '../../problems.js';

/** The tokens of the one statement of a text. */
export interface SingleStatement {
  /** Neither spaces nor comments, and none from the first semicolon on. */
  readonly tokens: readonly TokenNode[];
  /** Offset of the end of the statement: its semicolon, or the end of the text. */
  readonly end: number;
  /** Whether a quote or comment is not closed, so that nothing is known of what follows. */
  readonly isUnreadable: boolean;
  readonly problems: readonly SelectProblem[];
}

/** Reads the tokens up to the first semicolon, after which nothing may follow. */
export function readSingleStatement(text: string): SingleStatement {
  const all = tokenize(text).flatMap((token) => nodeOf(text, token));
  const semicolon = all.findIndex((node) => isSymbol(node, ';'));
  const tokens = semicolon === -1 ? all : all.slice(0, semicolon);
  const problems = all.flatMap((node) => problemOf(node));
  const second = semicolon === -1 ? undefined : all[semicolon + 1];
  if (second) problems.push({ start: second.start, end: second.end, ...problem('SECOND_STATEMENT') });
  return {
    tokens,
    end: all[semicolon]?.start ?? text.length,
    isUnreadable: tokens.some((node) => node.type === 'invalid' && isUnclosed(node.text)),
    problems,
  };
}

function nodeOf(text: string, { kind, start, end }: Token): readonly TokenNode[] {
  if (kind === 'space' || kind === 'comment') return [];
  const token = text.slice(start, end);
  return [
    { kind: 'token', type: kind, start, end, text: token, word: kind === 'word' ? token.toUpperCase() : '' },
  ];
}

const CLOSER: Readonly<Record<string, string>> = { '/*': '*/', '‘': '’', '“': '”' };

function isUnclosed(token: string): boolean {
  return /^(?:['"`‘“]|[xXbB]'|\/\*)/.test(token);
}

function problemOf({ type, text, start, end }: TokenNode): readonly SelectProblem[] {
  if (text === '\\G') return [{ start, end, ...problem('SYNTAX_NOT_ALLOWED', text, '. Remove it.') }];
  if (type !== 'invalid') return [];
  if (!isUnclosed(text)) return [{ start, end, ...problem('TOKEN_INVALID', text) }];
  const open = /^(?:\/\*|.)/su.exec(text)?.[0] ?? '';
  if (/^[xXbB]$/.test(open)) {
    const digits = /x/i.test(open) ? 'hexadecimal' : 'binary';
    return [{ start, end: start + 2, ...problem('LITERAL_INVALID', open, digits) }];
  }
  const found = problem('NOT_CLOSED', open, CLOSER[open] ?? open, 'where it ends');
  return [{ start, end: start + open.length, ...found }];
}
