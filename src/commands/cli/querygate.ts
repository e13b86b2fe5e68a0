#!/usr/bin/env node
import { createProgram } from './program.js';
import { runProgram } from './run-command.js';

await runProgram(await createProgram(process.argv.slice(2)));
