/** A file name from a name that people gave, without what some system forbids in one or hides for. */
export function fileNameOf(name: string, extension: string): string {
  const plain = name.replaceAll(/[^\p{L}\p{M}\p{N}._-]+/gu, ' ').replaceAll(/^[ .]+|[ .]+$/g, '');
  return `${plain || 'file'}.${extension}`;
}
