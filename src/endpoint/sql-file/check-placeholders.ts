import { closestName } from '../closest-name.js';
import type { Parameters } from '../definition.js';
import type { Parameter } from '../parameters/parameter.js';
import { NOW, ROW_LIMIT } from '../reserved.js';
import type {
  OptionalPiece,
  ParameterPiece,
  Piece,
  SelectProblem,
  SelectText,
} from './select/select-text.js';
import { isClock, partsOf, placeholdersOf, requiredBy, type Placeholder } from './select-parameters.js';
import { problem, type Problem } from '../problems.js';

interface Declared {
  readonly parameters: Parameters;
  /** Placeholders of an endpoint with pages: `after`, and `after_` with the name of each column that orders them. */
  readonly ofPages: ReadonlySet<string>;
  readonly columns: readonly string[];
}

/** The mistakes in placeholders and optional parts that only the header shows, with places in the SELECT. */
export function problemsOfPlaceholders(select: SelectText, declared: Declared): readonly SelectProblem[] {
  const placeholders = placeholdersOf(select.pieces);
  return [
    ...placeholders.flatMap((placeholder) => {
      const found = problemOf(placeholder, declared);
      const { start, end } = placeholder.piece;
      return found === undefined ? [] : [{ start, end, ...found }];
    }),
    ...problemsOfParts(select.pieces, declared),
  ];
}

function problemOf({ piece, parts }: Placeholder, declared: Declared): Problem | undefined {
  const { parameters, columns, ofPages } = declared;
  const { name, type } = piece;
  if (isClock(piece)) {
    return type === undefined ? undefined : problem('CLOCK_WITH_TYPE');
  }
  if (name === ROW_LIMIT)
    return problem('NAME_RESERVED', name, ': it is the row cap, which the gateway appends');
  const parameter = parameters[name];
  if (!parameter && ofPages.has(name)) {
    return parts.length > 0 ? undefined : problem('PAGES_AFTER_MISPLACED', `@${name}`);
  }
  if (!parameter) return undeclared(name, [...Object.keys(parameters), ...ofPages]);
  // Its other mistakes are reported where it is declared.
  if (parameter.problems.length > 0) return undefined;
  const ofIdentifier = type === 'Identifier' ? problemOfIdentifier(name, parameter, columns) : undefined;
  return ofIdentifier ?? problemOfNull(piece, parameter, parts);
}

/** An identifier can only be one that the file itself lists. */
function problemOfIdentifier(
  name: string,
  { choices = [] }: Parameter,
  columns: readonly string[],
): Problem | undefined {
  const other = choices.find((choice) => !columns.includes(choice));
  return other === undefined ? undefined : problem('IDENTIFIER_NOT_COLUMN', name, other);
}

/** ClickHouse has no null of these types. */
function problemOfNull(
  { name, type }: ParameterPiece,
  { isList, required, default: fallback }: Parameter,
  parts: readonly OptionalPiece[],
): Problem | undefined {
  if (required || fallback !== undefined || isRequiredBy(name, parts)) return undefined;
  if (!isList && type !== 'Identifier') return undefined;
  return problem('NULL_NOT_POSSIBLE', name, isList ? 'a list' : 'an Identifier');
}

function undeclared(name: string, declared: readonly string[]): Problem {
  const closest = closestName(name, [...declared, NOW.name]);
  const advice =
    closest === undefined
      ? `; declare it in the header: parameters: { ${name}: { kind: string, description: … } }`
      : `; did you mean @${closest}?`;
  return problem('PARAMETER_UNDECLARED', 'the SELECT', name, advice);
}

function problemsOfParts(pieces: readonly Piece[], { columns }: Declared): readonly SelectProblem[] {
  return partsOf(pieces).flatMap(({ part: { start, end, columns: added } }) =>
    added
      .filter((column) => !columns.includes(column))
      .map((column) => ({ start, end, ...problem('PART_COLUMN_UNDECLARED', column) })),
  );
}

const isRequiredBy = (name: string, parts: readonly OptionalPiece[]): boolean =>
  parts.some((part) => requiredBy(part).some((parameter) => parameter.name === name));
