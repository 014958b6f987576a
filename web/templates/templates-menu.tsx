import { Button, Menu, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { notifyError } from '../parts/notify.ts';
import { t } from '../i18n/translate.ts';
import { SaveTemplateDialog } from './save-template-dialog.tsx';
import { startFromTemplate, templatesQuery, type SavedPost } from './templates.ts';

/** Starts a new draft from a template, or saves the open one as a template. */
export function TemplatesMenu({ post, name, zone }: { post: SavedPost; name: string; zone: string }) {
  const client = useQueryClient();
  const [, go] = useLocation();
  const { data } = useQuery(templatesQuery);
  const [isSaving, saving] = useDisclosure(false);
  const templates = data?.templates ?? [];
  return (
    <>
      <Menu position="bottom-end" width={300}>
        <Menu.Target>
          <Button variant="default">{t('templates.title')}</Button>
        </Menu.Target>
        <Menu.Dropdown mah="60vh" style={{ overflowY: 'auto' }}>
          <Menu.Item onClick={saving.open}>{t('templates.save')}</Menu.Item>
          {templates.length > 0 && (
            <>
              <Menu.Label>{t('templates.startFrom')}</Menu.Label>
              {templates.map(({ template_id: id, name: label }) => (
                <Menu.Item
                  key={id}
                  onClick={() => startFromTemplate(client, zone, id).then((path) => go(path), notifyError)}
                >
                  <Text size="sm" truncate dir="auto">
                    {label}
                  </Text>
                </Menu.Item>
              ))}
              <Menu.Divider />
            </>
          )}
          <Menu.Item component={Link} href="/templates">
            {t('templates.all')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <SaveTemplateDialog
        opened={isSaving}
        close={saving.close}
        name={name}
        fromTemplate={post.draft.fromTemplate}
        load={() => Promise.resolve(post)}
      />
    </>
  );
}
