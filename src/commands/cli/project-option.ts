import type { Command } from 'commander';

import { projectFolder, withEnvFile } from '../../gateway/config/project.js';

/** Adds the option that names the project's folder. */
export function withProjectOption(command: Command): Command {
  return command.option(
    '--project <folder>',
    'folder of the project (default: PROJECT_DIR, else the current folder)',
  );
}

/** Makes a program apply the option, and the project's `.env`, before each action: actions read `process.env` only. */
export function applyProject(program: Command): void {
  program.hook('preAction', (_program, command) => {
    const { project = process.env['PROJECT_DIR'] } = command.opts<{ readonly project?: string }>();
    const folder = projectFolder({ PROJECT_DIR: project });
    Object.assign(process.env, withEnvFile({ ...process.env, PROJECT_DIR: folder }));
  });
}
