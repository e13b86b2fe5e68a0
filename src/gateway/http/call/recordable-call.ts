import type { RecordableCall } from '../../observability/call-recorder.js';
import { pinsIn } from '../../query/row-scope.js';
import type { ReadCall } from './read-call.js';

/** A call in the form in which it is recorded. Where a call has a secret or cannot be repeated, only the reason is recorded. */
export function recordableCall(call: ReadCall): RecordableCall {
  const { query, presentation } = call;
  const { parameters: declared } = query.endpoint;
  const given = sentParameters(call);
  const names = [...given, ...pinsIn(query.scope)].map(([name]) => name);
  const omitted = names.some((name) => declared.get(name)?.secret) ? 'secret' : unrepeatable(call);
  if (omitted !== undefined) return { parameters: {}, pins: '', format: '', omitted };
  return {
    parameters: Object.fromEntries(given),
    pins: query.scope,
    format: presentation.representation.name,
  };
}

/** The declared parameters, including secrets, as the caller wrote them. */
export function sentParameters({
  query,
  sent,
}: ReadCall): readonly (readonly [name: string, value: string | readonly string[]])[] {
  const given = [...sent].filter(([name]) => query.endpoint.parameters.has(name));
  return given.map(([name, { text, items }]) => [name, text ?? items ?? []]);
}

function unrepeatable({ query, presentation, sql }: ReadCall): RecordableCall['omitted'] {
  if (sql !== undefined) return 'sql';
  if (presentation.isExport) return 'export';
  return (query.page ?? query.pageRows) ? 'page' : undefined;
}
