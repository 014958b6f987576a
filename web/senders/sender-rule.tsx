import type { ReactNode } from 'react';
import type { SenderRule } from '../api/operations.ts';
import { RelativeTime } from '../parts/relative-time.tsx';
import textClasses from '../parts/text.module.css';
import { t } from '../i18n/translate.ts';
import classes from './senders.module.css';

/** A rule in words: for which groups, which accounts in which order, who set it, when and why. */
export function SenderRuleText({ rule, names }: { rule: SenderRule; names: ReadonlyMap<number, string> }) {
  const { set_by: person, set_at: at, reason } = rule;
  return (
    <div className={classes.rule}>
      <span className={textClasses.dim}>{scopeText(rule)}</span>
      <span className={textClasses.breakable}>{orderText(rule, names)}</span>
      {reason !== null && reason !== '' && <Quoted>{reason}</Quoted>}
      <span className={textClasses.dim}>
        {t('senders.setBy', { person: person ?? t('senders.deletedUser') })} · <RelativeTime at={at} />
      </span>
    </div>
  );
}

function Quoted({ children }: { children: ReactNode }) {
  return (
    <q className={textClasses.breakable} dir="auto">
      {children}
    </q>
  );
}

function scopeText({ scope, group_list_name: list }: SenderRule): string {
  return scope === 'group_list' ? t('senders.scope.group_list', { list: list ?? '' }) : t(`senders.scope.${scope}`);
}

function orderText({ account_ids: ids }: SenderRule, names: ReadonlyMap<number, string>): string {
  const [preferred, ...standIns] = ids.map((id) => names.get(id) ?? t('senders.removedAccount'));
  if (preferred === undefined) return t('senders.ruleRemoved');
  return standIns.length === 0 ? preferred : t('senders.order', { preferred, standIns: standIns.join(', ') });
}
