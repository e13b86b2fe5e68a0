/** Reason why a caller's SQL is rejected. The message continues “sql …” and is for the caller. */
export class Rejection extends Error {
  override readonly name = 'Rejection';
}
