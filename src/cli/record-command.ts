import { recordAudit, type AuditAction } from '../workspaces/audit/record-audit.ts';
import type { Connection } from '../platform/database/connect.ts';
import { findAnAdministrator } from '../identity/manage-users-store.ts';
import { COMMAND_LINE } from './open-users.ts';

/**
 * Writes down what was done on the command line to nobody who is left: in the log of the administrator who has been here longest, if any
 * is. Call it in the transaction that does it.
 */
export async function recordCommand(trx: Connection, action: AuditAction, subject: string): Promise<void> {
  const administrator = await findAnAdministrator(trx);
  if (administrator) await recordAudit(trx, { ...administrator, action, subject, address: COMMAND_LINE });
}
