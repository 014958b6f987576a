import { Button, Modal, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { BottomBar } from '../parts/bottom-bar.tsx';
import { Icon } from '../parts/icons.tsx';
import { t } from '../i18n/translate.ts';
import classes from './compose-layout.module.css';

/** The form with its buttons, and the preview beside it; on narrow screens a button opens the preview. */
export function ComposeLayout({
  sum,
  buttons,
  preview,
  children,
}: {
  sum: string;
  buttons: ReactNode;
  preview: ReactNode;
  children: ReactNode;
}) {
  const [isShown, shown] = useDisclosure(false);
  return (
    <div className={classes.compose}>
      <Stack gap="md">
        {children}
        <BottomBar sum={sum} ofForm>
          <Button
            variant="default"
            className={classes.show}
            data-icon-on-phones
            leftSection={<Icon name="eye" size={16} />}
            onClick={shown.open}
          >
            {t('compose.showPreview')}
          </Button>
          {buttons}
        </BottomBar>
      </Stack>
      <aside className={classes.beside} aria-label={t('compose.preview')}>
        {preview}
      </aside>
      <Modal opened={isShown} onClose={shown.close} title={t('compose.preview')}>
        {preview}
      </Modal>
    </div>
  );
}
