/** Downloads `file` under `name`, without characters that a file system may reject. */
export function downloadFile(file: Blob, name: string, extension: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = `${name.replaceAll(/[^\p{L}\p{N} ._-]/gu, '_')}.${extension}`;
  link.click();
  URL.revokeObjectURL(url);
}

/** Downloads a CSV file. Without the byte order mark, which `fetch` takes off, Excel reads the text in a legacy code page. */
export function downloadCsv(text: string, name: string): void {
  downloadFile(new Blob(['\ufeff', text], { type: 'text/csv' }), name, 'csv');
}
