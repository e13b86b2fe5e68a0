/** The value that a caller sent for one parameter name. */
export interface RawParameter {
  /** The decoded text; undefined if it is not UTF-8 or has an invalid percent escape. */
  readonly text: string | undefined;
  /** How often the name occurs. */
  readonly times: number;
}

/** The query string of a request, by name. */
export type RawParameters = ReadonlyMap<string, RawParameter>;
