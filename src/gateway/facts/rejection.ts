/** Why a caller's SQL is rejected; the message continues “sql …” and is for the caller. */
export class Rejection extends Error {
  override readonly name = 'Rejection';
}
