import { SAMPLES } from '../../gateway/query/sample-values.js';
import type { CatalogTable } from './catalog.js';
import { NotCarriedOver, type Draft, type DraftParameter } from './draft.js';
import { parameterName, sqlName } from './names.js';
import { parameterOfType } from './parameter-of-type.js';

/** Whether a table is a view with parameters. */
export const isParameterisedView = ({ engine, select }: CatalogTable): boolean =>
  engine === 'View' && placeholdersIn(select).size > 0;

/** An endpoint that calls a parameterised view. @throws NotCarriedOver */
export function viewDraft(name: string, view: CatalogTable): Draft {
  const taken = new Set<string>();
  const parameters = new Map<string, DraftParameter>();
  const example: Record<string, string> = {};
  const args: string[] = [];
  for (const [own, type] of placeholdersIn(view.select)) {
    const parameter = parameterName(own, taken);
    const form = parameterOfType(type);
    if (parameter === undefined) throw new NotCarriedOver(`no parameter can have the name ${own}`);
    if (!form)
      throw new NotCarriedOver(`its parameter ${own} has the type ${type}, which no kind of parameter has`);
    const { kind, bind, options, isNullable } = form;
    const description = `The parameter ${own} of ClickHouse.`;
    parameters.set(parameter, { kind, options, description, ...(!isNullable && { required: true }) });
    args.push(`${sqlName(own)} = {${parameter}:${bind}}`);
    if (isNullable) continue;
    const sample = SAMPLES[kind.replace(/-list$/, '') as keyof typeof SAMPLES];
    example[parameter] = options.choices?.[0] ?? sample;
  }
  const query = `SELECT *\nFROM ${sqlName(view.name)}(${args.join(', ')})`;
  return { name, summary: `Rows of the view ${view.name}.`, parameters, example, query };
}

/** A text or a quoted name, or a `{name:Type}`. */
const TOKEN = /'(?:[^'\\]|\\.|'')*'|[`"](?:[^`"\\]|\\.)*[`"]|\{\s*(\w+)\s*:\s*([^{}]+?)\s*\}/gs;

/** The types of a query's placeholders, with any names: those of an endpoint file must be in lower case. */
function placeholdersIn(select: string): ReadonlyMap<string, string> {
  return new Map(
    [...select.matchAll(TOKEN)].flatMap(([, name, type]) =>
      name === undefined || type === undefined ? [] : [[name, type] as const],
    ),
  );
}
