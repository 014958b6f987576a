import { Modal, MultiSelect, Select, Stack, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { groupListsQuery } from '../api/queries.ts';
import { sessionQuery } from '../api/session.ts';
import { useCancellableMutation } from '../api/use-cancellable-mutation.ts';
import { useMay } from '../api/workspace.ts';
import { generateDraftId } from '../drafts/persisted-draft.ts';
import { fieldProblems, isInFields } from '../format/problem.ts';
import { fetchListGroups } from '../groups/use-saved-lists.ts';
import { ErrorText } from '../parts/error-alert.tsx';
import { notifyError, showToast } from '../parts/notify.ts';
import { DialogFoot } from '../parts/save-bar.tsx';
import { t } from '../i18n/translate.ts';
import { fetchTemplate, saveTemplate, templatesQuery, type SavedPost, type Template } from './templates.ts';

const NAME_LIMIT = 200;

interface SaveProps {
  name: string;
  /** The template that the post began with. */
  fromTemplate: string | null;
  /** Returns the post, once it is to be saved. */
  load: () => Promise<SavedPost>;
  close: () => void;
}

/** Saves a post as a new template, or in place of the one that it began with. */
export function SaveTemplateDialog({ opened, ...props }: SaveProps & { opened: boolean }) {
  return (
    <Modal opened={opened} onClose={props.close} title={t('templates.save')}>
      <SaveForm {...props} />
    </Modal>
  );
}

/** Returns whether the user may change a template: the author who began it, and managers. */
export function useMayChange(): (template: Pick<Template, 'begun_by'>) => boolean {
  const { data: session } = useQuery(sessionQuery);
  const isManager = useMay('manager') !== false;
  const isAuthor = useMay('author') !== false;
  return ({ begun_by: { user_id: id } }) => isManager || (isAuthor && id === session?.user_info.user_id);
}

/** What is chosen in the form, and the save of it. */
function useSave({ name: suggested, load, close }: Omit<SaveProps, 'fromTemplate'>) {
  const client = useQueryClient();
  const [replaced, setReplaced] = useState<{ id: string; version: number } | null>(null);
  const [name, setName] = useState(suggested.slice(0, NAME_LIMIT));
  const [lists, setLists] = useState<string[]>([]);

  /** With its lists and the version that is replaced: one that somebody saves meanwhile stays. */
  const choose = (id: string) => {
    if (id === '') {
      setReplaced(null);
      return;
    }
    fetchTemplate(id).then(({ template, listIds }) => {
      setReplaced({ id, version: template.version });
      setName(template.name);
      setLists(listIds.map(String));
    }, notifyError);
  };
  const saving = useCancellableMutation({
    act: async (_nothing: void, signal) => {
      const groups = await Promise.all(lists.map((id) => fetchListGroups(Number(id))));
      const listed = new Set(groups.flat().map((group) => group.group_metadata_id));
      const { id, version } = replaced ?? { id: generateDraftId(), version: 0 };
      const about = { template_id: id, version, name: name.trim(), group_list_ids: lists.map(Number), listed };
      await saveTemplate(await load(), about, signal);
    },
    onSuccess: () => {
      showToast(t('templates.saved', { name: name.trim() }));
      close();
    },
    onSettled: () => client.invalidateQueries({ queryKey: templatesQuery.queryKey }),
  });
  return { replaced, choose, name, setName, lists, setLists, saving };
}

function SaveForm({ fromTemplate, ...props }: SaveProps) {
  const mayChange = useMayChange();
  const { data: known } = useQuery(templatesQuery);
  const { data: all } = useQuery(groupListsQuery);
  const began = known?.templates.find((one) => one.template_id === fromTemplate && mayChange(one));
  const { replaced, choose, name, setName, lists, setLists, saving } = useSave(props);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() !== '') saving.mutate();
  };
  const nameProblem = fieldProblems(saving.error)['name'];
  const groupLists = all?.group_lists ?? [];
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        {began && (
          <Select
            label={t('templates.as')}
            allowDeselect={false}
            data={[
              { value: '', label: t('templates.asNew') },
              { value: began.template_id, label: t('templates.replace', { name: began.name }) },
            ]}
            value={replaced?.id ?? ''}
            onChange={(id) => choose(id ?? '')}
          />
        )}
        <TextInput
          label={t('templates.name')}
          maxLength={NAME_LIMIT}
          required
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={nameProblem}
        />
        {groupLists.length > 0 && (
          <MultiSelect
            label={t('templates.lists')}
            description={t('templates.listsHint')}
            searchable
            data={groupLists.map((list) => ({ value: String(list.group_list_id), label: list.name }))}
            value={lists}
            onChange={setLists}
            clearButtonProps={{ 'aria-label': t('common.clear') }}
          />
        )}
        {isInFields(saving.error) && nameProblem === undefined && <ErrorText error={saving.error} />}
        <DialogFoot acting={saving} close={props.close} isReady={name.trim() !== ''} />
      </Stack>
    </form>
  );
}
