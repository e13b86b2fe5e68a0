import Joi from 'joi';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Document } from 'yaml';

import { excerptOf } from '../../endpoint/excerpt.js';
import type { FileProblem } from '../../endpoint/file-problems.js';
import { parseIsoTimestamp } from '../../endpoint/iso-timestamp.js';
import { problem, type Problem } from '../../endpoint/problems.js';
import { must, problemsBySchema, validIf } from '../../endpoint/schema-problems.js';
import { positionIn } from '../../endpoint/sql-file/sql-file-problems.js';
import {
  adviceForYaml,
  parseYaml,
  placeInYaml,
  withNumbers,
  type PlaceOfPath,
} from '../../endpoint/yaml-text.js';

/** A row by column, as YAML or JSON has its values. */
export type Row = Readonly<Record<string, unknown>>;

/** A call in a test file, with its expectations. */
export interface TestCall {
  /** What the call shows. */
  readonly name?: string;
  /** Name of the endpoint; by default that of the file. */
  readonly endpoint?: string;
  /** The time of the gateway's clock, which is `@now`; ISO 8601. */
  readonly now?: string;
  readonly parameters?: Readonly<Record<string, string | readonly string[]>>;
  /** Pinned parameters of the key that calls. */
  readonly pins?: Readonly<Record<string, string>>;
  /** The expected rows; in any order unless they are `ordered`. */
  readonly rows?: readonly Row[];
  readonly ordered?: boolean;
  /** How far a number may be from the expected one. */
  readonly tolerance?: number;
  /** The columns that are compared; by default all. */
  readonly only?: readonly string[];
  /** The names of the columns, in their order. */
  readonly columns?: readonly string[];
  /** Headers of the response; null for one that must be absent. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** The body, byte for byte. */
  readonly body?: string;
  /** Fields of the problem document; a text is its `code`. */
  readonly problem?: string | Readonly<Record<string, unknown>>;
}

/** A file of `tests/`: rows of tables, and calls of endpoints over them. */
export interface TestFile {
  /** Path in messages: `tests/events.count.yaml`. */
  readonly file: string;
  readonly path: string;
  readonly text: string;
  readonly document: Document.Parsed;
  /** Name of the endpoint that calls without one call. */
  readonly endpoint: string;
  /** Rows by table, or the name of a CSV or NDJSON file in the same folder. */
  readonly rows: Readonly<Record<string, readonly Row[] | string>>;
  readonly calls: readonly TestCall[];
}

const TEXT = Joi.string().allow('');
const TIME = must(
  'a time such as 2026-05-17T12:00:00Z',
  Joi.string().custom(validIf((text: string) => parseIsoTimestamp(text) !== undefined)),
);
const VALUE = must('a text or a list of texts', Joi.alternatives(TEXT, Joi.array().items(TEXT)));
const TOLERANCE = must('a number of at least 0', Joi.number().min(0));
const ROWS = must(
  'a list of rows, each an object of values by column',
  Joi.array().items(Joi.object().unknown()),
);
const NAMES = must('a list of columns', Joi.array().items(Joi.string()));

const SCHEMA = Joi.object({
  endpoint: must('the name of an endpoint', Joi.string()),
  now: TIME,
  tolerance: TOLERANCE,
  rows: must(
    'an object by table: rows, or the name of a CSV or NDJSON file',
    Joi.object().pattern(Joi.string(), Joi.alternatives(ROWS, Joi.string())),
  ),
  calls: must(
    'a list of calls, at least one',
    Joi.array()
      .items(
        must(
          'a call: an object with name, parameters, and the rows, columns, headers, body or problem that it expects',
          Joi.object({
            name: must('a text', Joi.string()),
            endpoint: must('the name of an endpoint', Joi.string()),
            now: TIME,
            parameters: must('an object of values by parameter', Joi.object().pattern(Joi.string(), VALUE)),
            pins: must('an object of texts by parameter', Joi.object().pattern(Joi.string(), Joi.string())),
            rows: ROWS,
            ordered: must('true or false', Joi.boolean()),
            tolerance: TOLERANCE,
            only: NAMES,
            columns: NAMES,
            headers: must(
              'an object of texts by header',
              Joi.object().pattern(Joi.string(), TEXT.allow(null)),
            ),
            body: must('a text', TEXT),
            problem: must(
              'the code of an error, or an object of fields such as code and detail',
              Joi.alternatives(Joi.string(), Joi.object().unknown()),
            ),
          }),
        ),
      )
      .min(1)
      .required(),
  ),
}).required();

