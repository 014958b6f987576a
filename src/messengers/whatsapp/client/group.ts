import type { Jid } from './jid.ts';

/** The metadata of a group, a community, or the announcement group of one. */
export interface Group {
  id: Jid;
  subject: string;
  /** In seconds since 1970. */
  creation?: number;
  /** Members, the account among them. Large groups do not list all of them in `participants`. */
  size?: number;
  participants: GroupMember[];
  /** Whether its members are addressed by LID or by phone number. Default is `lid`. */
  addressingMode?: 'lid' | 'pn';
  /** Only admins may post. */
  announce?: boolean;
  /** Only admins may change the group's settings, and pin. */
  restrict?: boolean;
  isCommunity?: boolean;
  isCommunityAnnounce?: boolean;
  /** The community that it belongs to. */
  linkedParent?: Jid;
  /** Its messages disappear after so many seconds. */
  ephemeralDuration?: number;
}

export interface GroupMember {
  id: Jid;
  lid?: Jid;
  phoneNumber?: Jid;
  admin?: 'admin' | 'superadmin' | null;
}
