import type { PostExtras } from './post-extras.ts';

/** A post as a member of the group sees it. */
export interface ArrivedMessage {
  /** Its place in the group; rises with time. */
  seq: number;
  messageId: string;
  text: string;
  media: ArrivedMedia | null;
  /** All files, if there are several, or the one is a document, which has a name, or has a caption of its own; null otherwise. */
  files: ArrivedFile[] | null;
  /** The poll or event in it. */
  ballot: Pick<PostExtras, 'poll' | 'event'> | null;
  /** Of a link in the text. */
  card: ArrivedCard | null;
  sentAt: Date;
  /** Deleted for everyone: `text` and `media` are gone. */
  recalledAt: Date | null;
  /** When it was last edited. */
  correctedAt: Date | null;
  /** Everybody in the group was mentioned. */
  mentionsAll: boolean;
  /** The id of the post that it quotes. */
  quotedMessageId: string | null;
  /** null: it is not pinned. */
  pinnedUntil: Date | null;
}

export interface ArrivedMedia {
  mime: string;
  size: number;
  sha256: string;
}

export interface ArrivedFile extends ArrivedMedia {
  fileName: string;
  /** Of its own; undefined: the text of the post for the first file, none for the others. */
  caption?: string | undefined;
}

export interface ArrivedCard {
  url: string;
  title: string;
  description: string;
  picture: ArrivedMedia | null;
}
