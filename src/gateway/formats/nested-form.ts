import { quoteText } from '../../endpoint/quote-sql.js';
import { parseTypeName, tupleField } from '../../endpoint/type-name.js';
import type { Quoting, Times } from './format.js';
import { isWideNumber } from './quoting.js';
import { FAMILIES } from './type-families.js';

/** An SQL expression, and the type of its value. */
export interface Form {
  readonly sql: string;
  readonly type: string;
}

/** The choices that determine the form of a value in addition to its type. */
export interface FormChoice {
  readonly times: Times;
  readonly quoting?: Quoting | undefined;
}

/** An expression whose type has arguments. */
interface Container extends Form {
  readonly args: readonly string[];
  /** Name of the parameter of a lambda over the items. */
  readonly item: string;
  readonly formOf: (sql: string, type: string) => Form;
}

/**
 * The form in which a value is written, also where other values contain it: times as the caller chose; decimals converted that the
 * settings of the quoting would write wrongly; and vectors as arrays, because ClickHouse writes the NaN of a vector into JSON. An
 * expression that needs no conversion keeps its SQL. Unchanged, too, are the keys of maps, and values whose type only ClickHouse
 * knows (Variant, Dynamic, JSON).
 */
export function nestedForm(sql: string, type: string, choice: FormChoice, depth = 0): Form {
  const { name, args } = parseTypeName(type);
  const formOf = (inner: string, of: string): Form => nestedForm(inner, of, choice, depth + 1);
  const container = CONTAINERS[name];
  if (container) return container({ sql, type, args, item: `item${depth}`, formOf });
  if (name === 'Decimal' && choice.quoting)
    return ofDecimal({ sql, type }, isWideNumber({ name, args }), choice.quoting);
  const micros = choice.times === 'unix-micros' ? FAMILIES.get(name)?.micros : undefined;
  return micros ? { sql: micros(sql, type), type: 'Int64' } : { sql, type };
}

/** The form of a decimal. A double has all digits of a narrow decimal. */
function ofDecimal({ sql, type }: Form, isWide: boolean, { quotesDecimals }: Quoting): Form {
  if (isWide === quotesDecimals) return { sql, type };
  return isWide ? { sql: `toString(${sql})`, type: 'String' } : { sql: `toFloat64(${sql})`, type: 'Float64' };
}

const CONTAINERS: Readonly<Partial<Record<string, (container: Container) => Form>>> = {
  LowCardinality: unwrapped,
  SimpleAggregateFunction: unwrapped,
  Nullable: ofNullable,
  Array: ofArray,
  Map: ofMap,
  Tuple: ofTuple,
  QBit: ({ sql, args: [element = ''] }) => {
    const type = `Array(${element})`;
    return { sql: `CAST(${sql}, '${type}')`, type };
  },
};

function unwrapped({ sql, type, args, formOf }: Container): Form {
  const form = formOf(sql, args.at(-1) ?? '');
  return form.sql === sql ? { sql, type } : form;
}

function ofNullable({ sql, type, args: [inner = ''], formOf }: Container): Form {
  const form = formOf(sql, inner);
  if (form.sql === sql) return { sql, type };
  if (!form.type.includes('(')) return { sql: form.sql, type: `Nullable(${form.type})` };
  // The functions that make arrays and tuples reject a null.
  const some = formOf(`assumeNotNull(${sql})`, inner);
  return { sql: `if(isNull(${sql}), NULL::Dynamic, ${some.sql}::Dynamic)`, type: 'Dynamic' };
}

function ofArray({ sql, type, args: [element = ''], item, formOf }: Container): Form {
  const form = formOf(item, element);
  if (form.sql === item) return { sql, type };
  return { sql: `arrayMap(${item} -> ${form.sql}, ${sql})`, type: `Array(${form.type})` };
}

function ofMap({ sql, type, args: [key = '', value = ''], item, formOf }: Container): Form {
  const form = formOf(item, value);
  if (form.sql === item) return { sql, type };
  return { sql: `mapApply((key, ${item}) -> (key, ${form.sql}), ${sql})`, type: `Map(${key}, ${form.type})` };
}

function ofTuple({ sql, type, args, formOf }: Container): Form {
  const fields = args.map((arg, index) => {
    const { name, type: ofField } = tupleField(arg);
    const element = `tupleElement(${sql}, ${index + 1})`;
    const form = formOf(element, ofField);
    const declared = name === undefined ? form.type : `${name} ${form.type}`;
    return { sql: form.sql, declared, isSame: form.sql === element };
  });
  if (fields.every(({ isSame }) => isSame)) return { sql, type };
  const changed = `Tuple(${fields.map(({ declared }) => declared).join(', ')})`;
  const elements = fields.map((field) => field.sql).join(', ');
  return { sql: `CAST(tuple(${elements}), ${quoteText(changed)})`, type: changed };
}
