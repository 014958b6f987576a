import { recordAudit, type AuditAction } from '../workspaces/audit/record-audit.ts';
import type { Connection } from '../platform/database/statements.ts';
import { findAnAdministrator } from '../identity/manage-users-store.ts';
import { COMMAND_LINE } from './open-users.ts';

/**
 * Audits a command whose subject is no remaining user: in the audit log of the longest-standing administrator, if there is one. Call it in
 * the transaction of the command.
 */
export async function recordCommand(trx: Connection, action: AuditAction, subject: string): Promise<void> {
  const administrator = await findAnAdministrator(trx);
  if (administrator) await recordAudit(trx, { ...administrator, action, subject, address: COMMAND_LINE });
}
