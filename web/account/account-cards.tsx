import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { accountPath, isUp } from '../api/accounts.ts';
import type { ListedAccount } from '../api/operations.ts';
import { sendWindowQueryOf } from '../api/queries.ts';
import { readWarmUp } from '../api/warm-up.ts';
import { accountName, shownNumber } from '../format/account-name.ts';
import { count } from '../format/numbers.ts';
import { timeOfDay } from '../format/time.ts';
import { isRest, waitText } from '../format/wait-text.ts';
import { useZone } from '../format/zone-context.tsx';
import boxClasses from '../parts/box.module.css';
import { Dot } from '../parts/status.tsx';
import textClasses from '../parts/text.module.css';
import { accountSummary, accountTone } from '../shell/account-pill.tsx';
import { t } from '../i18n/translate.ts';
import classes from './account-cards.module.css';

/** The accounts of the workspace side by side. Each leads to its own part of the page. */
export function AccountCards({
  accounts,
  chosenId,
}: {
  accounts: readonly ListedAccount[];
  chosenId: number | undefined;
}) {
  return (
    <ul className={classes.cards} aria-label={t('accounts.title')}>
      {accounts.map((account) => (
        <AccountCard key={account.account_id} account={account} isChosen={account.account_id === chosenId} />
      ))}
    </ul>
  );
}

function AccountCard({ account, isChosen }: { account: ListedAccount; isChosen: boolean }) {
  const zone = useZone();
  const { waits_for: wait } = account;
  const number = shownNumber(account);
  const name = accountName(account);
  return (
    <li className={`${boxClasses.surface} ${classes.card}`} data-chosen={isChosen || undefined}>
      <Link
        href={accountPath(account)}
        className={`${classes.name} ${textClasses.clip}`}
        title={name}
        dir="auto"
        aria-current={isChosen ? 'true' : undefined}
      >
        {name}
      </Link>
      <Dot tone={accountTone(account)} label={accountSummary(account, zone)} />
      {number !== undefined && number !== name && <span className={textClasses.dim}>{number}</span>}
      {wait && !isUp(account) && <span className={textClasses.failed}>{waitText(wait, zone)}</span>}
      {wait && isRest(wait) && <span className={textClasses.dim}>{waitText(wait, zone)}</span>}
      <Facts account={account} />
    </li>
  );
}

/** What the account has done today, what waits for it, where it can post, and its rules. */
function Facts({ account }: { account: ListedAccount }) {
  const { sent_today: sent, daily_cap: cap, queued, groups, groups_can_send: canSend, is_default: isDefault } = account;
  const { data: rests } = useQuery(sendWindowQueryOf(isDefault ? undefined : account.account_id));
  const warmUp = rests && readWarmUp(rests);
  const limit = warmUp?.cap ?? cap;
  const quiet = rests?.quiet_hours;
  const facts: Array<{ label: string; value: string; isUrgent?: boolean }> = [
    {
      label: t('accounts.sentToday'),
      value: limit === null ? count(sent) : t('quotas.of', { used: count(sent), limit: count(limit) }),
    },
    { label: t('accounts.waiting'), value: count(queued), isUrgent: queued > 0 },
    { label: t('accounts.groups'), value: t('quotas.of', { used: count(canSend), limit: count(groups) }) },
    {
      label: t('accounts.quiet'),
      value: quiet ? `${timeOfDay(quiet.from)}–${timeOfDay(quiet.to)}` : t('accounts.quietNone'),
    },
    ...(warmUp
      ? [
          {
            label: t('warmUp.title'),
            value: t('accounts.warmUpDay', { day: count(warmUp.day), days: count(warmUp.caps.length) }),
          },
        ]
      : []),
  ];
  return (
    <>
      <dl className={classes.figures}>
        {facts.map(({ label, value, isUrgent }) => (
          <div key={label} data-urgent={isUrgent || undefined}>
            <dt>{label}</dt>
            <dd className={classes.value}>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
