import { Modal } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { WebhookSecret, type Verifier } from './webhook-secret.tsx';

/** A dialog that may end with a secret. The secret is shown once, so only its button closes the dialog. */
export function SecretDialog({
  opened,
  close,
  title,
  children,
}: {
  opened: boolean;
  close: () => void;
  title: string;
  children: (show: (verifier: Verifier) => void) => ReactNode;
}) {
  const [verifier, setVerifier] = useState<Verifier>();
  const isShown = verifier !== undefined;
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={title}
      size="lg"
      closeOnEscape={!isShown}
      closeOnClickOutside={!isShown}
      withCloseButton={!isShown}
      onExitTransitionEnd={() => setVerifier(undefined)}
    >
      {isShown ? <WebhookSecret of={verifier} close={close} /> : children(setVerifier)}
    </Modal>
  );
}
