import { infiniteQueryOptions } from '@tanstack/react-query';
import { call } from './call.ts';
import { cursorPaging } from './cursor-paging.ts';
import type { Data } from './operations.ts';

export type LibraryFile = Data<'media/list-media'>['files'][number];

export const LIBRARY_KEY = ['library'] as const;

/** The files of the workspace, newest first. */
export const libraryQuery = (search: string) =>
  infiniteQueryOptions({
    queryKey: [...LIBRARY_KEY, search],
    queryFn: ({ pageParam, signal }) => call('media/list-media', { search, limit: 30, cursor: pageParam }, { signal }),
    ...cursorPaging,
  });

/** The types of text files, which the service cannot detect. Browsers know them by the ending, and some not even then. */
const TEXT_TYPES: Readonly<Record<string, string>> = { txt: 'text/plain', csv: 'text/csv', vcf: 'text/vcard' };

/** The type of a text file; undefined for all others. */
export function textTypeOf({ name, type }: File): string | undefined {
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  return Object.values(TEXT_TYPES).includes(type) ? type : TEXT_TYPES[ending];
}

/** Uploads a file to the library. */
export function uploadFile(file: File, signal?: AbortSignal): Promise<Data<'media/upload'>> {
  const body = new File([file], file.name, { type: textTypeOf(file) ?? 'application/octet-stream' });
  return call('media/upload', body, signal ? { signal } : {});
}
