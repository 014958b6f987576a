import { shorten } from '../../format/shorten.ts';
import { t } from '../../i18n/translate.ts';

/** The length limit of a name. */
const LIMIT = 200;

/** Returns the name of a copy. A copy of a copy is named like the first copy. */
export function copyName(name: string): string {
  const sign = t('campaign.copyOf', { name: '' });
  if (name.endsWith(sign)) return name;
  return t('campaign.copyOf', { name: shorten(name, LIMIT - sign.length) });
}
