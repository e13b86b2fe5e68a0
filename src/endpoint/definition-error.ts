/** One mistake in a definition. */
export interface DefinitionProblem {
  /** Keys from the definition to the mistake; empty for the definition itself. The key of a missing value is in no file. */
  readonly path: readonly string[];
  /** What is wrong, with its key, and what is expected. */
  readonly problem: string;
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
