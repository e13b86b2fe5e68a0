import { adviceFor } from './closest-name.js';
import type { DefinitionProblem } from './definition-error.js';
import type { Endpoint } from './endpoint.js';
import type { ChoicesFrom } from './parameters/parameter.js';
import { problem, type Problem } from './problems.js';

/** An endpoint, as far as references to it are checked. */
type Referable = Pick<Endpoint, 'name' | 'parameters' | 'columns' | 'deprecated'>;

/**
 * The mistakes in the `choicesFrom` of an endpoint's parameters, which only all endpoints together show.
 *
 * @param all every endpoint that could be loaded.
 * @param lacksColumns whether the columns of an endpoint are unknown.
 */
export function problemsOfChoices<E extends Referable>(
  endpoint: E,
  all: ReadonlyMap<string, E>,
  lacksColumns: (endpoint: E) => boolean = () => false,
): readonly DefinitionProblem[] {
  return [...endpoint.parameters].flatMap(([name, { choicesFrom }]) => {
    const path = ['parameters', name, 'choicesFrom'];
    const found = choicesFrom && problemOf(path.join('.'), endpoint, choicesFrom, { all, lacksColumns });
    return found === undefined ? [] : [{ path, ...found }];
  });
}

/** The mistake in the `successor` of a deprecated endpoint, as {@link problemsOfChoices}. */
export function problemsOfSuccessor<E extends Referable>(
  { deprecated }: E,
  all: ReadonlyMap<string, E>,
): readonly DefinitionProblem[] {
  const { successor } = deprecated ?? {};
  if (successor === undefined || all.has(successor)) return [];
  const path = ['deprecated', 'successor'];
  const advised = adviceFor(successor, [...all.keys()], 'endpoints');
  return [{ path, ...problem('ENDPOINT_UNKNOWN', path.join('.'), successor, advised) }];
}

interface Others<E extends Referable> {
  readonly all: ReadonlyMap<string, E>;
  readonly lacksColumns: (endpoint: E) => boolean;
}

function problemOf<E extends Referable>(
  key: string,
  { parameters: own }: E,
  { endpoint: name, column }: ChoicesFrom,
  { all, lacksColumns }: Others<E>,
): Problem | undefined {
  const source = all.get(name);
  if (!source) return problem('ENDPOINT_UNKNOWN', key, name, adviceFor(name, [...all.keys()], 'endpoints'));
  const columns = [...source.columns.keys()];
  if (!columns.includes(column) && !lacksColumns(source)) {
    return problem('COLUMN_UNKNOWN', key, column, name, adviceFor(column, columns, 'columns'));
  }
  const missing = [...source.parameters]
    .filter(([param, { required }]) => required && !own.has(param))
    .map(([param]) => param);
  if (missing.length === 0) return undefined;
  return problem('PARAMETERS_LACKING', key, name, missing.join(', '));
}
