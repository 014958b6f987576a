/** Modules of the dashboard that are tested without a browser speak English. */
import compile from 'icu-minify/compile';
import { readCatalog } from '../../../src/platform/i18n/load-messages.ts';
import { setMessages, type Messages } from '../../../web/i18n/translate.ts';

const messages = Object.entries(readCatalog('en')).map(([key, message]) => [key, compile(message)]);

setMessages('en', Object.fromEntries(messages) as Messages);
