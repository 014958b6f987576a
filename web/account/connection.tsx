import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AccountStatus, ListedAccount } from '../api/operations.ts';
import { numberFixedQuery } from '../api/queries.ts';
import { useMay } from '../api/workspace.ts';
import { useZone } from '../format/zone-context.tsx';
import { stateReasonText } from '../format/state-reason.ts';
import { waitText } from '../format/wait-text.ts';
import { shownNumber } from '../format/account-name.ts';
import { Section } from '../parts/page.tsx';
import { Dot } from '../parts/status.tsx';
import { accountSummary, accountTone } from '../shell/account-pill.tsx';
import { t } from '../i18n/translate.ts';
import { AccountNameField } from './account-name-field.tsx';
import { AccountNumber } from './account-number.tsx';
import { useChosenAccountId } from './chosen-account.ts';
import classes from './connection.module.css';
import { RemoveAccount } from './remove-account.tsx';
import { SetDefaultAccount } from './set-default-account.tsx';
import { UnlinkButton } from './unlink-button.tsx';

/** The account in short, and what ends its link. `listed`: the same account with its name, where there are several. */
export function Connection({ account, listed }: { account: AccountStatus; listed: ListedAccount | undefined }) {
  const { messenger, status } = account;
  const isOwner = useMay('owner') !== false;
  const isFurther = listed?.is_default === false;
  const isFree = status === 'unlinked' || status === 'logged_out';
  const canUnlink = !isFree && status !== 'linking' && (messenger !== 'sandbox' || isFurther);
  return (
    <Section title={t('account.state')}>
      <Facts account={account} listed={listed} />
      {status !== 'paused' && !(status === 'connected' && account.waits_for) && (
        <Text size="sm" mt="md">
          {t(`account.about.${status}`)}
        </Text>
      )}
      {isOwner && canUnlink && <UnlinkButton further={isFurther ? listed : undefined} />}
      {isOwner && isFurther && <SetDefaultAccount account={listed} />}
      {isOwner && isFurther && isFree && <RemoveAccount account={listed} />}
    </Section>
  );
}

function Facts({ account, listed }: { account: AccountStatus; listed: ListedAccount | undefined }) {
  const zone = useZone();
  const { messenger, status, scanned_number: scanned, waits_for: wait } = account;
  const { data: isNumberFixed } = useQuery(numberFixedQuery(useChosenAccountId()));
  const isOwner = useMay('owner') !== false;
  const isSandbox = messenger === 'sandbox';
  const isFree = status === 'unlinked' || status === 'logged_out';
  const isOwnNumber = listed?.is_default !== false;
  const number = shownNumber({ ...account, is_default: isOwnNumber });
  return (
    <dl className={classes.facts}>
      {listed && (
        <>
          <dt>{t('members.name')}</dt>
          <dd>
            <AccountNameField account={listed} canChange={isOwner} />
          </dd>
        </>
      )}
      <dt>{t('account.stateNow')}</dt>
      <dd aria-live="polite">
        <Dot
          tone={accountTone(account)}
          label={isSandbox ? t(`account.status.${status}`) : accountSummary(account, zone)}
        />
      </dd>
      <dt>{t('account.messenger')}</dt>
      <dd>{isSandbox ? t('account.sandbox') : t('account.whatsapp')}</dd>
      {number !== undefined && (
        <>
          <dt>{t('account.number')}</dt>
          <dd>
            <AccountNumber
              number={number}
              canChange={isOwner && isOwnNumber && isNumberFixed === false && (isFree || isSandbox)}
            />
          </dd>
        </>
      )}
      {wait && status !== 'paused' && scanned === undefined && (
        <>
          <dt>{t('account.reason')}</dt>
          <dd>
            {wait.reason === 'not_linked' && account.reason !== undefined
              ? stateReasonText({ ...account, reason: account.reason })
              : waitText(wait, zone)}
          </dd>
        </>
      )}
    </dl>
  );
}
