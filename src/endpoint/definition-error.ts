/** A problem of an endpoint definition. */
export interface DefinitionProblem {
  /** Keys from the definition to the value; empty for the definition itself. */
  readonly path: readonly string[];
  readonly problem: string;
}

/** An endpoint definition is invalid. */
export class EndpointDefinitionError extends Error {
  override readonly name = 'EndpointDefinitionError';

  constructor(readonly problems: readonly DefinitionProblem[]) {
    super(problems.map(({ problem }) => problem).join('; '));
  }
}
