const ARRAYS = 'For an array of arrays write [ [1], [2] ].';
const RIGHT_START = 'the text of an endpoint is one query that begins with WITH or SELECT';

/** The sentence of each problem of a file, by its code. Codes are a contract; sentences may change. */
const SENTENCES = {
  // The project and its files.
  FILES_MISSING: (folder: string) =>
    `There are no endpoint files in ${folder}. Name the folder of the project with --project or PROJECT_DIR ` +
    '(in the Docker image, mount it: -v ./my-project:/project:ro), ' +
    'or create an endpoint: docs/how-to/write-an-endpoint.md shows how.',
  FILE_FAILED: (message: string) => message,
  NOT_UTF8: (line: number) => `line ${line} is not UTF-8: save the file as UTF-8`,
  EXPORT_INVALID: () => 'the default export is not the result of defineEndpoint of querygate',
  FILE_NOT_WRITTEN: (message: string) => message,
  RELOAD_FAILED: (message: string) => message,
  NAME_NOT_OF_FILE: (name: string, ext: string) => `the endpoint ${name} must be in a file ${name}${ext}`,
  NAME_TAKEN: (name: string, other: string) => `${other} has the same name ${name}`,
  TOOL_NAME_TAKEN: (name: string, other: string) =>
    `${name} and the endpoint in ${other} would have one name for agents and in OpenAPI: rename one of them`,
  ID_TAKEN: (id: string, other: string, free: string) =>
    `${other} has the same id ${id}; here is a new one: ${free}`,

  // Keys and values of a definition or header.
  OBJECT_EXPECTED: (what: string, keys: string, found: string) =>
    `${what} must be an object with ${keys}, not ${found}`,
  KEY_UNKNOWN: (key: string, advice: string) => `unknown key \`${key}\`; ${advice}`,
  KEY_MISSING: (key: string, expected: string) => `${key} is missing; it ${expected}`,
  VALUE_INVALID: (key: string, expected: string) => `${key} ${expected}`,
  OPTION_CONFLICT: (option: string, reason: string) => `${option} must be absent: ${reason}`,
  RANGE_EMPTY: (range: string) => `no value is valid: minimum and maximum must leave some of ${range}`,
  DEFAULT_INVALID: (expected: string) => `default ${expected}`,
  TYPE_NOT_OF_KIND: (name: string, kind: string, type: string, types: string) =>
    `${name} is of kind ${kind}, and cannot be bound as ${type}; write ${types}`,
  TABLE_PRIVATE: (table: string) =>
    `the query reads ${table}, the gateway’s table of recorded calls, which has parameters of all callers and which no endpoint may read`,
  BUILD_FAILED: (message: string) => `build: ${message}`,

  // Names of parameters, endpoints and columns.
  NAME_INVALID: (name: string) =>
    `parameter "${name}" must be made of lower-case letters, digits and underscores`,
  NAME_RESERVED: (name: string, reason: string) =>
    `parameter "${name}" has a name that the gateway reserves${reason}`,
  PARAMETER_UNDECLARED: (where: string, name: string, advice: string) =>
    `${where} names the undeclared parameter "${name}"${advice}`,
  PARAMETER_UNUSED: (name: string, advice: string) =>
    `the parameter ${name} is declared, but the SELECT has no @${name}: ${advice}`,
  PARAMETER_NOT_FILTERING: (key: string, kind: string, name: string) =>
    `${key} names the ${kind} parameter "${name}": a filter needs one value that may be logged`,
  SECRET_IN_FILE: (key: string, name: string) =>
    `${key} names the secret parameter "${name}": leave this set out, or declare it without \`secret\``,
  ENDPOINT_UNKNOWN: (key: string, name: string, advice: string) =>
    `${key} names the unknown endpoint ${name}; ${advice}`,
  COLUMN_UNKNOWN: (key: string, column: string, endpoint: string, advice: string) =>
    `${key} names the unknown column ${column} of ${endpoint}; ${advice}`,
  PARAMETERS_LACKING: (key: string, endpoint: string, names: string) =>
    `${key} names ${endpoint}, which requires ${names}: declare the same parameters here`,

  // Pages.
  PAGES_INVALID: (reason: string) => `pages.by ${reason}`,
  PAGES_NAME_TAKEN: (name: string) =>
    `parameter "${name}" has a name that an endpoint with pages binds itself: rename it`,
  PAGES_NOT_POSSIBLE: (word: string) =>
    `an endpoint with pages must not have ${word} in its query, because the gateway adds the condition of a page around it: ` +
    'remove it, or take the cursor inside (`after` of build, @after in a .sql file)',
  PAGES_AFTER_MISPLACED: (written: string) =>
    `${written} is the place of a page: write it within an optional part, as in [[ AND @after ]]`,

  // Pieces.
  PIECES_INVALID: (reason: string) => `pieces ${reason}`,
  PIECES_NOT_POSSIBLE: (reason: string) =>
    `the result cannot be composed of the rows of partitions: ${reason}: correct the query, or leave pieces out`,

  // The header of a `.sql` file.
  HEADER_MISSING: () =>
    'the file must begin with a comment that contains the header in YAML: /* name: …, id: …, summary: …, columns: … */',
  HEADER_NOT_CLOSED: () => 'the header has no end: close the comment with */',
  HEADER_ENDS_IN_TEXT: () => '*/ ends the header, also within a text: write the text without it',
  HEADER_TOO_LARGE: (most: number) =>
    `the header has more than ${most} keys: leave some out, or divide the endpoint`,
  YAML_INVALID: (message: string, what = 'the header') => `${what} is invalid YAML: ${message}`,
  ALIAS_NOT_SUPPORTED: (name: string) => `the alias *${name} is not supported: write the value again`,
  NUMBER_INEXACT: (digits: number) =>
    `a number with more than ${digits} digits is not exact: write it in quotes`,

  // The text of a SELECT.
  QUERY_MISSING: () => `There is no query here: ${RIGHT_START}.`,
  QUERY_NOT_SELECT: (start: string, advice: string) =>
    `The query begins with ${start}, but ${RIGHT_START}.${advice}`,
  SECOND_STATEMENT: () => 'A second statement begins here. Write one query, and nothing after its semicolon.',
  SYNTAX_NOT_ALLOWED: (what: string, advice: string) => `${what} is not allowed${advice}`,
  TOKEN_INVALID: (token: string) => `${token} is not a token of ClickHouse. Remove it, or quote it.`,
  LITERAL_INVALID: (open: string, digits: string) => `${open}' needs ${digits} digits and a closing '.`,
  NOT_CLOSED: (open: string, close: string, where: string) =>
    `${open} is not closed. Write ${close} ${where}.`,
  CLOSES_NOTHING: (written: string) =>
    `${written} closes nothing. Remove it, or write what it closes before it.`,
  ARRAY_OF_ARRAYS: () =>
    '[[ begins an optional part. Write an array of arrays with a space, as in [ [1], [2] ].',
  NESTING_TOO_DEEP: (most: number) => `Brackets are nested more than ${most} deep. Use WITH queries instead.`,
  WITH_NAME_RESERVED: () =>
    'a WITH query must not be named result: callers’ own SQL reads the rows by that name',

  // Placeholders.
  PLACEHOLDER_NAME_INVALID: (name: string) =>
    `${name} is not a name of a parameter: write lower-case letters, digits and _ with a letter first.`,
  PLACEHOLDER_NAME_MISSING: (sign: '@' | '{') =>
    sign === '@'
      ? '@ has no name. Write @name for a parameter, without a space, or remove @.'
      : 'The parameter has no name. Write {name:Type}.',
  PLACEHOLDER_TYPE_MISSING: (name: string) => `A type is missing. Write {${name}:String}, or @${name}.`,
  CLOCK_WITH_TYPE: () => 'the clock of the gateway is written @now, without a type',
  IDENTIFIER_NOT_COLUMN: (name: string, choice: string) =>
    `${name} is an Identifier and may be ${choice}, which is not a column of the header: list only columns in its choices, and choose others by multiIf(@${name} = '${choice}', ${choice}, …)`,
  NULL_NOT_POSSIBLE: (name: string, what: string) =>
    `${name} may be omitted, and ${what} cannot be null: give it a default, make it required, ` +
    'or put [[ … ]] around the part that needs it',

  // Optional parts.
  PART_WITHOUT_PARAMETER: () =>
    'The optional part has no parameter of its own: it applies when its parameters have values. ' +
    `Name one in it, or remove [[ and ]]. ${ARRAYS}`,
  PART_SPLITS_BETWEEN: () =>
    'A BETWEEN and its AND must be in the same optional part, or both outside: [[ AND a BETWEEN @a AND @b ]].',
  PART_SPLITS_CHOICE: () =>
    'AND and OR bind closer than ? :. Write parentheses: WHERE (a ? b : c) [[ AND d = @d ]].',
  PART_MIXES_OPERATORS: () =>
    'AND binds closer than OR here. Write parentheses: [[ AND (a = @a OR b = @b) ]].',
  PART_WITHOUT_OPERATOR: () =>
    'An optional term must have its AND or OR, as in [[ AND a = @a ]] after a whole term or [[ a = @a AND ]] before one. ' +
    'Where there is no other term, write WHERE true.',
  PART_WITHOUT_COMMA: () =>
    `Optional items must have their comma, as in [[, a]] after a whole item or [[a,]] before one. ${ARRAYS}`,
  PART_CUTS_CLAUSE: () =>
    'What follows the optional part would belong to its last clause or query. Put it into the part, or the whole before it into ' +
    'SELECT * FROM (…).',
  PART_COLUMN_UNNAMED: () =>
    'An optional column needs a name. Write one after it with AS, as in [[, @a AS a]].',
  PART_COLUMN_UNDECLARED: (column: string) =>
    `this part adds the column ${column}, which columns in the header does not list`,

  // Test files of endpoints.
  TABLE_UNKNOWN: (table: string, advice: string) => `rows names the unknown table ${table}; ${advice}`,
  ROWS_FILE_MISSING: (file: string) => `there is no file ${file} beside this one`,
  ROW_REJECTED: (table: string, reason: string) => `ClickHouse cannot read this row of ${table}: ${reason}`,
  CLOCK_IN_QUERY: (endpoint: string, call: string) =>
    `the query of ${endpoint} calls ${call}, so that its rows differ from one run to the next: write @now instead of a clock, which a test can set, and nothing random`,
  NOW_MISSING: (endpoint: string) =>
    `the rows of ${endpoint} depend on the time of the call: write one in the file, such as now: 2026-05-17T12:00:00Z`,
  SECRET_IN_TEST: (key: string, name: string) =>
    `${key} has a value of the secret parameter "${name}": a file under version control is no place for a real one`,

  // Problems that ClickHouse finds in the query, and in the columns that it returns.
  QUERY_REJECTED: (message: string) => message,
  QUERY_FAILED: (message: string) => message,
  RIGHT_MISSING: (what: string, advice: string) => `${what}${advice}`,
  GRANTS_UNKNOWN: (endpoint: string, reason: string) => `${endpoint}: ${reason}`,
  EXAMPLE_INVALID: (reason: string) =>
    `the example is invalid: ${reason} Write in the header values that find rows, such as example: { name: value }`,
  COLUMN_NOT_RETURNED: (column: string) => `column ${column} is declared, but the query does not return it`,
  COLUMN_TYPE_DIFFERS: (column: string, type: string, real: string) =>
    `column ${column} is declared as ${type}, but the query returns ${real}`,
  COLUMN_UNDECLARED: (column: string, type: string) =>
    `column ${column} ${type} is returned by the query, but not declared`,
  COLUMN_ORDER_DIFFERS: (columns: string) =>
    `the query returns the columns in another order than declared: ${columns}`,
  COLUMN_REPEATED: (column: string) => `the query returns two columns ${column}: rename one with AS`,
  COLUMN_WITHOUT_FORMAT: (column: string, reason: string) => `column ${column}: ${reason}`,
  COLUMNS_MISSING: (file: string, columns: string) =>
    `the header of ${file} has no columns. Add to it:\n${columns}`,
  COLUMNS_NOT_FOUND: (reason: string) =>
    `the header has no columns, and they could not be determined: ${reason}`,
} as const satisfies Readonly<Record<string, (...facts: never[]) => string>>;

export type ProblemCode = keyof typeof SENTENCES;

export const PROBLEM_CODES = Object.keys(SENTENCES) as readonly ProblemCode[];

/** What is wrong with a file: a code for programs, and a sentence for people. */
export interface Problem {
  readonly code: ProblemCode;
  readonly problem: string;
}

/** The problem with a code. @param facts what its sentence names */
export function problem<C extends ProblemCode>(
  code: C,
  ...facts: Parameters<(typeof SENTENCES)[C]>
): Problem {
  const sentence: (...facts: never[]) => string = SENTENCES[code];
  return { code, problem: sentence(...(facts as never[])) };
}

/** The problem that an error reports, of a file that could not be loaded. */
export class ProblemError extends Error {
  constructor(readonly found: Problem) {
    super(found.problem);
  }
}
