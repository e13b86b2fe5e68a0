import { adviceFor } from './closest-name.js';
import type { DefinitionProblem } from './definition-error.js';
import type { Endpoint } from './endpoint.js';
import type { ChoicesFrom } from './parameters/parameter.js';
import { problem, type Problem } from './problems.js';

/** What references to an endpoint are checked against. */
interface Others {
  /** Every endpoint that could be loaded, by name. */
  readonly all: ReadonlyMap<string, Endpoint>;
  /** Whether the columns of an endpoint are unknown. */
  readonly lacksColumns: (endpoint: Endpoint) => boolean;
}

/** The mistakes in what an endpoint says about others: `choicesFrom` of its parameters, and its `successor`. */
export function problemsOfReferences(endpoint: Endpoint, others: Others): readonly DefinitionProblem[] {
  const ofChoices = [...endpoint.parameters].flatMap(([name, { choicesFrom }]) => {
    const path = ['parameters', name, 'choicesFrom'];
    const found = choicesFrom && problemOfChoices(path.join('.'), endpoint, choicesFrom, others);
    return found ? [{ path, ...found }] : [];
  });
  const { successor } = endpoint.deprecated ?? {};
  if (successor === undefined || others.all.has(successor)) return ofChoices;
  const path = ['deprecated', 'successor'];
  return [...ofChoices, { path, ...unknownEndpoint(path.join('.'), successor, others) }];
}

const unknownEndpoint = (key: string, name: string, { all }: Others): Problem =>
  problem('ENDPOINT_UNKNOWN', key, name, adviceFor(name, [...all.keys()], 'endpoints'));

function problemOfChoices(
  key: string,
  { parameters: own }: Endpoint,
  { endpoint: name, column }: ChoicesFrom,
  others: Others,
): Problem | undefined {
  const source = others.all.get(name);
  if (!source) return unknownEndpoint(key, name, others);
  const columns = [...source.columns.keys()];
  if (!columns.includes(column) && !others.lacksColumns(source)) {
    return problem('COLUMN_UNKNOWN', key, column, name, adviceFor(column, columns, 'columns'));
  }
  const missing = [...source.parameters]
    .filter(([param, { required }]) => required && !own.has(param))
    .map(([param]) => param);
  if (missing.length === 0) return undefined;
  return problem('PARAMETERS_LACKING', key, name, missing.join(', '));
}
