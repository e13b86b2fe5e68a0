import type { Problem } from './problems.js';

/** One mistake in a definition. */
export interface DefinitionProblem extends Problem {
  /** Keys from the definition to the mistake; empty for the definition itself. The key of a missing value is in no file. */
  readonly path: readonly string[];
}

/** An invalid definition of an endpoint, with all of its mistakes; the message has one line for each. */
export class EndpointDefinitionError extends Error {
  override readonly name = 'EndpointDefinitionError';

  /** @param options.cause the error that `build` threw, where it threw one. */
  constructor(
    readonly problems: readonly DefinitionProblem[],
    options?: ErrorOptions,
  ) {
    super(problems.map(({ problem }) => problem).join('\n'), options);
  }
}
