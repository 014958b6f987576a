import { Modal } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { WebhookSecret, type Verifier } from './webhook-secret.tsx';

/** A dialog that may end with a secret: seen this once, it goes when its reader says so, and by no stray key or click. */
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
