import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { call } from '../api/call.ts';
import type { FullApproval } from '../api/operations.ts';
import { useMay } from '../api/workspace.ts';
import { count } from '../format/numbers.ts';
import { personName } from '../format/person-name.ts';
import { FormErrorText } from '../parts/error-alert.tsx';
import { Section } from '../parts/page.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { t } from '../i18n/translate.ts';
import { approvalQuery } from './approval-queries.ts';
import classes from './approvals.module.css';
import { RemarkField } from './remark-field.tsx';

/** Requests, decisions and remarks in their order, and a field for another remark. */
export function Thread({ approval }: { approval: FullApproval }) {
  const mayWrite = useMay('author') === true;
  return (
    <Section title={t('approvals.thread')}>
      <ol className={classes.thread}>
        {approval.thread.map(({ kind, by, remark, at, version, on_phone: isOnPhone }, index) => (
          <li key={index}>
            <Text size="sm">
              <b>{personName(by)}</b> {t(`approvals.entries.${kind}`, { version: count(version) })}{' '}
              {isOnPhone && `${t('approvals.onPhone')} `}
              <Text span size="sm" c="dimmed">
                <RelativeTime at={at} />
              </Text>
            </Text>
            {remark !== '' && (
              <p className={classes.remark} dir="auto">
                {remark}
              </p>
            )}
          </li>
        ))}
      </ol>
      {mayWrite && <RemarkForm id={approval.approval_id} />}
    </Section>
  );
}

function RemarkForm({ id }: { id: string }) {
  const client = useQueryClient();
  const [remark, setRemark] = useState('');
  const writing = useMutation({
    mutationFn: () => call('venom/remark-approval', { approval_id: id, remark: remark.trim() }),
    async onSuccess() {
      setRemark('');
      await client.invalidateQueries({ queryKey: approvalQuery(id).queryKey });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    writing.mutate();
  };
  return (
    <form onSubmit={submit} noValidate>
      <RemarkField value={remark} onChange={setRemark} />
      <FormErrorText error={writing.error} />
      <Group justify="flex-end" mt="xs">
        <Button type="submit" variant="default" size="xs" loading={writing.isPending} disabled={remark.trim() === ''}>
          {t('approvals.addRemark')}
        </Button>
      </Group>
    </form>
  );
}
