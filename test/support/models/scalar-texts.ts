const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;
const HALF_OF_A_PAIR = /\p{Surrogate}/u;

/**
 * Returns the scalars of a JSON object by key, as texts: a string without its quotes, a boolean as written, a number in
 * its shortest form. Returns none if the text is null, is not a JSON object, or is one that ClickHouse's JSON functions
 * reject: with a number beyond 64 bits or with half of a surrogate pair.
 */
export function scalarTexts(text: string | null): ReadonlyMap<string, string> {
  const object = text === null ? undefined : readObject(text);
  return new Map(Object.entries(object ?? {}).flatMap(([key, value]) => scalarEntry(key.slice(1), value)));
}

/** Prefixes strings with `s` and turns numbers into strings prefixed with `n`, because `JSON.parse` would round numbers. */
function readObject(text: string): object | undefined {
  if (!isJson(text)) return undefined;
  const tokens = text.match(STRING_OR_NUMBER) ?? [];
  if (tokens.some(isRefused)) return undefined;
  const marked = text.replace(STRING_OR_NUMBER, (token) =>
    isString(token) ? `"s${token.slice(1)}` : `"n${token}"`,
  );
  const value: unknown = JSON.parse(marked);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}

function scalarEntry(key: string, value: unknown): readonly (readonly [string, string])[] {
  if (typeof value === 'boolean') return [[key, String(value)]];
  if (typeof value !== 'string') return [];
  const text = value.startsWith('n') ? shortestForm(value.slice(1)) : value.slice(1);
  return text === undefined ? [] : [[key, text]];
}

/** Returns the number as ClickHouse prints it, or undefined if ClickHouse cannot store it. */
function shortestForm(written: string): string | undefined {
  if (/^-?\d+$/.test(written)) {
    const integer = BigInt(written);
    return integer >= -(2n ** 63n) && integer < 2n ** 64n ? integer.toString() : undefined;
  }
  const number = Number(written);
  if (Object.is(number, -0)) return '-0';
  return Number.isFinite(number) ? String(number).replace('e+', 'e') : undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const isString = (token: string): boolean => token.startsWith('"');

const isRefused = (token: string): boolean =>
  isString(token) ? HALF_OF_A_PAIR.test(JSON.parse(token) as string) : shortestForm(token) === undefined;
