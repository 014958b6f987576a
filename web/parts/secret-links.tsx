import { Button, Group, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query';
import { t } from '../i18n/translate.ts';
import { CopyButton } from './copy-button.tsx';
import { notifyError, showToast } from './notify.ts';
import classes from './secret-links.module.css';

/** The address of a link that was just created. It is shown this once. */
export function NewLink({ path, description }: { path: string; description: string }) {
  const address = `${window.location.origin}${path}`;
  return (
    <Group gap="xs" align="flex-end" wrap="nowrap">
      <TextInput
        label={t('report.link')}
        description={description}
        value={address}
        readOnly
        flex={1}
        onFocus={({ currentTarget }) => currentTarget.select()}
      />
      <CopyButton value={address} />
    </Group>
  );
}

export interface WorkingLink {
  id: number;
  name: string;
  /** Who made it, and until when it works. */
  about: string;
  revoke: () => Promise<unknown>;
}

/** The links that work now, which are those of the query with this key, each with a button that revokes it. Nothing if there is none. */
export function WorkingLinks({ links, queryKey }: { links: readonly WorkingLink[] | undefined; queryKey: QueryKey }) {
  if (!links || links.length === 0) return null;
  return (
    <section aria-label={t('report.links')}>
      <Text fw={600} size="sm">
        {t('report.links')}
      </Text>
      <ul className={classes.links}>
        {links.map((link) => (
          <LinkRow key={link.id} link={link} queryKey={queryKey} />
        ))}
      </ul>
    </section>
  );
}

function LinkRow({ link: { name, about, revoke }, queryKey }: { link: WorkingLink; queryKey: QueryKey }) {
  const client = useQueryClient();
  const revoking = useMutation({
    mutationFn: revoke,
    onSuccess: () => {
      showToast(t('report.revoked'));
      return client.invalidateQueries({ queryKey });
    },
    onError: notifyError,
  });
  return (
    <li>
      <span dir="auto">
        {name}
        <Text size="xs" c="dimmed">
          {about}
        </Text>
      </span>
      <Button
        size="xs"
        variant="default"
        aria-label={t('report.revokeOf', { name })}
        loading={revoking.isPending}
        onClick={() => revoking.mutate()}
      >
        {t('report.revoke')}
      </Button>
    </li>
  );
}
