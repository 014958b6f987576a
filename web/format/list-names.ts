import { t } from '../i18n/translate.ts';

/** The first `limit` names, and how many more there are: "Choir, Runners and 3 more". */
export function listNames(names: readonly string[], limit: number): string {
  return t('common.andMore', {
    names: names.slice(0, limit).join(', '),
    count: Math.max(0, names.length - limit),
  });
}
