import { z } from 'zod';
import type { Database } from '../../platform/database/statements.ts';
import { addUses } from '../../sending/templates/add-uses.ts';
import type { Schedule } from '../../sending/campaigns/occurrences.ts';
import { renewContent } from '../../sending/templates/renew-content.ts';
import { selectDrafts } from '../../sending/drafts/draft-store.ts';
import { readDraft, type FullDraft } from '../../sending/drafts/read-draft.ts';
import { deleteDraft, saveDraft, type DraftDeps } from '../../sending/drafts/save-draft.ts';
import type { Actor } from '../../workspaces/audit/record-audit.ts';
import { date, timeOfDay } from '../contract/campaigns.ts';
import type { templates } from '../contract/templates.ts';
import type { Handlers } from '../operation.ts';
import { fromContent, toContent } from './drafts.ts';
import { nameGroup } from './groups.ts';
import { describeFiles } from './post-files.ts';
import { rate } from './rate.ts';

export const templateHandlers: Handlers<typeof templates, DraftDeps> = {
  async saveTemplate(deps, { body, actor }) {
    const { templateId, groupMetadataIds: groupIds, groupListIds } = body;
    const content = { ...toContent(body), group_list_ids: [...new Set(groupListIds)] };
    const draft = { ...body, kind: 'template' as const, draftId: templateId, content, groupIds, removeImage: false };
    return { templateId, version: await saveDraft(deps, actor, draft) };
  },

  async listTemplates({ db }, { body, actor }) {
    const { workspaceId } = actor;
    const found =
      body.templateId === undefined
        ? await selectDrafts(db, workspaceId, 'template', undefined)
        : [await describeTemplate(db, actor, body.templateId)];
    const templates = await addUses(db, workspaceId, found);
    return {
      templates: templates.map(({ uses, ...template }) => ({
        ...template,
        templateId: template.draftId,
        begunBy: template.writtenBy[0] ?? template.changedBy,
        uses: { ...uses, readRate: rate(uses.read, uses.acknowledging) },
      })),
    };
  },

  deleteTemplate: (deps, { body, actor }) => deleteDraft(deps, actor, { draftId: body.templateId, kind: 'template' }),
};

export async function describeTemplate(db: Database, actor: Actor, templateId: string) {
  const template = await readDraft({ db }, actor, 'template', templateId);
  const groups = template.groups.map(nameGroup);
  const content = {
    ...(await describeContent(db, actor, template)),
    name: template.name,
    groupMetadataIds: [...template.ownGroupIds],
    groupListIds: template.groupListIds.length > 0 ? template.groupListIds : undefined,
    fromTemplate: templateId,
  };
  return {
    ...template,
    groups,
    ownGroupMetadataIds: template.ownGroupIds,
    files: describeFiles(template.files),
    content,
  };
}

/** Returns the content as a post can have it now. */
async function describeContent(db: Database, { workspaceId }: Actor, template: FullDraft) {
  const stored = fromContent(template);
  const { schedule, accountId, replyTo, followUp } = await renewContent(db, workspaceId, {
    accountId: template.content.account_id ?? null,
    replyTo: stored.replyTo && { ...stored.replyTo, runId: stored.replyTo.runId ?? undefined },
    followUp: stored.followUp && { ...stored.followUp, runId: stored.followUp.runId ?? undefined },
    schedule: toSchedule(stored),
  });
  const present = {
    accountId,
    replyTo: replyTo && { ...replyTo, runId: replyTo.runId },
    followUp: followUp && { ...followUp, runId: followUp.runId },
  };
  // What is sent now has no rule.
  if (!schedule) return { ...stored, ...present, recurrence: stored.isSchedule ? stored.recurrence : null };
  const { startDate, endDate, time: scheduleTime, skipDates, recurrence } = schedule;
  return { ...stored, ...present, startDate, endDate, scheduleTime, skipDates, recurrence: recurrence ?? null };
}

/** Returns the schedule of a content; null if it has none, or one that no campaign would take. */
function toSchedule(content: ReturnType<typeof fromContent>): Schedule | null {
  const { startDate, timeZone, weekdays, skipDates } = content;
  const recurrence = content.recurrence || null;
  // An editor leaves out the seconds, and the last day of a single one.
  const endDate = content.endDate ?? (recurrence === null ? startDate : null);
  const planned = z
    .object({ startDate: date, endDate: date.nullable(), time: timeOfDay })
    .safeParse({ startDate, endDate, time: `${content.scheduleTime}:00`.slice(0, 8) });
  if (!content.isSchedule || !planned.success) return null;
  const skipped = (skipDates ?? []).filter((day) => date.safeParse(day).success);
  return { ...planned.data, timeZone: timeZone ?? 'UTC', weekdays, skipDates: skipped, recurrence };
}
