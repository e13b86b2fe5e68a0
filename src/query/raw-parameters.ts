/** What a caller sent under one name. */
export interface RawParameter {
  /** Decoded; undefined where it is not UTF-8 or has a broken percent escape. */
  readonly text: string | undefined;
  /** How often the name was sent. */
  readonly times: number;
}

/** The query string of a request, by name. */
export type RawParameters = ReadonlyMap<string, RawParameter>;
