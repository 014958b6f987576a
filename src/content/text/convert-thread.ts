/** The other side of `convert-aside.ts`: what a thread that converts does. It says so when it is ready. */
import { parentPort } from 'node:worker_threads';
import { convertHtml } from './html-to-whatsapp.ts';

parentPort?.on('message', (html: string) => parentPort?.postMessage(convertHtml(html)));
parentPort?.postMessage('ready');
