import { render } from 'preact';

import { App } from './app.js';
import './style.css';
import { applyTheme, storedTheme } from './theme.js';

applyTheme(storedTheme());
const root = document.getElementById('app');
if (root) render(<App />, root);
