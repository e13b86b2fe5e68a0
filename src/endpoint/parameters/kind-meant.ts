import { closestName } from '../closest-name.js';
import { KIND_NAMES } from './kinds.js';

/** Words by which other systems name the kinds. */
const OTHER_NAMES: readonly (readonly [words: RegExp, kind: string])[] = [
  [/^(?:text|str|varchar|char|fixedstring)$/, 'string'],
  [/^(?:int|u?int\d+|bigint|smallint|long|serial)$/, 'integer'],
  [/^(?:float|float\d+|double|real|numeric)$/, 'number'],
  [/^(?:bool|bit)$/, 'boolean'],
  [/^(?:datetime|datetime\d+|time|timestamptz)$/, 'timestamp'],
  [/^(?:date32|day)$/, 'date'],
  [/^(?:tz|zone|time[-_ ]?zone)$/, 'timezone'],
  [/^(?:choice|choices|one[-_ ]?of|select)$/, 'enum'],
  [/^(?:regexp?|pattern)$/, 'regular-expression'],
];

/** The kind that the author of an unknown one probably meant; undefined where none is close. */
export function kindMeant(kind: unknown): string | undefined {
  if (typeof kind !== 'string') return undefined;
  const [, item = kind, list] = /^(.+?)(-list|\[\])$/.exec(kind) ?? [];
  const lower = item.toLowerCase();
  const known = OTHER_NAMES.find(([words]) => words.test(lower))?.[1];
  if (known !== undefined) return list === undefined ? known : `${known}-list`;
  return closestName(kind, KIND_NAMES);
}
