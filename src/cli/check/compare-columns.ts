import type { Column } from '../../endpoint/definition.js';

/** A column as `DESCRIBE` gives it. */
export interface DescribedColumn {
  readonly name: string;
  readonly type: string;
}

/** How the columns that an endpoint declares differ from those that its query gives, in their order; empty: not at all. */
export function compareColumns(
  declared: ReadonlyMap<string, Pick<Column, 'type'>>,
  described: readonly DescribedColumn[],
): readonly string[] {
  const given = new Map(described.map(({ name, type }) => [name, type]));
  const faults: string[] = [];
  for (const [name, { type }] of declared) {
    const real = given.get(name);
    if (real === undefined) faults.push(`column ${name} is declared, and the query does not give it`);
    else if (real !== type) faults.push(`column ${name} is declared as ${type}, and is ${real}`);
  }
  for (const { name, type } of described) {
    if (!declared.has(name)) faults.push(`column ${name} ${type} is given by the query, and not declared`);
  }
  const names = described.map(({ name }) => name);
  if (faults.length === 0 && names.join() !== [...declared.keys()].join()) {
    faults.push(`the columns come in another order than declared: ${names.join(', ')}`);
  }
  return faults;
}
