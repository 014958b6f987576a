import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import type { Database } from '../../platform/database/connect.ts';
import { removeDraft } from './draft-store.ts';
import { noSuchDraft } from './no-such-draft.ts';

/** Throws a draft away (contract §4, delete-draft); its file goes a day later, unless a campaign has it. Throws 404. */
export async function deleteDraft({ db }: { db: Database }, actor: Actor, draftId: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    if (!(await removeDraft(trx, actor.workspaceId, draftId))) throw noSuchDraft();
    await recordAudit(trx, { ...actor, action: 'draft.deleted', subject: draftId });
  });
}
