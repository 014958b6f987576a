import { isExtension } from './sniff.ts';

/** The stem of a file whose sender gave it no name. */
const UNNAMED = 'file';
const EXTENSION = /\.([a-z0-9]{1,5})$/iu;
/** No file system of Windows takes these, and some hide the end of a name. Joiners stay, of which emoji and scripts are made. */
const FORBIDDEN = /[<>:"/\\|?*\p{Cc}\p{Zl}\p{Zp}\p{Cs}]|(?!\u200c|\u200d|[\u{e0020}-\u{e007f}])\p{Cf}/gu;

/** A file name from a name that people gave, without what some system forbids in one or hides for. */
export function fileNameOf(name: string, extension: string): string {
  return `${withoutForbidden(name) || UNNAMED}.${extension}`;
}

/** The same of a name that may have the extension of a type, which is dropped: the type of the file decides. Others are a part of the name. */
export function plainFileName(name: string): string {
  const given = name.trim();
  const extension = EXTENSION.exec(given)?.[1];
  const stem = extension !== undefined && isExtension(extension) ? given.slice(0, -extension.length - 1) : given;
  return withoutForbidden(stem) || UNNAMED;
}

function withoutForbidden(name: string): string {
  return name
    .replaceAll(FORBIDDEN, ' ')
    .replaceAll(/ {2,}/g, ' ')
    .replaceAll(/^[ .]+|[ .]+$/g, '');
}
