import {
  isMap,
  isPair,
  isScalar,
  isSeq,
  parseDocument,
  visit,
  type Document,
  type Node,
  type Pair,
  type YAMLMap,
} from 'yaml';

import type { DefinitionProblem } from '../definition-error.js';
import type { Place, SelectProblem } from './select/select-text.js';
import { problem } from '../problems.js';

/** The header of a `.sql` endpoint file: a comment that contains YAML 1.2. */
export interface Header {
  /** As JavaScript has it: integers beyond 2^53 are bigints. Undefined where the YAML is invalid. */
  readonly value: unknown;
  readonly problems: readonly SelectProblem[];
  /** Whether the comment is missing or has no end, so that the rest of the text means nothing. */
  readonly isUnfinished?: true;
  /** Where the SELECT begins. */
  readonly end: number;
  /** Where the YAML ends, before the end of the comment. */
  readonly yamlEnd: number;
  /** The place of a value, or of its key. A path that is not in the header has the place of what is there of it. */
  readonly placeOf: (problem: Pick<DefinitionProblem, 'path'> & { readonly atKey?: boolean }) => Place;
}

const OPEN = '/*';
const CLOSE = '*/';

/** Digits that a floating-point number of JavaScript always keeps. */
const EXACT_DIGITS = 15;

/** Reads the comment at the start of a file. */
export function readHeader(source: string): Header {
  const start = source.length - source.replace(/^[\s\u{FEFF}]+/u, '').length;
  const close = source.indexOf(CLOSE, start + OPEN.length);
  if (!source.startsWith(OPEN, start) || close === -1) return noHeader(source, start);
  const yamlStart = start + OPEN.length;
  const document = parseDocument(source.slice(yamlStart, close), {
    version: '1.2',
    schema: 'core',
    intAsBigInt: true,
    prettyErrors: false,
    // Lower levels do not report a second document.
    logLevel: 'error',
  });
  keepTexts(document);
  const problems = [...document.errors, ...document.warnings].map(({ message, pos: [from, to] }) => ({
    start: yamlStart + from,
    end: yamlStart + to,
    ...problem('YAML_INVALID', message + adviceFor(message)),
  }));
  const unusable = problemsOfSize(document, yamlStart);
  const all = [...problems, ...unusable, ...(unusable.length > 0 ? [] : inexactNumbers(document, yamlStart))];
  return {
    ...(unusable.length > 0
      ? { value: undefined, problems: all }
      : valueOf(document, all, { start, end: yamlStart })),
    end: close + CLOSE.length,
    yamlEnd: close,
    placeOf: ({ path, atKey = false }) => placeIn(document, path, { offset: yamlStart, atKey }),
  };
}

/** What to do about the mistakes that are made most. */
function adviceFor(message: string): string {
  if (message.startsWith('Nested mappings')) return '; a text that contains a colon and a space needs quotes';
  return /closing (?:["']|quote)/i.test(message) ? '; */ ends the header, within quotes too' : '';
}

function noHeader(source: string, start: number): Header {
  const place = { start, end: Math.min(start + 1, source.length) };
  const isOpen = source.startsWith(OPEN, start);
  return {
    value: undefined,
    problems: [
      {
        ...place,
        ...problem(isOpen ? 'HEADER_NOT_CLOSED' : 'HEADER_MISSING'),
        ...(isOpen && { unfinished: 'half' }),
        ...(start === source.length && { unfinished: 'empty' }),
      },
    ],
    isUnfinished: true,
    end: isOpen ? source.length : start,
    yamlEnd: start,
    placeOf: () => place,
  };
}

function valueOf(
  document: Document,
  problems: readonly SelectProblem[],
  place: Place,
): Pick<Header, 'value' | 'problems'> {
  if (document.errors.length > 0) return { value: undefined, problems };
  try {
    return { value: withNumbers(document.toJS()), problems };
  } catch (error) {
    const found = problem('YAML_INVALID', (error as Error).message);
    return { value: undefined, problems: [...problems, { ...place, ...found }] };
  }
}

/** Turns integers that a number keeps exactly into numbers. */
function withNumbers(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (Array.isArray(value)) return value.map(withNumbers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, of]) => [key, withNumbers(of)]));
}

