import { serve } from './serve/serve.js';

await serve(process.env);
