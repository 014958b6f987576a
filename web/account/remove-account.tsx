import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { call } from '../api/call.ts';
import type { ListedAccount } from '../api/operations.ts';
import { accountsQuery } from '../api/queries.ts';
import { accountName } from '../format/account-name.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { showToast } from '../parts/notify.ts';
import { t } from '../i18n/translate.ts';

/** Removes a further account that is not linked, after a confirmation, and opens the default one. */
export function RemoveAccount({ account }: { account: ListedAccount }) {
  const client = useQueryClient();
  const [, go] = useLocation();
  const name = accountName(account);
  const remove = async (signal: AbortSignal) => {
    await call('venom/remove-account', { account_id: account.account_id }, { signal });
    go('/account');
    client.setQueryData(accountsQuery.queryKey, (before) =>
      before?.filter(({ account_id: id }) => id !== account.account_id),
    );
    for (const queryKey of [accountsQuery.queryKey, ['groups']]) void client.invalidateQueries({ queryKey });
    showToast(t('accounts.removed', { name }));
  };
  return (
    <ConfirmButton
      mt="md"
      title={t('accounts.removeTitle', { name })}
      action={t('accounts.remove')}
      act={remove}
      danger
    >
      {t('accounts.removeNote')}
    </ConfirmButton>
  );
}
