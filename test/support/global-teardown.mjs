export { stopSharedServers as default } from './shared-servers.mjs';
