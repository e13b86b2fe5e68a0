import { serve } from './server/serve.js';

await serve(process.env);
