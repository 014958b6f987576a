import { Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../i18n/translate.ts';
import { FormErrorText } from './error-alert.tsx';
import { showToast } from './notify.ts';
import classes from './save-bar.module.css';

/** A mutation. */
interface Acting {
  isPending: boolean;
  error: unknown;
}

/** The one place of *Save* on a page: the foot of a form. It stays in sight while something is not saved. */
export function SaveBar({ isChanged, saving, discard }: { isChanged: boolean; saving: Acting; discard: () => void }) {
  return (
    <div className={classes.bar} data-changed={isChanged || undefined} {...(isChanged && { 'data-hides-fab': true })}>
      <FormErrorText error={saving.error} />
      <Group gap="xs" justify="flex-end" className={classes.row}>
        <Text size="sm" c="dimmed" mr="auto" role="status">
          {isChanged && t('common.notSaved')}
        </Text>
        {isChanged && (
          <Button variant="default" disabled={saving.isPending} onClick={discard}>
            {t('common.discard')}
          </Button>
        )}
        <Button type="submit" disabled={!isChanged} loading={saving.isPending}>
          {t('common.save')}
        </Button>
      </Group>
    </div>
  );
}

/** The foot of a form in a dialog: why it failed, other actions, the way back, and the button that does it. It saves, unless `action` says more. */
export function DialogFoot({
  acting,
  close,
  action = t('common.save'),
  isReady = true,
  children,
}: {
  acting: Acting;
  close: () => void;
  action?: string | undefined;
  isReady?: boolean;
  children?: ReactNode;
}) {
  return (
    <>
      <FormErrorText error={acting.error} />
      <Group justify="flex-end" gap="xs">
        {children}
        <Button variant="default" onClick={close}>
          {t('common.back')}
        </Button>
        <Button type="submit" disabled={!isReady} loading={acting.isPending}>
          {action}
        </Button>
      </Group>
    </>
  );
}

/** Says that something was saved. */
export const showSaved = () => showToast(t('common.saved'));
