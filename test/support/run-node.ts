import { execFile } from 'node:child_process';

/** Disables Redocly's telemetry and its check for a newer release. */
const QUIET = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

/** Runs `node ARGUMENTS` to its end; resolves to its standard output followed by its standard error. */
export function runNode(
  args: readonly string[],
  cwd?: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number | null; readonly output: string }> {
  return new Promise((resolve) => {
    const options = {
      env: { PATH: process.env['PATH'], ...QUIET, ...variables },
      maxBuffer: 64 * 1024 * 1024,
      ...(cwd && { cwd }),
    };
    const child = execFile(process.execPath, [...args], options, (_error, stdout, stderr) => {
      resolve({ code: child.exitCode, output: stdout + stderr });
    });
  });
}
