import {
  isMap,
  isPair,
  isScalar,
  isSeq,
  parseDocument,
  visit,
  type Document,
  type Pair,
  type YAMLMap,
} from 'yaml';

import type { Place } from './sql-file/select/select.js';

/** The path of a value or its key, whose place is needed. */
export interface PlaceOfPath {
  readonly path: readonly string[];
  readonly atKey?: boolean;
}

/** A number in its YAML form. A JavaScript number would round `12345678901234567890.01`, and lose the zero of `1.10`. */
export class WrittenNumber {
  constructor(readonly text: string) {}
}

/**
 * Parses YAML 1.2. Integers are bigints, so that none is rounded.
 *
 * @param texts keys, joined by dots, below which scalars are texts in their YAML form: `007` is not 7.
 * @param written keys below which numbers are {@link WrittenNumber}s.
 */
export function parseYaml(text: string, texts: RegExp, written?: RegExp): Document.Parsed {
  const document = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    intAsBigInt: true,
    prettyErrors: false,
    // Lower levels do not report a second document.
    logLevel: 'error',
  });
  keepWritten(document, texts, written);
  return document;
}

/** What to do about the mistakes in YAML that are made most, to append to the parser's message. */
export function adviceForYaml(message: string): string {
  return message.startsWith('Nested mappings')
    ? '; a text that contains a colon and a space needs quotes'
    : '';
}

/** Turns integers that a number keeps exactly into numbers. */
export function withNumbers(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (Array.isArray(value)) return value.map(withNumbers);
  if (typeof value !== 'object' || value === null || value instanceof WrittenNumber) return value;
  return Object.fromEntries(Object.entries(value).map(([key, of]) => [key, withNumbers(of)]));
}

/** Restores the original text of scalars that YAML has parsed as numbers and booleans: `007` is not 7. */
function keepWritten(document: Document, texts: RegExp, written: RegExp | undefined): void {
  visit(document, {
    Scalar: (key, node, ancestors) => {
      if (key === 'key' || typeof node.value === 'string' || node.value === null) return;
      const path = ancestors.flatMap((pair) =>
        isPair(pair) && isScalar(pair.key) ? [String(pair.key.value)] : [],
      );
      const { source, value } = node;
      if (source === undefined) return;
      if (texts.test(path.join('.'))) node.value = source;
      else if (typeof value !== 'boolean' && written?.test(path.join('.')))
        node.value = new WrittenNumber(source);
    },
  });
}

/** @param offset of the YAML in the text */
export function placeOfNode(node: unknown, offset = 0): Place {
  const [start, end] = rangeOf(node) ?? [0, 0];
  return { start: offset + start, end: offset + end };
}

/**
 * The place of a value or its key. For a path that is not in the document, the place of its longest existing prefix.
 *
 * @param offset offset of the YAML in the text.
 */
export function placeInYaml(document: Document, { path, atKey = false }: PlaceOfPath, offset = 0): Place {
  const { pair, node } = findNode(document.contents, path);
  // An item of a list has no key of its own.
  if (isMap(node) && pair?.value !== node) return firstCharacter(node, offset);
  const found = rangeOf(!atKey && isScalar(node) ? node : pair?.key);
  return found
    ? { start: offset + found[0], end: offset + found[1] }
    : firstCharacter(document.contents, offset);
}

function firstCharacter(node: unknown, offset: number): Place {
  const start = offset + (rangeOf(node)?.[0] ?? 0);
  return { start, end: start + 1 };
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
