/** How a command ends, for scripts; docs/cli.md has the same list. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  /** `call`: the gateway refused the request (4xx). */
  refused: 3,
  /** `call`: the gateway or ClickHouse failed (5xx). */
  gateway: 4,
  /** `call`: no answer, or one that broke off. */
  unreachable: 5,
} as const;

/** What a shell makes of a signal: 128 and its number. */
export const EXIT_BY_SIGNAL = { SIGINT: 130, SIGTERM: 143 } as const;

/** An error that ends the command with a code of its own. */
export class CommandError extends Error {
  override readonly name = 'CommandError';

  /** Whether the message is told as it is, for a machine. */
  readonly bare: boolean;

  constructor(
    message: string,
    readonly exitCode: number,
    { bare = false, ...options }: ErrorOptions & { readonly bare?: boolean } = {},
  ) {
    super(message, options);
    this.bare = bare;
  }
}

/** The command line is not as it should be, which commander could not know. */
export function usageError(message: string): CommandError {
  return new CommandError(message, EXIT.usage);
}

/** The part of `--help` that tells the exit codes. */
export const EXIT_CODES_HELP =
  '\nExit codes: 0 done; 1 failed; 2 wrong usage; 130 or 143 ended by SIGINT or SIGTERM.';
