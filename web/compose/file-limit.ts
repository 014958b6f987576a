/** 16 MiB (contract §3). The service detects the type by the content. */
export const FILE_LIMIT_BYTES = 16 * 1024 * 1024;
