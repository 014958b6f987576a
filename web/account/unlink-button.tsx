import { ConfirmButton } from '../parts/confirm-button.tsx';
import { showToast } from '../parts/notify.ts';
import { t } from '../i18n/translate.ts';
import { useAccountLink } from './use-link.ts';

/** Unlinks the account from WhatsApp after a confirmation. */
export function UnlinkButton() {
  const { unlinking } = useAccountLink();
  const unlink = async (signal: AbortSignal) => {
    await unlinking.mutateAsync(signal);
    showToast(t('account.unlinked'));
  };
  return (
    <ConfirmButton mt="md" title={t('account.unlinkTitle')} action={t('account.unlink')} act={unlink} danger>
      {t('account.unlinkNote')}
    </ConfirmButton>
  );
}
