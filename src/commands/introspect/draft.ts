import { randomUUID } from 'node:crypto';

import type { ParameterForm } from './parameter-of-type.js';

/** A parameter of a draft. */
export interface DraftParameter extends Pick<ParameterForm, 'kind' | 'options'> {
  readonly description: string;
  /** A required parameter needs an example. */
  readonly required?: boolean;
}

/** An endpoint file in SQL before its columns are known. */
export interface Draft {
  readonly name: string;
  readonly summary: string;
  readonly parameters: ReadonlyMap<string, DraftParameter>;
  readonly example: Readonly<Record<string, string>>;
  readonly query: string;
}

/** The text of a draft, with an id of its own and without columns. */
export function draftText({ name, summary, parameters, example, query }: Draft): string {
  const declared = [...parameters].map(
    ([parameter, { kind, description, required, options }]) =>
      `  ${parameter}: ${flow({ kind, ...(required && { required }), ...options, description })}`,
  );
  const header = [
    `name: ${name}`,
    `id: ${randomUUID()}`,
    `summary: ${yaml(summary)}`,
    ...(declared.length > 0 ? ['parameters:', ...declared] : []),
    'maxRows: 1000',
    'caching: 60 # seconds',
    ...(Object.keys(example).length > 0
      ? ['# Choose an example that returns rows.', `example: ${flow(example)}`]
      : []),
  ];
  return `/*\n${header.join('\n')}\n*/\n${query}\n`;
}

const flow = (values: Readonly<Record<string, unknown>>): string =>
  `{ ${Object.entries(values)
    .map(([key, value]) => `${key}: ${yaml(value)}`)
    .join(', ')} }`;

/** Text that YAML reads as itself without quotes, also in a flow map. */
const PLAIN = /^(?!(?:null|true|false|yes|no|on|off)$)(?:now-)?[A-Za-z0-9][\w ./=()-]*$/i;

/** A value in YAML. A slash is escaped, because the end of the comment must not be in it. */
function yaml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(yaml).join(', ')}]`;
  if (typeof value !== 'string') return String(value);
  const isPlain = PLAIN.test(value) && !value.endsWith(' ');
  return isPlain ? value : JSON.stringify(value).replaceAll('*/', String.raw`*\/`);
}
