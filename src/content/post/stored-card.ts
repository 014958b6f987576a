/** In UTF-16 units. */
export const TITLE_LIMIT = 300;
export const DESCRIPTION_LIMIT = 1_000;

/** A card as `contents.extras` stores it. */
export interface StoredCard {
  /** The link as the text has it, letter for letter. */
  url: string;
  title: string;
  description: string;
  picture?: StoredPicture;
}

export interface StoredPicture {
  /** A file of the workspace. */
  mediaId: number;
  /** In hex. */
  sha256: string;
  /** In bytes. */
  size: number;
  width: number;
  height: number;
}
