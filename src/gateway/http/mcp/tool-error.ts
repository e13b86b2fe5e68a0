import type { Failure } from '../../errors.js';
import type { RunningState } from '../result/send-running.js';
import { problemDocument } from '../transport/problem.js';
import type { ToolResult } from './tool-result.js';

/** Names of the members of `_meta` with an error's problem document, or with the state of a running call, for programs. */
const PROBLEM = 'querygate/problem';
const RUNNING = 'querygate/running';

/** A failure as an error of a tool: text for the model, and for programs the problem document that HTTP clients get. */
export function toolError(failure: Failure, requestId: string): ToolResult {
  const { retryAfterSeconds } = failure.details;
  const document = problemDocument(failure, requestId);
  return {
    content: [{ type: 'text', text: textOf(failure, requestId) }],
    isError: true,
    _meta: {
      [PROBLEM]: { ...document, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) },
    },
  };
}

function textOf({ code, message, details }: Failure, requestId: string): string {
  const { problems = [], retryAfterSeconds } = details;
  const lines =
    problems.length > 0
      ? ['The arguments are invalid:', ...problems.map(({ param, problem }) => `- ${param} ${problem}`)]
      : [message];
  if (problems.length > 0) lines.push('Correct them and call again.');
  // The messages of limits contain this sentence already.
  const isSaid = message.includes('again in');
  if (retryAfterSeconds !== undefined && !isSaid)
    lines.push(`Call again in ${retryAfterSeconds} s, not before.`);
  return [...lines, `(${code}, request ${requestId})`].join('\n');
}

/** A deferred call without a result yet. It is an error, because it has none of the columns of the tool's output schema. */
export function runningResult({ retryAfterSeconds, ...state }: RunningState): ToolResult {
  const text =
    `The query is still running, for ${state.elapsedSeconds} s of at most ${state.timeLimitSeconds} s. It goes on: call this tool ` +
    `again with the same arguments in ${retryAfterSeconds} s, and you join it or get its rows. Do not change the arguments.`;
  return {
    content: [{ type: 'text', text }],
    isError: true,
    _meta: { [RUNNING]: { ...state, retryAfterSeconds } },
  };
}
