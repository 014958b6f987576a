import { ActionIcon, Button, Group, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { call } from '../api/call.ts';
import { sessionQuery } from '../api/session.ts';
import { useCancellableMutation } from '../api/use-cancellable-mutation.ts';
import { useMay } from '../api/workspace.ts';
import { excerptOf } from '../drafts/drafts-menu.tsx';
import { personName } from '../format/person-name.ts';
import boxClasses from '../parts/box.module.css';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { Empty } from '../parts/empty.tsx';
import { Icon } from '../parts/icons.tsx';
import { notifyError, showToast } from '../parts/notify.ts';
import { Page } from '../parts/page.tsx';
import { QueryStatus } from '../parts/query-status.tsx';
import { Rate } from '../parts/rate.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { t } from '../i18n/translate.ts';
import { useMayChange } from './save-template-dialog.tsx';
import { startFromTemplate, templatesQuery, type Template } from './templates.ts';
import classes from './templates.module.css';

/** The templates of the workspace, with how often each was used and how its posts were read. */
export default function TemplatesPage() {
  const client = useQueryClient();
  const found = useQuery(templatesQuery);
  const mayChange = useMayChange();
  const [dropped, setDropped] = useState<Template>();
  const templates = found.data?.templates ?? [];
  return (
    <Page title={t('templates.title')}>
      <Text size="sm" c="dimmed" mb="md">
        {t('templates.note')}
      </Text>
      <QueryStatus of={found} rows={3} height={64} />
      {found.isSuccess && templates.length === 0 && (
        <Empty
          title={t('templates.none')}
          sample="templates"
          link={{ href: '/campaigns/new', label: t('shell.newCampaign') }}
        >
          {t('templates.noneHint')}
        </Empty>
      )}
      {templates.length > 0 && (
        <div className={boxClasses.surface}>
          <ul className={classes.list} aria-label={t('templates.title')}>
            {templates.map((template) => (
              <TemplateRow
                key={template.template_id}
                template={template}
                {...(mayChange(template) && { drop: () => setDropped(template) })}
              />
            ))}
          </ul>
        </div>
      )}
      <ConfirmDialog
        opened={dropped !== undefined}
        close={() => setDropped(undefined)}
        title={t('templates.deleteTitle', { name: dropped?.name ?? '' })}
        action={t('templates.delete')}
        danger
        act={async (signal) => {
          if (!dropped) return;
          await call('venom/delete-template', { template_id: dropped.template_id }, { signal });
          showToast(t('templates.deleted', { name: dropped.name }));
          await client.invalidateQueries({ queryKey: templatesQuery.queryKey });
        }}
      >
        {t('templates.deleteNote')}
      </ConfirmDialog>
    </Page>
  );
}

function TemplateRow({ template, drop }: { template: Template; drop?: () => void }) {
  const client = useQueryClient();
  const [, go] = useLocation();
  const { data: session } = useQuery(sessionQuery);
  const mayWrite = useMay('author') !== false;
  const { template_id: id, name, html_start: html, uses, changed_by: changer } = template;
  const excerpt = excerptOf(html);
  const starting = useCancellableMutation({
    act: () => startFromTemplate(client, session?.time_zone ?? '', id),
    onSuccess: (path) => go(path),
    onError: notifyError,
  });
  return (
    <li>
      <div className={classes.about}>
        <Text fw={550} dir="auto" style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Text>
        {excerpt !== '' && (
          <Text size="sm" c="dimmed" truncate dir="auto">
            {excerpt}
          </Text>
        )}
        <Text size="xs" c="dimmed">
          {changer.name !== null && `${personName({ name: changer.name })} · `}
          <RelativeTime at={template.updated_at} />
        </Text>
      </div>
      <div className={classes.figures}>
        <Text size="sm">
          {t('templates.uses', { campaigns: uses.campaigns })}
          {uses.last_sent_at !== null && (
            <Text component="span" size="xs" c="dimmed" display="block">
              {t('templates.lastSent')} <RelativeTime at={uses.last_sent_at} />
            </Text>
          )}
        </Text>
        {uses.read_rate !== null && (
          <span title={t('overview.readRate')}>
            <span className="mantine-visually-hidden">{t('overview.readRate')} </span>
            <Rate of={uses.read_rate} />
          </span>
        )}
      </div>
      <Group gap="xs">
        {mayWrite && session && (
          <Button size="xs" variant="default" loading={starting.isPending} onClick={() => starting.mutate()}>
            {t('templates.start')}
          </Button>
        )}
        {drop && (
          <ActionIcon
            variant="subtle"
            aria-label={t('templates.deleteNamed', { name })}
            title={t('templates.delete')}
            onClick={drop}
          >
            <Icon name="trash" size={16} />
          </ActionIcon>
        )}
      </Group>
    </li>
  );
}
