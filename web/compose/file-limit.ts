/** 16 MiB (contract §3). What is in a file the service finds out by its bytes. */
export const FILE_LIMIT_BYTES = 16 * 1024 * 1024;
