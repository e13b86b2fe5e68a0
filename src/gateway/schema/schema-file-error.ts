/** A file of the schema or of the demonstration data is invalid, or ClickHouse rejects it. */
export class SchemaFileError extends Error {
  override readonly name: string = 'SchemaFileError';
}

/** The files differ from those that were applied to the database: a file was changed or removed. */
export class AppliedFilesDiffer extends SchemaFileError {
  override readonly name = 'AppliedFilesDiffer';
}
