/** Code of the dashboard that is tested without a browser uses English. */
import { en } from '../../../web/words/en.ts';
import { setLocale } from '../../../web/words/words.ts';

setLocale(en);
