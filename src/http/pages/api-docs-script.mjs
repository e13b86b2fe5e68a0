// eslint-disable-next-line @typescript-eslint/ban-ts-comment -- a browser runs this, and the program's types are Node's
// @ts-nocheck

/** Where the key is kept: in this tab, until it is closed; the console keeps it there too, so that one is entered once. */
const KEPT = 'querygate.key';

const form = document.getElementById('key-form');
const field = document.getElementById('key');
const status = document.getElementById('status');

/** Where the gateway is: this page's own address without its last part. */
const base = new URL('.', window.location.href).href.replace(/\/$/, '');

/** Tells the person, and a screen reader, what is going on. */
function say(text, isWrong = false) {
  status.textContent = text;
  status.classList.toggle('wrong', isWrong);
}

/** The description as a key sees it; throws an Error whose message is for the person. */
async function fetchDescription(key) {
  const response = await fetch(`${base}/openapi.json`, { headers: { 'X-API-KEY': key } });
  const body = await response.json().catch(() => undefined);
  if (response.ok && body) return body;
  const error = new Error(body?.detail ?? `The gateway answered with status ${response.status}.`);
  error.isRefusal = response.status === 401 || response.status === 403;
  throw error;
}

/** Adds the key to what goes to this gateway. */
function withKey(key) {
  return (request) => {
    if (!new URL(request.url, window.location.href).href.startsWith(`${base}/`)) return request;
    request.headers['X-API-KEY'] = key;
    return request;
  };
}

/** The description with this gateway's address, and without a second place to enter a key. */
function asShown({ openapi, info, tags, paths, components }) {
  const shown = { ...components, securitySchemes: {} };
  return { openapi, info, tags, paths, components: shown, servers: [{ url: base }] };
}

function show(description, key) {
  form.hidden = true;
  document.getElementById('welcome').hidden = true;
  document.getElementById('signed-in').hidden = false;
  window.SwaggerUIBundle({
    spec: asShown(description),
    domNode: document.getElementById('swagger-ui'),
    presets: [window.SwaggerUIBundle.presets.apis],
    layout: 'BaseLayout',
    deepLinking: true,
    displayRequestDuration: true,
    defaultModelsExpandDepth: 0,
    tryItOutEnabled: true,
    supportedSubmitMethods: ['get'],
    validatorUrl: null,
    // Else the curl line would hold the key, for whoever looks at the screen.
    showMutatedRequest: false,
    requestInterceptor: withKey(key),
  });
}

async function open(key) {
  const button = form.querySelector('button');
  button.disabled = true;
  say('Asking the gateway …');
  try {
    const description = await fetchDescription(key);
    sessionStorage.setItem(KEPT, key);
    say('');
    show(description, key);
  } catch (error) {
    if (error.isRefusal) sessionStorage.removeItem(KEPT);
    say(error.message, true);
    field.focus();
  } finally {
    button.disabled = false;
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void open(field.value.trim());
});

document.getElementById('forget').addEventListener('click', () => {
  sessionStorage.removeItem(KEPT);
  window.location.reload();
});

const dark = window.matchMedia('(prefers-color-scheme: dark)');
const followTheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followTheme);
followTheme();

const kept = sessionStorage.getItem(KEPT);
if (kept) void open(kept);
