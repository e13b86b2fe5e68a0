import type { Values } from '../../endpoint/values.js';
import type { Endpoint } from '../../endpoint/endpoint.js';
import { partsOf } from '../../endpoint/sql-file/select-parameters.js';
import type { Piece } from '../../endpoint/sql-file/select/select-text.js';
import type { Combination } from '../query/sample-values.js';

/** Maximum number of combinations that are checked for one endpoint. Further ones are left out. */
const MAX_COMBINATIONS = 200;

/**
 * Sets of omittable parameters that have a value in some combination of optional parts: first no part, then each part with the parts around
 * it, then all parts, then each choice of each enum parameter, then pairs of parts. Two sets can apply the same parts and differ in other
 * parameters.
 */
export function combinationsOf(
  pieces: readonly Piece[],
  parameters: Endpoint['parameters'],
): readonly Combination[] {
  const omittable = [...parameters].filter(([, { required, default: fallback }]) => {
    return !required && fallback === undefined;
  });
  const names = omittable.map(([name]) => name);
  const parts = partsOf(pieces).map(({ required }) => names.filter((name) => required.includes(name)));
  const combinations = new Map<string, Combination>();
  const add = (...sets: readonly (readonly string[])[]): void => {
    const together = names.filter((name) => sets.some((set) => set.includes(name)));
    if (combinations.size < MAX_COMBINATIONS) combinations.set(together.join(), { names: together });
  };
  add([]);
  for (const part of parts) add(part);
  add(names);
  for (const choice of choicesOf(parameters)) {
    if (combinations.size < MAX_COMBINATIONS) combinations.set(JSON.stringify(choice), { names, choice });
  }
  for (const [index, part] of parts.entries()) for (const other of parts.slice(0, index)) add(other, part);
  return [...combinations.values()];
}

/** Text by which messages name the calls with a problem. */
export function combinationText([first, ...others]: readonly Combination[]): string {
  const { names, choice } = first ?? { names: [] };
  const of = names.length === 0 ? 'without optional parameters' : `with a value for ${names.join(', ')}`;
  const which = choice ? `where ${choice[0]} is ${choice[1]}` : of;
  if (others.length === 0) return which;
  return `${which} (and in ${others.length} other ${others.length === 1 ? 'combination' : 'combinations'})`;
}

/** Whether a call applies the parts of a combination, possibly with others. */
export function isOfCombination(values: Values, { names, choice }: Combination): boolean {
  const isChosen = choice === undefined || values.get(choice[0]) === choice[1];
  return isChosen && names.every((name) => (values.get(name) ?? null) !== null);
}

function choicesOf(parameters: Endpoint['parameters']): readonly (readonly [string, string])[] {
  return [...parameters].flatMap(([name, { kind, choices = [] }]) =>
    kind === 'enum' ? choices.map((choice) => [name, choice] as const) : [],
  );
}
