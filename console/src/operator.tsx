import { render } from 'preact';

import { OperatorPage } from './operator/operator-page.js';
import './style.css';
import { applyTheme, storedTheme } from './theme.js';

applyTheme(storedTheme());
const root = document.getElementById('app');
if (root) render(<OperatorPage />, root);
