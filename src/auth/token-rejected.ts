/** Why a token is not accepted: `unreachable` is the gateway's trouble, the others are the caller's. */
export type TokenRejection = 'expired' | 'invalid' | 'unreachable';

/** A token that is not accepted. The message is for the caller and holds nothing of the token. */
export class TokenRejected extends Error {
  override readonly name = 'TokenRefused';

  constructor(
    readonly reason: TokenRejection,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