/** Keys whose values are values of parameters: texts, as a caller would send them. */
const VALUES = /^(?:(?:example|warm)(?:\.|$)|parameters\.[^.]*\.(?:default|choices|suggestions)(?:\.|$))/;

/** Turns the scalars that YAML has read as numbers and truth values back into what the file says: `007` is not 7. */
function keepTexts(document: Document): void {
  visit(document, {
    Scalar: (key, node, ancestors) => {
      if (key === 'key' || typeof node.value === 'string' || node.value === null) return;
      const path = ancestors.flatMap((pair) =>
        isPair(pair) && isScalar(pair.key) ? [String(pair.key.value)] : [],
      );
      if (node.source !== undefined && VALUES.test(path.join('.'))) node.value = node.source;
    },
  });
}

/** Keys of a header and of the objects in it: parameters, columns, an example. */
const MAX_KEYS = 500;
/** Levels of objects whose keys count; below them are options. */
const COUNTED_LEVELS = 2;

/** What makes a header too large to be checked: an alias can stand for any amount of text. */
function problemsOfSize(document: Document, offset: number): readonly SelectProblem[] {
  const problems: SelectProblem[] = [];
  let keys = 0;
  visit(document, {
    Alias: (_key, alias) => {
      problems.push({ ...placeOfNode(alias, offset), ...problem('ALIAS_NOT_SUPPORTED', alias.source) });
    },
    Pair: (_key, { key }, ancestors) => {
      if (!isScalar(key) || ancestors.filter(isMap).length > COUNTED_LEVELS) return;
      keys += 1;
      if (keys !== MAX_KEYS + 1) return;
      problems.push({ ...placeOfNode(key, offset), ...problem('HEADER_TOO_LARGE', MAX_KEYS) });
    },
  });
  return problems;
}

function inexactNumbers(document: Document, offset: number): readonly SelectProblem[] {
  const problems: SelectProblem[] = [];
  visit(document, {
    Scalar: (_key, scalar) => {
      const { value, source = '' } = scalar;
      if (typeof value !== 'number' || source.replaceAll(/e.*|\D/gi, '').length <= EXACT_DIGITS) return;
      problems.push({ ...placeOfNode(scalar, offset), ...problem('NUMBER_INEXACT', EXACT_DIGITS) });
    },
  });
  return problems;
}

function placeOfNode(node: Node, offset: number): Place {
  const [start, end] = rangeOf(node) ?? [0, 0];
  return { start: offset + start, end: offset + end };
}

interface PlaceOptions {
  readonly offset: number;
  readonly atKey: boolean;
}

function placeIn(document: Document, path: readonly string[], { offset, atKey }: PlaceOptions): Place {
  const { pair, node } = findNode(document.contents, path);
  const found = !atKey && isScalar(node) ? node : pair?.key;
  const [start, end] = rangeOf(found) ?? [rangeOf(document.contents)?.[0] ?? 0, undefined];
  // Of the whole header, only the first character.
  return { start: offset + start, end: offset + (end ?? start + 1) };
}

interface FoundNode {
  /** The innermost pair on the path that is in the header. */
  readonly pair: Pair | undefined;
  /** Undefined where the path is not complete. */
  readonly node: unknown;
}

function findNode(node: unknown, [key, ...rest]: readonly string[], pair?: Pair): FoundNode {
  if (key === undefined) return { pair, node };
  if (isSeq(node)) return findNode(node.items[Number(key)], rest, pair);
  const next = isMap(node) ? pairOf(node, key) : undefined;
  return next ? findNode(next.value, rest, next) : { pair, node: undefined };
}

const rangeOf = (node: unknown): readonly [number, number] | undefined =>
  (node as { readonly range?: readonly [number, number, number] } | null | undefined)?.range?.slice(0, 2) as
    [number, number] | undefined;

const pairOf = (map: YAMLMap, key: string): Pair | undefined =>
  map.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === key);