/** Keys whose values callers send or get: the texts of the file, not YAML's numbers. */
const TEXTS = /^calls\.(?:parameters|pins|headers|rows)(?:\.|$)/;

/** Keys whose numbers keep their text, because ClickHouse reads them. */
const WRITTEN = /^rows\./;

const BYTE_ORDER_MARK = /^\u{FEFF}/u;

/** A file as its schema has it. */
type FileValue = Pick<TestFile, 'calls'> &
  Partial<Pick<TestFile, 'endpoint' | 'rows'>> &
  Pick<TestCall, 'now' | 'tolerance'>;

/** A file of `tests/`, with its content or its problems. */
export type ReadTestFile = Pick<TestFile, 'file' | 'path'> &
  (
    | { readonly test: TestFile; readonly problems?: undefined }
    | { readonly test?: undefined; readonly problems: readonly FileProblem[] }
  );

/**
 * Reads a test file.
 *
 * @param folder of the test files, absolute.
 * @param below the file, relative to that.
 */
export async function readTestFile(folder: string, below: string): Promise<ReadTestFile> {
  const named = { file: path.join(path.basename(folder), below), path: path.join(folder, below) };
  const text = (await readFile(named.path, 'utf8')).replace(BYTE_ORDER_MARK, '');
  const document = parseYaml(text, TEXTS, WRITTEN);
  const of = { ...named, text, document };
  const [value, problems] = valueOf(of);
  if (problems.length > 0) return { ...named, problems };
  const { endpoint = path.parse(below).name, now, tolerance, rows = {}, calls } = value as FileValue;
  const shared = { ...(now !== undefined && { now }), ...(tolerance !== undefined && { tolerance }) };
  return { ...named, test: { ...of, endpoint, rows, calls: calls.map((call) => ({ ...shared, ...call })) } };
}

type ParsedFile = Pick<TestFile, 'file' | 'text' | 'document'>;

/** The value of a file, and its problems. */
function valueOf(of: ParsedFile): readonly [value: unknown, problems: readonly FileProblem[]] {
  const { file, text, document } = of;
  const ofYaml = [...document.errors, ...document.warnings].map(({ message, pos: [start, end] }) => {
    const what = message.includes('multiple documents') ? 'has a second document: remove ---' : message;
    const found = problem('YAML_INVALID', what + adviceForYaml(message), 'the file');
    return { file, ...positionIn(text, start), ...found, excerpt: excerptOf(text, { start, end }) };
  });
  if (ofYaml.length > 0) return [undefined, ofYaml];
  try {
    const value = withNumbers(document.toJS());
    const problems = problemsBySchema(SCHEMA, value, 'the file').map(({ path: keys, ...found }) =>
      problemAt(of, { path: keys, atKey: found.code === 'KEY_UNKNOWN' }, found),
    );
    return [value, problems];
  } catch (error) {
    // An alias of nothing, for example.
    const found = problem('YAML_INVALID', (error as Error).message, 'the file');
    return [undefined, [problemAt(of, { path: [] }, found)]];
  }
}

/** A problem at a place of a test file. */
export function problemAt(
  { file, text, document }: ParsedFile,
  at: PlaceOfPath,
  found: Problem,
): FileProblem {
  const place = placeInYaml(document, at);
  return { file, ...positionIn(text, place.start), ...found, excerpt: excerptOf(text, place) };
}

/**
 * What a call shows, for people: its name, else its parameters.
 *
 * @param isSecret whether the value of a parameter must not be shown.
 */
export function titleOf(
  { name, parameters = {} }: TestCall,
  index: number,
  isSecret: (parameter: string) => boolean = () => false,
): string {
  if (name !== undefined) return name;
  const sent = Object.entries(parameters).map(
    ([key, value]) => `${key}=${isSecret(key) ? '…' : String(value)}`,
  );
  return sent.length === 0 ? `call ${index + 1}` : sent.join(' ');
}
