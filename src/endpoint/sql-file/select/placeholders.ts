import { isSymbol, wordOf, type ParameterNode, type TokenNode } from './nodes.js';
import type { Place, SelectProblem } from './select.js';

const NAME = /^[a-z][a-z0-9_]*$/;
const NAME_RULE = 'write lower-case letters, digits and _ with a letter first';

/** Whether a text can be the name of a parameter. */
export function isParameterName(name: string): boolean {
  return NAME.test(name);
}

type Report = (place: Place, problem: string) => void;

/** Replaces the tokens of each placeholder, `@name` or `{name:Type}`, by one node. */
export function readPlaceholders(
  text: string,
  tokens: readonly TokenNode[],
): { readonly nodes: readonly (TokenNode | ParameterNode)[]; readonly problems: readonly SelectProblem[] } {
  const nodes: (TokenNode | ParameterNode)[] = [];
  const problems: SelectProblem[] = [];
  const report: Report = ({ start, end }, problem) => problems.push({ start, end, problem });
  for (let at = 0; at < tokens.length;) {
    const token = tokens[at];
    if (token === undefined) break;
    const [node, next] = readPlaceholder(text, tokens, at, report) ?? [token, at + 1];
    nodes.push(node);
    at = next;
  }
  return { nodes, problems };
}

type Found = readonly [node: TokenNode | ParameterNode, next: number];

function readPlaceholder(
  text: string,
  tokens: readonly TokenNode[],
  at: number,
  report: Report,
): Found | undefined {
  if (isSymbol(tokens[at], '@')) return readAtName(tokens, at, report);
  return isSymbol(tokens[at], '{') ? readBraces(text, tokens, at, report) : undefined;
}

function readAtName(tokens: readonly TokenNode[], at: number, report: Report): Found | undefined {
  const [sign, name] = [tokens[at], tokens[at + 1]];
  if (sign === undefined) return undefined;
  if (name?.type !== 'word' || name.start !== sign.end) {
    report(sign, '@ has no name. Write @name for a parameter, without a space, or remove @.');
    return undefined;
  }
  const place = { start: sign.start, end: name.end };
  checkName(name.text, place, report);
  return [{ kind: 'parameter', ...place, name: name.text, type: undefined }, at + 2];
}

/** Reads `{name:Type}`; other braces, a map for example, are not placeholders. */
function readBraces(
  text: string,
  tokens: readonly TokenNode[],
  at: number,
  report: Report,
): Found | undefined {
  const [brace, name, colon] = [tokens[at], tokens[at + 1], tokens[at + 2]];
  if (brace === undefined || name === undefined) return undefined;
  if (isSymbol(name, ':')) {
    report({ start: brace.start, end: name.end }, 'The parameter has no name. Write {name:Type}.');
    return undefined;
  }
  if (name.type !== 'word') return undefined;
  if (colon === undefined || !isSymbol(colon, ':')) {
    report(
      { start: brace.start, end: name.end },
      `A type is missing. Write {${name.text}:String}, or @${name.text}.`,
    );
    return undefined;
  }
  const close = closingBrace(tokens, at + 3);
  const last = tokens[close];
  if (last === undefined || !isSymbol(last, '}')) return undefined;
  const place = { start: brace.start, end: last.end };
  const type = text.slice(colon.end, last.start).trim();
  checkName(name.text, place, report);
  if (wordOf(tokens[at + 3]) === '')
    report(place, `A type is missing. Write {${name.text}:String}, or @${name.text}.`);
  return [{ kind: 'parameter', ...place, name: name.text, type }, close + 1];
}

/** Index of the next brace of either kind: a type has none, and to look no further keeps the work linear. */
function closingBrace(tokens: readonly TokenNode[], from: number): number {
  let at = from;
  while (at < tokens.length && !isSymbol(tokens[at], '}') && !isSymbol(tokens[at], '{')) at += 1;
  return at;
}

function checkName(name: string, place: Place, report: Report): void {
  if (!NAME.test(name)) report(place, `${name} is not a name of a parameter: ${NAME_RULE}.`);
}
