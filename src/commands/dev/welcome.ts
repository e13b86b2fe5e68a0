import type { Config } from '../../gateway/config/config.js';
import type { Gateway } from '../../gateway/server/compose.js';
import { consoleLine, welcome } from '../../gateway/server/welcome.js';

/** The text for a person at the terminal: what every gateway says, and how to work with a development server. */
export function developmentWelcome(gateway: Gateway, { project }: Pick<Config, 'project'>): string {
  return (
    welcome(gateway) +
    consoleLine(gateway) +
    `Watching ${project.folder}: a saved file is served at once. Ctrl-C stops.\n\n`
  );
}
