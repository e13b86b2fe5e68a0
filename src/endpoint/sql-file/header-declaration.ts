import type { Column, EndpointDeclaration, Parameters } from '../definition.js';
import { declareByKind, KIND_NAMES } from '../parameters/kinds.js';
import type { Parameter } from '../parameters/parameter.js';
import {
  DEFAULT_SETTINGS,
  type HeaderColumn,
  type HeaderParameter,
  type HeaderSet,
} from './header-schema.js';

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
 * Declares the parameters of a header, as far as they are valid; each has its own `problems`.
 *
 * @param types the ClickHouse types that the SELECT names for a parameter.
 */
export function declareParameters(
  parameters: unknown,
  types: (name: string) => readonly string[],
): Readonly<Record<string, Parameter>> {
  if (typeof parameters !== 'object' || parameters === null) return {};
  return Object.fromEntries(
    Object.entries(parameters as Readonly<Record<string, Partial<HeaderParameter> | null>>).map(
      ([name, value]) => {
        const { kind, ...options } = value ?? {};
        // An unknown kind is a problem already, and its options mean nothing.
        if (kind === undefined || !KIND_NAMES.includes(kind)) return [name, UNKNOWN_KIND];
        return [name, declareByKind(kind, options as HeaderParameter, types(name))];
      },
    ),
  );
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
