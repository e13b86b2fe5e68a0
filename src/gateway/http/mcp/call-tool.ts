import { requireNotGone, requireOpen } from '../call/find-endpoint.js';
import { setLimitHeaders } from '../call/limit-requests.js';
import { nextCursor } from '../call/page-cursor.js';
import { readCall } from '../call/read-call.js';
import { hasResult, runCall } from '../call/run-call.js';
import { runningState } from '../result/send-running.js';
import { asFailure, retryHeaders } from '../transport/problem.js';
import type { McpCaller } from './mcp-caller.js';
import type { McpParts } from './mcp-parts.js';
import { readArguments } from './tool-arguments.js';
import { runningResult, toolError } from './tool-error.js';
import { toolResult, type ToolResult } from './tool-result.js';

/**
 * `tools/call`: calls an endpoint. Its failures are results too, which the model reads and can act on.
 *
 * @throws ProtocolError where there is no such tool.
 */
export async function callTool(parts: McpParts, caller: McpCaller, name: string): Promise<ToolResult> {
  const { principal, context } = caller;
  const { waitSeconds, isAsync } = caller.preferences;
  const endpoint = parts.tools.get(principal, name);
  try {
    if (caller.rejected) throw caller.rejected;
    requireOpen(principal, endpoint);
    requireNotGone(endpoint, parts.clock());
    await parts.bodies.beforeValidating(caller.arguments);
    const sent = readArguments(endpoint, caller.arguments, principal.pinned);
    const preferences = { ...sent.preferences, waitSeconds, isAsync };
    const call = readCall(parts, principal, endpoint, { ...sent, preferences });
    const ran = await runCall(parts, context, call, preferences, caller.wait);
    const now = parts.clock();
    if (!hasResult(ran)) return runningResult(runningState(ran.outcome, now));
    setLimitHeaders(caller.response, ran.limits, principal);
    const cursor = nextCursor(parts.cursors, principal, ran.call.query, ran.outcome.result, call.readAt);
    const { maxToolBytes: maxBytes } = parts;
    return toolResult(ran, { maxRows: sent.maxRows, maxBytes, cursor, now: now.getTime() });
  } catch (error) {
    return failed(error, caller);
  }
}

function failed(error: unknown, { context, principal, response }: McpCaller): ToolResult {
  context.failure = error;
  context.isFailureInBody = true;
  const failure = asFailure(error);
  response.set(retryHeaders(failure, principal));
  return toolError(failure, context.requestId);
}
