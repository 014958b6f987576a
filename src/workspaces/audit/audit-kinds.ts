import type { AuditAction } from './record-audit.ts';

/** The first part of an action. */
type Topic = AuditAction extends infer Action ? (Action extends `${infer First}.${string}` ? First : never) : never;

/** What entries of the audit log are about. An action with a topic that is missing here is a type error. */
const KIND_OF = {
  campaign: 'campaigns',
  approval: 'campaigns',
  draft: 'drafts',
  template: 'templates',
  media: 'files',
  group: 'groups',
  community: 'groups',
  channel: 'groups',
  group_fields: 'groups',
  group_list: 'groups',
  senders: 'groups',
  account: 'account',
  member: 'members',
  workspace: 'members',
  api_key: 'keys',
  webhook: 'webhooks',
  report: 'reports',
  calendar: 'reports',
  user: 'sign_ins',
  secrets: 'installation',
  ledger: 'installation',
} as const satisfies Record<Topic, string>;

export type AuditKind = (typeof KIND_OF)[Topic];
/** To choose from. */
export const AUDIT_KINDS = [...new Set<AuditKind>(Object.values(KIND_OF))];

/** Returns the first parts of the actions of a kind. */
export function topicsOf(kind: AuditKind): string[] {
  return Object.entries(KIND_OF).flatMap(([topic, of]) => (of === kind ? topic : []));
}
