/** The stem of a file whose sender gave it no name. */
const UNNAMED = 'file';
const LONGEST_EXTENSION = /\.[A-Za-z0-9]{1,5}$/u;

/** A file name from a name that people gave, without what some system forbids in one or hides for. */
export function fileNameOf(name: string, extension: string): string {
  return `${withoutForbidden(name) || UNNAMED}.${extension}`;
}

/** The same of a name that may have an extension, which is dropped: the type of the file decides. */
export function plainFileName(name: string): string {
  return withoutForbidden(name.trim().replace(LONGEST_EXTENSION, '')) || UNNAMED;
}

function withoutForbidden(name: string): string {
  return name.replaceAll(/[^\p{L}\p{M}\p{N}._-]+/gu, ' ').replaceAll(/^[ .]+|[ .]+$/g, '');
}
