import { ConfirmButton } from '../parts/confirm-button.tsx';
import { showToast } from '../parts/notify.ts';
import { words } from '../words/words.ts';
import { useAccountLink } from './use-link.ts';

/** Unlinks the account from WhatsApp after a confirmation. */
export function UnlinkButton() {
  const { unlinking } = useAccountLink();
  const unlink = async (signal: AbortSignal) => {
    await unlinking.mutateAsync(signal);
    showToast(words.account.unlinked);
  };
  return (
    <ConfirmButton mt="md" title={words.account.unlinkTitle} action={words.account.unlink} act={unlink} danger>
      {words.account.unlinkNote}
    </ConfirmButton>
  );
}
