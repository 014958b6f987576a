/** The other side of `convert-in-worker.ts`: converts in a thread, and reports when it is ready. */
import { parentPort } from 'node:worker_threads';
import { convertHtml } from './html-to-whatsapp.ts';
import type { Conversion } from './convert-in-worker.ts';

parentPort?.on('message', ({ html, unknownTags, withFields }: Conversion) =>
  parentPort?.postMessage(convertHtml(html, unknownTags, withFields)),
);
parentPort?.postMessage('ready');
