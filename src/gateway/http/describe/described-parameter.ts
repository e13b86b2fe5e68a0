import type { Endpoint } from '../../../endpoint/endpoint.js';
import type { JsonSchema } from '../../../endpoint/json-schema.js';
import { MAX_VALUE_BYTES, type Parameter } from '../../../endpoint/parameters/parameter.js';
import { RESULT } from '../../../endpoint/reserved.js';
import { knownFacts } from '../../facts/query-facts.js';
import { readableParts } from '../../facts/readable-parts.js';

/** A parameter of an endpoint for one reader. The list of endpoints, OpenAPI and MCP show it, each in its own form. */
export interface DescribedParameter extends Omit<Parameter, 'read' | 'problems'> {
  readonly name: string;
  /** Whether the reader's key supplies it. */
  readonly isPinned: boolean;
  /** Whether a call of the reader must have the parameter. */
  readonly required: boolean;
  /** Sentences about the meaning of the parameter and the form of its values. */
  readonly notes: readonly string[];
  /** Bounds of the values that are narrower than those of every value; for a list, bounds of an item. */
  readonly bounds: Pick<JsonSchema, 'minimum' | 'maximum' | 'maxLength' | 'pattern'>;
  /** Whether the empty text is invalid and no format implies that. */
  readonly isNeverEmpty: boolean;
  /** The value in the endpoint's example, as a caller would send it; absent where the reader must not send or see it. */
  readonly example: string | undefined;
}

/** The parameters of an endpoint for a reader whose key pins some of them, by name. */
export function describeParameters(
  { parameters, example }: Endpoint,
  pinned: { readonly has: (name: string) => boolean } | undefined,
): readonly DescribedParameter[] {
  return [...parameters].map(([name, parameter]) => {
    const { description, syntax, secret, isList, isSet } = parameter;
    const isPinned = pinned?.has(name) ?? false;
    const required = parameter.required && !isPinned;
    return {
      ...parameter,
      ...{ name, isPinned, required },
      notes: [
        description,
        ...(isPinned ? [PINNED_NOTE] : []),
        ...(syntax === undefined ? [] : [syntax]),
        ...(isList ? [isSet ? SET_NOTE : LIST_NOTE] : []),
      ],
      bounds: boundsOf(parameter.jsonSchema),
      isNeverEmpty: isNeverEmpty(parameter, required),
      example: isPinned || secret ? undefined : example[name],
    };
  });
}

function boundsOf({
  minimum,
  maximum,
  maxLength = MAX_VALUE_BYTES,
  pattern,
}: JsonSchema): DescribedParameter['bounds'] {
  return {
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(maxLength < MAX_VALUE_BYTES && { maxLength }),
    ...(pattern !== undefined && { pattern }),
  };
}

function isNeverEmpty({ jsonSchema, isList, empty }: Parameter, required: boolean): boolean {
  const isText = jsonSchema.type === 'string' && jsonSchema.format === undefined && !isList;
  return isText && (empty === 'problem' || (empty === 'omitted' && required));
}

// Not `uniqueItems`: a client would reject what the gateway accepts.
const SET_NOTE = 'Order and duplicates make no difference.';
const LIST_NOTE = 'Order and duplicates count.';
const PINNED_NOTE = 'Your key supplies it: leave it out.';

/** The example of an endpoint without values that the reader must not send or see: as texts, or as a JSON body has them. */
export function exampleOf(
  parameters: readonly DescribedParameter[],
  form: 'texts' | 'body' = 'texts',
): Readonly<Record<string, unknown>> {
  const shown = parameters.flatMap((parameter) => {
    const { name, example } = parameter;
    if (example === undefined) return [];
    return [[name, form === 'texts' ? example : jsonValue(example, parameter)] as const];
  });
  return Object.fromEntries(shown);
}

/** The JSON value of a text that a caller would send in a URL. An integer beyond 2^53 stays a text. */
export function jsonValue(text: string, { isList, jsonSchema }: DescribedParameter): unknown {
  return isList ? text.split(',').map((item) => scalar(item, jsonSchema)) : scalar(text, jsonSchema);
}

function scalar(text: string, { type }: JsonSchema): unknown {
  if (type === 'boolean') return text === 'true' || text === '1';
  const isNumber = type === 'number' || (type === 'integer' && Number.isSafeInteger(Number(text)));
  return isNumber ? Number(text) : text;
}

/** The description of `sql`, where callers may send it, with the names that a caller with these pins may read. */
export function sqlDescription(endpoint: Endpoint, pinned: ReadonlySet<string>): string {
  const parts = readableParts(endpoint, pinned, knownFacts(endpoint)).names.filter((name) => name !== RESULT);
  const others =
    parts.length === 0 ? '' : ` It can also read ${parts.map((name) => `\`${name}\``).join(', ')}.`;
  return (
    `One SELECT of the caller’s own over the rows of the endpoint, which it reads as \`${RESULT}\`; it decides the columns ` +
    `of the response.${others}`
  );
}
