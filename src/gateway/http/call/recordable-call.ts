import type { RecordableCall } from '../../observability/call-recorder.js';
import { pinsIn } from '../../query/row-scope.js';
import type { ReadCall } from './read-call.js';

/** A call as it is recorded: of one that has a secret, or that cannot be repeated, only why. */
export function recordableCall(call: ReadCall): RecordableCall {
  const { query, sent, presentation } = call;
  const { parameters: declared } = query.endpoint;
  const given = [...sent].filter(([name]) => declared.has(name));
  const names = [...given, ...pinsIn(query.scope)].map(([name]) => name);
  const omitted = names.some((name) => declared.get(name)?.secret) ? 'secret' : unrepeatable(call);
  if (omitted !== undefined) return { parameters: {}, pins: '', format: '', omitted };
  return {
    parameters: Object.fromEntries(given.map(([name, { text, items }]) => [name, text ?? items ?? []])),
    pins: query.scope,
    format: presentation.representation.name,
  };
}

function unrepeatable({ query, presentation, sql }: ReadCall): RecordableCall['omitted'] {
  if (sql !== undefined) return 'sql';
  if (presentation.isExport) return 'export';
  return (query.page ?? query.pageRows) ? 'page' : undefined;
}
