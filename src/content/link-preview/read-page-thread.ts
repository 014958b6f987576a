/** The module of a thread that reads pages: foreign HTML never runs on the event loop. */
import { parentPort } from 'node:worker_threads';
import { readPage, type FetchedPage } from './read-page.ts';

parentPort?.on('message', (page: FetchedPage) => parentPort?.postMessage(readPage(page)));
parentPort?.postMessage('ready');
