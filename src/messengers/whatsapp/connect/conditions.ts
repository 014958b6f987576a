/** Events on an account's connections that an operator cannot see elsewhere. */

export const WHATSAPP_CONDITIONS = [
  /** WhatsApp links a number only with its passkey. */
  'passkey_asked',
  /** WhatsApp gives no pairing code. */
  'pairing_code_refused',
  /** WhatsApp locks new private chats (reach-out time lock). */
  'time_locked',
  /** WhatsApp has not answered a query in time. */
  'query_unanswered',
  /** The owner of the account has other devices (`account_sync`). */
  'own_devices_changed',
  /** A device could not decrypt a post, and asks for it again (retry receipt). */
  'post_asked_again',
  /** WhatsApp tells no device of some members of a group: a post has left without them. */
  'members_without_devices',
] as const;

export type WhatsAppCondition = (typeof WHATSAPP_CONDITIONS)[number];
