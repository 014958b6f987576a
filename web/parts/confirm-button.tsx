import { Button, type ButtonProps } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { ConfirmDialog, type ConfirmProps } from './confirm-dialog.tsx';

/** A button that opens a confirmation dialog. */
export function ConfirmButton({
  title,
  action,
  act,
  danger = false,
  children,
  ...props
}: Omit<ConfirmProps, 'opened' | 'close'> & ButtonProps & { 'aria-label'?: string }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="default" {...props} onClick={open}>
        {action}
      </Button>
      <ConfirmDialog opened={isOpen} close={close} title={title} action={action} act={act} danger={danger}>
        {children}
      </ConfirmDialog>
    </>
  );
}
