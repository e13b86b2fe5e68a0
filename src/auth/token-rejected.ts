/** Why a token is rejected: `unreachable` is a problem of the gateway, the others of the caller. */
export type TokenRejection = 'expired' | 'invalid' | 'unreachable';

/** A rejected token. The message is for the caller and contains no part of the token. */
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
