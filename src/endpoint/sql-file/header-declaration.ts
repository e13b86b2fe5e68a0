import type { Column, EndpointDeclaration, Parameters } from '../definition.js';
import { asRecord } from '../as-record.js';
import { declareByKind, KIND_NAMES, problemOfType } from '../parameters/kinds.js';
import type { ParameterKind, ParameterOptions } from '../parameters/parameter.js';
import {
  DEFAULT_SETTINGS,
  type HeaderColumn,
  type HeaderParameter,
  type HeaderSet,
} from './header-schema.js';
import type { Placeholder } from './select-parameters.js';
import type { SelectProblem } from './select/select-text.js';

/** A header whose keys are valid. */
export interface ValidHeader extends Omit<
  EndpointDeclaration,
  'parameters' | 'columns' | 'example' | 'warm'
> {
  readonly parameters?: Readonly<Record<string, HeaderParameter>>;
  readonly columns: Readonly<Record<string, string | HeaderColumn>>;
  readonly example?: HeaderSet;
  readonly warm?: readonly HeaderSet[];
}

/** What `defineEndpoint` gets from a TypeScript file. @param parameters as {@link declareParameters} returns them */
export function declarationOf(header: ValidHeader, parameters: Parameters): EndpointDeclaration {
  const { columns, example = {}, warm, ...others } = header;
  return {
    ...DEFAULT_SETTINGS,
    ...others,
    parameters,
    columns: Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, columnOf(column)])),
    example: textsOf(example),
    ...(warm && { warm: warm.map(textsOf) }),
  };
}

/**
 * Declares the valid parameters of a header; each has its own `problems`.
 *
 * @param placeholders placeholders of the SELECT, whose types the kinds must accept.
 */
export function declareParameters(
  declared: unknown,
  placeholders: readonly Placeholder[],
): { readonly parameters: Parameters; readonly problems: readonly SelectProblem[] } {
  const problems: SelectProblem[] = [];
  const typesOf = (name: string, kind: ParameterKind): readonly string[] =>
    placeholders.flatMap(({ piece: { type, start, end, ...piece } }) => {
      if (piece.name !== name) return [];
      const found = type === undefined ? undefined : problemOfType(name, kind, type);
      if (found) problems.push({ start, end, ...found });
      return found ? [] : [type ?? ''];
    });
  const parameters = Object.entries(asRecord(declared)).map(([name, value]) => {
    const { kind, ...options } = asRecord(value);
    const known = KIND_NAMES.find((one) => one === kind);
    // An unknown kind is a problem already, and its options mean nothing.
    const parameter =
      known && declareByKind(known, options as unknown as ParameterOptions, typesOf(name, known));
    return [name, parameter ?? UNKNOWN_KIND] as const;
  });
  return { parameters: Object.fromEntries(parameters), problems };
}

const UNKNOWN_KIND = declareByKind('string', { description: 'Its kind is unknown.' }, []);

function columnOf(column: string | HeaderColumn): Column {
  if (typeof column === 'string') return { type: column, meaning: '' };
  const { type, description = '', json } = column;
  return { type, meaning: description, ...(json && { holdsJson: true }) };
}

/** A parameter set as a caller sends it in a query string. */
function textsOf(set: HeaderSet): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(set).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(',') : String(value),
    ]),
  );
}
