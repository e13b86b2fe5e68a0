/** Why a caller's SQL is not run, in words for the caller that go on after “sql …”. */
export class Rejection extends Error {
  override readonly name = 'Refusal';
}
