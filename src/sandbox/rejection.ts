/** Why a caller's SQL is not run, in words for the caller that go on after “sql …”. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}
