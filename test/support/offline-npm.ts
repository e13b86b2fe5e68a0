import { fileURLToPath } from 'node:url';

const INSTALLER = fileURLToPath(new URL('./install-package.mjs', import.meta.url));

/** For commands in bash: an `npm` whose installations need no network, and an `npx` that runs only what is installed. */
export const OFFLINE_NPM = `
export npm_config_offline=true npm_config_update_notifier=false
npm() {
  case $1 in
    ci) ;;
    pack) command npm "$@" --ignore-scripts ;;
    install) '${process.execPath}' --input-type=module --eval "
      import { installPackage } from '${INSTALLER}';
      installPackage('.', '$2');" ;;
    *) command npm "$@" ;;
  esac
}`;
