import { Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AccountStatus } from '../api/operations.ts';
import { accountQuery, numberFixedQuery } from '../api/queries.ts';
import { useMay } from '../api/workspace.ts';
import { exactTime, relativeTime } from '../format/time.ts';
import { useZone } from '../format/zone-context.tsx';
import { ErrorText } from '../parts/error-alert.tsx';
import { useNow } from '../parts/relative-time.tsx';
import { RoleNote } from '../parts/role-note.tsx';
import { LargeCallout } from '../parts/callout.tsx';
import { Page, Section } from '../parts/page.tsx';
import { Dot } from '../parts/status.tsx';
import { accountSummary, accountTone } from '../shell/account-pill.tsx';
import { QueryStatus } from '../parts/query-status.tsx';
import { t } from '../i18n/translate.ts';
import { LinkForm } from './link-form.tsx';
import { ConnectionHistory } from './connection-history.tsx';
import { LinkingPanel } from './linking-panel.tsx';
import { NumberMismatchCallout, AccountNumber } from './account-number.tsx';
import { SendWindowSettings } from './send-window.tsx';
import { UnlinkButton } from './unlink-button.tsx';
import { useAccountLink } from './use-link.ts';
import { WarmUp } from './warm-up.tsx';
import classes from './account-page.module.css';

export default function AccountPage() {
  const account = useQuery(accountQuery);
  return (
    <Page title={t('pages.account')}>
      <QueryStatus of={account} rows={2} height={80} />
      {account.data && <Account account={account.data} />}
    </Page>
  );
}

function Account({ account }: { account: AccountStatus }) {
  const zone = useZone();
  const { messenger, status, scanned_number: scanned } = account;
  const { data: isNumberFixed } = useQuery(numberFixedQuery);
  const isSandbox = messenger === 'sandbox';
  const isLinking = status === 'linking';
  const isFree = status === 'unlinked' || status === 'logged_out';
  const isOwner = useMay('owner') !== false;
  return (
    <Stack gap="md">
      <RoleNote needs="owner" />
      {isSandbox && status === 'connected' && (
        <LargeCallout icon="phone" role="note" title={t('account.sandboxTitle')}>
          <Text size="sm">{t('account.sandboxShort')}</Text>
        </LargeCallout>
      )}
      {isLinking && isOwner && <LinkingPanel account={account} />}
      {status === 'paused' && <Paused account={account} />}
      {account.warned_until !== undefined && status !== 'paused' && <Warned until={account.warned_until} />}
      {isOwner && account.retry_until !== undefined && <FormerLink until={account.retry_until} />}
      {account.channels_unread_since !== undefined && (
        <LargeCallout icon="alert" role="status" title={t('account.channelsUnread')}>
          <Text size="sm">{t('account.channelsUnreadHint')}</Text>
        </LargeCallout>
      )}
      {isOwner && scanned !== undefined && <NumberMismatchCallout account={account} scanned={scanned} />}
      <Section title={t('account.state')}>
        <dl className={classes.facts}>
          <dt>{t('account.stateNow')}</dt>
          <dd aria-live="polite">
            <Dot
              tone={accountTone(account)}
              label={isSandbox ? t(`account.status.${account.status}`) : accountSummary(account, zone)}
            />
          </dd>
          <dt>{t('account.messenger')}</dt>
          <dd>{isSandbox ? t('account.sandbox') : t('account.whatsapp')}</dd>
          <dt>{t('account.number')}</dt>
          <dd>
            <AccountNumber
              number={account.whatsapp_number}
              canChange={isOwner && isNumberFixed === false && (isFree || isSandbox)}
            />
          </dd>
          {account.reason !== undefined && status !== 'paused' && scanned === undefined && (
            <>
              <dt>{t('account.reason')}</dt>
              <dd>{account.reason}</dd>
            </>
          )}
        </dl>
        {status !== 'paused' && (
          <Text size="sm" mt="md">
            {t(`account.about.${status}`)}
          </Text>
        )}
        {isOwner && !isSandbox && !isLinking && !isFree && <UnlinkButton />}
      </Section>
      {isOwner && <AccountSettings account={account} isFirst={isNumberFixed !== true} />}
      <ConnectionHistory status={status} />
    </Stack>
  );
}

function AccountSettings({ account, isFirst }: { account: AccountStatus; isFirst: boolean }) {
  const { messenger, status } = account;
  const isFree = status === 'unlinked' || status === 'logged_out';
  const isLinking = status === 'linking';
  return (
    <>
      {!isLinking && (isFree || messenger === 'sandbox') && (
        <LinkForm key={messenger} account={account} isFirst={isFirst} />
      )}
      {!isFree && !isLinking && <WarmUp />}
      <SendWindowSettings />
    </>
  );
}

/** Says why sending is paused, until when, and whether the user has to act. */
function Paused({ account: { paused_until: until, reason } }: { account: AccountStatus }) {
  const zone = useZone();
  const nowMs = useNow();
  const isOwner = useMay('owner') !== false;
  return (
    <LargeCallout
      icon="pause"
      role="status"
      title={until === undefined ? t('account.stopped') : t('account.pausedFor', { time: exactTime(until, zone) })}
    >
      {reason !== undefined && <Text size="sm">{reason}</Text>}
      {until === undefined ? (
        isOwner && <ResumeButton />
      ) : (
        <Text size="sm">{t('account.pausedGoesOn', { when: relativeTime(until, zone, nowMs) })}</Text>
      )}
    </LargeCallout>
  );
}

/** A restriction of new private chats, which slows the account down. */
function Warned({ until }: { until: string }) {
  const zone = useZone();
  return (
    <LargeCallout icon="alert" role="status" title={t('account.warnedUntil', { time: exactTime(until, zone) })}>
      <Text size="sm">{t('account.warnedGoesOn')}</Text>
    </LargeCallout>
  );
}

/** The link has ended, and its keys are still kept. */
function FormerLink({ until }: { until: string }) {
  const zone = useZone();
  const { linking } = useAccountLink();
  return (
    <LargeCallout icon="key" role="note" title={t('account.retryTitle')}>
      <Text size="sm">{t('account.retryNote', { time: exactTime(until, zone) })}</Text>
      <Button size="xs" mt="xs" loading={linking.isPending} onClick={() => linking.mutate({ method: 'retry' })}>
        {t('account.retry')}
      </Button>
      <ErrorText error={linking.error} />
    </LargeCallout>
  );
}

/** For an account that was stopped: it does not resume by itself. */
function ResumeButton() {
  const { linking } = useAccountLink();
  return (
    <>
      <Button size="xs" mt="xs" loading={linking.isPending} onClick={() => linking.mutate({})}>
        {t('account.goOn')}
      </Button>
      <ErrorText error={linking.error} />
    </>
  );
}
