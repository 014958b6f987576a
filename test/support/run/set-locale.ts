/** What is tested of the dashboard without a browser speaks English. */
import { en } from '../../../web/words/en.ts';
import { setLocale } from '../../../web/words/words.ts';

setLocale(en);
