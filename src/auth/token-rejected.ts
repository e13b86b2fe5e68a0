/** Why a token is not accepted: `unreachable` is the gateway's trouble, the others are the caller's. */
export type TokenRefusal = 'expired' | 'invalid' | 'unreachable';

/** A token that is not accepted. The message is for the caller and holds nothing of the token. */
export class TokenRefused extends Error {
  override readonly name = 'TokenRefused';

  constructor(
    readonly reason: TokenRefusal,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
