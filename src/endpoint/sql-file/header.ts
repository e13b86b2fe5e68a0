import { isMap, isScalar, visit, type Document } from 'yaml';

import type { DefinitionProblem } from '../definition-error.js';
import type { Place, SelectProblem } from './select/select-text.js';
import { problem } from '../problems.js';
import { adviceForYaml, parseYaml, placeInYaml, placeOfNode, withNumbers } from '../yaml-text.js';

/** The header of a `.sql` endpoint file: a comment that contains YAML 1.2. */
export interface Header {
  /** The value in JavaScript; integers beyond 2^53 are bigints. Undefined where the YAML is invalid. */
  readonly value: unknown;
  readonly problems: readonly SelectProblem[];
  /** Whether the comment is missing or not closed, so that the rest of the text has no meaning. */
  readonly isUnfinished?: true;
  /** Offset at which the SELECT begins. */
  readonly end: number;
  /** Offset of the end of the YAML, before the end of the comment. */
  readonly yamlEnd: number;
  /** The place of a value or its key. For a path that is not in the header, the place of its longest existing prefix. */
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
  const yaml = source.slice(yamlStart, close);
  const document = parseYaml(yaml, VALUES);
  // Each endpoint keeps its header, and a document needs many times the memory of its text. All places of one list come from one parse.
  let held = new WeakRef(document);
  const documentOf = (): Document.Parsed => {
    const found = held.deref() ?? parseYaml(yaml, VALUES);
    held = new WeakRef(found);
    return found;
  };
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
    placeOf: (place) => placeInYaml(documentOf(), place, yamlStart),
  };
}

/** What to do about the mistakes that are made most. */
function adviceFor(message: string): string {
  const quote = /closing (?:["']|quote)/i.test(message) ? '; */ ends the header, within quotes too' : '';
  return adviceForYaml(message) || quote;
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

/** Keys whose values are values of parameters: texts in the form in which a caller would send them. */
const VALUES = /^(?:(?:example|warm)(?:\.|$)|parameters\.[^.]*\.(?:default|choices|suggestions)(?:\.|$))/;

/** Maximum keys of a header and of the objects in it: parameters, columns, an example. */
const MAX_KEYS = 500;
/** Levels of objects whose keys count. Deeper objects are options. */
const COUNTED_LEVELS = 2;

/** The problems of a header that is too large to check, because an alias can expand to any amount of text. */
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
