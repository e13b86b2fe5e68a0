import { isRecord } from '../as-record.js';
import { randomUUID } from 'node:crypto';

import { problemsOfNames } from '../check-definition.js';
import { afterLast } from '../after-last-row.js';
import type { Parameters } from '../definition.js';
import type { DefinitionProblem } from '../definition-error.js';
import { createEndpoint, type BuiltQuery, type Endpoint } from '../endpoint.js';
import { problemOfBucket } from '../pieces.js';
import { PRIVATE_TABLE, problemOfTables } from '../private-tables.js';
import { AFTER } from '../reserved.js';
import { readPageOrder, type PageOrder } from '../page-order.js';
import { kindMeant } from '../parameters/kind-meant.js';
import { problemsBySchema, withFound } from '../schema-problems.js';
import { problemsOfPlaceholders } from './check-placeholders.js';
import { declarationOf, declareParameters, type ValidHeader } from './header-declaration.js';
import { HEADER } from './header-schema.js';
import type { Header } from './header.js';
import type { SqlFile } from './parse-sql-file.js';
import { optionalColumnsOf, placeholdersOf } from './select-parameters.js';
import { queryOfSelect } from './select-query.js';
import type { SelectProblem, SelectText } from './select/select-text.js';
import { SqlFileError } from './sql-file-error.js';
import { problem, type Problem } from '../problems.js';

/** Keys of the header by name, before validation. */
type Keys = Readonly<Partial<Record<string, unknown>>>;

/** Types by column. */
type Columns = Readonly<Record<string, string>>;

/**
 * The endpoint of a parsed file.
 *
 * @param columnsWhereMissing the columns for a header that has none
 * @throws SqlFileError with every mistake and its place
 */
export function endpointOf(file: SqlFile, columnsWhereMissing?: Columns): Endpoint {
  const { header, text, selectStart: start, select } = file;
  if (header.isUnfinished) throw new SqlFileError(header.problems);
  if (select.isNoQuery) rejectEndInText(file);
  const keys = keysOf(header, columnsWhereMissing);
  const { parameters, problems: ofTypes } = declareParameters(
    keys['parameters'],
    placeholdersOf(select.pieces),
  );
  const problems = [
    ...header.problems,
    ...(header.value === undefined ? [] : problemsOfHeader(header, keys, { text, select, parameters })),
    ...[...select.problems, ...ofTypes].map((found) => moved(found, start)),
    // The parameters of an invalid header are unknown, so that its SELECT cannot be checked.
    ...(isRecord(header.value) && !select.isNoQuery ? problemsOfSelect(select, keys, parameters) : []).map(
      (found) => moved(found, start),
    ),
  ];
  if (problems.length > 0) throw new SqlFileError(problems.sort((a, b) => a.start - b.start));
  const declaration = declarationOf(keys as unknown as ValidHeader, parameters);
  const { order } = readPageOrder(declaration);
  const after = order.length > 0 ? afterLast(order) : undefined;
  const declared = { parameters: new Map(Object.entries(parameters)), after };
  const built = {
    query: queryOfSelect(select, declared),
    savedQuery: savedQueryOf(text, select),
    optionalColumns: optionalColumnsOf(select.pieces),
    // A text of a test or of a draft is in no file.
    ...(file.path !== '' && { file }),
  };
  rejectPrivateTables(file);
  const ofPages = after && problemOfPages(order, built);
  if (ofPages) throw new SqlFileError([{ ...header.placeOf({ path: ['pages'] }), ...ofPages }]);
  const ofPieces = problemOfBucket(declaration, built.optionalColumns);
  if (ofPieces) throw new SqlFileError([{ ...header.placeOf({ path: ['pieces'] }), ...ofPieces }]);
  return createEndpoint(declaration, built);
}

/** @throws SqlFileError with the place of a table that no endpoint may read */
function rejectPrivateTables({ text, selectStart }: SqlFile): void {
  const found = problemOfTables(text);
  if (!found) return;
  const start = selectStart + text.indexOf(PRIVATE_TABLE);
  throw new SqlFileError([{ start, end: start + PRIVATE_TABLE.length, ...found }]);
}

/** Why the rows of a query have no pages. */
function problemOfPages(order: PageOrder, { optionalColumns }: BuiltQuery): Problem | undefined {
  const optional = order.find(({ name }) => optionalColumns?.has(name));
  return optional && problem('PAGES_INVALID', `names ${optional.name}, which an optional part adds`);
}

/** Reports a header in which a text ends the comment too early: the text after it is not a query. @throws SqlFileError */
function rejectEndInText({ source, header: { yamlEnd: start, end } }: SqlFile): void {
  const rest = source.slice(end);
  const next = rest.indexOf('*/');
  if (next === -1 || rest.slice(0, next).includes('/*')) return;
  throw new SqlFileError([{ start, end, ...problem('HEADER_ENDS_IN_TEXT') }]);
}

