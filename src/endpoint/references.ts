import { adviceFor } from './closest-name.js';
import type { DefinitionProblem } from './definition-error.js';
import type { Endpoint } from './endpoint.js';
import type { ChoicesFrom } from './parameters/parameter.js';
import { problem, type Problem } from './problems.js';
import { lacksColumns } from './sql-file/parse-sql-file.js';

/** Every endpoint that could be loaded, by name. */
type All = ReadonlyMap<string, Endpoint>;

/** The problems of an endpoint's references to others: `choicesFrom` of its parameters, and its `successor`. */
export function problemsOfReferences(endpoint: Endpoint, all: All): readonly DefinitionProblem[] {
  const ofChoices = [...endpoint.parameters].flatMap(([name, { choicesFrom }]) => {
    const path = ['parameters', name, 'choicesFrom'];
    const found = choicesFrom && problemOfChoices(path.join('.'), endpoint, choicesFrom, all);
    return found ? [{ path, ...found }] : [];
  });
  const { successor } = endpoint.deprecated ?? {};
  if (successor === undefined || all.has(successor)) return ofChoices;
  const path = ['deprecated', 'successor'];
  return [...ofChoices, { path, ...unknownEndpoint(path.join('.'), successor, all) }];
}

const unknownEndpoint = (key: string, name: string, all: All): Problem =>
  problem('ENDPOINT_UNKNOWN', key, name, adviceFor(name, [...all.keys()], 'endpoints'));

function problemOfChoices(
  key: string,
  { parameters: own }: Endpoint,
  { endpoint: name, column }: ChoicesFrom,
  all: All,
): Problem | undefined {
  const source = all.get(name);
  if (!source) return unknownEndpoint(key, name, all);
  const columns = [...source.columns.keys()];
  if (!columns.includes(column) && !lacksColumns(source.file)) {
    return problem('COLUMN_UNKNOWN', key, column, name, adviceFor(column, columns, 'columns'));
  }
  const missing = [...source.parameters]
    .filter(([param, { required }]) => required && !own.has(param))
    .map(([param]) => param);
  if (missing.length === 0) return undefined;
  return problem('PARAMETERS_LACKING', key, name, missing.join(', '));
}
