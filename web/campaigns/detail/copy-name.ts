import { t } from '../../i18n/translate.ts';

/** The length limit of a name. */
const LIMIT = 200;

/** Returns the name of a copy. A copy of a copy is named like the first copy. */
export function copyName(name: string): string {
  const sign = t('campaign.copyOf', { name: '' });
  if (name.endsWith(sign)) return name;
  const kept = name.slice(0, LIMIT - sign.length);
  // Does not split a surrogate pair.
  return t('campaign.copyOf', { name: kept.isWellFormed() ? kept : kept.slice(0, -1) });
}
