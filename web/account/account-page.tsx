import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AccountStatus } from '../api/operations.ts';
import { accountQuery } from '../api/queries.ts';
import { useZone } from '../format/zone.tsx';
import { Failed } from '../parts/failed.tsx';
import { Page, RowsSkeleton, Section } from '../parts/page.tsx';
import { Dot } from '../parts/status.tsx';
import { accountSummary, toneOf } from '../shell/account-pill.tsx';
import { words } from '../words/words.ts';
import { BeginLink } from './begin-link.tsx';
import { Linking } from './linking.tsx';
import { RestRules } from './rests.tsx';
import { Unlink } from './unlink.tsx';

export default function AccountPage() {
  const account = useQuery(accountQuery);
  return (
    <Page title={words.pages.account}>
      {account.isPending && <RowsSkeleton rows={2} height={80} />}
      {account.isError && <Failed error={account.error} retry={() => void account.refetch()} />}
      {account.data && <Account account={account.data} />}
    </Page>
  );
}

function Account({ account }: { account: AccountStatus }) {
  const zone = useZone();
  const { messenger, status } = account;
  const isSandbox = messenger === 'sandbox';
  const isLinking = status === 'linking';
  const isFree = status === 'unlinked' || status === 'logged_out';
  return (
    <Stack gap="md">
      <Section title={words.account.state}>
        <dl className="facts">
          <dt>{words.account.stateNow}</dt>
          <dd aria-live="polite">
            <Dot
              tone={toneOf(account)}
              label={isSandbox ? words.account.status[account.status] : accountSummary(account, zone)}
            />
          </dd>
          <dt>{words.account.messenger}</dt>
          <dd>{isSandbox ? words.account.sandbox : words.account.whatsapp}</dd>
          <dt>{words.account.number}</dt>
          <dd>{account.whatsapp_number}</dd>
          {account.reason !== undefined && (
            <>
              <dt>{words.account.reason}</dt>
              <dd>{account.reason}</dd>
            </>
          )}
        </dl>
        <Text size="sm" mt="md">
          {words.account.about[status]}
        </Text>
        {!isSandbox && !isLinking && !isFree && <Unlink />}
      </Section>
      {isLinking && <Linking account={account} />}
      {!isLinking && (isFree || isSandbox) && <BeginLink key={messenger} account={account} />}
      <RestRules />
    </Stack>
  );
}
