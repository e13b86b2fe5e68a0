/** Exit codes, which docs/reference/cli.md documents. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  /** `call`: the gateway rejected the request (4xx). */
  rejected: 3,
  /** `call`: the gateway or ClickHouse failed (5xx, or an unexpected response). */
  gateway: 4,
  /** `call`: no response, or an incomplete one. */
  unreachable: 5,
} as const;

/** Exit codes after a signal, as shells report them: 128 plus the signal's number. */
export const EXIT_BY_SIGNAL = { SIGINT: 130, SIGTERM: 143 } as const;

/** An error that ends the command with a certain exit code. */
export class CommandError extends Error {
  override readonly name = 'CommandError';

  /** Whether the message is JSON, which is printed without the label `error:`. */
  readonly isMachineReadable: boolean;

  constructor(
    message: string,
    readonly exitCode: number,
    { isMachineReadable = false, ...options }: ErrorOptions & { readonly isMachineReadable?: boolean } = {},
  ) {
    super(message, options);
    this.isMachineReadable = isMachineReadable;
  }
}

/** The error of an invalid command line that commander does not detect. */
export function usageError(message: string): CommandError {
  return new CommandError(message, EXIT.usage);
}

/** The part of `--help` that lists the exit codes. */
export const EXIT_CODES_HELP =
  '\nExit codes: 0 done; 1 failed; 2 invalid usage; 130 or 143 ended by SIGINT or SIGTERM.';
