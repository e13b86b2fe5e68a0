import type { JsonBodies } from '../call/json-body.js';
import { nextCursor } from '../call/page-cursor.js';
import { runningState } from '../result/send-running.js';
import { asFailure, retryHeaders } from '../transport/problem.js';
import { respondToCall, type CallDependencies } from '../call/respond-to-call.js';
import type { McpCaller } from './mcp-caller.js';
import { readArguments } from './tool-arguments.js';
import { runningResult, toolError } from './tool-error.js';
import { toolResult, type ToolResult } from './tool-result.js';
import type { Tools } from './tools.js';

/** The dependencies and options of calling a tool. */
export interface CallToolDependencies extends CallDependencies {
  readonly tools: Tools;
  readonly bodies: JsonBodies;
  /** Bytes of the rows of a tool's result. */
  readonly maxToolBytes: number;
}

/**
 * `tools/call`: calls an endpoint. Its failures are results too, which the model reads and can act on.
 *
 * @throws ProtocolError where there is no such tool.
 */
export async function callTool(
  dependencies: CallToolDependencies,
  caller: McpCaller,
  name: string,
): Promise<ToolResult> {
  const { tools, bodies, clock, cursors, maxToolBytes: maxBytes } = dependencies;
  const { pinned } = caller.principal;
  const endpoint = tools.get(caller.principal, name);
  try {
    if (caller.rejected) throw caller.rejected;
    return await respondToCall(dependencies, caller.context, endpoint, {
      parse: async () => {
        await bodies.beforeValidating(caller.arguments);
        const { wait, isAsync } = caller.preferences;
        const sent = readArguments(endpoint, caller.arguments, pinned);
        return { ...sent, preferences: { ...sent.preferences, wait, isAsync } };
      },
      begin: () => caller.wait,
      sendRunning: (running) => runningResult(runningState(running, clock())),
      send: (ran, { maxRows }) => {
        caller.setLimits(ran.limits);
        const { principal, call, outcome } = ran;
        const cursor = nextCursor(cursors, principal, call.query, outcome.result, call.readAt);
        return toolResult(ran, { maxRows, maxBytes, cursor, now: clock().getTime() });
      },
    });
  } catch (error) {
    return failed(error, caller);
  }
}

function failed(error: unknown, { context, principal, setHeaders }: McpCaller): ToolResult {
  context.failure = error;
  context.isFailureInBody = true;
  const failure = asFailure(error);
  setHeaders(retryHeaders(failure, principal));
  return toolError(failure, context.requestId);
}
