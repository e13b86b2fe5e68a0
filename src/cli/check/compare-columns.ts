import type { Column } from '../../endpoint/definition.js';

/** A column as `DESCRIBE` returns it. */
export interface DescribedColumn {
  readonly name: string;
  readonly type: string;
}

/** The differences between an endpoint's declared columns and the columns of its query; empty where they are equal. */
export function compareColumns(
  declared: ReadonlyMap<string, Pick<Column, 'type'>>,
  described: readonly DescribedColumn[],
): readonly string[] {
  const returned = new Map(described.map(({ name, type }) => [name, type]));
  const faults: string[] = [];
  for (const [name, { type }] of declared) {
    const real = returned.get(name);
    if (real === undefined) faults.push(`column ${name} is declared, but the query does not return it`);
    else if (real !== type)
      faults.push(`column ${name} is declared as ${type}, but the query returns ${real}`);
  }
  for (const { name, type } of described) {
    if (!declared.has(name)) faults.push(`column ${name} ${type} is returned by the query, but not declared`);
  }
  const names = described.map(({ name }) => name);
  if (faults.length === 0 && names.join() !== [...declared.keys()].join()) {
    faults.push(`the query returns the columns in another order than declared: ${names.join(', ')}`);
  }
  return faults;
}
