import { render } from 'preact';

import { AdminPage } from './admin/admin-page.js';
import './style.css';
import { applyTheme, storedTheme } from './theme.js';

applyTheme(storedTheme());
const root = document.getElementById('app');
if (root) render(<AdminPage />, root);
