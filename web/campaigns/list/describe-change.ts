import { count, signedShare } from '../../format/numbers.ts';
import { t } from '../../i18n/translate.ts';

/** Beyond this factor nobody sees from a percentage how much it is: "+6,518 %". */
const MOST_TIMES = 3;

/** Describes how a figure differs from the one of as many days before; undefined without that one. */
export function describeChange(now: number | null, before: number | null, days: string): string | undefined {
  if (now === null || before === null || before === 0) return undefined;
  if (now / before > MOST_TIMES) return t('overview.before', { before: count(before), days });
  return t('overview.change', { change: signedShare(now / before - 1), days });
}
