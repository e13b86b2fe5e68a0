import { asRecord } from './as-record.js';
import { closestName } from './closest-name.js';
import { bareType, parseTypeName } from './type-name.js';
import { problem, type Problem } from './problems.js';
import { AFTER } from './reserved.js';

/** A column by which the rows of an endpoint with pages are ordered. */
export interface PageColumn {
  readonly name: string;
  /** Type of the column without LowCardinality and Nullable. */
  readonly type: string;
  readonly isNullable: boolean;
  readonly isDescending: boolean;
  /** Name of the parameter that has its value in the last row of the page before. */
  readonly parameter: string;
  /** Whether nulls come first. ClickHouse's default is last, in both directions. */
  readonly areNullsFirst: boolean;
}

/** The order of the rows, which must differ between any two of them. */
export type PageOrder = readonly PageColumn[];

/** `timestamp`, `timestamp desc`, `country asc nulls first` */
const ITEM = /^(?<name>\S.*?)(?:\s+(?<direction>asc|desc))?(?:\s+nulls\s+(?<nulls>first|last))?$/i;

/** Types whose values can be written as text and read again. Floats are excluded, because they are not compared exactly. */
const EXACT =
  /^(?:U?Int\d+|Decimal\d*|Bool|String|FixedString|UUID|IPv[46]|Enum(?:8|16)?|Date|Date32|DateTime|DateTime64)$/;

/**
 * Reads `pages.by` of a definition, or of the header of a `.sql` file; the rest of it need not be valid. Returns the columns, and the
 * problems of invalid items.
 */
export function readPageOrder(definition: { readonly pages?: unknown; readonly columns?: unknown }): {
  readonly order: PageOrder;
  readonly problems: readonly Problem[];
} {
  const { by } = asRecord(definition.pages);
  const columns = asRecord(definition.columns);
  const order: PageColumn[] = [];
  const problems: Problem[] = [];
  for (const item of Array.isArray(by) ? by : []) {
    if (typeof item !== 'string') continue;
    const { name = '', direction, nulls } = partsOf(item.trim(), columns);
    const found = problemOf(name, columns, order);
    if (found) problems.push(found);
    else {
      order.push({
        name,
        parameter: `${AFTER}_${order.length + 1}`,
        ...typeOf(declaredColumn(columns[name]).type),
        isDescending: direction?.toLowerCase() === 'desc',
        areNullsFirst: nulls?.toLowerCase() === 'first',
      });
    }
  }
  return { order, problems };
}

interface DeclaredColumn {
  readonly type: string;
  readonly isJson: boolean;
}

function declaredColumn(column: unknown): DeclaredColumn {
  if (typeof column === 'string') return { type: column, isJson: false };
  const { type, holdsJson, json } = asRecord(column);
  return { type: String(type), isJson: holdsJson === true || json === true };
}

/** The names of the columns in `pages.by` or `pieces.bucket`, which need not be valid. */
export function namesInOrder(items: unknown): readonly string[] {
  const texts = (Array.isArray(items) ? items : []).filter((item) => typeof item === 'string');
  return texts.flatMap((item) => partsOf(item.trim(), {}).name ?? []);
}

/** The parts of an item; the name of a column can end like one. */
function partsOf(item: string, columns: object): { name?: string; direction?: string; nulls?: string } {
  return Object.hasOwn(columns, item) ? { name: item } : (ITEM.exec(item)?.groups ?? {});
}

/** A column as `pages.by` names it. */
export function itemOfOrder({ name, isDescending, areNullsFirst }: PageColumn): string {
  return `${name}${isDescending ? ' desc' : ''}${areNullsFirst ? ' nulls first' : ''}`;
}

function problemOf(
  name: string,
  columns: Readonly<Record<string, unknown>>,
  before: PageOrder,
): Problem | undefined {
  if (!Object.hasOwn(columns, name)) {
    const closest = closestName(name, Object.keys(columns));
    const advice = closest === undefined ? '' : `; did you mean ${closest}?`;
    return problem('PAGES_INVALID', `names the column ${name}, which is not in columns${advice}`);
  }
  const column = declaredColumn(columns[name]);
  if (before.some((other) => other.name === name)) return problem('PAGES_INVALID', `names ${name} twice`);
  if (!column.isJson && EXACT.test(bareType(column.type).name)) return undefined;
  const type = column.isJson ? 'JSON' : column.type;
  return problem(
    'PAGES_INVALID',
    `names ${name}, whose type ${type} has no exact text: name a number without a fraction, a text, a time or a UUID`,
  );
}

function typeOf(type: string): Pick<PageColumn, 'type' | 'isNullable'> {
  const { name, args } = parseTypeName(type);
  const [inner = ''] = args;
  if (name === 'LowCardinality') return typeOf(inner);
  return name === 'Nullable' ? { type: inner, isNullable: true } : { type, isNullable: false };
}
