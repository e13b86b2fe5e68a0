/** The page `/docs`. It shows the API after a key is entered; its script is `api-docs-script.mjs`. */
export const API_DOCS_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Querygate – API</title>
    <link rel="icon" type="image/png" href="docs/favicon.png">
    <link rel="stylesheet" href="docs/swagger-ui.css">
    <link rel="stylesheet" href="docs/api-docs.css">
  </head>
  <body>
    <header class="gate">
      <div class="gate-inner">
        <p class="gate-brand">Querygate <span>API</span></p>
        <form id="key-form">
          <label for="key">API key</label>
          <input id="key" type="password" autocomplete="off" spellcheck="false" required>
          <button type="submit">Show the API</button>
        </form>
        <p id="signed-in" hidden>
          <span>A key is in use in this tab.</span>
          <button type="button" id="forget">Forget it</button>
        </p>
      </div>
    </header>
    <main>
      <section id="welcome" class="gate-inner">
        <h1>The API of this gateway</h1>
        <p>
          Enter your API key above to see and try the endpoints that it may call. The key stays in this tab and is
          sent to this gateway only. Programs send it in the header <code>X-API-KEY</code>, or as
          <code>Authorization: Bearer</code>.
        </p>
        <p>The OpenAPI document <code>/openapi.json</code> needs the same key, in the same header.</p>
      </section>
      <p id="status" class="gate-inner" role="status" aria-live="polite"></p>
      <div id="swagger-ui"></div>
    </main>
    <noscript><p class="gate-inner">This page needs JavaScript; <code>/openapi.json</code> does not.</p></noscript>
    <script src="docs/swagger-ui-bundle.js" defer></script>
    <script src="docs/api-docs.js" type="module"></script>
  </body>
</html>
`;

export const API_DOCS_STYLE = `:root {
  --ground: #fff;
  --ink: #1b2430;
  --soft: #eef2f6;
  --line: #c5ced8;
  --accent: #0b5f8a;
  --on-accent: #fff;
  --wrong: #a8201a;
}
.dark-mode {
  --ground: #1c2022;
  --ink: #e6eaee;
  --soft: #262c30;
  --line: #47525b;
  --accent: #7cc4ec;
  --on-accent: #10202b;
  --wrong: #ff9d96;
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
.gate { background: var(--soft); border-bottom: 1px solid var(--line); }
.gate-inner { max-width: 1460px; margin: 0 auto; padding: 12px 20px; }
.gate > .gate-inner { display: flex; flex-wrap: wrap; gap: 12px 24px; align-items: center; justify-content: space-between; }
.gate p { margin: 0; }
.gate-brand { font-size: 1.25rem; font-weight: 700; }
.gate-brand span { color: var(--accent); }
.gate form { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; }
.gate form[hidden], .gate p[hidden], #welcome[hidden] { display: none; }
.gate input { min-width: 16rem; padding: 7px 10px; font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--line); border-radius: 6px; }
.gate button { padding: 7px 14px; font: inherit; font-weight: 600; color: var(--on-accent); background: var(--accent); border: 0; border-radius: 6px; cursor: pointer; }
.gate button:disabled { opacity: 0.6; }
.gate :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
#welcome { padding-top: 32px; }
#welcome p { max-width: 42rem; }
#welcome a { color: var(--accent); }
/* Hides the choice of a server, because this gateway is the only one. */
#swagger-ui .scheme-container { display: none; }
#swagger-ui .info { margin: 24px 0; }
#status:empty { display: none; }
#status.wrong { color: var(--wrong); font-weight: 600; }
`;
