import { Text } from '@mantine/core';
import { useMay } from '../api/workspace.ts';
import { t } from '../i18n/translate.ts';

/** Says why controls are missing or disabled, unless the user has the role that they need. */
export function RoleNote({ needs }: { needs: 'author' | 'manager' | 'owner' }) {
  if (useMay(needs) !== false) return null;
  return (
    <Text size="sm" c="dimmed">
      {t(`members.missing.${needs}`)}
    </Text>
  );
}
