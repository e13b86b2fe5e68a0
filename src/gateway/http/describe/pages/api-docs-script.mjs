// eslint-disable-next-line @typescript-eslint/ban-ts-comment -- this file runs in browsers, and the project's types are Node's
// @ts-nocheck

/** Name of the key in session storage and local storage. The console uses the same name, so that users enter the key once. */
const KEY_ITEM = 'querygate.key';

/** Removes a key from the tab. The key in local storage stays unless it is the same. */
function forgetKey(key) {
  sessionStorage.removeItem(KEY_ITEM);
  if (localStorage.getItem(KEY_ITEM) === key) localStorage.removeItem(KEY_ITEM);
}

const form = document.getElementById('key-form');
const field = document.getElementById('key');
const status = document.getElementById('status');

/** The gateway's URL: this page's URL without its last segment. */
const base = new URL('.', window.location.href).href.replace(/\/$/, '');

/** Shows a status line, which screen readers announce. */
function showStatus(text, isWrong = false) {
  status.textContent = text;
  status.classList.toggle('wrong', isWrong);
}

/** Fetches the OpenAPI document for a key. Throws an Error whose message is for the user. */
async function fetchDescription(key) {
  const response = await fetch(`${base}/openapi.json`, { headers: { 'X-API-KEY': key } });
  const body = await response.json().catch(() => undefined);
  if (response.ok && body) return body;
  const error = new Error(body?.detail ?? `The gateway returned status ${response.status}.`);
  error.isRejected = response.status === 401 || response.status === 403;
  throw error;
}

/** Adds the key to requests to this gateway. */
function withKey(key) {
  return (request) => {
    if (!new URL(request.url, window.location.href).href.startsWith(`${base}/`)) return request;
    request.headers['X-API-KEY'] = key;
    return request;
  };
}

/** The document with this gateway's URL, and without Swagger UI's own form for the key. */
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
    filter: true,
    displayRequestDuration: true,
    defaultModelsExpandDepth: 0,
    tryItOutEnabled: true,
    supportedSubmitMethods: ['get'],
    validatorUrl: null,
    // With the mutated request, the shown curl command would contain the key.
    showMutatedRequest: false,
    requestInterceptor: withKey(key),
  });
}

async function open(key) {
  const button = form.querySelector('button');
  button.disabled = true;
  showStatus('Loading …');
  try {
    const description = await fetchDescription(key);
    sessionStorage.setItem(KEY_ITEM, key);
    showStatus('');
    show(description, key);
  } catch (error) {
    if (error.isRejected) forgetKey(key);
    showStatus(error.message, true);
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
  forgetKey(sessionStorage.getItem(KEY_ITEM));
  window.location.reload();
});

const dark = window.matchMedia('(prefers-color-scheme: dark)');
const followTheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followTheme);
followTheme();

const storedKey = sessionStorage.getItem(KEY_ITEM) ?? localStorage.getItem(KEY_ITEM);
if (storedKey) void open(storedKey);