function keysOf({ value }: Header, columns: Columns | undefined): Keys {
  if (!isRecord(value)) return {};
  return { ...(columns && { columns }), ...value };
}

function problemsOfHeader(
  header: Header,
  keys: Keys,
  { text, select, parameters }: Readonly<{ text: string; select: SelectText; parameters: Parameters }>,
): readonly SelectProblem[] {
  if (!isRecord(header.value)) {
    return problemsBySchema(HEADER, header.value, 'the header').map(({ code, problem: sentence }) => ({
      ...header.placeOf({ path: [] }),
      code,
      problem: sentence,
    }));
  }
  const problems: readonly DefinitionProblem[] = [
    ...problemsBySchema(HEADER, { ...header.value, ...keys }, 'the header'),
    ...problemsOfNames({ ...keys, parameters }),
    ...(select.problems.length > 0 ? [] : unusedParameters(text, select, parameters)),
  ];
  return problems.map(({ path, code, problem: sentence }) => {
    const atKey = code === 'KEY_UNKNOWN' || path[0] === 'parameters';
    return {
      ...header.placeOf({ path, atKey }),
      ...advised({ code, problem: sentence }, path, header.value),
    };
  });
}

/** The problem with a new id where the id is missing, or with the kind that the author probably meant. */
function advised(found: Problem, path: readonly string[], header: unknown): Problem {
  const value = valueAt(header, path);
  if (path[0] === 'id' && (value ?? null) === null)
    return { ...found, problem: `${found.problem}; here is one: ${randomUUID()}` };
  const [top, , key, ...below] = path;
  const isOfKind = top === 'parameters' && key === 'kind' && below.length === 0;
  const meant = isOfKind && found.code === 'VALUE_INVALID' ? kindMeant(value) : undefined;
  if (meant === undefined) return found;
  return problem('VALUE_INVALID', path.join('.'), withFound(value, `is no kind; did you mean ${meant}?`));
}

function unusedParameters(
  text: string,
  select: SelectText,
  parameters: Parameters,
): readonly DefinitionProblem[] {
  const used = new Set(placeholdersOf(select.pieces).map(({ piece: { name } }) => name));
  const isRelative = Object.values(parameters).some(({ relativeStepMs }) => relativeStepMs !== undefined);
  return Object.entries(parameters)
    .filter(([name, { kind }]) => !used.has(name) && !(kind === 'timezone' && isRelative))
    .map(([name]) => ({
      path: ['parameters', name],
      ...problem('PARAMETER_UNUSED', name, adviceForUnused(name, text)),
    }));
}

/** Within quotes a placeholder is text, which ClickHouse compares with the rows. */
function adviceForUnused(name: string, text: string): string {
  if (!/^\w+$/.test(name) || !text.includes(name)) return 'use it or remove it';
  const [literal] = new RegExp(String.raw`'[^'\n]*[@:$?]${name}\b[^'\n]*'`).exec(text) ?? [];
  if (literal === undefined) return 'use it or remove it';
  const parts = literal.slice(1, -1).split(new RegExp(String.raw`[@:$?]${name}\b`));
  const [before = '', after = ''] = parts.map((part) => (part === '' ? '' : `'${part}'`));
  const whole = [before, `@${name}`, after].filter((part) => part !== '');
  const written = whole.length === 1 ? `@${name}` : `concat(${whole.join(', ')})`;
  return `in ${literal} it is text, not a parameter: write ${written}`;
}

function problemsOfSelect(
  select: SelectText,
  { columns, pages }: Keys,
  parameters: Parameters,
): readonly SelectProblem[] {
  const names = typeof columns === 'object' && columns !== null ? Object.keys(columns) : [];
  const { order } = readPageOrder({ pages, columns });
  const ofPages = new Set(order.length > 0 ? [AFTER, ...order.map(({ name }) => `${AFTER}_${name}`)] : []);
  const ofViews = select.withQueries
    .filter(({ name }) => name === 'result')
    .map(({ item }) => ({ ...item, ...problem('WITH_NAME_RESERVED') }));
  return [...ofViews, ...problemsOfPlaceholders(select, { parameters, ofPages, columns: names })];
}

/** The SELECT in its original form, without white space around it and without a final semicolon. */
function savedQueryOf(text: string, { pieces }: SelectText): string {
  return text.slice(0, pieces.at(-1)?.end ?? 0).trim();
}

const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce((of: unknown, key) => (isRecord(of) ? (of as Keys)[key] : undefined), value);

const moved = (found: SelectProblem, by: number): SelectProblem => ({
  ...found,
  start: found.start + by,
  end: found.end + by,
});
