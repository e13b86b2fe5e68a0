import { unquote } from '../../endpoint/quote-sql.js';
import { parseTypeName } from '../../endpoint/type-name.js';

/** How a parameter of a ClickHouse type is declared in a header, and bound. */
export interface ParameterForm {
  /** A kind, or a list of one. */
  readonly kind: string;
  /** The type in `{name:Type}`. */
  readonly bind: string;
  readonly options: Readonly<Record<string, unknown>> & { readonly choices?: readonly string[] };
  readonly isNullable: boolean;
}

/** The kind of parameter for values of a ClickHouse type; undefined where no kind fits. */
export function parameterOfType(type: string): ParameterForm | undefined {
  const { name, args } = parseTypeName(type);
  const [first = '', second] = args;
  if (name === 'Nullable') return withForm(first, (form) => ({ ...form, isNullable: true }));
  if (name === 'LowCardinality') return parameterOfType(first);
  if (name === 'SimpleAggregateFunction') return second === undefined ? undefined : parameterOfType(second);
  if (name === 'Array') {
    // The values of a list are never null.
    return withForm(first, ({ kind, bind, options }) =>
      kind.endsWith('-list') ? undefined : { ...formOf(`${kind}-list`, `Array(${bind})`), options },
    );
  }
  return scalarForm(type, name, args);
}

function scalarForm(type: string, name: string, args: readonly string[]): ParameterForm | undefined {
  const choices = /^Enum(?:8|16)?$/.test(name) ? { choices: namesOf(args) } : {};
  const [, kind, bind] = SCALARS.find(([pattern]) => pattern.test(name)) ?? [];
  return kind === undefined || bind === undefined
    ? undefined
    : { ...formOf(kind, bind(type, args)), options: choices };
}

type Bind = (type: string, args: readonly string[]) => string;

const asItIs: Bind = (type) => type;
const asText: Bind = () => 'String';

/** Kind and bound type by the first word of the type. The gateway sends all times in UTC. */
const SCALARS: readonly (readonly [RegExp, string, Bind])[] = [
  [/^U?Int(?:8|16|32|64|128|256)$/, 'integer', asItIs],
  [/^Float(?:32|64)$/, 'number', asItIs],
  [/^(?:Fixed)?String$/, 'string', asText],
  [/^Enum(?:8|16)?$/, 'enum', asText],
  [/^Bool$/, 'boolean', asItIs],
  [/^UUID$/, 'uuid', asItIs],
  [/^Date(?:32)?$/, 'date', asItIs],
  [/^DateTime$/, 'timestamp', () => "DateTime('UTC')"],
  [/^DateTime64$/, 'timestamp', (_type, [digits = '3']) => `DateTime64(${digits}, 'UTC')`],
  [/^Decimal(?:32|64|128|256)?$/, 'decimal', asItIs],
];

const formOf = (kind: string, bind: string): ParameterForm => ({
  kind,
  bind,
  options: {},
  isNullable: false,
});

function withForm(
  type: string,
  change: (form: ParameterForm) => ParameterForm | undefined,
): ParameterForm | undefined {
  const form = parameterOfType(type);
  return form && change(form);
}

/** The names of `'a' = 1, 'it\'s' = 2`. */
function namesOf(args: readonly string[]): readonly string[] {
  return args.map((arg) => unquote(/^'(?:[^'\\]|\\.|'')*'/.exec(arg)?.[0] ?? ''));
}
