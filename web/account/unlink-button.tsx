import type { ListedAccount } from '../api/operations.ts';
import { accountName } from '../format/account-name.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { showToast } from '../parts/notify.ts';
import { t } from '../i18n/translate.ts';
import { useAccountLink } from './use-link.ts';

/** Unlinks the account from its messaging app after a confirmation. `further`: it is not the default one of its workspace. */
export function UnlinkButton({ further }: { further: ListedAccount | undefined }) {
  const name = further && accountName(further);
  const { unlinking } = useAccountLink();
  const unlink = async (signal: AbortSignal) => {
    await unlinking.mutateAsync(signal);
    showToast(name === undefined ? t('account.unlinked') : t('accounts.unlinked', { name }));
  };
  return (
    <ConfirmButton
      mt="md"
      title={name === undefined ? t('account.unlinkTitle') : t('accounts.unlinkTitle', { name })}
      action={t('account.unlink')}
      act={unlink}
      danger
    >
      {name === undefined ? t('account.unlinkNote') : t('accounts.unlinkNote')}
    </ConfirmButton>
  );
}
