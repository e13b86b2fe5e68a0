import { totalOf, type CheckedEndpoint } from '../../check/checked-endpoint.js';
import type { CheckedGrants } from './check-grants.js';

/** Increased when a field of the document is renamed or removed; docs/reference/cli.md describes the fields. */
const VERSION = 1;

/** The result of a check as a JSON document. */
export function checkJson(checked: readonly CheckedEndpoint[], grants: CheckedGrants, ok: boolean): string {
  const endpoints = checked.map(endpointJson);
  return `${JSON.stringify({ version: VERSION, ok, endpoints, grants }, undefined, 2)}\n`;
}

function endpointJson({ name, file, problems, example, tables, ...rest }: CheckedEndpoint): object {
  const read = { parts: totalOf(tables, 'parts'), granules: totalOf(tables, 'granules') };
  return {
    name,
    file,
    ok: problems.length === 0,
    problems: problems.map((problem) => ({ file, ...problem })),
    ...rest,
    example: example && { ...example, ...read },
    tables,
  };
}
