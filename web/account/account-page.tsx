import { Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSeveralAccounts } from '../api/accounts.ts';
import type { AccountStatus, ListedAccount } from '../api/operations.ts';
import { accountQueryOf, accountsQuery, numberFixedQuery } from '../api/queries.ts';
import { useMay } from '../api/workspace.ts';
import { exactTime, relativeTime } from '../format/time.ts';
import { useZone } from '../format/zone-context.tsx';
import { ErrorText } from '../parts/error-alert.tsx';
import { useNow } from '../parts/relative-time.tsx';
import { RoleNote } from '../parts/role-note.tsx';
import { LargeCallout } from '../parts/callout.tsx';
import { Page, RowsSkeleton } from '../parts/page.tsx';
import { QueryStatus } from '../parts/query-status.tsx';
import { useQueryParam } from '../parts/use-query-param.ts';
import { t } from '../i18n/translate.ts';
import { AccountCards } from './account-cards.tsx';
import { AddAccountButton } from './add-account.tsx';
import { ChosenAccountProvider, useChosenAccountId } from './chosen-account.ts';
import { HandOver } from './hand-over.tsx';
import { LinkForm } from './link-form.tsx';
import { ConnectionHistory } from './connection-history.tsx';
import { LinkingPanel } from './linking-panel.tsx';
import { NumberMismatchCallout } from './account-number.tsx';
import { Connection } from './connection.tsx';
import { SendWindowSettings } from './send-window.tsx';
import { useFirstSync } from './use-first-sync.ts';
import { useAccountLink } from './use-link.ts';
import { WarmUp } from './warm-up.tsx';

/** One account, and with several all of them side by side; `?account=` chooses one of them. */
export default function AccountPage() {
  const { isPending } = useQuery(accountsQuery);
  const accounts = useSeveralAccounts();
  const [chosenId] = useQueryParam('account', '', isId);
  const chosen = accounts?.find(({ account_id: id }) => String(id) === chosenId) ?? accounts?.[0];
  const accountId = chosen?.is_default === false ? chosen.account_id : undefined;
  return (
    <Page title={t('pages.account')} actions={useMay('owner') === true && <AddAccountButton />}>
      <Stack gap="md">
        {accounts && (
          <>
            <HandOver accounts={accounts} />
            <AccountCards accounts={accounts} chosenId={chosen?.account_id} />
          </>
        )}
        {isPending ? (
          <RowsSkeleton rows={2} height={80} />
        ) : (
          <ChosenAccountProvider value={accountId}>
            <ChosenAccount key={accountId} listed={chosen} />
          </ChosenAccountProvider>
        )}
      </Stack>
    </Page>
  );
}

/** For `useQueryParam`: accepts the id of an account, or an empty string for none. */
function isId(text: string): text is string {
  return /^\d{0,15}$/.test(text);
}

function ChosenAccount({ listed }: { listed: ListedAccount | undefined }) {
  useFirstSync(listed);
  const account = useQuery(accountQueryOf(useChosenAccountId()));
  return (
    <>
      <QueryStatus of={account} rows={2} height={80} />
      {account.data && <Account account={account.data} listed={listed} />}
    </>
  );
}

/** `listed`: the same account with its name, where there are several. */
function Account({ account, listed }: { account: AccountStatus; listed: ListedAccount | undefined }) {
  const { messenger, status, scanned_number: scanned } = account;
  const { data: isNumberFixed } = useQuery(numberFixedQuery(useChosenAccountId()));
  const isFurther = listed?.is_default === false;
  const isLinking = status === 'linking';
  const isOwner = useMay('owner') !== false;
  return (
    <Stack gap="md">
      <RoleNote needs="owner" text={t('account.ofOwner')} />
      {messenger === 'sandbox' && status === 'connected' && !isFurther && (
        <LargeCallout icon="phone" role="note" title={t('account.sandboxTitle')}>
          <Text size="sm">{t(isOwner ? 'account.sandboxShort' : 'account.sandboxOfOwner')}</Text>
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
      {isOwner && scanned !== undefined && (
        <NumberMismatchCallout account={account} scanned={scanned} isFurther={isFurther} />
      )}
      <Connection account={account} listed={listed} />
      {isOwner && <AccountSettings account={account} isFirst={isNumberFixed !== true} isFurther={isFurther} />}
      <ConnectionHistory status={status} />
    </Stack>
  );
}

function AccountSettings({
  account,
  isFirst,
  isFurther,
}: {
  account: AccountStatus;
  isFirst: boolean;
  isFurther: boolean;
}) {
  const { messenger, status } = account;
  const isFree = status === 'unlinked' || status === 'logged_out';
  const isLinking = status === 'linking';
  return (
    <>
      {!isLinking && (isFree || (messenger === 'sandbox' && !isFurther)) && (
        <LinkForm key={messenger} account={account} isFirst={isFirst} isFurther={isFurther} />
      )}
      {!isFree && !isLinking && <WarmUp />}
      <SendWindowSettings />
    </>
  );
}

/** Says why sending is paused, until when, and whether the user has to act. */
function Paused({ account: { paused_until: until, waits_for: wait } }: { account: AccountStatus }) {
  const zone = useZone();
  const nowMs = useNow();
  const isOwner = useMay('owner') !== false;
  return (
    <LargeCallout
      icon="pause"
      role="status"
      title={until === undefined ? t('account.stopped') : t('account.pausedFor', { time: exactTime(until, zone) })}
    >
      {wait && <Text size="sm">{t(`waits.${wait.reason}`)}</Text>}
      {until === undefined ? (
        isOwner && wait?.reason === 'quarantined' && <ResumeButton />
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
