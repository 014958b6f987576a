import { Button, Group, Menu, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { isUp } from '../api/accounts.ts';
import { call } from '../api/call.ts';
import type { ListedAccount } from '../api/operations.ts';
import { accountsQuery } from '../api/queries.ts';
import { useMay } from '../api/workspace.ts';
import { accountName } from '../format/account-name.ts';
import { shorten } from '../format/shorten.ts';
import { Callout, LargeCallout } from '../parts/callout.tsx';
import { ErrorText } from '../parts/error-alert.tsx';
import { t } from '../i18n/translate.ts';

/** A button or an entry has one line, also on a phone. */
const NAME_LENGTH = 24;

/** The account that takes over; undefined: the stand-ins of each group. */
type Target = ListedAccount | undefined;

interface HandedOver {
  to: Target;
  /** Also posts that may have left. */
  acceptDuplicates?: boolean;
}

const withUncertain = ({ to }: HandedOver): HandedOver => ({ to, acceptDuplicates: true });
const isUnlinked = ({ status }: ListedAccount) => status === 'unlinked' || status === 'logged_out';

/** For each account that cannot send while posts wait for it: says so, and offers to hand them over. Says the result. */
export function HandOver({ accounts }: { accounts: readonly ListedAccount[] }) {
  return accounts.map((account) => (
    <HandOverFrom
      key={account.account_id}
      account={account}
      others={accounts.filter((one) => one !== account && isUp(one))}
    />
  ));
}

function HandOverFrom({ account, others }: { account: ListedAccount; others: readonly ListedAccount[] }) {
  const maySend = useMay('manager') !== false;
  const handing = useHandOver(account);
  const name = accountName(account);
  const isWaiting = !isUp(account) && account.queued > 0;
  return (
    <>
      {handing.isSuccess && (
        <Callout role="status">
          {resultText(handing.data, name, handing.variables.to)}
          {isUnlinked(account) && handing.data.kept > 0 && handing.variables.acceptDuplicates !== true && (
            <SendUncertain
              isPending={handing.isPending}
              send={() => handing.mutate(withUncertain(handing.variables))}
            />
          )}
        </Callout>
      )}
      {isWaiting && (
        <LargeCallout icon="alert" role="status" title={t('accounts.waits', { name, posts: account.queued })}>
          <Text size="sm">{others.length === 0 ? t('accounts.noneFree') : t('accounts.handOverNote')}</Text>
          {maySend && others.length > 0 && (
            <Group mt="xs">
              <HandOverButton others={others} isPending={handing.isPending} handOver={(to) => handing.mutate({ to })} />
            </Group>
          )}
          <ErrorText error={handing.error} />
        </LargeCallout>
      )}
    </>
  );
}

/** Posts of which an attempt may have left: their account cannot find out any more. */
function SendUncertain({ isPending, send }: { isPending: boolean; send: () => void }) {
  return (
    <Group mt="xs" gap="xs">
      <Button size="xs" variant="default" loading={isPending} onClick={send}>
        {t('accounts.sendUncertain')}
      </Button>
      <Text size="sm">{t('accounts.uncertainNote')}</Text>
    </Group>
  );
}

function HandOverButton({
  others,
  isPending,
  handOver,
}: {
  others: readonly ListedAccount[];
  isPending: boolean;
  handOver: (target: Target) => void;
}) {
  const [only] = others;
  if (only && others.length === 1)
    return (
      <Button size="xs" loading={isPending} onClick={() => handOver(only)}>
        {t('accounts.handOver', { name: shorten(accountName(only), NAME_LENGTH) })}
      </Button>
    );
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button size="xs" loading={isPending}>
          {t('accounts.handOverTo')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => handOver(undefined)}>{t('accounts.toStandIns')}</Menu.Item>
        {others.map((other) => (
          <Menu.Item key={other.account_id} onClick={() => handOver(other)}>
            {shorten(accountName(other), NAME_LENGTH)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function useHandOver(from: ListedAccount) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ to, acceptDuplicates }: HandedOver) =>
      call('venom/hand-over-deliveries', {
        account_id: from.account_id,
        to_account_id: to?.account_id,
        accept_duplicates: acceptDuplicates,
      }),
    onSettled: async () => {
      for (const queryKey of [['campaigns'], ['analytics']]) void client.invalidateQueries({ queryKey });
      await client.invalidateQueries({ queryKey: accountsQuery.queryKey });
    },
  });
}

function resultText(
  { handed_over: handedOver, kept }: { handed_over: number; kept: number },
  name: string,
  to: Target,
): string {
  const moved = to
    ? t('accounts.handedOver', { posts: handedOver, name: accountName(to) })
    : t('accounts.handedOverToStandIns', { posts: handedOver });
  return kept === 0 ? moved : `${moved} ${t('accounts.kept', { posts: kept, name })}`;
}
