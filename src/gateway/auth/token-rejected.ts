/** Why a token is rejected. `unreachable`: the issuer's keys cannot be read; the others are faults of the token. */
export type TokenRejection = 'expired' | 'invalid' | 'unreachable';

/** A rejected token. The message is for the caller and contains no values of the token. */
export class TokenRejected extends Error {
  override readonly name = 'TokenRejected';

  constructor(
    readonly reason: TokenRejection,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
