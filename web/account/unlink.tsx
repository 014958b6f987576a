import { Button } from '@mantine/core';
import { useState } from 'react';
import { Confirm } from '../parts/confirm.tsx';
import { showToast } from '../parts/notify.ts';
import { words } from '../words/words.ts';
import { useLink } from './use-link.ts';

/** Ends the link to WhatsApp, once it was said what that comes to. */
export function Unlink() {
  const [isAsking, setAsking] = useState(false);
  const { unlinking } = useLink();
  const unlink = async (signal: AbortSignal) => {
    await unlinking.mutateAsync(signal);
    showToast(words.account.unlinked);
  };
  return (
    <>
      <Button variant="default" mt="md" onClick={() => setAsking(true)}>
        {words.account.unlink}
      </Button>
      <Confirm
        opened={isAsking}
        close={() => setAsking(false)}
        title={words.account.unlinkTitle}
        action={words.account.unlink}
        act={unlink}
        danger
      >
        {words.account.unlinkNote}
      </Confirm>
    </>
  );
}
