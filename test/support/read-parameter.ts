import type { Parameter } from '../../src/endpoint/parameters/parameter.js';

/** The description of parameters that only a test declares. */
export const description = 'For a test.';

/** The time of the gateway's clock, unless a test names another one: a Sunday. */
export const NOW = new Date('2026-05-17T10:07:30Z');

type Sent = string | readonly string[] | undefined;

/** The value of what a caller sent. @throws Error with the problem of an invalid one */
export function valueOf(parameter: Parameter, sent: Sent, now = NOW): unknown {
  const read = parameter.read(sent, { now });
  if ('problem' in read) throw new Error(`rejected: ${read.problem}`);
  return read.value;
}

/** The problem of what a caller sent; undefined where it is valid. */
export function problemOf(parameter: Parameter, sent: Sent, now = NOW): string | undefined {
  const read = parameter.read(sent, { now });
  return 'problem' in read ? read.problem : undefined;
}

/** The problems of a declaration, as one text each. */
export function mistakesIn({ problems }: Parameter): readonly string[] {
  return problems.map(({ problem }) => problem);
}
