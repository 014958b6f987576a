import { useQueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { ListedAccount } from '../api/operations.ts';
import { accountName } from '../format/account-name.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { showToast } from '../parts/notify.ts';
import { t } from '../i18n/translate.ts';

/** Makes a further account the default one, after a confirmation. */
export function SetDefaultAccount({ account }: { account: ListedAccount }) {
  const client = useQueryClient();
  const name = accountName(account);
  const setDefault = async () => {
    // Without a signal: this button goes with what it has changed, which a live event may tell before the answer.
    await call('venom/set-default-account', { account_id: account.account_id });
    showToast(t('accounts.madeMain', { name }));
    await client.invalidateQueries();
  };
  return (
    <ConfirmButton
      mt="md"
      title={t('accounts.makeMainTitle', { name })}
      action={t('accounts.makeMain')}
      act={setDefault}
    >
      {t('accounts.makeMainNote')}
    </ConfirmButton>
  );
}
