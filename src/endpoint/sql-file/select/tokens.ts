import {
  blockCommentEnd,
  heredocTags,
  quotedEnd,
  unicodeQuotedEnd,
  type HeredocTags,
} from './quoted-tokens.js';

/** A kind of token. `word` is a keyword or a bare name, `string` any literal of text, `invalid` what no query may hold. */
export type TokenKind =
  'space' | 'comment' | 'word' | 'number' | 'string' | 'quoted-name' | 'symbol' | 'invalid';

/** A token of ClickHouse's SQL. Offsets are of UTF-16 units, the end exclusive. */
export interface Token {
  readonly kind: TokenKind;
  readonly start: number;
  readonly end: number;
}

type Found = readonly [kind: TokenKind, end: number];

interface Lexer {
  readonly text: string;
  readonly tags: HeredocTags;
  /** The last token that is neither space nor comment. */
  readonly previous: Token | undefined;
}

/**
 * Splits a text into the tokens of ClickHouse, spaces and comments included, without gaps and in linear time. Follows
 * https://github.com/ClickHouse/ClickHouse/blob/master/src/Parsers/Lexer.cpp as of version 26.7.
 */
export function tokenize(text: string): readonly Token[] {
  const tags = heredocTags(text);
  const tokens: Token[] = [];
  let previous: Token | undefined;
  for (let start = 0; start < text.length;) {
    const [kind, end] = findToken({ text, tags, previous }, start);
    const token = { kind, start, end };
    tokens.push(token);
    if (kind !== 'space' && kind !== 'comment') previous = token;
    start = end;
  }
  return tokens;
}

const DIGITS = String.raw`\d(?:_?\d)*`;
const HEX_DIGITS = String.raw`[\da-fA-F](?:_?[\da-fA-F])*`;
// ClickHouse reads e and its sign as an exponent only where something follows.
const exponent = (letters: string): string => `(?:[${letters}](?=[^])(?:[+-](?=[^]))?(?:${DIGITS})?)?`;

const SPACE = /[ \t\n\r\f\v]+/y;
const UNICODE_SPACE =
  /[\u0085\u00a0\u180e\u2000-\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff][ \t\n\r\f\v\u0085\u00a0\u180e\u2000-\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff]*/y;
const LINE_COMMENT = /(?:--|\/\/|#[ !])[^\n]*/y;
const NUMBER = new RegExp(
  `0[xX]${HEX_DIGITS}(?:\\.(?:${HEX_DIGITS})?)?${exponent('pP')}|` +
    `(?:0[bB](?=[01]))?${DIGITS}(?:\\.(?:${DIGITS})?)?${exponent('eE')}`,
  'y',
);
const INTEGER = new RegExp(DIGITS, 'y');
const FRACTION = new RegExp(`\\.(?:${DIGITS})?${exponent('eE')}`, 'y');
const WORD = /[\w$]+/y;
const NUMBER_SUFFIX = /\w+/y;
const BINARY_STRING_START = /[xXbB]'(?=[^])/y;
const BINARY_STRING = /[xX]'[\da-fA-F]*'|[bB]'[01]*'/y;
const SYMBOL = /->|<=>|<=|<>|>=|==|!=|::|\|\||@@|\\G|[()[\]{},;.+*/%=<>?^:|@−-]/y;

/** Finds the end of a sticky expression's match at an offset, undefined where it does not match. */
function matchEnd(pattern: RegExp, text: string, start: number): number | undefined {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

function findToken(lexer: Lexer, start: number): Found {
  const { text } = lexer;
  const space = matchEnd(SPACE, text, start) ?? matchEnd(UNICODE_SPACE, text, start);
  if (space !== undefined) return ['space', space];
  const first = text[start] ?? '';
  if (first >= '0' && first <= '9') return number(lexer, start);
  if (first === '.' && startsFraction(lexer, start))
    return ['number', matchEnd(FRACTION, text, start) ?? start + 1];
  const lineComment = matchEnd(LINE_COMMENT, text, start);
  if (lineComment !== undefined) return ['comment', lineComment];
  return quoted(lexer, start) ?? plain(text, start);
}

function quoted({ text, tags }: Lexer, start: number): Found | undefined {
  const first = text[start] ?? '';
  const found = (kind: TokenKind, end: number | undefined): Found =>
    end === undefined ? ['invalid', text.length] : [kind, end];
  if (first === "'") return found('string', quotedEnd(text, start));
  if (first === '"' || first === '`') return found('quoted-name', quotedEnd(text, start));
  if (text.startsWith('/*', start)) return found('comment', blockCommentEnd(text, start));
  if (matchEnd(BINARY_STRING_START, text, start) !== undefined)
    return found('string', matchEnd(BINARY_STRING, text, start));
  const unicode = unicodeQuotedEnd(text, start);
  if (unicode !== 'none') return found(first === '‘' ? 'string' : 'quoted-name', unicode);
  const heredoc = tags.endAt(start);
  return heredoc === undefined ? undefined : ['string', heredoc];
}

function plain(text: string, start: number): Found {
  const word = matchEnd(WORD, text, start);
  // A dollar sign that begins neither a heredoc nor a name is a token.
  if (word !== undefined && text[start] === '$' && !/\w/.test(text[start + 1] ?? ''))
    return ['symbol', start + 1];
  if (word !== undefined) return ['word', word];
  const symbol = matchEnd(SYMBOL, text, start);
  if (symbol !== undefined) return ['symbol', symbol];
  return ['invalid', start + ((text.codePointAt(start) ?? 0) > 0xffff ? 2 : 1)];
}

function number({ text, previous }: Lexer, start: number): Found {
  // After a dot only an integer is read, so that x.1.1 has the tokens x . 1 . 1.
  const afterDot = previous !== undefined && isDot(text, previous);
  const end = matchEnd(afterDot ? INTEGER : NUMBER, text, start) ?? start + 1;
  const suffix = matchEnd(NUMBER_SUFFIX, text, end);
  if (suffix === undefined) return ['number', end];
  return [/^\w+$/.test(text.slice(start, suffix)) ? 'word' : 'invalid', suffix];
}

function isDot(text: string, token: Token): boolean {
  return token.kind === 'symbol' && token.end === token.start + 1 && text[token.start] === '.';
}

/** Whether a dot begins a number. After a name, a number or a closing bracket it is the dot of `a.b`. */
function startsFraction({ text, previous }: Lexer, start: number): boolean {
  if (start === 0) return true;
  if (!/\d/.test(text[start + 1] ?? '')) return false;
  if (previous === undefined) return true;
  if (previous.kind === 'symbol') return !')]'.includes(text.slice(previous.start, previous.end));
  return previous.kind !== 'word' && previous.kind !== 'quoted-name' && previous.kind !== 'number';
}
