import type { Parameter } from './endpoint.js';

/** A value that a field suggests, and what it means where the value does not say it. */
export interface Suggestion {
  readonly value: string;
  readonly label?: string;
}

const LIST = '-list';

/** Whether the value is items that are separated by commas. */
export const isList = ({ kind }: Pick<Parameter, 'kind'>): boolean => kind.endsWith(LIST);

/** The kind of the value, or of each item of a list. */
export const itemKind = ({ kind }: Pick<Parameter, 'kind'>): string =>
  kind.endsWith(LIST) ? kind.slice(0, -LIST.length) : kind;

/** The keyboard that a telephone shows. A list needs commas, which number pads lack. */
export function inputModeOf({ kind }: Pick<Parameter, 'kind'>): 'numeric' | 'decimal' | 'text' {
  if (kind === 'integer') return 'numeric';
  return kind === 'number' || kind === 'decimal' ? 'decimal' : 'text';
}

/** What the field says below its control. */
export function hintOf(parameter: Parameter): string {
  const { kind, description, secret, relativeStep, minimum, maximum, set, default: fallback } = parameter;
  return [
    description,
    ...(isList(parameter) ? [set ? 'Separated by commas.' : 'Separated by commas; their order counts.'] : []),
    ...(itemKind(parameter) === 'timestamp' ? ['UTC where no zone is given.'] : []),
    ...(relativeStep === undefined ? [] : ['Also relative to now, such as now-7d or now/d.']),
    ...(minimum === undefined ? [] : [`At least ${minimum}.`]),
    ...(maximum === undefined ? [] : [`At most ${maximum}.`]),
    // A date field has no placeholder.
    ...(kind === 'date' && fallback !== undefined ? [`Default: ${fallback}.`] : []),
    ...(secret ? ['Secret: in no address and no snippet.'] : []),
  ].join(' ');
}

const RELATIVE_TIMES: readonly Suggestion[] = [
  { value: 'now-1h', label: 'an hour ago' },
  { value: 'now-24h', label: '24 hours ago' },
  { value: 'now-7d', label: '7 days ago' },
  { value: 'now-30d', label: '30 days ago' },
  { value: 'now/d', label: 'start of today' },
  { value: 'now', label: 'now' },
];

/**
 * The values that a field suggests.
 *
 * @param value of the field: in a list, each suggestion replaces its last item.
 * @param listed by the endpoint that `choicesFrom` names.
 */
export function suggestionsOf(
  parameter: Parameter,
  value: string,
  listed: readonly string[],
): readonly Suggestion[] {
  const items = [
    ...[...listed, ...(parameter.choices ?? []), ...(parameter.suggestions ?? [])].map(plain),
    ...(parameter.relativeStep === undefined ? [] : RELATIVE_TIMES),
    ...(itemKind(parameter) === 'timezone' ? timeZones().map(plain) : []),
  ];
  if (!isList(parameter)) return items;
  const before = value.slice(0, value.lastIndexOf(',') + 1);
  return items
    .filter((item) => !item.value.includes(','))
    .map((item) => ({ ...item, value: before + item.value }));
}

const plain = (value: string): Suggestion => ({ value });

/** The browser's names; some browsers leave UTC out. */
const timeZones = (): readonly string[] => [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])];
