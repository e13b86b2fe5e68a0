import { closestName } from '../closest-name.js';
import type { Parameters } from '../definition.js';
import type { Parameter, ParameterKind } from '../parameters/parameter.js';
import { problemOfType } from '../parameters/kinds.js';
import { NOW, ROW_LIMIT } from '../reserved.js';
import type {
  OptionalPiece,
  ParameterPiece,
  Piece,
  SelectProblem,
  SelectText,
} from './select/select-text.js';
import { isClock, placeholdersOf, requiredBy, type Placeholder } from './select-parameters.js';

interface Declared {
  readonly parameters: Parameters;
  readonly columns: readonly string[];
}

/** The mistakes in placeholders and optional parts that only the header shows, with places in the SELECT. */
export function problemsOfPlaceholders(select: SelectText, declared: Declared): readonly SelectProblem[] {
  const placeholders = placeholdersOf(select.pieces);
  return [
    ...placeholders.flatMap((placeholder) => {
      const problem = problemOf(placeholder, declared);
      return problem === undefined
        ? []
        : [{ start: placeholder.piece.start, end: placeholder.piece.end, problem }];
    }),
    ...problemsOfParts(select.pieces, declared),
  ];
}

function problemOf({ piece, parts }: Placeholder, { parameters, columns }: Declared): string | undefined {
  const { name, type } = piece;
  if (isClock(piece)) {
    return type === undefined ? undefined : 'the clock of the gateway is written @now, without a type';
  }
  if (name === ROW_LIMIT)
    return `${ROW_LIMIT} is the row cap, which the gateway appends: name the parameter otherwise`;
  const parameter = parameters[name];
  if (!parameter) return undeclared(name, Object.keys(parameters));
  // Its other mistakes are reported where it is declared.
  if (parameter.problems.length > 0) return undefined;
  const ofIdentifier = type === 'Identifier' ? problemOfIdentifier(parameter, columns) : undefined;
  const problem = ofIdentifier ?? problemOfNull(piece, parameter, parts);
  return problem === undefined ? undefined : `${name} ${problem}`;
}

/** An identifier can only be one that the file itself lists. */
function problemOfIdentifier({ choices = [] }: Parameter, columns: readonly string[]): string | undefined {
  const other = choices.find((choice) => !columns.includes(choice));
  return other === undefined
    ? undefined
    : `is an Identifier and may be ${other}, which is not a column of the header: list only columns in its choices`;
}

/** ClickHouse has no null of these types. */
function problemOfNull(
  { name, type }: ParameterPiece,
  { isList, required, default: fallback }: Parameter,
  parts: readonly OptionalPiece[],
): string | undefined {
  if (required || fallback !== undefined || isRequiredBy(name, parts)) return undefined;
  if (!isList && type !== 'Identifier') return undefined;
  return (
    `may be omitted, and ${isList ? 'a list' : 'an Identifier'} cannot be null: give it a default, make it required, ` +
    'or put [[ … ]] around the part that needs it'
  );
}

function undeclared(name: string, declared: readonly string[]): string {
  const closest = closestName(name, [...declared, NOW.name]);
  const advice =
    closest === undefined
      ? `declare it in the header: parameters: { ${name}: { kind: string, description: … } }`
      : `did you mean @${closest}?`;
  return `the parameter ${name} is not declared; ${advice}`;
}

function problemsOfParts(pieces: readonly Piece[], declared: Declared): readonly SelectProblem[] {
  return pieces.flatMap((piece) => {
    if (piece.kind !== 'optional') return [];
    const { start, end } = piece;
    const unknown = piece.columns.filter((column) => !declared.columns.includes(column));
    return [
      // A part without any parameter is a problem of the SELECT already.
      ...(requiredBy(piece).length > 0 || !piece.pieces.some(({ kind }) => kind === 'parameter')
        ? []
        : [
            {
              start,
              end,
              problem: 'this part has no parameter of its own and would always apply: remove [[ and ]]',
            },
          ]),
      ...unknown.map((column) => ({
        start,
        end,
        problem: `this part adds the column ${column}, which columns in the header does not list`,
      })),
      ...problemsOfParts(piece.pieces, declared),
    ];
  });
}

const isRequiredBy = (name: string, parts: readonly OptionalPiece[]): boolean =>
  parts.some((part) => requiredBy(part).some((parameter) => parameter.name === name));

/** The types that a SELECT names for each parameter, and the places whose type the kind does not accept. */
export function typesOf(
  placeholders: readonly Placeholder[],
  kindOf: (name: string) => ParameterKind | undefined,
): {
  readonly accepted: ReadonlyMap<string, ReadonlySet<string>>;
  readonly problems: readonly SelectProblem[];
} {
  const accepted = new Map<string, Set<string>>();
  const problems: SelectProblem[] = [];
  for (const { piece } of placeholders) {
    const { name, type, start, end } = piece;
    const kind = kindOf(name);
    if (kind === undefined) continue;
    const problem = type === undefined ? undefined : problemOfType(kind, type);
    if (problem !== undefined) problems.push({ start, end, problem: `${name} ${problem}` });
    else accepted.set(name, (accepted.get(name) ?? new Set()).add(type ?? ''));
  }
  return { accepted, problems };
}
