import { useCallback } from 'react';

/** Returns a ref that sets an element's `src` to an object URL, and revokes it on unmount. */
export function useObjectUrl(file: Blob | undefined) {
  return useCallback(
    (element: HTMLImageElement | HTMLVideoElement | null) => {
      if (!file || !element) return undefined;
      const url = URL.createObjectURL(file);
      element.src = url;
      return () => URL.revokeObjectURL(url);
    },
    [file],
  );
}
