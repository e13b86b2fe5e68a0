/** The value that a caller sent for one parameter name. */
export interface RawParameter {
  /** The decoded text; undefined if it is not UTF-8 or has an invalid percent escape, or if only `items` have it. */
  readonly text: string | undefined;
  /** How often the name occurs. */
  readonly times: number;
  /** Whether one of the texts that became `text`, of a list that is given several times, is in brackets. */
  readonly isInBrackets?: boolean;
  /** The items of a list that came as a list: unlike those in `text`, they may contain commas. */
  readonly items?: readonly string[];
  /** Bytes of UTF-8 that the value may have; those of a value in a query string where absent. */
  readonly maxBytes?: number;
}

/** Whether a text is written as JSON writes an array. */
export const isInBrackets = (text: string): boolean => text.startsWith('[') && text.endsWith(']');

/** Bytes of UTF-8 of a value in a body. ClickHouse accepts a parameter of twice as many, which escapes can fill. */
export const MAX_BODY_VALUE_BYTES = 64 * 1024;

/** A value in a body: a text, or the items of a list. */
export function rawInBody(value: string | readonly string[]): RawParameter {
  const sent = { times: 1, maxBytes: MAX_BODY_VALUE_BYTES };
  if (typeof value === 'string') return { text: value, ...sent };
  return { items: value, text: textOf(value), ...sent };
}

/** The one text that means the same as items; undefined where none does. */
function textOf(items: readonly string[]): string | undefined {
  const text = items.join(',');
  const isAmbiguous = text === '' || isInBrackets(text) || items.some((item) => item.includes(','));
  return isAmbiguous ? undefined : text;
}

/** How a list is written in a query string, as an example. */
export const listExample = (param: string): string => `${param}=a,b or ${param}=a&${param}=b`;

/** The parameters of a request, by name. */
export type RawParameters = ReadonlyMap<string, RawParameter>;
