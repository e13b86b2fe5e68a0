import { quoteName, quoteText } from '../../endpoint/quote-sql.js';
import { renderQuery } from '../../endpoint/render.js';
import type { Condition, Query, Sql } from '../../endpoint/sql.js';
import { PARAMETER } from './facts.js';

type Branches = readonly (readonly [Condition, Sql])[];

/** Branches that lead to a fragment, by choice. The index after the last branch means `otherwise`. */
type Path = ReadonlyMap<Branches, number>;

/**
 * Texts that together contain every fragment of a query: all parts, all optional filters, and every branch of every choice.
 * They are for parsing only. Each parameter becomes a {@link PARAMETER} call, or a name where an identifier is expected.
 *
 * @param onIdentifier called with the name of each parameter that is an identifier
 */
export function queryShapes(query: Query, onIdentifier: OnIdentifier = () => undefined): readonly string[] {
  const shapes = new Set<string>();
  const seen = new Set<Branches>();
  const paths: Path[] = [new Map()];
  for (const path of paths) {
    shapes.add(
      renderAlong(query, path, onIdentifier, (branches, taken, outer) => {
        if (seen.has(branches)) return;
        seen.add(branches);
        for (let index = 0; index <= branches.length; index += 1) {
          if (index !== taken) paths.push(new Map([...outer, [branches, index]]));
        }
      }),
    );
  }
  return [...shapes];
}

type OnIdentifier = (name: string) => void;
type OnChoice = (branches: Branches, taken: number, outer: Path) => void;

/** Renders the query with the branches of a path. Other choices take the branch that the conditions of the path imply. */
function renderAlong(query: Query, path: Path, onIdentifier: OnIdentifier, onChoice: OnChoice): string {
  const isTrue = new Set([...path].flatMap(([branches, index]) => termsOf(branches[index]?.[0])));
  const implied = (branches: Branches): number => {
    const index = branches.findIndex(([condition]) => termsOf(condition).every((term) => isTrue.has(term)));
    return index === -1 ? branches.length : index;
  };
  const outer = new Map<Branches, number>();
  return renderQuery(query, {
    reference: ({ name, type }) => {
      if (type !== 'Identifier') return `${PARAMETER}(${quoteText(name)})`;
      onIdentifier(name);
      return quoteName(name);
    },
    filter: ({ condition }, render) => render(condition),
    choice: (branches, otherwise, render) => {
      const taken = path.get(branches) ?? implied(branches);
      onChoice(branches, taken, outer);
      outer.set(branches, taken);
      const text = render(branches[taken]?.[1] ?? otherwise);
      outer.delete(branches);
      return text;
    },
    cap: '',
    setting: () => undefined,
    printsUnusedParts: true,
  });
}

function termsOf(condition: Condition | undefined): readonly string[] {
  const { equals = [], pinned = [], omitted = [], matches = [] } = condition ?? {};
  return [
    ...equals.map(([{ name }, value]) => `${name} = ${value}`),
    ...pinned.map(({ name }) => `${name} is pinned`),
    ...omitted.map(({ name }) => `${name} is omitted`),
    ...matches.map(([{ name }, { source }]) => `${name} ~ ${source}`),
  ];
}
