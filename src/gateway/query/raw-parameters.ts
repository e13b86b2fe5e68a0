/** The value that a caller sent for one parameter name. */
export interface RawParameter {
  /** Decoded text. Undefined if it is not UTF-8, has an invalid percent escape, or cannot express the `items`. */
  readonly text: string | undefined;
  /** Number of times that the name occurs. */
  readonly times: number;
  /** Whether any text of a list that is given several times is in brackets. `text` joins these texts. */
  readonly isInBrackets?: boolean;
  /** Items of a list that came as a list. Unlike the items in `text`, they may contain commas. */
  readonly items?: readonly string[];
  /** Maximum size of the value in bytes of UTF-8. Absent: the maximum of a query string. */
  readonly maxBytes?: number;
}

/** Whether a text looks like a JSON array. */
export const isInBrackets = (text: string): boolean => text.startsWith('[') && text.endsWith(']');

/** Maximum size of a value in a body, in bytes of UTF-8. ClickHouse accepts a parameter of twice that size, which escapes can fill. */
export const MAX_BODY_VALUE_BYTES = 64 * 1024;

/** A value in a body, which is a text or the items of a list. */
export function rawInBody(value: string | readonly string[]): RawParameter {
  const sent = { times: 1, maxBytes: MAX_BODY_VALUE_BYTES };
  if (typeof value === 'string') return { text: value, ...sent };
  return { items: value, text: textOf(value), ...sent };
}

/** Single text with the same meaning as the items. Undefined where none has it. */
function textOf(items: readonly string[]): string | undefined {
  const text = items.join(',');
  const isAmbiguous = text === '' || isInBrackets(text) || items.some((item) => item.includes(','));
  return isAmbiguous ? undefined : text;
}

/** Example of a list in a query string. */
export const listExample = (param: string): string => `${param}=a,b or ${param}=a&${param}=b`;

/** The parameters of a request, by name. */
export type RawParameters = ReadonlyMap<string, RawParameter>;
